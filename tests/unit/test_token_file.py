"""Who may come in is what the file says now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.core.errors import UsageError
from holdfast.core.token_file import TokenFile, read_tokens

NOON = 1_767_268_800.0  # 1 January 2026, 12:00 UTC
GOOD = "0123456789abcdef"
OTHER = "fedcba9876543210"


@pytest.fixture(autouse=True)
def _files_are_for_their_owner_alone() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


class Told(list[str]):
    """What was written to stderr."""


def token_file(path: Path, text: str | bytes, told: Told | None = None) -> TokenFile:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return TokenFile(str(path), lambda: NOON, (told if told is not None else Told()).append)


def test_a_token_of_the_file_has_its_name_and_any_other_has_none(tmp_path: Path) -> None:
    tokens = token_file(tmp_path / "tokens", f"# who may\n\n{GOOD} build-agents\r\n{OTHER}\n")
    given = (GOOD, OTHER, GOOD[:-1], GOOD + "0", "", "\udcff", "build-agents", "# who may")
    assert [tokens.name_of(token) for token in given] == ["build-agents", "line 4", *[None] * 6]


@pytest.mark.parametrize(
    ("day", "name"), [("2026-01-02", "ci"), ("2026-01-01", None), ("2025-12-31", None), ("9999-12-31", "ci")]
)
def test_a_token_is_good_until_its_day_begins(tmp_path: Path, day: str, name: str | None) -> None:
    assert token_file(tmp_path / "tokens", f"{GOOD} ci {day}\n").name_of(GOOD) == name


def test_a_file_that_changed_counts_at_once(tmp_path: Path) -> None:
    tokens = token_file(tmp_path / "tokens", GOOD)
    (tmp_path / "new").write_text(OTHER)
    os.replace(tmp_path / "new", tmp_path / "tokens")
    assert (tokens.name_of(GOOD), tokens.name_of(OTHER)) == (None, "line 1")


def test_a_file_that_changed_twice_within_a_tick_of_its_clock_counts_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = int(NOON * 1e9)
    monkeypatch.setattr("holdfast.core.token_file.identity", lambda _status: (now - 1, 16, 1, now - 1, 1))
    tokens = token_file(tmp_path / "tokens", GOOD)
    assert tokens.name_of(GOOD) == "line 1"
    (tmp_path / "tokens").write_text(OTHER)
    assert (tokens.name_of(GOOD), tokens.name_of(OTHER)) == (None, "line 1")


def test_a_file_that_did_not_change_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokens").write_text(GOOD)
    os.utime(tmp_path / "tokens", (1, 1))
    tokens = TokenFile(str(tmp_path / "tokens"), lambda: NOON + 10**9, print)
    assert tokens.name_of(GOOD) == "line 1"
    monkeypatch.setattr("holdfast.core.token_file.read_tokens", lambda _path: pytest.fail("read again"))
    assert tokens.name_of(GOOD) == "line 1"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("nowhere", path)])
def test_whatever_takes_the_place_of_the_file_is_not_waited_for(tmp_path: Path, make: Callable[[Path], None]) -> None:
    told = Told()
    tokens = token_file(tmp_path / "tokens", GOOD, told)
    (tmp_path / "tokens").unlink()
    make(tmp_path / "tokens")
    assert [tokens.name_of(GOOD), tokens.name_of(GOOD)] == [None, None]
    assert [line.startswith("error: nobody is let in: the token file cannot be read: ") for line in told] == [True]


def test_a_link_to_the_file_is_followed_and_may_lead_elsewhere_later(tmp_path: Path) -> None:
    for name, token in (("old", GOOD), ("new", OTHER)):
        (tmp_path / name).write_text(token)
    (tmp_path / "tokens").symlink_to("old")
    tokens = TokenFile(str(tmp_path / "tokens"), lambda: NOON, print)
    assert tokens.name_of(GOOD) == "line 1"
    (tmp_path / "other").symlink_to("new")
    os.replace(tmp_path / "other", tmp_path / "tokens")
    assert (tokens.name_of(GOOD), tokens.name_of(OTHER)) == (None, "line 1")


@pytest.mark.parametrize("text", [None, b"", b"# nobody\n", b"short\n", GOOD.encode() + b" ci soon\n", b"\xff" * 20])
def test_while_the_file_says_nothing_sensible_nobody_comes_in(tmp_path: Path, text: bytes | None) -> None:
    told = Told()
    tokens = token_file(tmp_path / "tokens", GOOD, told)
    (tmp_path / "tokens").unlink()
    if text is not None:
        (tmp_path / "tokens").write_bytes(text)
    assert (tokens.name_of(GOOD), tokens.is_usable()) == (None, False)
    assert len(told) == 1
    assert told[0].startswith("error: nobody is let in: ")
    (tmp_path / "tokens").write_text(OTHER)
    assert (tokens.name_of(OTHER), tokens.is_usable()) == ("line 1", True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "the token file holds no token"),
        (b"short", "line 1 of the token file: a token has 16 or more visible ASCII characters"),
        (GOOD.encode() + b"\n" + "Straße-Straße-Straße".encode(), "line 2 of the token file: a token has 16 or more"),
        (GOOD.encode() + b" ci 1.1.2027", "line 1 of the token file: the day it ends is YYYY-MM-DD"),
        (GOOD.encode() + b" ci 2027-01-01 x", "line 1 of the token file: a token, a name and a day, and nothing else"),
        (b"#" * (1 << 20) + b"\n", "the token file is larger than a megabyte"),
    ],
)
def test_a_file_that_is_none_is_refused_and_no_token_repeated(tmp_path: Path, text: bytes, reason: str) -> None:
    (tmp_path / "tokens").write_bytes(text)
    with pytest.raises(UsageError) as refused:
        read_tokens(str(tmp_path / "tokens"))
    assert str(refused.value.reason).startswith(reason)
    assert GOOD not in str(refused.value)


@pytest.mark.parametrize(
    ("mode", "is_taken"), [(0o600, True), (0o400, True), (0o640, True), (0o440, True), (0o604, False), (0o620, False)]
)
def test_a_file_that_others_may_read_or_write_is_refused_and_the_remedy_named(
    tmp_path: Path, mode: int, is_taken: bool
) -> None:
    told = Told()
    tokens = token_file(tmp_path / "tokens", GOOD, told)
    (tmp_path / "tokens").chmod(mode)
    assert tokens.is_usable() == is_taken
    refused = f"the token file is open to other users (mode {mode:04o}): make it yours alone with chmod 600"
    assert told == ([] if is_taken else [f"error: nobody is let in: {refused}"])
    if not is_taken:
        with pytest.raises(UsageError) as raised:
            read_tokens(str(tmp_path / "tokens"))
        assert raised.value.reason == refused
