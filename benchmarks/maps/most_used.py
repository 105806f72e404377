"""The most used public symbols of a repository, counted without any code of the product.

A definition is what a line of source says (or, where it is installed, what universal-ctags finds); a use is a file
other than the defining one that holds the name as a word. Names that a program could not tell from ordinary words, of
fewer than three letters, are left out, and so are definitions in tests.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# The first group is the name. Only what a line says is public.
DEFINITIONS = {
    ".go": r"^(?:func (?:\([^)]*\) )?|type |var |const |\t)([A-Z]\w*)(?=[\s(\[=])",
    ".py": r"^(?:    )?(?:async def|def|class) ([A-Za-z]\w*)|^([A-Za-z]\w*)(?=(?::[^=]+)?\s*=[^=])",
    ".rs": r"^\s*pub (?:const |unsafe |async )*(?:fn|struct|enum|trait|type|const|static|mod|union) (?:mut )?(\w+)",
    ".ts": r"^export (?:default |declare |abstract |async )*(?:function\*?|class|interface|type|enum|const|let) (\w+)",
    ".js": r"^export (?:default |async )*(?:function\*?|class|const|let|var) (\w+)|^(?:module\.)?exports\.(\w+) =",
    ".java": r"^\s*public (?:static |final |abstract )*(?:[\w<>\[\], ?]+ )?(\w+)(?=\s*[({<]| extends| implements)",
    ".rb": r"^\s*(?:class|module|def) (?:self\.)?([A-Za-z]\w*)",
}
_TEST = re.compile(
    r"(^|/)(tests?|__tests__|spec|testdata|fixtures|examples?|benches)/|_test\.|(^|/)test_|\.test\.|\.spec\.|conftest"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_SHORTEST = 3


def source_files(root: Path) -> dict[str, str]:
    """Every file of source, by its path from the root."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(root.rglob("*"))
        if path.suffix in DEFINITIONS and path.is_file() and ".git" not in path.parts
    }


def by_lines(sources: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(file, name) of each definition, by what its line says."""
    for path, text in sources.items():
        for found in re.finditer(DEFINITIONS[Path(path).suffix], text, re.MULTILINE):
            yield path, next(group for group in found.groups() if group)


def by_ctags(root: Path) -> Iterator[tuple[str, str]]:
    """The same by universal-ctags: what it calls public, or what the language's spelling does."""
    command = ["ctags", "-R", "--output-format=json", "--fields=+akn", "--exclude=.git", "-f", "-", "."]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        name, path = tag.get("name", ""), tag.get("path", "").removeprefix("./")
        if tag.get("_type") != "tag" or Path(path).suffix not in DEFINITIONS or tag.get("kind") in _INNER:
            continue
        if path.endswith(".go") and not name[:1].isupper():
            continue
        if path.endswith(".rs") and tag.get("access") not in (None, "public"):
            continue
        yield path, name


_INNER = {
    "local",
    "parameter",
    "package",
    "packageName",
    "import",
    "namespace",
    "module",
    "unknown",
    "member",
    "field",
    "anonMember",
    "enumerator",
}


def most_used(root: Path, count: int = 50, *, ctags: bool = False) -> list[tuple[str, set[str], int]]:
    """(name, the files that define it, how many files use it) of the most used, ties by name."""
    sources = source_files(root)
    words = {path: set(_WORD.findall(text)) for path, text in sources.items()}
    definers: dict[str, set[str]] = defaultdict(set)
    for path, name in by_ctags(root) if ctags else by_lines(sources):
        if len(name) >= _SHORTEST and not name.startswith("_") and not _TEST.search(path):
            definers[name].add(path)
    uses = {
        name: sum(name in found for path, found in words.items() if path not in files)
        for name, files in definers.items()
    }
    ranked = sorted(definers, key=lambda name: (-uses[name], name))[:count]
    return [(name, definers[name], uses[name]) for name in ranked]


def has_ctags() -> bool:
    """Whether universal-ctags is installed."""
    return shutil.which("ctags") is not None
