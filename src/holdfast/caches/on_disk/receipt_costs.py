"""The tokens of a receipt's answer, and of the whole documents that its sections are from.

An answer is found by asking its caches again, which gives the same one as long as they stand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.caches.on_disk.joined_caches import NamedCache
from holdfast.caches.on_disk.open_caches import Cache
from holdfast.caches.on_disk.receipt_replay import ReceiptReplay
from holdfast.caches.search.asked_caches import without_prefix
from holdfast.caches.search.citations import parse_citation
from holdfast.caches.search.passage import Place
from holdfast.caches.search.receipts import parse_receipt
from holdfast.caches.shapes import ReadAnswer, StaleAnswer
from holdfast.caches.tokenizers import counter
from holdfast.core.errors import CacheMissing, ContextError, InvalidReceipt, IoError
from holdfast.core.regular_files import read_regular

_SUFFIX = ".json"
_MAX_BYTES = 64 << 20
_WHOLE = 2**53 - 1


class AnswerCosts(NamedTuple):
    """Tokens of an answer, those of each whole document that it holds sections of, and of what was known and not sent.

    A document is identified by its cache's path and its id.
    """

    tokens: int
    documents: dict[tuple[str, str], int]
    known: int
    known_tokens: int


def receipt_files(directory: str) -> list[str]:
    """The path of every receipt in a directory, those written last first; OSError where it cannot be listed."""
    found = []
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(_SUFFIX) and not name.startswith(".") and entry.is_file(follow_symlinks=False):
                try:
                    found.append((-entry.stat(follow_symlinks=False).st_mtime_ns, name))
                except FileNotFoundError:
                    pass  # another process made room
    return [os.path.join(directory, name) for _, name in sorted(found)]


class ReceiptCosts:
    """Costs of receipts whose caches lie below some roots. Each document is counted once, however often it is given."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._replay = ReceiptReplay(roots)
        self._pool = self._replay.pool
        self._tokens: dict[tuple[str, str], int] = {}

    def close(self) -> None:
        """Let go of the caches."""
        self._replay.close()

    def of_file(self, path: str) -> AnswerCosts:
        """The cost of the receipt in a file; CacheMissing or another ContextError where it cannot be computed."""
        try:
            receipt = parse_receipt(read_regular(path, limit=_MAX_BYTES))
        except OSError as error:
            raise IoError(error.strerror or "it cannot be read") from None
        named, result = self._replay.caches(receipt), self._replay.answered(receipt)
        if result.receipt != receipt.receipt:
            raise InvalidReceipt("it gives another answer now")
        documents = {}
        for hit in result.sections:
            cache = next((each for each in named if each.name == hit.cache), named[0])
            name = without_prefix(hit.id, cache.name) if hit.cache else hit.id
            key = (cache.path, name or hit.id)
            if key not in self._tokens:
                self._tokens[key] = self._document_tokens(key, result.tokenizer)
            documents[key] = self._tokens[key]
        known_tokens = sum([self._cited_tokens(named, citation, result.tokenizer) for citation in result.known])
        return AnswerCosts(result.tokens_used, documents, len(result.known) + result.known_more, known_tokens)

    def _document_tokens(self, key: tuple[str, str], tokenizer: str) -> int:
        document = self._pool.use(key[0], lambda cache: cache.document(key[1]))
        if document is None:
            raise CacheMissing("a document that was given is not in its cache")
        return counter(tokenizer)(document.content)

    def _cited_tokens(self, named: Sequence[NamedCache], citation: str, tokenizer: str) -> int:
        """The tokens of what a known citation cites; none where no cache has it."""
        parsed = parse_citation(citation)
        if parsed is None:
            return 0
        for name, path in named:
            try:
                passage = self._pool.use(path, _read, Place(parsed.id, parsed), name)
            except ContextError:
                continue
            if "error" not in passage:
                return counter(tokenizer)(passage["content"])
        return 0


def _read(cache: Cache, place: Place, name: str) -> ReadAnswer | StaleAnswer:
    return cache.read(place, _WHOLE, name)
