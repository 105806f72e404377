"""The .mcpb bundle: one file by which a desktop client installs the server, its wheel inside.

The client's own `uv` brings Python and what the wheel depends on, for the machine it runs on. The bundle is written
here and not by `mcpb pack`, which puts the time of day into it; that tool judges what was written (./scripts/release).
"""

from __future__ import annotations

import json
import time
import zipfile
from typing import TYPE_CHECKING, Any

from holdfast.catalog import FAMILIES
from holdfast.mcp.tool_definitions import tool_definitions

if TYPE_CHECKING:
    from pathlib import Path

    from .project_facts import Facts

MANIFEST_VERSION = "0.4"  # the first with servers that uv starts
# Desktop clients are among those that take no dots in a tool's name.
SERVE = ("serve", "--tool-names", "underscore")
STARTER = f'''"""Starts the server; with nothing said, as a desktop client wants it."""

import sys

from holdfast.cli import run

if len(sys.argv) == 1:
    sys.argv += {list(SERVE)!r}
run()
'''


def manifest(facts: Facts) -> dict[str, Any]:
    """What a client shows of the bundle before it is installed, what it asks for and how it starts the server."""
    listed = tool_definitions(FAMILIES, underscores=True)
    return {
        "manifest_version": MANIFEST_VERSION,
        "name": "holdfast",
        "display_name": "Holdfast",
        "version": facts.version,
        "description": facts.summary,
        "long_description": facts.description,
        "author": {"name": "The Holdfast contributors"},
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": [
                    *("run", "--quiet", "--directory", "${__dirname}", "server.py"),
                    *(*SERVE, "--path", "${user_config.project}"),
                ],
            },
        },
        "tools": [{"name": tool["name"], "description": tool["description"]} for tool in listed],
        "tools_generated": False,
        "prompts_generated": True,
        "keywords": facts.keywords,
        "license": facts.license,
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": facts.python}},
        "user_config": {
            "project": {
                "type": "directory",
                "title": "Project",
                "description": "The folder whose documentation, contexts and specs are served; it is only read",
                "required": True,
            }
        },
    }


def project_file(facts: Facts, wheel: str) -> str:
    """The pyproject.toml that uv reads: the wheel beside it, with the grammars, since no extra can be added later."""
    return (
        f'[project]\nname = "holdfast-bundle"\nversion = "{facts.version}"\nrequires-python = "{facts.python}"\n'
        'dependencies = ["holdfast-context[analysis]"]\n\n[tool.uv]\npackage = false\n\n'
        f'[tool.uv.sources]\nholdfast-context = {{ path = "{wheel}" }}\n'
    )


def write_bundle(target: Path, facts: Facts, wheel: Path, license_text: bytes, *, epoch: int) -> None:
    """Write the bundle; its bytes follow from the wheel, the facts and the time alone."""
    shown = json.dumps(manifest(facts), indent=2, ensure_ascii=False) + "\n"
    members = {
        "LICENSE": license_text,
        "manifest.json": shown.encode(),
        "pyproject.toml": project_file(facts, wheel.name).encode(),
        "server.py": STARTER.encode(),
        wheel.name: wheel.read_bytes(),
    }
    stamp = time.gmtime(max(epoch, 315_532_800))[:6]  # what a zip file can say begins in 1980
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, stamp)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # Unix, whatever wrote it
            entry.compress_type = zipfile.ZIP_STORED if name == wheel.name else zipfile.ZIP_DEFLATED
            bundle.writestr(entry, members[name])
