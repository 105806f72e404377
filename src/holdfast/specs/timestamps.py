"""Points in time as the answers show them: ISO 8601, UTC, milliseconds."""

from __future__ import annotations

_DAYS_FROM_YEAR_0 = 719_468  # from 1 March of year 0 to 1970
_DAYS_IN_400_YEARS = 146_097


def iso_milliseconds(nanoseconds: int) -> str:
    """Nanoseconds since 1970 as text, half a millisecond rounded up."""
    seconds, milliseconds = divmod((nanoseconds + 500_000) // 1_000_000, 1000)
    days, second = divmod(seconds, 86_400)
    year, month, day = _date(days)
    hour, minute = second // 3600, second // 60 % 60
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second % 60:02}.{milliseconds:03}Z"


def _date(days: int) -> tuple[int, int, int]:
    """The date of a day since 1970. Years are counted from 1 March, which puts the leap day last."""
    era, day = divmod(days + _DAYS_FROM_YEAR_0, _DAYS_IN_400_YEARS)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    return era * 400 + year + (month >= 10), month + 3 if month < 10 else month - 9, day + 1
