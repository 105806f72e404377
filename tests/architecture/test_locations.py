"""The folder tree is the diagram: few modules at the top, none too long for one reading, purity decided by location."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parent.parent.parent / "src" / "holdfast"
DOORS = {"command", "explore", "http", "mcp", "telemetry"}
# What reaches outside the process: only some locations may import it.
SYSTEM = {"os", "pathlib", "io", "time", "datetime", "random", "subprocess", "socket", "tempfile", "shutil", "fcntl"}
# The files of `core` that touch the system for everyone else.
SYSTEM_FILES = {
    "atomic_write",
    "confined_paths",
    "file_contents",
    "file_identity",
    "git_command",
    "landlock",
    "minisign",
    "own_folder",
    "packaged_text",
    "posix_calls",
    "regular_files",
    "staging",
    "standard_streams",
    "token_file",
    "worker_pool",
}
# They choose what is asked of the system for several answers, as a body would.
SHARED_BY_ANSWERS = {"caches/meant_caches", "survey/examinations"}
# A text that the package brings is a constant, as its code is.
CONSTANTS = {"core/packaged_text"}
# A calendar of a given moment is no clock.
PURE_NAMES = {"time": {"gmtime", "struct_time"}}
TOP = {"__init__", "__main__", "version", "api", "cli", "operation", "catalog", "workspace", "offers"}


def test_the_top_level_has_the_entry_and_the_middle_and_nothing_else() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == TOP


def test_no_module_is_longer_than_six_hundred_lines() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}

    assert {str(path.relative_to(PACKAGE)): count for path, count in lines.items() if count > 600} == {}


def touches_the_system(place: str) -> bool:
    """Whether a module, by its place below the package and without its ending, may import what reaches outside."""
    *folders, name = place.split("/")
    if not folders:
        return name in TOP
    if folders[0] in DOORS or {"on_disk", "build", "registry", "answers"} & set(folders):
        return True
    if folders == ["core"]:
        return name in SYSTEM_FILES
    return name.endswith("answers") or name == "offers" or place in SHARED_BY_ANSWERS


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module that a module imports at run time, wherever it does so; of the project by its place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {each.name for each in node.names}
            if not names <= PURE_NAMES.get(node.module, set()):
                yield node.module
                yield from (f"{node.module}.{name}" for name in names)


def run_time_part(tree: ast.Module) -> ast.Module:
    """The module without what only type checkers read."""
    kept = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING")
    ]
    return ast.Module(kept, [])


def test_a_module_outside_the_locations_that_may_touch_the_system_is_pure() -> None:
    places = {str(path.relative_to(PACKAGE).with_suffix("")): path for path in PACKAGE.rglob("*.py")}
    reached = {}
    for place, path in places.items():
        if touches_the_system(place) or path.name == "__init__.py":
            continue
        names = set(imported(run_time_part(ast.parse(path.read_text(encoding="utf-8")))))
        inside = {name.removeprefix("holdfast.").replace(".", "/") for name in names if name.startswith("holdfast.")}
        bad = {name for name in names if name.partition(".")[0] in SYSTEM}
        inside -= CONSTANTS
        bad |= {each for each in inside if each in places and each.count("/") and touches_the_system(each)}
        if bad:
            reached[place] = sorted(bad)

    assert reached == {}
