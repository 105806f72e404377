"""Which rights each release of Landlock lets a process give up; what the kernel then refuses is tried end to end."""

from __future__ import annotations

import ctypes

import pytest

from holdfast.core.landlock import LandlockUnavailable, restrict_to, rights_of

NEWEST = 10


def test_each_abi_gives_up_all_that_the_one_before_does_and_the_structure_grows_with_it() -> None:
    rights = [rights_of(abi) for abi in range(1, NEWEST + 2)]
    assert rights == [
        (0x1FFF,),
        (0x3FFF,),
        (0x7FFF,),
        (0x7FFF, 0b11),
        (0xFFFF, 0b11),
        (0xFFFF, 0b11, 0b11),
        (0xFFFF, 0b11, 0b11),
        (0xFFFF, 0b11, 0b11),
        (0x1FFFF, 0b11, 0b11),
        (0x1FFFF, 0b1111, 0b11),
        (0x1FFFF, 0b1111, 0b11),  # what a newer one adds is not known here
    ]


def test_where_there_is_no_landlock_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *_names, **_options: object())
    with pytest.raises(LandlockUnavailable, match="this system has no Landlock"):
        restrict_to(["/"])
