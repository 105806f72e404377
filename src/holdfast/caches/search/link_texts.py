"""Link texts: what other documents call a document when they link to it. Pure, and linear in the text.

`find_links` reads one document at a time, wherever that is convenient; `incoming` needs the finds of all documents of a
cache, in id order, and says by place which texts lead to each. docs/formats/search.md has the rules. What one
document may hand on is bounded, and so is what is kept of any one that is linked to.
"""

from __future__ import annotations

from holdfast.caches.search.sections import telling
from holdfast.caches.search.word_terms import raw_words
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import WHITE_SPACE, lower_case, split_at_white_space

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Characters. What is longer is no text of a link, no label, no target anyone would write.
LONGEST_TEXT, LONGEST_TARGET = 200, 400
# What one document hands on: a bound on labels and links, and on their characters together.
MOST_FOUND, MOST_CHARACTERS = 8192, 1 << 18
# The texts kept of one document that is linked to: a page that every other links to is named often enough by these.
MOST_INCOMING = 1024
# A path from the root may start at the root of the site: one of this many folders above the page.
_MOST_ROOTS = 8

# A label or a definition is indented by less than this.
_DEEPEST = 9

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
    if "]" in content and _add_inline(content, found) and (definitions := _definitions(content)):
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


def _add_inline(content: str, found: _Found) -> bool:
    """`[text](target)`, `[text](<target> "title")`; an image is none. Returns whether a colon follows some bracket."""
    has_colon = False
    pieces = content.split("]")
    for number in range(1, len(pieces)):
        following = pieces[number][:1]
        if following == "(":
            text = _bracketed(pieces, number - 1)
            target = _destination(pieces[number]) if text else ""
            if target:
                found.add_link(target, text)
        elif following == ":":
            has_colon = True
    return has_colon


def _bracketed(pieces: Sequence[str], number: int) -> str:
    """The text that ends with a piece, back to its opening bracket; a pair of brackets may stand within it."""
    before = pieces[number]
    start = before.rfind("[")
    text = before[start + 1 :] if len(before) - start <= LONGEST_TEXT else ""
    if start < 0 and number and text:
        before = pieces[number - 1]
        start = before.rfind("[", 0, max(0, before.rfind("[")))
        text = f"{before[start + 1 :]}]{text}" if len(before) - start <= LONGEST_TEXT else ""
    if start < 0 or before[start - 1 : start] == "!" or "](" in text or "\n\n" in text:
        return ""
    return text


def _destination(after: str) -> str:
    """The target that `after` begins with, after an opening parenthesis."""
    after = after[1:LONGEST_TARGET]
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
    for name, after in _opened(content, "[", "]:"):
        if "[" not in name and "]" not in name and not name.startswith("^"):
            parts = split_at_white_space(content[after : after + LONGEST_TARGET].partition("\n")[0])
            if parts and len(found) < MOST_FOUND:
                found.setdefault(_label(name), parts[0].removeprefix("<").removesuffix(">"))
    return found


def _add_references(content: str, definitions: dict[str, str], found: _Found) -> None:
    """`[text][name]`, `[name][]` and `[name]`, where the name is defined."""
    start = content.find("[")
    while start >= 0:
        end = content.find("]", start + 1, start + 1 + LONGEST_TEXT)
        text = content[start + 1 : end] if end >= 0 else ""
        if text and "[" not in text and content[start - 1 : start] != "!":
            name, following = text, content[end + 1 : end + 2]
            if following == "[":
                closing = content.find("]", end + 2, end + 2 + LONGEST_TEXT)
                name = content[end + 2 : closing] or text if closing >= 0 else ""
                end = max(end, closing)
            if following not in ("(", ":") and (target := definitions.get(_label(name))):
                found.add_link(target, text)
            start = end
        start = content.find("[", start + 1)


def _add_roles(content: str, found: _Found) -> None:
    """`:ref:` and `{ref}` and other roles before "`text <target>`", and "`text <target>`_" without one."""
    for at in _pairs(content, ">", "`"):
        opening = content.rfind("<", max(0, at - LONGEST_TARGET), at)
        start = content.rfind("`", max(0, opening - LONGEST_TEXT), opening) if opening > 0 else -1
        if start < 0:
            continue
        has_role = start > 0 and content[start - 1] in ":}"
        text, target = content[start + 1 : opening], _one_line(content[opening + 1 : at])
        if target and "\n\n" not in text and (has_role or content[at + 2 : at + 3] == "_"):
            if has_role and content[max(0, start - 4) : start - 1] == "ref":
                target = f"#{target}"
            found.add_link(target, text)


def _labels(content: str) -> Iterator[str]:
    """`.. _label:` and `(label)=`, each alone on its line."""
    at = content.find(".. _") if "_" in content else -1
    while at >= 0:
        line = content[at + 4 : at + 4 + LONGEST_TEXT].partition("\n")[0].rstrip(WHITE_SPACE)
        if line.endswith(":") and _begins_line(content, at):
            yield line[:-1]
        at = content.find(".. _", at + 4)
    for label, after in _opened(content, "(", ")="):
        if not content[after : after + LONGEST_TEXT].partition("\n")[0].strip(WHITE_SPACE):
            yield label


def _opened(content: str, opening: str, closing: str) -> Iterator[tuple[str, int]]:
    """The text between an `opening` that begins a line and a `closing` on it, and where that ends."""
    for at in _pairs(content, *closing):
        near = max(0, at - LONGEST_TEXT)
        start = content.find(opening, max(near, content.rfind("\n", near, at)), at)
        if start >= 0 and _begins_line(content, start):
            yield content[start + 1 : at], at + len(closing)


def _pairs(content: str, first: str, second: str) -> Iterator[int]:
    """Where two characters stand side by side. One is found in a tenth of the time of two, and is rarely there."""
    at = content.find(first)
    while at >= 0:
        if content[at + 1 : at + 2] == second:
            yield at
        at = content.find(first, at + 1)


def _begins_line(content: str, at: int) -> bool:
    """Whether only blanks stand before, and not many."""
    before = content[max(0, at - _DEEPEST) : at].rstrip(" ")
    return before.endswith("\n") or (not before and at < _DEEPEST)


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
