"""Other rankings over the product's sections: SQLite's FTS5 and bm25s, both as their makers advise.

Both see title, headings, path and body, drop stop words, stem English, and count each word of a question once. Neither
cuts scripts that are written without blanks, so they are handed Han and kana in pairs. Each answers in two ways: packed
by the product, which makes an answer of what they rank as it does of its own ranking; and out of the box, the ranked
sections one after another, each below a line that names it.
"""

from __future__ import annotations

import re
import sqlite3
from heapq import nlargest
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from benchmarks.quality.measures import Answer
from holdfast.caches.search.search_request import USUAL_BUDGET, SearchRequest
from holdfast.caches.search.search_result import make_result
from holdfast.caches.search.word_terms import is_stop_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.quality.methods import CutCache
    from holdfast.caches.search.question import Question

_UNSPACED = re.compile("[\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"\w+")
# Scores become whole numbers, which the product's choice is made for.
_SCALE = 10**9
# Sections that are looked at where nothing ends a list but the budget.
_ENOUGH = 200


class NotInstalled(Exception):
    """A peer that cannot be had here; the message says what is missing."""


class Ranked:
    """The product's `Matches` for the scores of another ranking, which gives no reasons and calls none weak."""

    def __init__(self, scores: dict[int, int], cut: CutCache, query: str) -> None:
        self.scores = scores
        self._sections = cut.sections
        self.question = cut.found_by_the_product(query).question

    @property
    def most(self) -> int:
        return max(self.scores.values(), default=0)

    def leading(self, tenths: int, best: int = 0) -> tuple[dict[int, int], int]:  # noqa: ARG002  # as all matches take it
        return self.scores, len(self.scores)

    def document_of(self, number: int) -> int:
        return self._sections[number].place

    def reasons(self, number: int) -> list[tuple[str, str, int]]:  # noqa: ARG002  # as all matches take it
        return []


class Peer:
    """A ranking of sections by number; the product makes answers of it as it does of its own, budget and all."""

    def __init__(self, cut: CutCache) -> None:
        self.cut = self._cut = cut

    def scores(self, query: str) -> dict[int, float]:
        """Numbers of the sections that match, each with its score."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what the ranking holds open."""

    def pages(self, query: str) -> list[str]:
        return self._cut.pages_of(self._ranked(query))

    def answer(self, query: str, budget: int | None) -> Answer:
        source = _PeerSource(self._cut, self._ranked(query))
        return self._cut.answer_of(make_result(source, SearchRequest(query, budget)))

    def _ranked(self, query: str) -> Ranked:
        whole = {number: round(score * _SCALE) for number, score in self.scores(query).items()}
        return Ranked({number: score for number, score in whole.items() if score > 0}, self._cut, query)


class OutOfTheBox:
    """A peer's ranked sections as they are, each that fits: no share of the best, no pointers, nothing left out."""

    def __init__(self, peer: Peer) -> None:
        self._peer, self._cut = peer, peer.cut

    def pages(self, query: str) -> list[str]:
        cut, scores = self._cut, self._peer.scores(query)
        first = nlargest(_ENOUGH, scores, key=lambda number: (scores[number], -number))
        return list(dict.fromkeys([cut.id_of(cut.sections[number].place).lower() for number in first]))

    def chosen(self, query: str, budget: int | None) -> tuple[list[int], int]:
        """The sections by number, best first, and the tokens of the answer."""
        cut, scores = self._cut, self._peer.scores(query)
        left = bound = USUAL_BUDGET if budget is None else budget
        given = []
        for number in nlargest(_ENOUGH, scores, key=lambda number: (scores[number], -number)):
            name, (first, last) = cut.id_of(cut.sections[number].place), cut.section(number).cited_lines
            cost = cut.tokens[number] + cut.count(f"{name}#L{first}-L{last}\n\n")
            if scores[number] > 0 and cost <= left:
                left -= cost
                given.append(number)
        return given, bound - left

    def answer(self, query: str, budget: int | None) -> Answer:
        numbers, tokens = self.chosen(query, budget)
        cut = self._cut
        given = [cut.lines(cut.id_of(cut.sections[one].place), *cut.section(one).cited_lines) for one in numbers]
        return Answer(given, [], tokens)


class _PeerSource:
    """A cache of which one thing is known that was asked already."""

    def __init__(self, cut: CutCache, ranked: Ranked) -> None:
        self._cut, self._ranked = cut, ranked

    @property
    def section_count(self) -> int:
        return len(self._cut.sections)

    def holding(self, term: str) -> int:  # noqa: ARG002  # as every source takes it
        return 0  # what is asked is known already

    def matches(self, question: Question) -> Ranked:  # noqa: ARG002  # as every source takes it
        return self._ranked

    def may_hold(self, terms: Iterable[str]) -> Iterable[str]:
        return terms

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cut, name)


class Fts5(Peer):
    """SQLite's full-text index: four columns of equal weight, any word of the question, its `bm25`."""

    def __init__(self, cut: CutCache) -> None:
        super().__init__(cut)
        self._database = sqlite3.connect(":memory:")
        try:
            self._database.execute(
                "create virtual table sections using fts5(title, headings, path, body, tokenize='porter unicode61')"
            )
        except sqlite3.OperationalError as error:
            self.close()
            raise NotInstalled(f"this SQLite lacks FTS5 ({error})") from None
        rows = [
            (n, in_pairs(s.title), in_pairs(s.headings), spaced(s.path), in_pairs(s.body))
            for n, s in enumerate(cut.sections)
        ]
        self._database.executemany(
            "insert into sections(rowid, title, headings, path, body) values(?, ?, ?, ?, ?)", rows
        )

    def scores(self, query: str) -> dict[int, float]:
        words = list(dict.fromkeys(_WORD.findall(in_pairs(query).lower())))
        words = [word for word in words if not is_stop_word(word)] or words
        if not words:
            return {}
        matching = " OR ".join([f'"{word}"' for word in words])
        found = self._database.execute(
            "select rowid, -bm25(sections) from sections where sections match ?", (matching,)
        )
        return dict(found)

    def close(self) -> None:
        self._database.close()


class Bm25s(Peer):
    """bm25s as it comes: Lucene's formula over the joined text, its English stop words, the Snowball stemmer."""

    def __init__(self, cut: CutCache) -> None:
        super().__init__(cut)
        missing = [name for name in ("numpy", "bm25s", "Stemmer") if find_spec(name) is None]
        if missing:
            raise NotInstalled(f"not installed: {', '.join(missing)} (dependency group `benchmarks`)")
        self._package: Any = import_module("bm25s")
        self._stemmer = import_module("Stemmer").Stemmer("english")
        self._index = self._package.BM25()
        texts = [" ".join([s.title, s.headings, s.path.replace("/", " "), s.body]) for s in cut.sections]
        self._index.index(self._words(texts), show_progress=False)

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        ready = [in_pairs(text).replace("_", " ") for text in texts]
        words: list[list[str]] = self._package.tokenize(
            ready, stopwords="en", stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return words

    def scores(self, query: str) -> dict[int, float]:
        words = [word for word in dict.fromkeys(self._words([query])[0]) if word in self._index.vocab_dict]
        return dict(enumerate(self._index.get_scores(words).tolist())) if words else {}


PEERS: dict[str, type[Peer]] = {"SQLite FTS5": Fts5, "bm25s": Bm25s}
OUT_OF_THE_BOX = {name: f"{name}, out of the box" for name in PEERS}
PEER_METHODS = tuple([method for name in PEERS for method in (name, OUT_OF_THE_BOX[name])])


def in_pairs(text: str) -> str:
    """The text with every run of an unspaced script as pairs of neighbours."""
    return text if text.isascii() else _UNSPACED.sub(_pairs, text)


def _pairs(found: re.Match[str]) -> str:
    run = found.group()
    return f" {' '.join([run[at : at + 2] for at in range(max(1, len(run) - 1))])} "


def spaced(path: str) -> str:
    """The words of a path."""
    return in_pairs(re.sub(r"[/_-]", " ", path))
