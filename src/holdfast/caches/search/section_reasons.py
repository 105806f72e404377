"""Why a section has its score: each term of the question, its impact, and the fields that hold it. Pure."""

from __future__ import annotations

from holdfast.caches.search.word_terms import all_terms, raw_words
from holdfast.caches.source_formats import document_format
from holdfast.core.display_text import display_line
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.caches.cache_format import Document
    from holdfast.caches.search.section import Section


class TermReason(NamedTuple):
    """A term of the question, the fields that have it, and what it adds to the score.

    Fields are title, path, headings and body; `document` where other sections of it have the term; `links` where only
    what others call it does.
    """

    term: str
    fields: tuple[str, ...]
    impact: int


def reasons_of(
    impacts: Iterable[tuple[str, str, int]], document: Document, title: str, section: Section
) -> list[TermReason]:
    """The reasons of a section, in the order of the question; `impacts` are what its terms give, in parts."""
    total: dict[str, int] = {}
    for term, _, impact in impacts:
        total[term] = total.get(term, 0) + impact
    stem = document_format(document).stem(document.source)
    fields = {
        "title": terms_of(title),
        "path": terms_of(stem),
        "headings": terms_of(" ".join(section.heading)),
        "body": terms_of(document.content[section.start : section.end]),
    }
    found = []
    for term, impact in total.items():
        held = tuple([name for name, terms in fields.items() if term in terms])
        found.append(TermReason(term, held or _elsewhere(term, document), impact))
    return found


def terms_of(text: str) -> set[str]:
    """Every term that a word of a text counts as."""
    return {term for word in raw_words(text) for term in all_terms(word)}


def _elsewhere(term: str, document: Document) -> tuple[str, ...]:
    return ("document",) if term in terms_of(document.content) else ("links",)


def heaviest(reasons: list[TermReason], most: int | None) -> tuple[list[TermReason], int]:
    """The `most` reasons that add most, in their order; and how many are left out."""
    if most is None or len(reasons) <= most:
        return reasons, 0
    kept = sorted(range(len(reasons)), key=lambda at: (-reasons[at].impact, at))[:most]
    return [reasons[at] for at in sorted(kept)], len(reasons) - most


def why_line(reasons: Sequence[TermReason], more: int, turn: int) -> str:
    """The reasons as a line between a section's name and its text; `more` were left out."""
    listed = [f"{reason.term} {reason.impact:,} ({', '.join(reason.fields)})" for reason in reasons]
    if more:
        listed.append(f"{more:,} more")
    if turn:
        listed.append(f"section {turn + 1} of its page by score")
    return display_line(f"(why: {'; '.join(listed)})")
