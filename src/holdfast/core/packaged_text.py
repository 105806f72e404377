"""Texts that come with this package: templates and the style of its pages."""

from __future__ import annotations

import os

_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")


def packaged_text(name: str) -> str:
    """The text of a file beside the code."""
    with open(os.path.join(_FOLDER, name), "rb") as file:
        return file.read().decode()
