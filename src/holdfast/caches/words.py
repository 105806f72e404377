"""Words: what a query and a document are made of. Pure."""

from __future__ import annotations

from holdfast.core.lower_case import lower_case

# str.split() also splits at these four, which are not Unicode White_Space.
NOT_SEPARATORS = "\x1c\x1d\x1e\x1f"
_SEPARATORS = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_TO_BLANK = str.maketrans(dict.fromkeys(_SEPARATORS, " "))


def words(text: str) -> list[str]:
    """The text in lower case, split at Unicode White_Space."""
    lowered = lower_case(text)
    for character in NOT_SEPARATORS:
        if character in lowered:
            return [word for word in lowered.translate(_TO_BLANK).split(" ") if word]
    return lowered.split()
