"""Both forms of the fingerprint, to the digit."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.contexts.fingerprint import (
    ContentEntry,
    StatEntry,
    content_fingerprint,
    milliseconds,
    stat_fingerprint,
)
from holdfast.contexts.freshness import Freshness, freshness
from holdfast.contexts.on_disk.project import Project
from holdfast.core.file_contents import RememberedFiles

CASES = json.loads((Path(__file__).parents[2] / "vectors" / "stat_fingerprints.json").read_bytes())["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["note"][:40] for case in CASES])
def test_the_stat_form_of_a_real_directory_is_the_recorded_one(case: dict[str, Any], tmp_path: Path) -> None:
    for node in case["nodes"]:
        path = tmp_path / node["path"]
        if node.get("type") == "dir":
            path.mkdir()
        elif node.get("type") == "symlink":
            path.symlink_to(node["target"])
        else:
            path.write_bytes(b"x" * node["size"])
            os.utime(path, ns=(node["mtime_ns"], node["mtime_ns"]))
    view = Project(RememberedFiles(), str(tmp_path)).view("")
    assert view.stat_fingerprint() == case["expected"]


def test_the_content_form_is_the_hash_of_sorted_lines_of_name_size_and_hash() -> None:
    digest = hashlib.sha256(b"hi").hexdigest()
    lines = f"B.py:2:{digest}\na.py:2:{digest}".encode()
    entries = [ContentEntry(b"a.py", 2, digest), ContentEntry(b"B.py", 2, digest)]
    assert content_fingerprint(entries) == hashlib.sha256(lines).hexdigest()[:8]


def test_a_name_that_is_not_utf_8_counts_by_its_bytes() -> None:
    expected = hashlib.sha256(b"\xff.py:0:").hexdigest()[:8]
    assert content_fingerprint([ContentEntry(b"\xff.py", 0, "")]) == expected


@given(st.lists(st.tuples(st.binary(max_size=4), st.integers(0, 9), st.text("0123456789abcdef", max_size=3))))
def test_the_order_in_which_files_are_found_never_matters(rows: list[tuple[bytes, int, str]]) -> None:
    entries = [ContentEntry(*row) for row in rows]
    assert content_fingerprint(entries) == content_fingerprint(reversed(entries))


@pytest.mark.parametrize(
    ("nanoseconds", "expected"),
    [(0, 0), (-1, -1), (999_999, 0), (1_700_000_000_123_999_900, 1_700_000_000_124), (-1_000_000_000, -1000)],
)
def test_milliseconds_are_rounded_as_doubles_round_them(nanoseconds: int, expected: int) -> None:
    assert milliseconds(nanoseconds) == expected


def test_a_stored_value_that_equals_either_form_is_fresh_and_computed_is_the_form_that_matched() -> None:
    assert [freshness(stored, "content", lambda: "stat") for stored in ("content", "stat", "other")] == [
        Freshness("fresh", "content"),
        Freshness("fresh", "stat"),
        Freshness("stale", "content"),
    ]


def test_an_empty_directory_has_a_stat_form_too() -> None:
    assert stat_fingerprint(list[StatEntry]()) == "e3b0c442"
