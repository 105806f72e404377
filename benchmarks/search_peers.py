"""SQLite FTS5 and tantivy over the product's sections, each as a program that builds, answers once, or serves.

    python -m benchmarks.search_peers build fts5|tantivy PLACE SOURCES
    python -m benchmarks.search_peers ask fts5|tantivy PLACE QUERY
    python -m benchmarks.search_peers serve fts5|tantivy PLACE     a query a line in, an answer a line out

A build reads the sources, cuts them as the product does, and indexes title, headings, path and body; contents are
stored, since answers give them. An answer has the best sections that fit the budget, each with its citation, as JSON,
without any proof or reason. Up to its first answer a program loads its own index and nothing of the product.
"""

from __future__ import annotations

import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Stored = tuple[str, int, str, str, str, str]  # as FIELDS has them

BUDGET = 4000
# More than a budget of 4,000 has room for, so that a section too large for what is left can be passed over.
CANDIDATES = 100
COLUMNS = ("title", "headings", "path", "body")

FIELDS = ("citation", "tokens", *COLUMNS)


def sections_of(sources: str) -> Iterator[Stored]:
    """All sections of the files below `sources`."""
    from pathlib import Path

    from holdfast.caches.search.sections import outline
    from holdfast.core.tokens import tokens_of_bytes

    for file in sorted(Path(sources).rglob("*.md")):
        text = file.read_bytes().decode()
        name = file.relative_to(sources).as_posix()
        title, sections = outline(text)
        for section in sections:
            body = text[section.start : section.end]
            citation = f"{name}#L{section.first}-L{section.last}"
            headings, path = " ".join(section.heading), name.removesuffix(".md")
            yield citation, tokens_of_bytes(len(body.encode())), title, headings, path, body


class Fts5:
    """One database file; a question's words are joined by OR, ranked by `bm25`."""

    def __init__(self, place: str) -> None:
        import sqlite3

        os.makedirs(place, exist_ok=True)
        self._database = sqlite3.connect(os.path.join(place, "sections.db"))

    def build(self, sources: str) -> None:
        """Index the sources, in one transaction."""
        columns = "citation unindexed, tokens unindexed, title, headings, path, body"
        self._database.execute(f"create virtual table sections using fts5({columns}, tokenize='porter unicode61')")
        self._database.executemany("insert into sections values(?, ?, ?, ?, ?, ?)", sections_of(sources))
        self._database.execute("insert into sections(sections) values('optimize')")
        self._database.commit()

    def best(self, query: str) -> list[tuple[str, int, str]]:
        """Citation, tokens and content of the best sections."""
        words = " OR ".join([f'"{word}"' for word in re.findall(r"\w+", query)])
        found = "select citation, tokens, body from sections where sections match ? order by rank limit ?"
        return self._database.execute(found, (words, CANDIDATES)).fetchall()


class Tantivy:
    """A folder of segments; any word of a question in any field, English stems, its own BM25."""

    def __init__(self, place: str) -> None:
        import tantivy  # type: ignore[import-not-found, unused-ignore]  # installed for this benchmark alone

        self._package: Any = tantivy
        os.makedirs(place, exist_ok=True)
        schema = tantivy.SchemaBuilder().add_text_field("citation", stored=True, tokenizer_name="raw")
        schema = schema.add_integer_field("tokens", stored=True)
        for column in COLUMNS:
            schema = schema.add_text_field(column, stored=column == "body", tokenizer_name="en_stem")
        self._index = tantivy.Index(schema.build(), path=place)
        self._searcher = self._index.searcher()

    def build(self, sources: str) -> None:
        """Index the sources and wait until segments are merged."""
        writer = self._index.writer(128 << 20)
        for section in sections_of(sources):
            writer.add_document(self._package.Document(**dict(zip(FIELDS, section, strict=True))))
        writer.commit()
        writer.wait_merging_threads()

    def best(self, query: str) -> list[tuple[str, int, str]]:
        """Citation, tokens and content of the best sections."""
        parsed = self._index.parse_query(" ".join(re.findall(r"\w+", query)), list(COLUMNS))
        hits = self._searcher.search(parsed, CANDIDATES).hits
        documents = [self._searcher.doc(address) for _, address in hits]
        return [(one["citation"][0], one["tokens"][0], one["body"][0]) for one in documents]


PEERS: dict[str, type[Fts5 | Tantivy]] = {"fts5": Fts5, "tantivy": Tantivy}


def answer(peer: Fts5 | Tantivy, query: str) -> str:
    """What fits the budget, best first, on one line."""
    left, given = BUDGET, []
    for citation, tokens, body in peer.best(query):
        if tokens <= left:
            left -= tokens
            given.append({"citation": citation, "tokens": tokens, "content": body})
    return json.dumps(given)


def main(arguments: list[str]) -> None:
    does, name, place, *rest = arguments
    peer = PEERS[name](place)
    if does == "build":
        peer.build(rest[0])
    elif does == "ask":
        print(answer(peer, rest[0]))
    else:
        for line in sys.stdin:
            print(answer(peer, line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
