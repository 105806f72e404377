"""Files that a person names: receipts, pages, texts with citations, saved queries."""

from __future__ import annotations

import os

from holdfast.caches.search.receipts import Receipt, encode_receipt, parse_receipt
from holdfast.caches.search.search_result import SearchResult
from holdfast.caches.search.why_page import why_page
from holdfast.caches.shapes import SearchAnswer
from holdfast.core.atomic_write import write_output_file
from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.confined_paths import printable
from holdfast.core.errors import InvalidReceipt, IoError, UsageError
from holdfast.core.packaged_text import packaged_text
from holdfast.core.regular_files import TooLarge, read_regular
from holdfast.core.unicode_text import WHITE_SPACE

_MAX_BYTES = 64 << 20


def write_receipt(path: str, result: SearchResult) -> None:
    """Write the record of an answer, atomically."""
    write_output_file(path, encode_receipt(result.record))


def _read(path: str) -> bytes:
    try:
        return read_regular(os.path.realpath(path), limit=_MAX_BYTES)
    except TooLarge as error:
        raise UsageError(f"'{printable(path)}' is {error.strerror}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise IoError(f"'{printable(path)}' cannot be read: {reason}") from None


def read_receipt(path: str) -> Receipt:
    """The receipt in a file; InvalidReceipt names the file when it is none."""
    try:
        return parse_receipt(_read(path))
    except InvalidReceipt as error:
        raise InvalidReceipt(f"'{printable(path)}': {error.reason}") from None


def read_text(path: str) -> str:
    """A text file in UTF-8."""
    try:
        return _read(path).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"'{printable(path)}' is not UTF-8 (byte {error.start})") from None


def read_queries(path: str) -> list[tuple[int, object, object, object]]:
    """(line, query, budget, limit) of each line that is not empty: the members of a JSON object, or the query itself.

    Whether they are what a search takes is for the caller to check.
    """
    queries: list[tuple[int, object, object, object]] = []
    for number, line in enumerate(read_text(path).split("\n"), 1):
        line = line.strip(WHITE_SPACE)
        if not line:
            continue
        if line.startswith("{"):
            try:
                fields = decode(line)
            except JsonError as error:
                raise UsageError(f"'{printable(path)}' line {number} is not JSON: {error}") from None
            queries.append((number, fields.get("query"), fields.get("budget"), fields.get("limit")))
        else:
            queries.append((number, line, None, None))
    return queries


def write_page(path: str, answer: SearchAnswer) -> None:
    """Write an answer as one self-contained page, atomically."""
    write_output_file(path, why_page(packaged_text("page.css"), answer).encode())
