"""Link texts: what other documents call a document when they link to it. Pure, and linear in the text.

`find_links` reads one document at a time, wherever that is convenient; `incoming` needs the finds of all documents of a
cache, in id order, and says by place which texts lead to each. docs/formats/search.md has the rules. What one
document may hand on is bounded, and so is what is kept of any one that is linked to.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from holdfast.caches.search.sections import telling
from holdfast.caches.search.word_terms import raw_words
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE, lower_case, split_at_white_space

# Characters. What is longer is no text of a link, no label, no target anyone would write.
LONGEST_TEXT, LONGEST_TARGET = 200, 400
# What one document hands on: a bound on labels and links, and on their characters together.
MOST_FOUND, MOST_CHARACTERS = 8192, 1 << 18
# The texts kept of one document that is linked to: a page that every other links to is named often enough by these.
MOST_INCOMING = 1024
# A path from the root may start at the root of the site: one of this many folders above the page.
_MOST_ROOTS = 8

# Text in brackets may have a pair of brackets within it, and something after that.
_INLINE = re.compile(r"(?<!!)\[([^\[\]]{1,199}|[^\[\]]{0,198}\[[^\[\]]{0,198}\](?!\()[^\[\]]{1,199})\]\(")
_DEFINITION = re.compile(r"^ {0,8}\[([^\[\]\n]{0,199})\]:([^\n]{0,400})", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!!)\[([^\[\]]{1,199})\](?:\[([^\]]{0,199})\]|(?![(:\[]))")
_ROLE = re.compile(r"`([^`]{0,199})<([^<]{0,399}?)>(?=`(_?))")
_RST_LABEL = re.compile(r"^ {0,8}\.\. _([^\n]{0,200})", re.MULTILINE)
_MYST_LABEL = re.compile(r"^ {0,8}\(([^\n]{0,199})\)=([^\n]{0,200})", re.MULTILINE)

_EXTENSIONS = frozenset(["md", "mdx", "markdown", "html", "htm", "rst", "txt", "adoc", "asciidoc", "ipynb"])
# A page of this name is what a link to its folder shows, the first of them if there are several.
_FOLDER_PAGES = ("index", "_index", "readme")


class PageLinks(NamedTuple):
    """What one document says of links: the labels it can be reached by and where it leads, each once.

    Packed, since a process hands on one of these for every document: `labels` are lines, and `links` are lines of a
    target, a tab and a text. Neither has a line when it is empty.
    """

    labels: str
    links: str


NO_LINKS = PageLinks("", "")


def find_links(source: str, content: str) -> PageLinks:
    """The labels and links of one document; `source` is its path as it is spelled."""
    found = _Found(source)
    for label in _labels(content):
        found.add_label(label)
    if "](" in content:
        _add_inline(content, found)
    if "]:" in content and (definitions := _definitions(content)):
        _add_references(content, definitions, found)
    if "`" in content:
        _add_roles(content, found)
    if not found.links and not found.labels:
        return NO_LINKS
    return PageLinks("\n".join(found.labels), "\n".join(found.links))


def link_words(texts: Sequence[str]) -> list[str]:
    """The words of the texts that lead to one document, as a field counts them: stop words left out."""
    return telling(raw_words(" ".join(texts)))


class _Found:
    """Gathers what one document hands on until it has handed on enough."""

    def __init__(self, source: str) -> None:
        self.labels: dict[str, None] = {}
        self.links: dict[str, None] = {}
        self._room = MOST_CHARACTERS
        # A site that was copied may have its host's name as a folder, and links to itself by that.
        self._host = lower_case(source.partition("/")[0][:LONGEST_TARGET])

    def add_label(self, label: str) -> None:
        name = _label(label)
        if name:
            self._add(self.labels, name)

    def add_link(self, target: str, text: str) -> None:
        """Keep a link whose target leads to a document, as far as its spelling tells."""
        path = _path(target, self._host)
        words = _one_line(text) if path else ""
        if words:
            self._add(self.links, f"{path}\t{words}")

    def _add(self, kept: dict[str, None], line: str) -> None:
        if line not in kept and len(kept) < MOST_FOUND and len(line) < self._room:
            self._room -= len(line) + 1
            kept[line] = None


def _one_line(text: str) -> str:
    return " ".join(split_at_white_space(text))


def _label(written: str) -> str:
    return lower_case(_one_line(written.strip("`")))


def _path(target: str, host: str) -> str:
    """A target as it is looked up: `#label`, `//from/the/very/root`, `/from/some/root` or relative; or nothing."""
    if target[0] == "#":
        label = _label(target[1:])
        return f"#{label}" if label else ""
    path = target.partition("#")[0].partition("?")[0]
    if "//" in path or ":" in path:
        before, _, after = path.partition("//")
        if lower_case(before) not in ("https:", "http:", "") or lower_case(after.partition("/")[0]) != host:
            return ""  # another site
        path = f"//{after}"
    if "%" in path:
        path = _unquoted(path)
    path = lower_case(path).rstrip("/") or path[:1]
    name, dot, extension = path.rpartition(".")
    return name if dot and extension in _EXTENSIONS else path


def _unquoted(path: str) -> str:
    from urllib.parse import unquote

    return _one_line(unquote(path))


def _add_inline(content: str, found: _Found) -> None:
    """`[text](target)`, `[text](<target> "title")`; an image is none."""
    for link in _INLINE.finditer(content):
        text, at = link[1], link.end()
        if "\n\n" not in text and text.find("]") < LONGEST_TEXT:
            target = _destination(content[at : at + LONGEST_TARGET - 1].partition("]")[0])
            if target:
                found.add_link(target, text)


def _destination(after: str) -> str:
    """The target that follows an opening parenthesis."""
    if after[:1] == "<":
        target, closed, _ = after[1:].partition(">")
        return _one_line(target) if closed else ""
    end = after.find(")")
    if end < 0:
        return ""
    parts = split_at_white_space(after[:end])
    if parts and "(" in parts[0]:  # a pair of parentheses within the target
        end = after.find(")", end + 1)
        parts = split_at_white_space(after[:end]) if end >= 0 else []
    return parts[0] if parts else ""


def _definitions(content: str) -> dict[str, str]:
    """name -> target, of lines `[name]: target`; of several the first."""
    found: dict[str, str] = {}
    for line in _DEFINITION.finditer(content):
        parts = split_at_white_space(line[2])
        if parts and len(found) < MOST_FOUND and not line[1].startswith("^"):
            found.setdefault(_label(line[1]), parts[0].removeprefix("<").removesuffix(">"))
    return found


def _add_references(content: str, definitions: dict[str, str], found: _Found) -> None:
    """`[text][name]`, `[name][]` and `[name]`, where the name is defined."""
    for reference in _REFERENCE.finditer(content):
        if target := definitions.get(_label(reference[2] or reference[1])):
            found.add_link(target, reference[1])


def _add_roles(content: str, found: _Found) -> None:
    """`:ref:` and `{ref}` and other roles before "`text <target>`", and "`text <target>`_" without one."""
    for role in _ROLE.finditer(content):
        start, text, target = role.start(), role[1], _one_line(role[2])
        has_role = start > 0 and content[start - 1] in ":}"
        if target and "\n\n" not in text and (has_role or role[3]):
            is_label = has_role and content[max(0, start - 4) : start - 1] == "ref"
            found.add_link(f"#{target}" if is_label else target, text)


def _labels(content: str) -> Iterator[str]:
    """`.. _label:` and `(label)=`, each alone on its line."""
    for line in _RST_LABEL.finditer(content) if ".. _" in content else ():
        if (label := line[1].rstrip(WHITE_SPACE)).endswith(":"):
            yield label[:-1]
    for line in _MYST_LABEL.finditer(content) if ")=" in content else ():
        if not line[2].strip(WHITE_SPACE):
            yield line[1]


def incoming(ids: Sequence[str], pages: Iterable[PageLinks]) -> list[list[str]]:
    """The texts of the links that lead to each document from others, by place; ids and pages are in id order.

    Pages are asked for twice.

    A page that links to another several times with one text counts once. The texts stand in the order of the pages.
    """
    found: list[list[str]] = [[] for _ in ids]
    targets = _Targets(ids, pages)
    shared: dict[str, str] = {}  # one copy of each text, since navigation repeats them on every page
    for place, page in enumerate(pages):
        if not page.links:
            continue
        targets.enter(ids[place])
        given: set[tuple[int, str]] = set()
        for line in page.links.split("\n"):
            target, _, text = line.partition("\t")
            to = targets.find(target)
            if to < 0 or to == place or (to, text) in given or len(found[to]) >= MOST_INCOMING:
                continue
            given.add((to, text))
            found[to].append(shared.setdefault(text, text))
    return found


class _Targets:
    """Finds the place of the document that a target leads to, seen from the page that was entered last."""

    def __init__(self, ids: Sequence[str], pages: Iterable[PageLinks]) -> None:
        self._places: dict[str, int] = {}
        for place, name in enumerate(ids):
            self._places.setdefault(_stem(name), place)
        for name, place in list(self._places.items()):
            folder, _, last = name.rpartition("/")
            if last in _FOLDER_PAGES:
                self._places.setdefault(folder, place)
        self._labels: dict[str, int] = {}
        for place, page in enumerate(pages):
            if page.labels:
                for label in page.labels.split("\n"):
                    self._labels.setdefault(label, place)
        self._here = self._folder = ""
        self._known: dict[str, int] = {}  # of this folder

    def enter(self, name: str) -> None:
        """Go to a page: relative targets are looked up from there."""
        self._here = _stem(name)
        folder = self._here.rpartition("/")[0]
        if folder != self._folder:
            self._folder, self._known = folder, {}

    def find(self, target: str) -> int:
        """The place, or -1 when no document is meant."""
        place = self._known.get(target)
        if place is None:
            place = self._known[target] = self._from_folder(target)
        if place < 0 and target[0] not in "/#":
            # Sites show each page as a folder: a page beside it there is below it here.
            place = self._places.get(_joined(self._here, target), -1)
        if place < 0 and "/" not in target:
            place = self._labels.get(target.removeprefix("#"), -1)
        return place

    def _from_folder(self, target: str) -> int:
        if target[0] == "#":
            return -1
        if target.startswith("//"):
            return self._places.get(target[2:], -1)
        if target[0] != "/":
            return self._places.get(_joined(self._folder, target), -1)
        root = ""
        for folder in ["", *self._here.split("/", _MOST_ROOTS)[:-1]]:
            root = f"{root}/{folder}" if root else folder
            place = self._places.get(_joined(root, target), -1)
            if place >= 0:
                return place
        return -1


def _stem(name: str) -> str:
    before, dot, extension = name.rpartition(".")
    return before if dot and extension in _EXTENSIONS else name


def _joined(folder: str, path: str) -> str:
    """A path below a folder without `.`, `..` and empty parts; one that leads above the root ends there."""
    if "./" not in path and "//" not in path and path[0] != "/" and path[-1] != ".":
        return f"{folder}/{path}" if folder else path
    parts = folder.split("/") if folder else []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part and part != ".":
            parts.append(part)
    return "/".join(parts)
