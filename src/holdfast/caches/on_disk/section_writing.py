"""Write the section index in a process of its own, while this one writes the index of words."""

from __future__ import annotations

import os
import sys

from holdfast.caches.on_disk.directory import COMPILED, SECTIONS_FILE
from holdfast.caches.on_disk.section_compiling import write_sections
from holdfast.caches.on_disk.sharing import answer, end_worker, receive, send, start_worker
from holdfast.caches.search.compiling import DocumentSections
from holdfast.caches.search.records import Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any

    from holdfast.caches.on_disk.sharing import Shared

# Below this many documents a process of its own is not worth its start.
_WORTH_A_WORKER = 2000


class WritingSections:
    """Begun on entering the block, complete on leaving it; the runs are removed."""

    def __init__(self, cache: str, written: Shared, summary: Summary, manifest: bytes, index: bytes) -> None:
        self._runs = written.field_runs
        sections = [item.sections for item in written.documents]
        path = os.path.join(cache, SECTIONS_FILE)
        self._assignment = (path, sections, written.field_runs, tuple(summary), manifest, index)
        self._process: subprocess.Popen[bytes] | None = None
        if sys.byteorder == "little":  # where neither file is written, there is no folder either
            os.mkdir(os.path.join(cache, COMPILED))

    def __enter__(self) -> None:
        if len(self._assignment[1]) >= _WORTH_A_WORKER and sys.byteorder == "little":
            self._process = start_worker(__name__)
            try:
                send(self._process.stdin, self._assignment)
            except BrokenPipeError:
                pass  # it ended at once: that is reported when it is asked for an answer

    def __exit__(self, kind: object, error: object, at: object) -> None:
        try:
            if kind is None:
                if self._process is not None:
                    answer(self._process)
                elif sys.byteorder == "little":  # as with the index of words
                    _write(*self._assignment)
                for _, run in self._runs:
                    os.unlink(run)
        finally:
            if self._process is not None:
                end_worker(self._process)


def _write(
    path: str,
    sections: list[tuple[object, ...]],
    runs: list[tuple[int, str]],
    summary: tuple[str, ...],
    manifest: bytes,
    index: bytes,
) -> None:
    documents = [DocumentSections(*members) for members in sections]  # type: ignore[arg-type]  # its own members
    write_sections(path, documents, runs, Summary(*summary), manifest, index)


def work() -> None:
    """The life of the process: read the assignment, write, say that it is done."""
    try:
        assignment = receive(sys.stdin.buffer)
        if assignment is not None:
            send(sys.stdout.buffer, _outcome(assignment))
    except (BrokenPipeError, EOFError):
        pass
    os._exit(0)  # the build has what it asked for, or is gone


def _outcome(assignment: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        _write(*assignment)
    except OSError as error:
        return "os", (error.errno, error.strerror)
    return "done", []
