"""What a worker of a cluster does, without the cluster: counted by arrays or token by token, the bytes are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.caches.build import array_support, document_files, token_counts
from holdfast.caches.build.document_files import UncountedDocument
from holdfast.caches.build.engine_tasks import KeyRanges, SharedNumbers, compile_range, count_stretch
from holdfast.caches.build.token_counts import RunSettings
from holdfast.caches.cache_format import make_document
from holdfast.caches.sorted_runs import packed
from holdfast.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.caches.build.engine_tasks import CompiledRange

RANGES = KeyRanges([(b"", b"m"), (b"m", None)], [(b"", b"p"), (b"p", None)])
TEXTS = [
    f"# Page {number}\n\nDeploy_it {number} times, naïve w{number % 7}x{number % 11}.\x1c Ending\n\n"
    f"## More\n\nzebra {'a b ' * (number % 5)}\n"
    for number in range(40)
]


def stretch(texts: Sequence[str]) -> list[UncountedDocument]:
    documents = [make_document(f"p{number:02}.md", text.encode()) for number, text in enumerate(texts)]
    return [
        UncountedDocument(each, f"{number}.json", len(each.content.encode()), bytes(32), {}, is_reused=False)
        for number, each in enumerate(documents)
    ]


def compiled(least: int, monkeypatch: pytest.MonkeyPatch) -> tuple[object, list[CompiledRange]]:
    """What is known of all documents, and each range compiled, where so many documents are worth arrays."""
    monkeypatch.setattr(array_support, "LEAST_DOCUMENTS", least)
    known, *pieces = count_stretch(__version__, stretch(TEXTS), RunSettings("estimate-1", 1 << 14), RANGES)
    runs = known.runs  # type: ignore[union-attr]  # the first is not a piece
    lengths = [packed([1] * len(TEXTS))] * 3 + [packed([1] * len(runs.positions))] * 2
    firsts = [runs.positions.index(place) for place in range(len(TEXTS))] + [len(runs.positions)]
    shared = SharedNumbers(
        *(runs.words, packed(range(len(TEXTS))), packed(runs.positions), runs.fields, [*lengths, packed(firsts)])
    )
    ranges = [compile_range(__version__, shared, piece)._replace(peak=0) for piece in pieces]  # type: ignore[arg-type]  # the rest are
    return known.documents, ranges  # type: ignore[union-attr]  # as above


def test_a_stretch_is_counted_by_arrays_where_a_local_build_would_and_gives_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("numpy", reason="numpy, the extra 'fast', is not installed here")
    plain = compiled(len(TEXTS) + 1, monkeypatch)
    asked = []

    def worth(documents: int) -> bool:
        asked.append(documents)
        return True

    monkeypatch.setattr(document_files, "is_worth_arrays", worth)
    monkeypatch.setattr(token_counts.TextCounts, "add", None)  # nothing is counted token by token
    assert compiled(1, monkeypatch) == plain
    assert asked == [len(TEXTS)]
