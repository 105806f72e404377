"""server.json, which tells the MCP registry where the server is to be had and how it is started.

`python -m scripts.publishing.registry_entry` writes the one of the tree, `--check` says whether it is current.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from .project_facts import ROOT, read_facts

if TYPE_CHECKING:
    from .project_facts import Facts

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
FILE = ROOT / "server.json"


class PublishedBundle(NamedTuple):
    """A desktop bundle that people can download."""

    url: str
    sha256: str


def registry_entry(facts: Facts, bundle: PublishedBundle | None = None) -> dict[str, Any]:
    """The entry of a release; of the bundle only where it is known from where it can be had."""
    project = {
        "type": "named",
        "name": "--path",
        "description": "The project to serve; the directory that the server is started in unless given",
        "format": "filepath",
    }
    caches = {"name": "CONTEXT_CACHE_ROOT", "description": "Directory that holds the caches", "format": "filepath"}
    package: dict[str, Any] = {
        "registryType": "pypi",
        "identifier": facts.name,
        "version": facts.version,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}, project],
        "environmentVariables": [caches],
    }
    packages = [package]
    if bundle is not None:
        packages.append(
            {
                "registryType": "mcpb",
                "identifier": bundle.url,
                "fileSha256": bundle.sha256,
                "transport": {"type": "stdio"},
            }
        )
    return {
        "$schema": SCHEMA,
        "name": facts.registry_name,
        "title": "Holdfast",
        "description": facts.summary,
        "version": facts.version,
        "packages": packages,
    }


def entry_text(entry: dict[str, Any]) -> str:
    """An entry as it stands in a file."""
    return json.dumps(entry, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    text = entry_text(registry_entry(read_facts()))
    if "--check" in arguments:
        if FILE.is_file() and FILE.read_text(encoding="utf-8") == text:
            return 0
        print("server.json is not current: run ./scripts/docs")
        return 1
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
