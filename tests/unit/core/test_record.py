"""The light NamedTuple keeps the promises of the real one."""

from __future__ import annotations

import copy
import pickle

import pytest

from holdfast.caches.cache_format import Entry
from holdfast.operation import Outcome


def test_fields_defaults_order_and_equality_are_those_of_a_named_tuple() -> None:
    entry = Entry("a", version="v", file="f")
    assert (entry.id, entry.version, entry.file) == ("a", "v", "f") == entry
    assert entry._asdict() == {"id": "a", "version": "v", "file": "f"}
    assert entry._replace(id="b") == Entry("b", "v", "f")
    assert repr(entry) == "Entry(id='a', version='v', file='f')"
    assert Outcome(1) == (1, 0, False, "", None, "", "")
    assert Entry("a", "v", "f") < Entry("b", "", "")
    assert pickle.loads(pickle.dumps(entry)) == copy.copy(entry) == entry


def test_a_missing_or_extra_field_is_refused() -> None:
    with pytest.raises(TypeError):
        Entry("a", "v")  # type: ignore[call-arg]  # refused
    with pytest.raises(TypeError):
        Entry("a", "v", "f", "x")  # type: ignore[call-arg]  # refused
    with pytest.raises(TypeError):
        Entry("a", "v", "f", id="b")  # type: ignore[misc]  # refused
    with pytest.raises(TypeError):
        Entry("a", "v", other="f")  # type: ignore[call-arg]  # refused
    with pytest.raises(AttributeError):
        Entry("a", "v", "f").id = "b"  # type: ignore[misc]  # refused
