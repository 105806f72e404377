"""The most used public symbols of a repository, by references that are resolved without any code of the product.

A reference is a name that an import or a qualified path of the repository's own packages spells out, so that a namesake
of the standard library casts no vote. It counts once for each file. A name is a symbol when a line of source that is no
test defines it. What follows a dot of a variable is counted for Go alone, where the receivers of a framework have usual
names. In C and C++, whose includes name no symbols, what a namespace of the repository qualifies and its macros count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

_DEFINED = re.compile(
    r"\b(?:fn|struct|enum|union|trait|type|mod|macro_rules!|class|def|function|const|let|interface|object|fun|val|var"
    r"|func|module|defmodule|defmacro|defprotocol|typealias|static|using|define|@interface)\s+(?:<[^>\n]*> ?)?"
    r"(?:\([^)\n]*\) )?(?:[\w.<>]+[.:]+)?(\w+)|^([A-Za-z]\w+)\s*(?::[^=\n]+)?=|^\t([A-Z]\w+)\s*(?:\(|$|[A-Z*\[=])",
    re.MULTILINE,
)
_CALLABLE = re.compile(r"\s(\w+)\(")  # Java, TypeScript and C++ define what others would call
_TEST = re.compile(
    r"(^|/)(tests?|__tests__|specs?|testdata|fixtures|examples?|benches|docs?|\w*[tT]est\w*)/"
    r"|_test\.|(^|/)test_|\.test\.|\.spec\.|conftest"
)
_ENDINGS = frozenset(".go .py .rs .ts .tsx .js .java .kt .rb .php .ex .exs .c .h .cc .cpp .hpp .cs .swift".split())
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
_SHORTEST = 3
_NOBODYS = {"self", "super", "crate", "main", "class", "operator"}


def source_files(root: Path) -> dict[str, str]:
    """Every file of source, by its path from the root."""
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8", "replace")
        for path in sorted(root.rglob("*"))
        if path.suffix in _ENDINGS and path.is_file() and not path.is_symlink() and ".git" not in path.parts
    }


def own_packages(root: Path, sources: dict[str, str]) -> dict[str, set[str]]:
    """The names by which the repository's packages are imported, by language's ending."""
    own: dict[str, set[str]] = defaultdict(set)
    for path in sources:
        if path.endswith("/__init__.py") and not _TEST.search(path):
            own[".py"].add(path.removeprefix("src/").split("/")[0])
    for manifest in sorted(root.rglob("Cargo.toml")):
        if found := re.search(r'^name\s*=\s*"([\w-]+)"', manifest.read_text("utf-8", "replace"), re.MULTILINE):
            own[".rs"].add(found[1].replace("-", "_"))
    for manifest in sorted(root.rglob("package.json")):
        if found := re.search(r'"name":\s*"([^"]+)"', manifest.read_text("utf-8", "replace")):
            own[".ts"].add(found[1])
    for ending, pattern in (
        (".php", r"^namespace (\w+)"),
        (".java", r"^package (\w+\.\w+)"),
        (".kt", r"^package (\w+)"),
    ):
        found_in = Counter(
            found[1]
            for path, text in sources.items()
            if path.endswith(ending)
            for found in re.finditer(pattern, text, re.MULTILINE)
        )
        own[ending].update([name for name, _ in found_in.most_common(2)])
    for path, text in sources.items():
        if path.endswith((".h", ".hpp", ".cc", ".cpp", ".c")) and not _TEST.search(path):
            own[".h"].update(set(re.findall(r"^namespace (\w+)", text, re.MULTILINE)) - {"std"})
            own["#define"].update(re.findall(r"^# *define ([A-Z]\w+)", text, re.MULTILINE))
        if path.endswith(".rb") and not _TEST.search(path):
            own[".rb"].update(re.findall(r"^module ([A-Z]\w+)", text, re.MULTILINE))
        if path.endswith(".ex"):
            own[".ex"].update(re.findall(r"^defmodule ([A-Z]\w+)", text, re.MULTILINE))
        if path.endswith(".go"):
            own[".go"].update(re.findall(r"^package (\w+)", text, re.MULTILINE))
    return own


def _rust_names(text: str, crates: str) -> Iterator[str]:
    for used in re.finditer(rf"\buse (?:::)?(?:{crates}|crate)::([^;]+);", text):
        for part in re.split(r"[{},]", used[1]):
            words = [word for word in re.split(r"::|\s+as\s+.*", part.strip()) if word]
            if words:
                yield words[-2] if words[-1] == "self" and len(words) > 1 else words[-1]
    for path in re.finditer(rf"\b(?:{crates}|crate)((?:::\w+)+)", re.sub(r"\buse [^;]+;", "", text)):
        yield from path[1].split("::")[1:]


def references(path: str, text: str, own: dict[str, set[str]]) -> set[str]:
    """The names of the repository that a file spells out."""
    ending = Path(path).suffix
    if ending == ".rs":
        return set(_rust_names(text, "|".join(sorted(own[".rs"])) or "crate"))
    if ending == ".py":
        packages = "|".join(sorted(own[".py"])) or "_"
        matches = re.finditer(
            rf"^\s*from (?:(?:{packages})(?:\.\w+)*|\.[\w.]*) import (\([^)]*\)|[^\n]+)", text, re.MULTILINE
        )
        names = {word.split(" as ")[0].strip() for one in matches for word in re.split(r"[,\n]", one[1].strip("()"))}
        return names | set(re.findall(rf"\b(?:{packages})\.(\w+)", text))
    if ending in (".ts", ".tsx", ".js"):
        matches = re.finditer(r"import (?:type )?\{([^}]*)\}\s*from ['\"]([^'\"]*)['\"]", text)
        return {
            word.replace("type ", "").split(" as ")[0].strip()
            for one in matches
            if one[2].startswith(".") or one[2] in own[".ts"]
            for word in one[1].split(",")
        }
    if ending in (".java", ".kt"):
        packages = "|".join(sorted(own[".java"] | own[".kt"])) or "_"
        found = re.findall(rf"^import (?:static )?((?:{packages})\.[\w.]+);?", text, re.MULTILINE)
        return {name.rpartition(".")[2] for name in found}
    if ending == ".php":
        found = re.findall(rf"^use ((?:{'|'.join(sorted(own['.php'])) or '_'})\\[\w\\]+)", text, re.MULTILINE)
        return {name.rpartition("\\")[2] for name in found}
    if ending == ".go":
        packages = "|".join(sorted(own[".go"] | {"c", "r", "router"}))
        return set(re.findall(rf"\b(?:{packages})\.([A-Z]\w+)", text))
    if ending == ".rb":
        found = re.findall(rf"\b((?:{'|'.join(sorted(own['.rb'])) or '_'})(?:::[A-Z]\w+)+)", text)
        return {name.rpartition("::")[2] for name in found}
    if ending in (".ex", ".exs"):
        found = re.findall(rf"\b((?:{'|'.join(sorted(own['.ex'])) or '_'})(?:\.[A-Z]\w+)+)", text)
        return {name.rpartition(".")[2] for name in found}
    bare = _COMMENT.sub(" ", text)
    spaces = "|".join(sorted(own[".h"])) or "_"
    return {*re.findall(rf"\b(?:{spaces})::(\w+)", bare), *(own["#define"] & set(re.findall(r"\b[A-Z]\w+", bare)))}


def most_used(root: Path, count: int = 50) -> list[tuple[str, set[str], int]]:
    """(name, the files that define it, how many files refer to it) of the most used, ties by name."""
    sources = source_files(root)
    own = own_packages(root, sources)
    uses = Counter(name for path, text in sources.items() for name in references(path, text, own))
    wanted = {name for name, _ in uses.most_common(2000) if len(name) >= _SHORTEST and name.isidentifier()} - _NOBODYS
    definers: dict[str, set[str]] = defaultdict(set)
    for path, text in sources.items():
        if _TEST.search(path):
            continue
        patterns = [_DEFINED, *([_CALLABLE] if path.endswith((".java", ".ts", ".h", ".hpp", ".cs")) else [])]
        for pattern in patterns:
            for found in pattern.finditer(text):
                if (name := next(group for group in found.groups() if group)) in wanted:
                    definers[name].add(path)
    ranked = sorted([name for name in wanted if name in definers], key=lambda name: (-uses[name], name))[:count]
    return [(name, definers[name], uses[name]) for name in ranked]
