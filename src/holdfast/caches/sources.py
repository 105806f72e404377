"""Which files below a folder become documents, by their names alone. Pure."""

from __future__ import annotations

from itertools import pairwise

from holdfast.caches.document import document_id
from holdfast.core.errors import BuildFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def is_document_name(name: bytes) -> bool:
    """Extension exactly `md`; a bare `.md` is a hidden file without one."""
    return name.endswith(b".md") and name != b".md"


def source_text(relative: bytes) -> str:
    """A path below the sources as text; BuildFailed when it is not UTF-8."""
    try:
        return relative.decode()
    except UnicodeDecodeError:
        shown = relative.decode("utf-8", "backslashreplace")
        raise BuildFailed(f"the name of '{shown}' is not UTF-8: rename it") from None


def in_id_order(paths: Iterable[bytes]) -> list[tuple[str, str]]:
    """(id, source) of every path, sorted by id; BuildFailed names both files when two share an id."""
    named = sorted([(document_id(source), source) for source in map(source_text, paths)])
    for (earlier, first), (later, second) in pairwise(named):
        if earlier == later:
            raise BuildFailed(f"'{first}' and '{second}' have the same id '{later}': rename one of them")
    return named
