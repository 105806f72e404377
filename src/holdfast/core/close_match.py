"""The known name that an unknown one was probably meant to be. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def close_match(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """The known name that is most like it; empty where none is like it by at least so much (0 to 1)."""
    from difflib import get_close_matches  # only a typo pays for this import

    found = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return found[0] if found else ""
