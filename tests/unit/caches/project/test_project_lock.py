"""`context.lock`: the same bytes for the same state, and nothing else is believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.project.project_lock import LockedCache, ProjectLock, encode_lock, parse_lock, sources_digest
from holdfast.core.errors import SettingsInvalid

VERSION = "sha256:" + "0" * 64
LOCK = ProjectLock(
    "bm25-sections-4",
    "estimate-1",
    {
        "guides": LockedCache(VERSION, VERSION, 3, ("markdown-1",), (("vendor/x", "ab" * 20),)),
        "dependencies": LockedCache(VERSION, VERSION, 1, ("python-1",), (), (("b", "1"), ("a", "2.0"))),
    },
)


def test_a_lock_is_read_as_it_was_written_whatever_the_order_was() -> None:
    read = parse_lock(encode_lock(LOCK))
    assert read.caches["guides"] == LOCK.caches["guides"]
    assert read.caches["dependencies"].packages == (("a", "2.0"), ("b", "1"))
    turned = LOCK._replace(caches={name: LOCK.caches[name] for name in sorted(LOCK.caches, reverse=True)})
    assert encode_lock(turned) == encode_lock(read) == encode_lock(LOCK)
    assert encode_lock(LOCK).endswith(b"}\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b'"documents": 3', b'"documents": 4'), "edited by hand"),
        ((b"estimate-1", b"estimate-2"), "edited by hand"),
        ((b"guides", b"../up"), "edited by hand"),
        ((b"{\n", b"{\n\n"), "edited by hand"),
        ((b'"lock_version": 1', b'"lock_version": 2'), "update holdfast"),
        ((b'  "ranking"', b'<<<<<<< ours\n  "ranking"'), "take either side and run 'context sync'"),
        ((b"{\n", b"[\n"), "is not JSON"),
        ((VERSION.encode(), b"sha256:1"), "edited by hand"),
    ],
)
def test_what_was_changed_is_not_believed(change: tuple[bytes, bytes], said: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        parse_lock(encode_lock(LOCK).replace(*change, 1))
    assert said in caught.value.reason


@given(st.binary(max_size=200))
def test_nothing_but_a_refusal_comes_of_any_bytes(data: bytes) -> None:
    with pytest.raises(SettingsInvalid):
        parse_lock(data)


def test_the_digest_of_sources_knows_no_order_but_every_name_and_hash() -> None:
    files = [("a.md", "11"), ("b.md", "22")]
    assert sources_digest(files) == sources_digest(files[::-1])
    others = [[("a.md", "11")], [("a.md", "11"), ("c.md", "22")], [("a.md", "11"), ("b.md", "")]]
    assert sources_digest(files) not in map(sources_digest, others)
