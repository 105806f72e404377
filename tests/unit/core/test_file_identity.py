"""What a `stat` says of a file: when two are of one state, and from when on a change must show."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from holdfast.core.file_identity import are_settled, directory_identity, identity, is_settled

if TYPE_CHECKING:
    from pathlib import Path

FINE = 1_700_000_000_123_456_789
COARSE = 1_700_000_000_000_000_000
EARLIER = COARSE - 60_000_000_000


def stamped(modified: int, changed: int) -> tuple[int, int, int, int, int]:
    return modified, 5, 7, changed, 1


@pytest.mark.parametrize(
    ("modified", "changed", "started", "expected"),
    [
        pytest.param(FINE, FINE, FINE + 50_000_000, False, id="fine stamps within 50 ms"),
        pytest.param(FINE, FINE, FINE + 50_000_001, True, id="fine stamps after 50 ms"),
        pytest.param(EARLIER, COARSE, COARSE + 2_100_000_000, False, id="whole seconds within 2.1 s"),
        pytest.param(EARLIER, COARSE, COARSE + 2_100_000_001, True, id="whole seconds after 2.1 s"),
        pytest.param(COARSE, COARSE, COARSE + 10**18, False, id="no ctime of its own: FAT, many mounts of a user"),
        pytest.param(COARSE + 10**7, COARSE + 10**7, COARSE + 10**18, False, id="nor in hundredths: exFAT"),
        pytest.param(0, 0, COARSE, False, id="nor with no stamps at all"),
        pytest.param(COARSE, FINE, FINE + 50_000_001, True, id="an mtime set by hand does not make the clock coarse"),
        pytest.param(FINE + 90, FINE, FINE + 50_000_050, False, id="the younger stamp counts, an mtime"),
        pytest.param(FINE, FINE + 90, FINE + 50_000_050, False, id="the younger stamp counts, a ctime"),
        pytest.param(FINE + 10**18, FINE, FINE + 10**12, False, id="a stamp in the future"),
    ],
)
def test_a_file_is_settled_once_its_stamps_are_older_than_the_clocks_grain(
    modified: int, changed: int, started: int, expected: bool
) -> None:
    assert is_settled(stamped(modified, changed), started) is expected


def test_files_are_settled_when_each_of_them_is() -> None:
    old, young = stamped(1, 1), stamped(FINE, FINE)
    assert [are_settled(files, FINE) for files in ((), (old, old), (old, young), (young, old))] == [
        True,
        True,
        False,
        False,
    ]


def test_an_identity_tells_states_apart_and_that_of_a_directory_only_directories(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"one")
    before, directory = file.stat(), tmp_path.stat()
    os.utime(file, ns=(1, 1))
    (tmp_path / "other").write_bytes(b"one")
    states = {identity(before), identity(file.stat()), identity((tmp_path / "other").stat())}
    assert len(states) == 3
    assert directory_identity(directory) == directory_identity(tmp_path.stat()) != directory_identity(os.stat("/"))
    assert is_settled(directory_identity(directory), 10**18)
