"""The `sources` section of `sections.idx` as it is packed: what is not asked for stays so. Pure."""

from __future__ import annotations

from struct import error

from holdfast.caches.index_format import IndexUnusable
from holdfast.caches.search.link_texts import NO_LINKS, PageLinks
from holdfast.caches.section_index.section_records import OUTGOING, SOURCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class PackedSources:
    """Of each document, by place, the digest of its metadata and the bytes of its content; packed, the texts of links
    to it, and the labels and links of its own. IndexUnusable where they are damaged."""

    def __init__(self, data: bytes, documents: int) -> None:
        self._data = data
        self.origins: list[bytes] = []
        self.sizes: list[int] = []
        # Where what is said of each begins, and the last one ends: of links to it, and of its own.
        self._leading = [0]
        at = 0
        try:
            for _ in range(documents):
                origin, size, length = SOURCE.unpack_from(data, at)
                at += SOURCE.size + length
                self.origins.append(origin)
                self.sizes.append(size)
                self._leading.append(at)
            self._own = [at]
            for _ in range(documents):
                labels, links = OUTGOING.unpack_from(data, at)
                at += OUTGOING.size + labels + links
                self._own.append(at)
        except error:
            raise IndexUnusable("the sources are damaged") from None
        if at != len(data):
            raise IndexUnusable("the sources are damaged")

    def texts(self, place: int) -> list[str]:
        """The texts of links that lead to a document."""
        start, end = self._leading[place] + SOURCE.size, self._leading[place + 1]
        return self._text(start, end).split("\n") if start < end else []

    def page(self, place: int) -> PageLinks:
        """The labels and links of a document."""
        start = self._own[place] + OUTGOING.size
        if start == self._own[place + 1]:
            return NO_LINKS
        labels, _ = OUTGOING.unpack_from(self._data, start - OUTGOING.size)
        return PageLinks(self._text(start, start + labels), self._text(start + labels, self._own[place + 1]))

    def _text(self, start: int, end: int) -> str:
        try:
            return self._data[start:end].decode()
        except UnicodeDecodeError:
            raise IndexUnusable("the sources are damaged") from None

    def spliced(self, made: Iterable[tuple[range, tuple[bytes, bytes]]]) -> bytes:
        """The section once documents at some ascending places are others, of which this is packed."""
        parts: tuple[list[bytes], list[bytes]] = ([], [])
        at = 0
        changed: Sequence[tuple[range, tuple[bytes, bytes]]] = list(made)
        for was, packed in changed:
            for put, starts, own in zip(parts, (self._leading, self._own), packed, strict=True):
                put += [self._data[starts[at] : starts[was.start]], own]
            at = was.stop
        for put, starts in zip(parts, (self._leading, self._own), strict=True):
            put.append(self._data[starts[at] : starts[-1]])
        return b"".join([*parts[0], *parts[1]])
