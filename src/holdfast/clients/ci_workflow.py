"""The workflow that checks a project on a code host: the commands that apply to it, in the words of GitHub Actions."""

from __future__ import annotations

import json
from shlex import quote, split
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = ".github/workflows/holdfast.yml"
MARK = "# Written by `context setup ci`, which renews it; remove this line to keep it as it is.\n"
# A tag can be moved to other code, a commit cannot.
_CHECKOUT = "actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1"
_SETUP_PYTHON = "actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0"
_HEAD = f"""name: holdfast
on:
  push:
  pull_request:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: {_CHECKOUT}
      - uses: {_SETUP_PYTHON}
        with:
          python-version: "3.13"
"""
# Every head that a release wrote, to the letter. Up to 0.1.0 the actions were named by their tags.
_EARLIER_HEADS = (_HEAD.replace(_CHECKOUT, "actions/checkout@v4").replace(_SETUP_PYTHON, "actions/setup-python@v5"),)
_INSTALL = "python -m pip install "
_STEP = "      - run: "


def workflow(requirement: str, checks: Sequence[str], head: str = _HEAD) -> str:
    """The file for these commands, with what pip installs."""
    # A string of JSON is one of YAML, whatever a requirement holds.
    steps = [json.dumps(_INSTALL + quote(requirement), ensure_ascii=False), *checks]
    return MARK + head + "".join(f"{_STEP}{step}\n" for step in steps)


def is_written(text: str, checks: Sequence[str]) -> bool:
    """Whether set-up wrote a text: with any requirement and any of these checks, and nothing else in it."""
    steps = [line.removeprefix(_STEP) for line in text.split("\n") if line.startswith(_STEP)]
    try:
        words = split(json.loads(steps[0]).removeprefix(_INSTALL))
    except (ValueError, IndexError, AttributeError, RecursionError):
        return False
    kept = [check for check in checks if check in steps[1:]]
    return len(words) == 1 and any(text == workflow(words[0], kept, head) for head in (_HEAD, *_EARLIER_HEADS))
