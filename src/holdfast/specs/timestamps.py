"""Points in time as the answers show them: ISO 8601, UTC, milliseconds."""

from __future__ import annotations

from time import gmtime

# The calendar repeats after so many seconds: a time that the system's own cannot hold is looked up in the first turn.
_SECONDS_IN_400_YEARS = 146_097 * 86_400


def iso_milliseconds(nanoseconds: int) -> str:
    """Nanoseconds since 1970 as text, half a millisecond rounded up."""
    seconds, milliseconds = divmod((nanoseconds + 500_000) // 1_000_000, 1000)
    turns, seconds = divmod(seconds, _SECONDS_IN_400_YEARS)
    year, month, day, hour, minute, second, *_ = gmtime(seconds)
    return f"{year + 400 * turns:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z"
