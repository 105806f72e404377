"""The workflow that checks a project on a code host: the commands that apply to it, in the words of GitHub Actions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = ".github/workflows/holdfast.yml"
MARK = "# Written by `context setup ci`, which renews it; remove this line to keep it as it is.\n"
_HEAD = """name: holdfast
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.13"
      - run: python -m pip install "holdfast[analysis]=={version}"
"""


def workflow(version: str, checks: Sequence[str]) -> str:
    """The file for these commands."""
    steps = "".join(f"      - run: {check}\n" for check in checks)
    return MARK + _HEAD.replace("{version}", version) + steps
