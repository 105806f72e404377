"""A document as ranking sees it: its sections, and the words of its four fields. Pure."""

from __future__ import annotations

from holdfast.caches.search.sections import outline
from holdfast.caches.search.terms import is_stop_word, raw_words
from holdfast.caches.source_formats import format_of
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.search.section import Section


class Fields(NamedTuple):
    """The sections of a document and the words of its short fields; `headings` has one list a section."""

    sections: list[Section]
    title: list[str]
    path: list[str]
    headings: list[list[str]]


def read_fields(source: str, content: str) -> Fields:
    """The fields of one document but its bodies; `source` is its path as it is spelled."""
    source_format = format_of(source)
    title, sections = outline(content, source_format)
    return Fields(
        sections,
        telling(raw_words(title)),
        telling(raw_words(source_format.stem(source))),
        [telling(raw_words(" ".join(section.heading))) for section in sections],
    )


def bodies(content: str, sections: Sequence[Section]) -> list[list[str]]:
    """The words of each section's body."""
    return [raw_words(content[section.start : section.end]) for section in sections]


def telling(words: Sequence[str]) -> list[str]:
    """Words that are no stop words: in a short field those would weigh as much as any."""
    return [word for word in words if not is_stop_word(word)]
