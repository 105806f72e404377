"""Share the documents of a build among processes; few documents stay in this one."""

from __future__ import annotations

import os

from holdfast.caches.on_disk.batches import Written, settle_names, write_document
from holdfast.caches.on_disk.compiling import Spilling
from holdfast.caches.on_disk.directory import DOCUMENTS
from holdfast.caches.on_disk.section_compiling import SectionSpilling
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Progress = Callable[[int, int], None]

# What all processes together may hold of counted words before they spill them.
_SPILL_BYTES = 192 << 20


class Shared(NamedTuple):
    """All documents as they were written, in id order, and the files that hold their counted words."""

    documents: list[Written]
    runs: list[str]
    section_runs: list[str]


def default_workers() -> int:
    """The cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        return os.cpu_count() or 1


def write_documents(
    sources: str,
    staged: str,
    found: Sequence[tuple[str, str]],
    workers: int,
    progress: Progress | None,
    tokenizer: str,
) -> Shared:
    """Write every source, given as (id, source) in id order, into a directory in the making."""
    target = os.path.join(staged, DOCUMENTS)
    os.mkdir(target)
    spilling = Spilling(staged, "run-0", _SPILL_BYTES // 2)
    sections = SectionSpilling(staged, "sections-0", _SPILL_BYTES // 2, tokenizer)
    written = []
    for place, (_, source) in enumerate(found):
        if progress is not None:
            progress(place, len(found))
        written.append(write_document(sources, source, target, place, spilling, sections))
    spilling.spill()
    sections.spill()
    return Shared(settle_names(target, written), spilling.files, sections.files)
