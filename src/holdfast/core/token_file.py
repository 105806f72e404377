"""The tokens that open an HTTP server: read from a file, again whenever it changed, compared in constant time.

A line is a token, with a name for it and a day on which it ends where wanted: `TOKEN [NAME [YYYY-MM-DD]]`. Empty lines
and lines that begin with # are ignored.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from holdfast.core.errors import UsageError
from holdfast.core.file_identity import Identity, identity, is_settled
from holdfast.core.regular_files import TooLarge, read_regular
from holdfast.core.unicode_text import lower_case

SHORTEST = 16
LARGEST_FILE = 1 << 20
# A secret that is mounted in a container is often readable by its group.
_OF_OTHERS = stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH


class Token(NamedTuple):
    """A token by its digest; the text itself is not kept."""

    digest: bytes
    name: str
    ends: date | None


class TokenFile:
    """Admits tokens that are in the file now. While the file is unreadable or invalid, it admits none."""

    def __init__(self, path: str, clock: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._path, self._clock, self._tell = path, clock, tell
        self._seen: Identity | None = None
        self._tokens: Sequence[Token] = read_tokens(path)
        self._reported = ""  # the last reason for refusing everyone

    def is_usable(self) -> bool:
        """Whether anybody may come in."""
        return bool(self._current())

    def name_of_header(self, authorization: str) -> str | None:
        """The name of the token in an `Authorization` header; None where it has no good one."""
        scheme, _, token = authorization.partition(" ")
        return self.name_of(token.strip(" ")) if lower_case(scheme) == "bearer" else None

    def name_of(self, token: str) -> str | None:
        """The name of a token that is good now; None for any other. Takes as long for one as for the other."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        today = datetime.fromtimestamp(self._clock(), UTC).date()
        found = None
        for known in self._current():
            if hmac.compare_digest(known.digest, digest) and (known.ends is None or today < known.ends):
                found = known.name
        return found

    def _current(self) -> Sequence[Token]:
        started = round(self._clock() * 1e9)
        try:
            seen = identity(os.stat(self._path))
        except OSError:
            seen = None
        if seen is None or seen != self._seen:
            # A token that is taken out just after another change must not stay good: such a file is read once more.
            self._seen = seen if seen is not None and is_settled(seen, started) else None
            self._read()
        return self._tokens

    def _read(self) -> None:
        reason = ""
        try:
            self._tokens = read_tokens(self._path)
        except UsageError as error:
            self._tokens, reason = (), error.reason
        if reason and reason != self._reported:
            self._tell(f"error: nobody is let in: {reason}")
        self._reported = reason


def read_tokens(path: str) -> list[Token]:
    """The tokens in a file; UsageError when it cannot be read, holds none, or a line is no token. Names no token.

    Also UsageError when other users may read it, or they or its group may write it: they could come in as any client.
    """
    try:
        data = read_regular(path, limit=LARGEST_FILE, follows_links=True)  # secrets are often mounted as links
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except TooLarge:
        raise UsageError("the token file is larger than a megabyte") from None
    except OSError as error:
        raise UsageError(f"the token file cannot be read: {error.strerror}") from None
    if mode & _OF_OTHERS:
        raise UsageError(f"the token file is open to other users (mode {mode:04o}): make it yours alone with chmod 600")
    tokens = []
    for number, line in enumerate(data.split(b"\n"), 1):
        words = line.split()
        if words and not words[0].startswith(b"#"):
            tokens.append(_token(words, number))
    if not tokens:
        raise UsageError("the token file holds no token")
    return tokens


def _token(words: list[bytes], number: int) -> Token:
    token, name, ends, *more = [*words, b"", b""] if len(words) < 3 else words
    if len(token) < SHORTEST or not all(0x21 <= byte <= 0x7E for byte in token):
        raise UsageError(f"line {number} of the token file: a token has {SHORTEST} or more visible ASCII characters")
    if more and any(more):
        raise UsageError(f"line {number} of the token file: a token, a name and a day, and nothing else")
    try:
        day = date.fromisoformat(ends.decode("ascii")) if ends else None
    except ValueError:
        raise UsageError(f"line {number} of the token file: the day it ends is YYYY-MM-DD") from None
    return Token(hashlib.sha256(token).digest(), name.decode("utf-8", "replace") or f"line {number}", day)
