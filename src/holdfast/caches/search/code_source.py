"""The source code of a work tree as it is now, as a search asks it: the `SearchSource` over records of its files. Pure.

Scores are of the same kind as those of documents (impacts.py), so that both are ranked together. A name of a symbol
counts twice, the path of a file half more, the whole file little; tests, examples and files that programs wrote count
less.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache, partial
from hashlib import sha256
from itertools import accumulate

from holdfast.caches.cache_format import PREFIX, Document, document_id
from holdfast.caches.search.asked_caches import WORK_TREE
from holdfast.caches.search.code_record import CodeRecord, code_words, name_keys, term_key
from holdfast.caches.search.directory_claims import FILE_NAME, Claim, claim_about, read_claims
from holdfast.caches.search.impacts import FieldSteps
from holdfast.caches.search.joined_search import CountedTokens
from holdfast.caches.search.proven_page import CitedText, CodeChanged, ProvenPage
from holdfast.caches.search.question import Question
from holdfast.caches.search.search_text import code_label
from holdfast.caches.search.section import Section
from holdfast.caches.search.sections import Outline
from holdfast.caches.search.source_lines import split_lines
from holdfast.caches.search.under import documents_under
from holdfast.caches.tokenizers import counter
from holdfast.code.analysis.analyser import is_generated
from holdfast.code.analysis.facts import compact
from holdfast.code.code_sections import CutFile, Symbol, symbol_at
from holdfast.code.test_files import is_example, is_test
from holdfast.core.record import NamedTuple

# Hundredths that fields weigh, and tenths that are left of the score of a test or an example and of a file that a
# program wrote.
_NAMES, _PATH, _FILE = 200, 150, 15
_BESIDE, _MADE = 5, 5
# Characters of the line that names a section.
_LONGEST_SIGNATURE, _LONGEST_DOC = 90, 80


class CodeFile(NamedTuple):
    """A source file: its path below the project, the SHA-256 of its bytes, and its record."""

    path: str
    digest: str
    record: CodeRecord


@lru_cache(2)
def _path_terms(paths: tuple[str, ...]) -> tuple[dict[int, dict[int, int]], list[int]]:
    """The terms of paths, as key -> place -> quarters, and the words of each; an edit leaves them as they are."""
    terms: dict[int, dict[int, int]] = {}
    lengths = []
    for place, path in enumerate(paths):
        words = code_words(path.rpartition(".")[0])
        lengths.append(len(words))
        for word in words:
            for key, quarters in name_keys(word):
                of_key = terms.setdefault(key, {})
                of_key[place] = of_key.get(place, 0) + quarters
    return terms, lengths


class CodeSource:
    """The `SearchSource` of source files; `read` gives the bytes of one by its path, as they are now."""

    def __init__(self, files: Iterable[CodeFile], read: Callable[[str], bytes], tokenizer: str) -> None:
        self.name = WORK_TREE  # what an answer calls it
        self.left_out: Mapping[str, int] = {}  # files whose text is not searched, by why
        self._files = sorted(files, key=lambda file: (document_id(file.path).encode(), file.path))
        self._read, self.tokenizer = read, tokenizer
        self._firsts: list[int] = [0, *accumulate([file.record.sections for file in self._files])]
        self._keys = [file.record.keys for file in self._files]
        # Made when first asked for, by any question: at most one of each.
        self._every: list[set[int]] = []
        self._tests: list[dict[str, list[str]]] = []
        self._weights: dict[int, int] = {}
        self._steps = {field: FieldSteps(field) for field in ("body", "headings", "path", "document")}
        self._pages: dict[int, CodePage] = {}
        self._claims: dict[str, Sequence[Claim]] = {}
        self._found: dict[str, dict[int, list[tuple[int, int, int]]]] = {}
        self._paths, self._path_lengths = _path_terms(tuple([file.path for file in self._files]))
        self._count = counter(tokenizer)
        self.tokens = CountedTokens(self.count)

    def fresh(self) -> CodeSource:
        """The same for another question, which may be asked while this one is."""
        source = copy(self)
        source._pages, source._claims, source._found = {}, {}, {}
        source.tokens = CountedTokens(source.count)
        return source

    @property
    def cache_version(self) -> str:
        """The digest of the paths and the contents of all files."""
        lines = "".join([f"{file.path}\0{file.digest}\n" for file in self._files])
        return PREFIX + sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file by its path."""
        return {file.path: file.digest for file in self._files}

    @property
    def document_count(self) -> int:
        return len(self._files)

    @property
    def section_count(self) -> int:
        return self._firsts[-1]

    @property
    def lists(self) -> range:
        return range(self.section_count)

    def _of(self, term: str) -> dict[int, list[tuple[int, int, int]]]:
        """The sections that have a term in body or name, by the place of their file."""
        found = self._found.get(term)
        if found is None:
            key = term_key(term)
            found = self._found[term] = {}
            for place, keys in enumerate(self._keys):
                at: int = bisect_left(keys, key)
                if at < len(keys) and keys[at] == key:
                    found[place] = self._files[place].record.found(at)
        return found

    def holding(self, term: str) -> int:
        """How many sections hold a term in their body, their name or their path."""
        found, paths = self._of(term), self._paths.get(term_key(term), {})
        count: int = sum([len(sections) for place, sections in found.items() if place not in paths])
        for place in paths:
            count += self._files[place].record.sections
        return count

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        """Those that some file has, by their keys."""
        if not self._every:
            self._every.append(set(self._paths).union(*self._keys))
        return [term for term in terms if term_key(term) in self._every[0]]

    def matches(self, question: Question) -> CodeMatches:
        """The sections that match: a path speaks for a file's first section, and for those that match otherwise."""
        impacts: dict[int, dict[str, int]] = {}
        by_path: list[tuple[int, str, int]] = []
        for term, weight in question.weights.items():
            by_path += self._add(term, weight, impacts)
        for place, term, impact in by_path:
            for number in range(*self.extent(place)):
                if number in impacts:
                    impacts[number].setdefault(term, impact)
        scores = {}
        for number, terms in impacts.items():
            scores[number] = sum(terms.values()) * self._tenths(self._place_of(number)) // 10
        return CodeMatches(self, question, impacts, scores)

    def _add(self, term: str, weight: int, impacts: dict[int, dict[str, int]]) -> Iterator[tuple[int, str, int]]:
        """What a term gives to sections that have it; (place, term, impact) of each file whose path has it."""
        body, headings, path_steps, document = (
            self._steps[field] for field in ("body", "headings", "path", "document")
        )
        found, paths = self._of(term), self._paths.get(term_key(term), {})
        for place in {**found, **paths}:
            sections, record, first = found.get(place, []), self._files[place].record, self._firsts[place]
            path = _PATH * path_steps[paths[place]][self._path_lengths[place]] // 100 if place in paths else 0
            quarters = sum([in_body for _, in_body, _ in sections])
            whole = _FILE * document[quarters][record.words] // 100 if quarters else 0
            for section, in_body, in_name in sections:
                own = body[in_body][record.bodies[section]] if in_body else 0
                name = _NAMES * headings[in_name][record.names[section]] // 100 if in_name else 0
                best = max(own, name, path)
                step = best + 4 * (own + name + path - best) // 10 + whole
                impacts.setdefault(first + section, {})[term] = weight * step
            if path and record.sections:
                impacts.setdefault(first, {}).setdefault(term, weight * (path + whole))
                yield place, term, weight * (path + whole)

    def _tenths(self, place: int) -> int:
        tenths = self._weights.get(place)
        if tenths is None:
            file = self._files[place]
            tenths = _BESIDE if _is_test(file.path) or is_example(file.path) else 10
            is_made = file.record.is_generated or is_generated(file.path.rpartition("/")[2], b"")
            tenths = tenths * (_MADE if is_made else 10) // 10
            self._weights[place] = tenths
        return tenths

    def _place_of(self, number: int) -> int:
        found: int = bisect_right(self._firsts, number) - 1
        return found

    def section(self, number: int) -> Section:
        """The section of this number: its symbol, lines and characters."""
        place = self._place_of(number)
        return self.page(place).section(number - self._firsts[place])

    def count(self, number: int) -> int:
        """The tokens of a section's content."""
        section = self.section(number)
        return self._count(self.page(self._place_of(number)).document.content[section.start : section.end])

    def name_tokens(self, number: int) -> int:  # noqa: ARG002  # as every source takes it
        """Nothing: names are counted with their lines."""
        return 0

    def text_weight(self, number: int) -> int | None:  # noqa: ARG002  # as every source takes it
        """Nothing: it is counted from the text."""
        return None

    def id_of(self, place: int) -> str:
        """The id of a file."""
        return document_id(self._files[place].path)

    def page(self, place: int, prefix: str = "") -> CodePage:  # noqa: ARG002  # code is cited by its path
        """A file as it is on disk now, proven by its hash; CodeChanged where it is another one by now."""
        page = self._pages.get(place)
        if page is None:
            file = self._files[place]
            data = self._read(file.path)
            if sha256(data).hexdigest() != file.digest:
                raise CodeChanged(file.path)
            text, test = data.decode("utf-8", "replace"), self._test_of(file.path)
            claims = partial(self._claims_of, file.path.rpartition("/")[0])
            page = self._pages[place] = CodePage(file.path, file.digest, file.record.cut, text, test, claims)
        return page

    def _claims_of(self, folder: str) -> Sequence[Claim]:
        """What the context of a folder claims as it is now; nothing where there is none."""
        if folder not in self._claims:
            try:
                data = self._read(f"{folder}/{FILE_NAME}".removeprefix("/"))
            except (OSError, ValueError):
                data = b""
            self._claims[folder] = read_claims(data, folder or ".")
        return self._claims[folder]

    def _test_of(self, path: str) -> str:
        """The test file that is named after a source file and lies nearest to it; empty where there is none."""
        if not self._tests:
            tests: dict[str, list[str]] = {}
            for file in self._files:
                if _is_test(file.path):
                    tests.setdefault(_stem(file.path), []).append(file.path)
            self._tests.append(tests)
        if _is_test(path):
            return ""
        own = set(path.split("/")[:-1])
        named = [
            (-len(own.intersection(test.split("/"))), len(test), test) for test in self._tests[0].get(_stem(path), ())
        ]
        return min(named)[2] if named else ""

    def prefix(self, place: int) -> str:  # noqa: ARG002  # as every source takes it
        """Nothing: code is cited by its path."""
        return ""

    def within(self, under: str, cache: str) -> Callable[[int], bool]:
        """What tells whether a file is under a folder or a pattern."""
        return documents_under(under, cache, self.document_count, self.id_of)

    def extent(self, place: int) -> tuple[int, int]:
        """The number of a file's first section, and of the first after its last."""
        return self._firsts[place], self._firsts[place + 1]


def _is_test(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return is_test(folder, name)


def _stem(path: str) -> str:
    """The name of a file without what says that it is a test."""
    stem = path.rpartition("/")[2].partition(".")[0]
    for mark in ("test_", "_tests", "_test", "_spec", "Tests", "Test", "Spec", "-test", "-spec"):
        stem = stem.removeprefix(mark) if mark == "test_" else stem.removesuffix(mark)
    return stem


class CodeMatches:
    """The `Matches` of source files."""

    def __init__(
        self,
        source: CodeSource,
        question: Question,
        impacts: Mapping[int, Mapping[str, int]],
        scores: Mapping[int, int],
    ) -> None:
        self._source, self.question, self._impacts, self.scores = source, question, impacts, scores

    @property
    def most(self) -> int:
        """The score of the best."""
        return max(self.scores.values(), default=0)

    def leading(self, tenths: int, best: int = 0) -> tuple[Mapping[int, int], int]:  # noqa: ARG002  # as all take it
        """All of them, and how many there are."""
        return self.scores, len(self.scores)

    def document_of(self, number: int) -> int:
        """The place of a section's file."""
        return self._source._place_of(number)

    def reasons(self, number: int) -> list[tuple[str, str, int]]:
        """Why a section has its score."""
        return [(term, "section", impact) for term, impact in self._impacts.get(number, {}).items()]


class CodePage(ProvenPage):
    """A source file: its sections are those of its record."""

    def __init__(
        self,
        path: str,
        digest: str,
        cut: CutFile,
        content: str,
        test: str = "",
        claims: Callable[[], Sequence[Claim]] = tuple,
    ) -> None:
        super().__init__(Document(document_id(path), PREFIX + digest, path, content), path)
        self.cut, self.test, self._claims = cut, test, claims
        self.lines, self.starts = split_lines(content)

    def section(self, number: int) -> Section:
        """The section of this number in the file: a function has all its lines, whichever of its pieces is meant."""
        piece = self.cut.pieces[number]
        symbol = self.cut.symbols[piece.symbol] if piece.symbol >= 0 else None
        if symbol is not None and symbol.kind == "fn":
            return self._section(symbol, symbol.first, symbol.last)
        return self._section(symbol, piece.first, piece.last)

    def _section(self, symbol: Symbol | None, first: int, last: int) -> Section:
        last = min(last, len(self.lines))
        end = self.starts[last - 1] + len(self.lines[last - 1])
        return Section((symbol.name,) if symbol is not None else (), first, last, self.starts[first - 1], end)

    def outline(self) -> Outline:
        """The pieces of the file, in order."""
        symbols = [*self.cut.symbols, None]
        return Outline(
            self.title, [self._section(symbols[symbol], first, last) for symbol, first, last in self.cut.pieces]
        )

    def declared(self, name: str) -> list[Section]:
        """What is declared by a name, or by a name that ends in it."""
        found = [each for each in self.cut.symbols if each.name == name]
        found = found or [each for each in self.cut.symbols if each.name.endswith("." + name)]
        return [self._section(each, each.first, each.last) for each in found]

    def around(self, line: int) -> Section | None:
        """The innermost symbol that has a line; None where none has."""
        symbol = symbol_at(self.cut.symbols, line)
        return None if symbol is None else self._section(symbol, symbol.first, symbol.last)

    def claim(self, question: Question) -> str:
        """The decision or constraint of its directory that a question is about; empty where there is none."""
        return claim_about(self._claims(), question)

    def _made(self, section: Section) -> CitedText:
        # A piece of a declaration may have the closing bracket of a group that this stands in.
        name, line = "".join(section.heading), section.first
        of_name = (each for each in self.cut.symbols if each.name == name and each.first <= line <= each.last)
        return CitedCode(self, section, next(of_name, None))


class CitedCode(CitedText):
    """A section of source: one line, and its text where it is short and among the first."""

    __slots__ = ()

    def __init__(self, page: CodePage, section: Section, symbol: Symbol | None) -> None:
        super().__init__(page.document, page.title, "", section)
        self.declares = ""
        if symbol is not None:
            doc = f" — {compact(symbol.doc, _LONGEST_DOC)}" if symbol.doc else ""
            self.declares = compact(symbol.shown, _LONGEST_SIGNATURE) + doc
        self.test = page.test

    def label(self, place: int, is_new: tuple[bool, bool] = (True, True)) -> str:
        """The line that names it, with its path and the file's tests where the file is named for the first time."""
        return code_label(place, self.citation, self.declares or "", self.test, is_new=is_new[0])

    def outline_label(self, place: int, tokens: int, *, with_title: bool = True) -> str:  # noqa: ARG002  # as all take it
        """The same line without the tests of its file: what it declares tells more than how long it is."""
        return code_label(place, self.citation, self.declares or "", "", is_new=with_title)
