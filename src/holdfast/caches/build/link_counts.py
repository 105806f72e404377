"""Count the texts of links between documents, as a field of those they lead to. Pure."""

from __future__ import annotations

from holdfast.caches.build.token_counts import FieldCounts
from holdfast.caches.search.link_texts import link_words
from holdfast.caches.search.word_terms import length_of
from holdfast.caches.section_index.term_lists import LINKS
from holdfast.caches.sorted_runs import encode_run
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.token_counts import WriteRun
    from holdfast.caches.sorted_runs import Run


class LinkRuns(NamedTuple):
    """Runs of the texts that lead to documents, as a field of those, and the words that lead to each."""

    fields: list[tuple[int, Run]]
    lengths: list[int]


def count_texts(texts: Sequence[Sequence[str]], prefix: str, limit: int, write: WriteRun) -> LinkRuns:
    """Count the texts of links to each document, given in id order; runs are written as `DocumentCounts` does."""
    links = LinkRuns([], [])
    field = FieldCounts()

    def spill() -> None:
        for of_runs, terms in field.spill(LINKS):
            if terms:
                links.fields.append((of_runs, write(f"{prefix}-links-{len(links.fields)}", encode_run(terms), 0)))

    for place, leading in enumerate(texts):
        words = link_words(leading)
        field.add(place, words)
        links.lengths.append(length_of(words))
        if field.weight > limit:
            spill()
    spill()
    return links
