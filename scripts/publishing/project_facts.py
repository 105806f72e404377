"""What a release says of the project, read from where each thing is stated once."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
SUMMARY_LIMIT = 100  # what the MCP registry lets a description have


class Facts(NamedTuple):
    """The project as its files state it."""

    name: str
    version: str
    registry_name: str
    summary: str
    description: str
    license: str
    python: str
    keywords: list[str]
    extras: list[str]


def read_facts(root: Path = ROOT) -> Facts:
    """The facts of the project in a folder; ValueError where one is not stated, or too long to be published."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    description = str(project["description"])
    summary = description.partition(":")[0] + "."
    if len(summary) > SUMMARY_LIMIT:
        raise ValueError(f"the description up to its colon has {len(summary)} characters, {SUMMARY_LIMIT} at most")
    return Facts(
        name=str(project["name"]),
        version=_stated(r'^__version__ = "([^"]+)"$', root / "src" / "holdfast" / "version.py"),
        # An index shows the README, and the registry looks there for the name, to know that both have one owner.
        registry_name=_stated(r"^<!-- mcp-name: (\S+) -->$", root / "README.md"),
        summary=summary,
        description=description,
        license=str(project["license"]),
        python=str(project["requires-python"]),
        keywords=list(project["keywords"]),
        extras=sorted(project["optional-dependencies"]),
    )


def _stated(pattern: str, file: Path) -> str:
    found = re.findall(pattern, file.read_text(encoding="utf-8"), re.MULTILINE)
    if len(found) != 1:
        raise ValueError(f"{file.name} states {pattern} {len(found)} times, and not once")
    return str(found[0])
