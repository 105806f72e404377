"""What the asker of a search holds already, by its citations, so that it is not sent again. Pure."""

from __future__ import annotations

from holdfast.caches.cache_format import document_id
from holdfast.caches.search.citations import parse_citation
from holdfast.caches.search.cited_places import CitedPlaces
from holdfast.core.errors import InvalidKnown
from holdfast.core.unicode_text import WHITE_SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.citations import Citation


class KnownCitations:
    """Citations by document and by hash. One that does not hold any more says nothing of its lines, but its text, which
    the asker has, is known wherever it is now."""

    def __init__(self, texts: Iterable[str]) -> None:
        """InvalidKnown where a text is no citation."""
        self._by_document: dict[str, list[Citation]] = {}
        self._by_digest: dict[str, str] = {}
        self._held: dict[str, list[tuple[int, int, str]]] = {}  # id -> characters from and to, and who cites them
        for text in texts:
            citation = parse_citation(text.strip(WHITE_SPACE))
            if citation is None:
                raise InvalidKnown("known takes citations, name#Lfirst-Llast@hash, the hash of 12 hex digits")
            self._by_document.setdefault(document_id(citation.id), []).append(citation)
            self._by_digest.setdefault(citation.digest, citation.text)

    def __bool__(self) -> bool:
        return bool(self._by_digest)

    def find(self, document: Document, first: int, after: int, digest: str, prefix: str = "") -> str | None:
        """The citation by which characters from and to, whose text has this hash, are known; None where they are new.

        `prefix` is what may stand before the document's name. The hash of a citation proves that it means these lines,
        so one without the prefix is taken for that of every document with the name.
        """
        known = self._by_digest.get(digest[:12])
        name = document_id(prefix) + document.id
        if known is not None or (name not in self._by_document and document.id not in self._by_document):
            return known
        if name not in self._held:
            named = [*self._by_document.get(name, ()), *(self._by_document.get(document.id, ()) if prefix else ())]
            places = CitedPlaces(document)
            found = [(places.find(citation).extent, citation.text) for citation in named]
            self._held[name] = [(*extent, text) for extent, text in found if extent is not None]
        for start, end, text in self._held[name]:
            if start <= first and after <= end:
                return text
        return None
