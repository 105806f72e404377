"""A build that works with arrays writes the bytes of one that does not: the plain way is the oracle."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.caches import number_arrays
from holdfast.caches.build import array_support, build, document_files, token_batch
from holdfast.caches.build.build import build_cache
from holdfast.caches.posting_record import PostingRecord
from holdfast.caches.section_index import impact_arrays
from holdfast.caches.section_index.section_compiler import compile_lists
from holdfast.caches.section_index.term_lists import (
    BODY,
    HEADINGS,
    LINKS,
    PATH,
    TITLE,
    WEAK,
    FieldLengths,
    Weights,
)
from holdfast.caches.sorted_runs import packed
from holdfast.caches.word_index import posting_arrays
from holdfast.caches.word_index.word_compiler import DocumentNumbers, compile_terms
from support.examples import examples
from support.term_dictionary import joined_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.caches.sorted_runs import Block

    Terms = list[tuple[bytes, list[tuple[int, bytes]]]]

NOW = "2026-01-02T03:04:05Z"
NEVER = 1 << 60
BUILD = """
import sys
from holdfast.caches.build.build import build_cache
sources, cache, workers = sys.argv[1:]
build_cache(sources, cache, created_at={now!r}, workers=int(workers))
print("numpy" in sys.modules)
"""
WORDS = st.sampled_from(
    [
        *("alpha", "beta", "useEffect", "os.path", "the", "gammas", "Σας", "日本語", "é", "alpha-beta", "alpha_beta.c"),
        *(
            "[alpha beta](b.md)",
            "[rare](c.md#x)",
            "rare",
            "alpha " * 70,
            "ภาษาไทย",
            "x\x1cy",
            "w" * 70,
            "c++",
            "a.",
            "’",
        ),
        *("12345678", "123456789", "1234567890123456", "12345678901234567", "abcdefghijklmnopqrstuvwxyz", "a\u00a0b"),
        *("{" * 40, "x\u3000y", "\u0085", "HTTPServer2", "--reload", "ALPHA", "İ", "\t", "  ", "e" * 500),
    ]
)
LINES = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=3).map(lambda found: "# " + " ".join(found)),
    st.sampled_from(
        ["", "", "## beta", "alpha beta. " * 210, "(label)=", "| a | b |", "~!@#$%^&*()" * 90, "中文字符" * 300, "---"]
    ),
)
TEXTS = st.lists(LINES, max_size=8).map("\n".join)
NAMES = st.sampled_from(["alpha", "Beta/useEffect", "beta/the", "b", "c", "日本語", "d/a", "rare"])


def built(sources: Path, cache: Path, least: int, tokenizer: str = "estimate-1") -> dict[str, bytes]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(array_support, "LEAST_DOCUMENTS", least)
        build_cache(sources, cache, created_at=NOW, workers=1, tokenizer=tokenizer)
    return contents(cache)


def contents(cache: Path) -> dict[str, bytes]:
    return {str(file.relative_to(cache)): file.read_bytes() for file in sorted(cache.rglob("*")) if file.is_file()}


def write(home: Path, texts: dict[str, str]) -> Path:
    sources = home / "sources"
    for name, text in texts.items():
        path = sources / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return sources


@settings(
    max_examples=examples(15),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    texts=st.dictionaries(NAMES, TEXTS, min_size=1, max_size=8),
    spilled=st.booleans(),
    crowded=st.booleans(),
    tokenizer=st.sampled_from(["estimate-1", "estimate-1", "bytes/4"]),
)
@example(texts={"a": "", "b": "\n\n"}, spilled=False, crowded=True, tokenizer="estimate-1")
@example(
    texts={"a": "alpha " * 400 + "\n\nalpha beta\n\n" * 30, "b": "beta"},
    spilled=True,
    crowded=True,
    tokenizer="estimate-1",
)
@example(
    texts={"a": "~!@#$%^&*()" * 200, "b": "x\n" + "{}[]()<>" * 150}, spilled=False, crowded=True, tokenizer="bytes/4"
)
def test_any_sources_give_the_same_files_by_arrays(
    tmp_path: Path, texts: dict[str, str], spilled: bool, crowded: bool, tokenizer: str
) -> None:
    home = tmp_path / "home"
    shutil.rmtree(home, ignore_errors=True)
    sources = write(home, texts)
    with pytest.MonkeyPatch.context() as patched:
        if spilled:  # a run for every two documents
            patched.setattr(build, "SPILL_BYTES", 0)
            patched.setattr(document_files, "_BATCH", 2)
        if crowded:  # many tokens share a hash
            patched.setattr(token_batch, "_SLOT_BITS", 2)
            patched.setattr(document_files, "_BATCH", 2)
        plain = built(sources, home / "plain", NEVER, tokenizer)
        assert built(sources, home / "arrays", 0, tokenizer) == plain


def seeded_terms(seed: int, runs: list[tuple[int, int]], *, odd: int = 0) -> Terms:
    """Terms, and for some runs, of which the first number and the number after the last are given, where they occur."""
    source = random.Random(seed)
    terms = []
    for number in range(120):
        said = []
        for mark, (first, after) in enumerate(runs):
            if source.random() < 0.6:
                span = source.choice([after - first, 40, 300])
                count = source.choice([1, 1, 2, 5, 60, 4000 if number % 30 == 0 else 9])
                found = [source.randrange(min(span, after - first)) for _ in range(count)]
                if odd and source.random() < 0.2:
                    found += [-1 - source.randrange(odd) for _ in range(3)]
                said.append((mark, packed(sorted(found))))
        if said:
            terms.append((b"%04d" % number, said))
    return terms


def runs_of(terms: Terms, marks: int) -> list[Iterator[Block]]:
    """The runs that are merged to these terms, in blocks of few."""
    held: list[list[tuple[bytes, bytes]]] = [[] for _ in range(marks)]
    for key, said in terms:
        for mark, numbers in said:
            held[mark].append((key, numbers))
    return [
        iter(
            [
                ([key for key, _ in found[at : at + 9]], [told for _, told in found[at : at + 9]])
                for at in range(0, len(found), 9)
            ]
        )
        for found in held
    ]


def compiled(
    parts: Iterable[PostingRecord], told: list[tuple[bytes, int]]
) -> tuple[PostingRecord, list[tuple[bytes, int]]]:
    return joined_records(parts), told


@pytest.mark.parametrize("documents", [3, 300, 66_000, 140_000])
def test_postings_of_any_number_of_documents_are_the_same(documents: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_arrays, "_BATCH_BYTES", 10 * documents)  # some batches are cut, down to one term
    source = random.Random(documents)
    numbers = list(range(documents))
    source.shuffle(numbers)
    positions = sorted([*range(documents), *[source.randrange(documents) for _ in range(documents // 2)]])
    half = len(positions) // 2
    bases, places = [0, half], [0, positions[half]]
    terms = seeded_terms(documents, [(0, half), (half, len(positions))], odd=documents // 2)
    told: list[tuple[bytes, int]] = []
    plain = compiled(
        compile_terms(terms, DocumentNumbers(numbers, positions, bases, places), lambda *each: told.append(each)), told
    )
    said: list[tuple[bytes, int]] = []
    arrays = posting_arrays.PostingArrays(packed(numbers), packed(positions), bases, places)
    assert (
        compiled(
            posting_arrays.compile_batches(
                runs_of(terms, 2), arrays, lambda *each: said.extend(zip(*each, strict=True))
            ),
            said,
        )
        == plain
    )
    assert len(plain[0].data) > 1000


def test_a_word_that_a_document_holds_more_often_than_two_bytes_say_is_the_same() -> None:
    numbers, positions = list(range(20)), list(range(20))
    terms: Terms = [(b"a", [(0, packed([1] * 70_000 + [2, 2]))]), (b"b", [(0, packed([3] * 70_000))])]
    terms.append((b"c", [(0, packed(sorted([*range(9), *[4] * 70])))]))
    told: list[tuple[bytes, int]] = []
    plain = joined_records(
        compile_terms(terms, DocumentNumbers(numbers, positions, [0], [0]), lambda *at: told.append(at))
    )
    said: list[tuple[bytes, int]] = []
    arrays = posting_arrays.PostingArrays(packed(numbers), packed(positions), [0], [0])
    assert (
        joined_records(
            posting_arrays.compile_batches(runs_of(terms, 1), arrays, lambda *at: said.extend(zip(*at, strict=True)))
        )
        == plain
    )
    assert said == told


@pytest.mark.parametrize("sections", [4, 700, 70_000, 150_000])
def test_lists_of_any_number_of_sections_are_the_same(sections: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_arrays, "_BATCH_BYTES", 10 * sections)
    source = random.Random(sections)
    firsts = sorted({0, sections, *[source.randrange(sections) for _ in range(sections // 2)]})
    documents = len(firsts) - 1
    titles, paths, links = [[source.randrange(1, 9) for _ in range(documents)] for _ in range(3)]
    headings, bodies = [[source.randrange(1, 300) for _ in range(sections)] for _ in range(2)]
    lengths = FieldLengths(titles, paths, links, headings, bodies, firsts)
    half = sections // 2
    fields = [
        *((BODY, (0, half)), (BODY, (half, sections)), (BODY | WEAK, (0, half)), (HEADINGS, (0, sections))),
        *((HEADINGS | WEAK, (0, half)), (TITLE, (0, documents)), (PATH, (0, documents)), (LINKS, (0, documents))),
        (TITLE | WEAK, (0, documents)),
    ]
    marks = [(field, first) for field, (first, _) in fields]
    terms = seeded_terms(sections, [extent for _, extent in fields])
    for place, kept in enumerate(({0}, {0, 1}, {7}, {5}, {6}, {3}, {0, 2}, {2}, {0, 3}, {0, 5, 6}, {8}, {1, 7})):
        for number in range(place, len(terms), 20):  # one field alone, or a few
            key, said = terms[number]
            terms[number] = key, [each for each in said if each[0] in kept] or [(min(kept), packed([1]))]
    told: list[tuple[bytes, int]] = []
    plain = compiled(compile_lists(terms, marks, Weights(lengths), lambda *each: told.append(each)), told)
    said_by: list[tuple[bytes, int]] = []
    packed_lengths = list(map(packed, lengths))
    arrays = impact_arrays.compile_batches(
        runs_of(terms, len(marks)), marks, packed_lengths, lambda *each: said_by.extend(zip(*each, strict=True))
    )
    assert compiled(arrays, said_by) == plain
    kinds = Counter(value >> 56 for _, value in told)
    assert len(kinds) >= 2


def test_a_build_of_few_documents_does_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def is_loaded() -> bool:
        asked.append(1)
        return True

    monkeypatch.setattr(array_support, "_is_loaded", is_loaded)
    assert not array_support.is_worth_arrays(array_support.LEAST_DOCUMENTS - 1)
    assert not asked
    assert array_support.is_worth_arrays(array_support.LEAST_DOCUMENTS)
    assert asked


def test_processes_that_share_a_build_write_the_same_with_and_without_numpy(tmp_path: Path) -> None:
    source = random.Random(7)
    words = [f"word{number}" for number in range(300)]
    texts = {
        f"{number % 7}/{number}": f"# {source.choice(words)}\n\n" + " ".join(source.choices(words, k=9))
        for number in range(2 * array_support.LEAST_DOCUMENTS + 40)
    }
    sources = write(tmp_path, texts)
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "numpy.py").write_text("raise ImportError('hidden')\n", encoding="utf-8")
    made = {}
    for workers, is_hidden in ((1, True), (1, False), (2, False)):
        cache = tmp_path / f"{workers}-{is_hidden}"
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(hidden)] * is_hidden + sys.path)}
        command = [sys.executable, "-c", BUILD.format(now=NOW), str(sources), str(cache), str(workers)]
        done = subprocess.run(command, env=env, capture_output=True, check=True, timeout=120)
        assert done.stdout.split() == [b"True" if workers == 1 and not is_hidden else b"False"]
        made[workers, is_hidden] = contents(cache)
    assert all(files == made[1, True] for files in made.values())
    assert {"index/words.idx", "index/sections.idx"} <= made[1, True].keys()
