"""The workflow that checks a project on a code host: the commands that apply to it, in the words of GitHub Actions."""

from __future__ import annotations

import json
from shlex import quote

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
"""


def workflow(requirement: str, checks: Sequence[str]) -> str:
    """The file for these commands, with what pip installs."""
    install = f"python -m pip install {quote(requirement)}"
    # A string of JSON is one of YAML, whatever a requirement holds.
    steps = [json.dumps(install, ensure_ascii=False), *checks]
    return MARK + _HEAD + "".join(f"      - run: {step}\n" for step in steps)
