"""What a build reads of sources it reads through one guard: every module that opens a file by itself is listed here."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent.parent / "src" / "holdfast" / "caches"
# Functions and methods that open or read a file.
OPENERS = {
    "open",
    "open_regular",
    "read_regular",
    "read_confined",
    "read_text",
    "read_bytes",
    "fdopen",
    "mmap",
    "link",
    "copyfile",
    "copy2",
}
# Who opens files by other means than the guard, and which: what a build or an earlier one wrote, and never a source.
OWN_FILES = {
    "build.py": "the manifest of the cache before",
    "document_files.py": "documents of the cache before, which get a second name",
    "git_tree.py": "files of a commit, which it writes",
    "guarded_files.py": "the guard itself",
    "machine_state.py": "what this machine remembers, in the user's cache directory",
    "made_files.py": "the names and identities of files that a build made",
    "project_directory.py": "the directory of the project, to lock it",
    "previous_cache.py": "documents of the cache before, which get a second name",
    "publish.py": "the cache that is to be replaced",
    "segment_files.py": "segments of the cache before",
    "source_state.py": "hashes of sources, of which nothing else is kept, and its own state",
    "user_caches.py": "the file in which a user declares caches, in the user's settings directory",
    # Looks into folders: which names there are, not what the files hold.
    "project_sources.py": "folders, to list them",
}


def _opens(tree: ast.Module) -> bool:
    """Whether a module calls anything that opens a file; a method of that name of its own does not count."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            if {"io", "shutil", "mmap", "codecs", "linecache", "fileinput"} & {alias.name for alias in node.names}:
                return True
            if isinstance(node, ast.ImportFrom) and {alias.name for alias in node.names} & (OPENERS - own):
                return True
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in OPENERS - own:
                return True
    return False


def test_only_the_guard_opens_what_a_build_reads_of_its_sources() -> None:
    modules = [*(PACKAGE / "build").glob("*.py"), *(PACKAGE / "readers").glob("*.py")]
    found = {path.name for path in modules if _opens(ast.parse(path.read_bytes()))}

    assert found == set(OWN_FILES)


def test_the_check_finds_every_way_to_open_a_file() -> None:
    ways = [
        "open('x')",
        "import os\nos.open('x', 0)",
        "from pathlib import Path\nPath('x').read_text()",
        "Path('x').open()",
        "from holdfast.core.regular_files import read_regular",
        "import io\nio.open('x')",
        "import shutil\nshutil.copy('x', 'y')",
        "from shutil import copyfile",
    ]
    assert [_opens(ast.parse(way)) for way in ways] == [True] * len(ways)
    assert not _opens(ast.parse("def read_text(x): ...\nread_text(1)\nguard.read('x', 1)"))
