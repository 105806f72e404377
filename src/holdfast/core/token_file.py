"""The tokens that open an HTTP server: read from a file, again whenever it changed, compared in constant time.

A line is a token, with a name for it and a day on which it ends where wanted: `TOKEN [NAME [YYYY-MM-DD]]`. Empty lines
and those that begin with # say nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from datetime import UTC, date, datetime

from holdfast.core.errors import UsageError
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SHORTEST = 16
LARGEST_FILE = 1 << 20


class Token(NamedTuple):
    """A token by its digest; the text itself is not kept."""

    digest: bytes
    name: str
    ends: date | None


class TokenFile:
    """Who may come in, by what the file says now. While it cannot be read or says nothing sensible, nobody may."""

    def __init__(self, path: str, clock: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._path, self._clock, self._tell = path, clock, tell
        self._seen: tuple[int, ...] | None = None
        self._tokens: Sequence[Token] = read_tokens(path)

    def is_usable(self) -> bool:
        """Whether anybody may come in."""
        return bool(self._current())

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
        try:
            status = os.stat(self._path)
            seen: tuple[int, ...] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        except OSError:
            seen = ()
        if seen != self._seen:
            self._seen = seen
            try:
                self._tokens = read_tokens(self._path)
            except UsageError as error:
                self._tokens = ()
                self._tell(f"error: nobody is let in: {error.reason}")
        return self._tokens


def read_tokens(path: str) -> list[Token]:
    """The tokens in a file; UsageError when it cannot be read, holds none, or a line is no token. Names no token."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(f"the token file cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_FILE:
        raise UsageError("the token file is larger than a megabyte")
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
