"""What a wheel brings beside the package: manual pages and completion scripts, written from the table of commands.

hatchling runs `WheelData` when it builds a wheel. `python scripts/wheel_data.py DIR` writes the same files there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path(__file__).parent.parent / "src"


def data_files() -> dict[str, str]:
    """Every file by its place below the prefix that a wheel is installed to."""
    sys.path[:0] = [str(SOURCE), str(SOURCE.parent)]
    from scripts.manual_pages import SECTION, manual_pages

    from holdfast.cli import COMMANDS
    from holdfast.command.completions import script
    from holdfast.command.help import read_glossary
    from holdfast.version import __version__

    pages = manual_pages(COMMANDS, read_glossary(), __version__)
    return {
        **{f"share/man/man{SECTION}/{name}": text for name, text in pages.items()},
        "share/bash-completion/completions/context": script("bash"),
        "share/bash-completion/completions/holdfast": script("bash"),
        "share/zsh/site-functions/_holdfast": script("zsh"),
        "share/fish/vendor_completions.d/context.fish": script("fish"),
        "share/fish/vendor_completions.d/holdfast.fish": "complete -c holdfast -w context\n",
    }


def write_data_files(folder: Path) -> list[str]:
    """Write every file below a folder; their places."""
    files = data_files()
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8", newline="\n")
    return list(files)


class WheelData(BuildHookInterface):  # type: ignore[type-arg]  # what it is told of is not used
    """Adds the files to a wheel; an editable install, which somebody works on, has none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # nothing is left among the sources
        try:
            places = write_data_files(Path(self._folder.name))
        finally:
            sys.dont_write_bytecode = compiles
        build_data["shared_data"].update({str(Path(self._folder.name) / place): place for place in places})

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact: str) -> None:
        if version != "editable":
            self._folder.cleanup()


if __name__ == "__main__":
    for place in write_data_files(Path(sys.argv[1])):
        print(place)
