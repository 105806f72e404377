"""What readers leave of a generator's markup in real documentation: python -m benchmarks.readers PATH[=TOP]...

A path is a folder of sources, as `context add` takes it; TOP is the checkout that holds it (default: the folder). For
each folder: the generators that were detected, pages, the share of sections that contain generator markup outside code,
the share of pages with a title by the rules of docs/formats/sources.md, includes and variables that were not found,
and MB/s of reading on one core, beside that of a loop that splits the same kind of text into words. `--sample N` prints
N marked lines and missing names of each set. `--rendered DIR` compares the title, the headings and the words of each
page with the HTML page of the same name in DIR, as the generator made it. `--hostile` reads each text of
`benchmarks/hostile_texts.py`, repeated 2,500 and 10,000 times, and prints by reader the slowest and those whose time
grows more than sevenfold.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path

from benchmarks.hostile_texts import HOSTILE
from holdfast.caches.build.guarded_files import read_item
from holdfast.caches.build.included_files import MISSING, IncludedFiles
from holdfast.caches.build.project_sources import FoundSources, Patterns, find_below
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.readers.reader_table import READERS, is_of_kind, read_source, reader_named
from holdfast.caches.readers.source_reader import Page, Site, Unreadable
from holdfast.caches.search.sections import outline
from holdfast.caches.source_formats import PAGE, read_markdown

_TAGS = (
    "a abbr article aside b br button center code dd del details div dl dt em figcaption figure font footer h1 h2 h3 "
    "h4 h5 h6 header hr i iframe img input ins kbd li main mark nav ol p picture pre s script section small source "
    "span strong style sub summary sup svg table tbody td tfoot th thead tr u ul video"
).replace(" ", "|")
MARKUP = {
    "HTML or JSX": re.compile(
        rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>|<[A-Z][\w.]*(?:\s+[\w-]+=[^<>]*)/?>|</[A-Z][\w.]*>|<[A-Z]\w*\s*/>"
    ),
    "comment": re.compile(r"<!--|\{/\*"),
    "template": re.compile(r"\{\{|\{%|%\}|\}\}"),
    "admonition or block": re.compile(r"^\s*(?:!!! |\?\?\?\+? |:::|///|=== \"|> \[!\w+\])"),
    "attribute list": re.compile(r"\{:|\{ ?[#.][\w-]+[^}]*\}"),
    "reference": re.compile(r"\]\[[\w.\-]*\](?!\()|\{@link|\[\[\w|:\w+:`"),
    "include": re.compile(r"--8<--|^\s*\{[!*] |^<<<|^include(?:-code)?::"),
    "statement": re.compile(r"^(?:import .* from |export (?:const|default|function) )"),
    "AsciiDoc": re.compile(
        r"^(?:ifn?def|ifeval|endif)::|^\[[a-z#.\[][^\]]*\]$|^\|===|^(?:----+|====+|\.\.\.\.+)$|\b(?:xref|link|linkgit|javadoc|configprop|kbd|image):[^\s\[]*\[|\S::$"
    ),
    "reStructuredText": re.compile(r"^\.\. |`_\b|^\s*:\w+:$"),
}
# What looks like markup and is text in sources of this kind.
PLAIN = {
    ".adoc": {"HTML or JSX", "reStructuredText"},
    ".rst": {"HTML or JSX", "template", "attribute list", "AsciiDoc"},
}
_NOT_MARKDOWN = frozenset(("AsciiDoc", "reStructuredText"))
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def marked_lines(text: str, ending: str) -> dict[int, str]:
    """By number from 1, the kind of markup of each line outside code that contains any."""
    found, fence = {}, ""
    before = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip(" \t>")
        is_code = line.startswith("    ") and not before.strip()
        before = line if not is_code else ""
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        elif not is_code:
            prose = _CODE.sub("", line).replace("\\<", "").replace("\\{", "")
            for kind, pattern in MARKUP.items():
                if kind not in PLAIN.get(ending, _NOT_MARKDOWN) and pattern.search(prose):
                    found[number] = kind
    return found


def measure(folder: Path, top: Path, sample: int, rendered: Path | None) -> None:
    """Print one row, the sample, and the comparison with rendered pages."""
    pages_by_stem: dict[str, Page] = {}
    found = FoundSources.none()
    find_below(str(folder), str(top), Patterns(None, None), "", found, lambda _: None)
    sections = marked = headings = titled = size = pages = 0
    seconds = 0.0
    lines: list[tuple[str, str, str]] = []
    missing: Counter[str] = Counter()
    readers: Counter[str] = Counter()
    for item in found.items:
        page, took, length, lacks = read(item)
        if page is None:
            continue
        pages, size, seconds = pages + 1, size + length, seconds + took
        readers[item.reader] += 1
        missing.update(lacks)
        content, ending = outline(page.text, PAGE), "." + item.source.rpartition(".")[2]
        titled += bool(page.title or any(line.startswith("# ") for line in page.text.split("\n")))
        headings += len({section.heading for section in content.sections})
        marks = marked_lines(page.text, ending)
        texts = page.text.split("\n")
        pages_by_stem[item.source.rpartition(".")[0]] = page
        lines += [(item.source, kind, texts[number - 1]) for number, kind in marks.items()]
        sections += len(content.sections)
        marked += sum(any(s.first <= number <= s.last for number in marks) for s in content.sections)
    share = 100 * marked / max(sections, 1)
    by = ", ".join([f"{name} {count}" for name, count in readers.most_common(4)])
    print(
        f"{folder.name}: {pages} pages by {by}; {sections} sections, {share:.1f} % with markup; "
        f"{headings} headings; {100 * titled / max(pages, 1):.0f} % with a title; "
        f"{sum(missing.values())} missing ({len(missing)} names); {size / 1e6 / max(seconds, 1e-9):.1f} MB/s "
        f"(reference {reference_speed():.0f})"
    )
    if sample:
        print("   ", Counter(kind for _, kind, _ in lines).most_common())
        for source, kind, line in random.Random(1).sample(lines, min(sample, len(lines))):
            print(f"    {source}: {kind}: {line.strip()[:150]}")
        for name, count in missing.most_common(sample):
            print(f"    missing {count}: {name}")
    if rendered:
        compare(rendered, pages_by_stem, sample)


class Rendered(HTMLParser):
    """The headings of a page that a generator made, and its words outside the head, scripts and navigation.

    The heading of an admonition ("Note") is none of the page's.
    """

    HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
    PASSED_OVER = frozenset(("head", "script", "style", "nav", "footer", "header"))
    SIDES = ("sphinxsidebar", "related", "admonition", "note", "tip", "caution", "warning", "important", "footer")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.words: Counter[str] = Counter()
        self._heading = False
        self._hidden = 0
        self._sides: list[bool] = []  # of each open division, whether it is beside the text
        self.feed(text)
        self.headings = [plain(heading) for heading in self.headings]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in self.PASSED_OVER
        if tag in ("div", "blockquote"):
            names = (dict(attrs).get("class") or "").split()
            self._sides.append(any(name in self.SIDES for name in names))
        if tag in self.HEADINGS and not any(self._sides) and not self._hidden:
            self._heading = True
            self.headings.append("")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self.PASSED_OVER and self._hidden > 0
        if tag in ("div", "blockquote") and self._sides:
            self._sides.pop()
        self._heading = self._heading and tag not in self.HEADINGS

    def handle_data(self, data: str) -> None:
        if self._heading:
            self.headings[-1] += data
        if not self._hidden:
            self.words.update(re.findall(r"\w{4,}", data.lower()))


def plain(heading: str) -> str:
    """A heading's letters and digits, in lower case, without what a generator adds: its number, "Manual Page"."""
    heading = re.sub(r"(?i)^\s*(?:(?:chapter|appendix)\s)?[\dA-Z]+\.[\d.]*\s|\bmanual page\s*$", "", heading)
    return "".join(filter(str.isalnum, heading.lower()))


def compare(rendered: Path, pages: dict[str, Page], sample: int) -> None:
    """Print how many titles, headings and words of the rendered pages the readers' pages have, and some of the others.

    A heading that they have as bold words (of a paragraph with a title) is no heading.
    """
    lacking: list[str] = []
    total = found = words = kept = compared = titled = 0
    for stem, read_page in sorted(pages.items()):
        path = rendered / f"{stem}.html"
        if not path.is_file():
            continue
        page, text = Rendered(path.read_text("utf-8", "replace")), read_page.text
        headings = [plain(heading.text) for heading in read_markdown(text.split("\n"), 0)[0]]
        compared, total = compared + 1, total + len(page.headings)
        titled += not page.headings or (plain(read_page.title) or next(iter(headings), "")) == page.headings[0]
        lost = Counter(page.headings) - Counter([plain(read_page.title), *headings])
        found += len(page.headings) - lost.total()
        lacking += [f"{stem}: {heading}" for heading in lost]
        have = Counter(re.findall(r"\w{4,}", text.lower()))
        words, kept = words + len(page.words), kept + sum(word in have for word in page.words)
    print(
        f"    rendered: {compared} pages, {titled} titles, {found} of {total} headings, "
        f"{100 * kept / max(words, 1):.1f} % of the different words"
    )
    for line in random.Random(1).sample(lacking, min(sample, len(lacking))):
        print(f"    no heading: {line}")


class NoFiles:
    """The files of hostile texts: none."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def text(self, path: str) -> str | None:  # noqa: ARG002 - what every table of files takes
        return None

    def missing(self, what: str) -> None:
        pass


def measure_hostile() -> None:
    """Print one row for each reader that hostile texts are known for."""
    for reader in READERS:
        texts = HOSTILE.get(reader.name.rstrip("0123456789"), ())
        slowest, grown = 0.0, []
        for piece in texts:
            took = []
            for count in (2500, 10_000):
                begin = time.process_time()
                with suppress(Unreadable):
                    read_source(reader, f"{piece * count}\nend\n".encode(), "page.md", NoFiles(Site()))
                took.append(time.process_time() - begin)
            slowest = max(slowest, took[1] / (len(piece) * 10_000) * 1e6)
            grown += [piece] if took[1] > max(7 * took[0], 0.05) else []
        if texts:
            print(f"{reader.name}: {len(texts)} texts, at most {slowest:.1f} s/MB, grown more than sevenfold: {grown}")


def reference_speed() -> float:
    """MB/s of a loop that splits text into lines and words, on this machine as busy as it is now."""
    text = "Some words of a line of prose, as documentation has them, and `code`.\n" * 60_000
    begin = time.process_time()
    count = sum(len(line.split(" ")) for line in text.split("\n"))
    return len(text) / 1e6 / max(time.process_time() - begin, 1e-9) if count else 0


def read(item: SourceItem) -> tuple[Page | None, float, int, list[str]]:
    """A page, the processor's time for it, its bytes with what it includes and what it lacks; or None."""
    reader, files = reader_named(item.reader), IncludedFiles.of(item)
    assert reader is not None
    try:
        data = read_item(item)
        if not is_of_kind(reader, data):
            return None, 0, 0, []
        begin = time.process_time()
        page = read_source(reader, data, item.source, files)
        took, size = time.process_time() - begin, max(len(data), len(page.text.encode()))
        return page, took, size, [k[1:] for k in files.asked if k.startswith(MISSING)]
    except Unreadable:
        return None, 0, 0, []


def main() -> None:
    """Measure each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH[=TOP]")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--sample", type=int, default=0, metavar="N")
    parser.add_argument("--rendered", type=Path, metavar="DIR")
    given = parser.parse_args()
    if given.hostile:
        measure_hostile()
    for path in given.paths:
        folder, _, top = path.partition("=")
        measure(Path(folder).resolve(), Path(top or folder).resolve(), given.sample, given.rendered)


if __name__ == "__main__":
    main()
