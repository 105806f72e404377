"""What steering documents say of a project's files, commands and packages that its files contradict.

Only sure contradictions are reported. A line that speaks of what is planned, was removed or serves as an example, and
everything below such a heading, makes no claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdfast.specs.project_facts import UNKNOWN, Facts
from holdfast.specs.requirement_references import lowered
from holdfast.specs.tasks import without_lines
from holdfast.specs.visible_lines import visible_lines
from holdfast.specs.white_space import trimmed

# Where in a document, from 0, which rule, and what about.
At = tuple[int, str, str]

_NO_CLAIM = re.compile(
    r"(?ai)\b(?:no longer|not yet|removed?|deleted?|deprecated|legacy|planned|future|roadmap|todo|e\.g|examples?|avoid"
    r"|instead of|never|don't|do not|migrat\w*|upgrad\w*|generated|templates?|naming|optional|if|branch"
    r"|anti-?patterns?|proposed|will be|was|were|old)\b|[→❌例]|予定|使用時|命名|将来|廃止"
)
_SHELL = ("", "bash", "sh", "shell", "zsh", "console")
_SPAN = re.compile(r"`([^`\n]++)`")
_PATH = re.compile(r"(?a)^(?:[\w.-]++/)++(?:[\w-][\w.-]*+)?")
_PLACEHOLDER = re.compile(
    r"(?ai)\b(?:app|module|feature|my|your|component|file|package|service)[-_]?name\b|foo|xxx|your|NNN|YYYY"
)
_ITEM = re.compile(r"(?a)^\s*+(?:[-*+]|\d++\.|\|)\s++(?:\*\*)?`$")
_RUN = re.compile(
    r"(?a)(?:^|[\s`;&|(])(?:(npm|pnpm) (?:run )(\w[\w:.-]*+)(?![*\[<{/])|(make) (\w[\w.-]*+)(?![=*\[<{/]))"
)
_NAME = re.compile(r"(?a)^(?!\.{2,})[\w.@+/-]*+(?<=\w|/)")
_BRANCH = re.compile(r"(?a)^([│|\s]*+)[├└][─-]*+\s*+(\S++)")
_NAMED_VERSION = re.compile(
    r"(?a)(?<![\w@./-])(?:(?P<before>[A-Za-z][\w.]*+) )?(?P<name>@?[A-Za-z][\w./-]{0,80}?)(?:[ @]|: | \()"
    r"(?P<version>v?\d++(?:\.\d++)*+)(?P<rest>\.x|\+(?! [a-z])|\S?)"
)
_VERSION = re.compile(r"(?a)\d++(?:\.\d++)*+")
_ENDS = re.compile(r"\.x|[+.,;:)`|*、。，）（(]?+")


def drifted(text: str, facts: Facts) -> list[At]:
    """Each claim that the facts contradict: its line, the rule and what is named, each named thing once."""
    places = _Places(facts)
    found: dict[tuple[str, str], int] = {}
    tree: list[tuple[int, str]] = []
    lines = text.split("\n")
    for number, line, language in [*_claiming(lines), (len(lines), "", None)]:
        if language is not None and _is_drawn(line):
            tree.append((number, line))
            continue
        for at, path in _missing_in_tree(lines[max(tree[0][0] - 1, 0)], tree, places) if tree else ():
            found.setdefault(("steering-path-missing", path), at)
        tree = []
        for rule, about in _in_line(line, language, facts, places):
            found.setdefault((rule, about), number)
    return sorted([(number, rule, about) for (rule, about), number in found.items()])


def _claiming(lines: Sequence[str]) -> Iterator[tuple[int, str, str | None]]:
    """Each line that may claim something, with the language of its fence, None outside of one."""
    visible = {number for number, _ in visible_lines(lines)}
    language: str | None = None
    is_claim = True
    for number, line in enumerate(lines):
        bare = trimmed(line)
        if bare.startswith(("```", "~~~")):
            language = lowered(trimmed(bare.strip("`~"))) if language is None else None
            yield number, "", None
        elif language is None and number in visible and bare.startswith("#"):
            is_claim = not _NO_CLAIM.search(bare)
        elif not is_claim or (language is None and number not in visible):
            continue
        elif (language is not None and _is_drawn(line)) or not _NO_CLAIM.search(_SPAN.sub("``", line)):
            yield number, line, language


def _in_line(line: str, language: str | None, facts: Facts, places: _Places) -> Iterator[tuple[str, str]]:
    if language is not None:
        if language in _SHELL:
            yield from _commands(trimmed(line).removeprefix("$ ").partition(" #")[0], facts)
        return
    for span in _SPAN.finditer(line):
        yield from _commands(span[1], facts)
        path = without_lines(span[1]).removeprefix("./")
        is_path = _PATH.fullmatch(path) and not _PLACEHOLDER.search(path)
        if is_path and places.lacks(path, is_item=bool(_ITEM.match(line[: span.start() + 1]))):
            yield "steering-path-missing", path
    yield from _versions(line.replace("**", "").replace("`", ""), places.declared)


def _commands(text: str, facts: Facts) -> Iterator[tuple[str, str]]:
    for found in _RUN.finditer(text):
        tool, manifest = (found[1], "package.json") if found[1] else (found[3], "Makefile")
        name = (found[2] or found[4]).rstrip(".:")
        command = f"npm run {name}" if found[1] else f"make {name}"
        declared = [each.commands for path, each in facts.manifests.items() if path.rpartition("/")[2] == manifest]
        if declared and not any(UNKNOWN in commands or command in commands for commands in declared):
            yield "steering-command-unknown", f"{tool} run {name}" if found[1] else command


class _Places:
    """The files and folders of a project, found by the end of their path."""

    def __init__(self, facts: Facts) -> None:
        self._ends: dict[str, list[str]] = {}
        for path in (*facts.files, *facts.folders):
            self._ends.setdefault(path.rpartition("/")[2], []).append(f"/{path}")
        self.declared: dict[str, list[str]] = {}  # by package, the versions that manifests ask for
        for manifest in facts.manifests.values():
            for package, version in manifest.packages:
                self.declared.setdefault(lowered(package), []).append(version)
        self._top = {path.partition("/")[0] for path in facts.folders}
        self._kinds = {path.rpartition(".")[2] for path in facts.files}

    def found(self, path: str) -> list[str]:
        """The files and folders whose path ends like this, each from the project."""
        path = path.strip("/")
        return [each[1:] for each in self._ends.get(path.rpartition("/")[2], ()) if each.endswith(f"/{path}")]

    def lacks(self, path: str, *, is_item: bool) -> bool:
        """Whether a path that is written in a line is one of this project's and not there."""
        first, _, rest = path.partition("/")
        _, dot, kind = path.rpartition("/")[2].rpartition(".")
        is_file = bool(dot) and kind in self._kinds
        is_named = (first in self._top and (path.endswith("/") or is_file)) if rest else is_item
        return is_named and not self.found(path)


def _is_drawn(line: str) -> bool:
    return bool(_BRANCH.match(line)) or (bool(trimmed(line)) and not line.strip("│| \t\r"))


def _missing_in_tree(root: str, tree: Sequence[tuple[int, str]], places: _Places) -> Iterator[tuple[int, str]]:
    """The entries of a drawn tree that are not there, by line; none of a tree that is not the project's.

    `root` is the line above, which may name the folder that the tree is of. What lies below an entry that is missing
    is not reported.
    """
    named = trimmed(root).split(" ")[:1]
    bases = places.found(named[0].removeprefix("./")) if named and named[0].endswith("/") else []
    around: list[tuple[int, str]] = []  # the column and path of each entry around a line; no path where unsure
    tops = there = 0
    missing = []
    for number, line in tree:
        drawn = _BRANCH.match(line)
        if drawn is None:
            continue
        column, name = len(drawn[1]), drawn[2].rstrip(",:")
        while around and around[-1][0] >= column:
            around.pop()
        above = around[-1][1] if around else "."
        path = f"{above}/{name.strip('/')}".removeprefix("./") if above and _NAME.fullmatch(name) else ""
        ends = places.found(path) if path else []
        is_there = bool(ends) and (not bases or any(f"{base}/{path}" in ends for base in bases))
        tops += bool(path) and not around
        there += is_there and not around
        if path and not is_there and ("." in name or "/" in name) and not _is_unsure(path, line):
            missing.append((number, f"{min(bases, key=len)}/{path}" if bases else path))
        around.append((column, path if is_there else ""))
    return iter(missing if there and 2 * there >= tops else ())


def _is_unsure(path: str, line: str) -> bool:
    """Whether an entry need not be there: what tools keep below hidden folders, and what the line itself qualifies."""
    return "/." in f"/{path.rpartition('/')[0]}" or any(each.search(line) for each in (_NO_CLAIM, _PLACEHOLDER))


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of the only version that a text asks for; none where there are several, or none."""
    found = None if "||" in version else _VERSION.search(version)
    return tuple(map(int, found[0].split("."))) if found else ()


def _versions(line: str, declared: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    for found in _NAMED_VERSION.finditer(line):
        names = _spellings(found["before"] or "", lowered(found["name"]))
        name = next((each for each in names if each in declared), "")
        if name and _ENDS.fullmatch(found["rest"]):
            said, is_open = found["version"], found["rest"] == "+"
            if all(_contradicts(_numbers(said), is_open, version, name) for version in declared[name]):
                versions = ", ".join(sorted(set(declared[name])))
                yield "steering-version-differs", f"{name} {said}, the manifest has {versions}"


def _spellings(before: str, name: str) -> Iterable[str]:
    if before:
        yield from (f"{lowered(before)}-{name}", f"{lowered(before)}{name}")
    if before[:1] == lowered(before[:1]):  # `React Router 6` is not React's version, nor a router's
        yield from (name, name.removesuffix(".js"), name.replace(".", ""))
        yield from (["node"] if name == "node.js" else [])


def _contradicts(stated: tuple[int, ...], is_open: bool, declared: str, name: str) -> bool:
    numbers = _numbers(declared)
    count = min(2 if name in ("python", "go") or numbers[:1] == (0,) else 1, len(stated), len(numbers))
    said, has = stated[:count], numbers[:count]
    return has > said if declared.lstrip(" ").startswith(">") else has < said if is_open else has != said
