"""How a cache is to be made, and the phases of that: what a command knows before anything that builds is loaded."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.core.record import NamedTuple

# A phase, and how much of all it has to do is done.
PhaseProgress = Callable[[str, int, int], None]

# The phases of a build: documents are read, segments are made of them, the old cache is replaced.
READING, INDEXING, WRITING = "reading", "indexing", "writing"


def no_progress(phase: str, done: int, total: int) -> None:
    """Progress that is not shown."""


def no_note(note: str) -> None:
    """A note that is not shown."""


class BuildOrder(NamedTuple):
    """How a cache is to be made.

    `created_at` is the time the manifest carries, RFC 3339 in UTC. With `force` a cache at the target is
    replaced in one step, once the new one is complete; anything else there is left alone and refused, and what was put
    there meanwhile is kept beside it. `tokenizer` says how the tokens of sections are counted, by default by
    `estimate-1`. `workers` is how many processes share the work, by default one a core; the bytes written do not
    depend on it. With `strict` a source that cannot be read ends the build. `note` is given what a person should know
    of a build that succeeded: what was skipped, and what was kept. Without `flushes` nothing waits for the disk: after
    a power cut checksums show what is damaged.
    """

    created_at: str
    force: bool = False
    tokenizer: str | None = None
    workers: int | None = None
    strict: bool = False
    progress: PhaseProgress = no_progress
    note: Callable[[str], None] = no_note
    flushes: bool = True
