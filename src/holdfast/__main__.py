"""`python -m holdfast` is the `context` command."""

from holdfast.cli import run

run()
