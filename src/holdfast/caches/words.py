"""Words: what a query and a document are made of. Pure."""

from __future__ import annotations

from holdfast.core.lower_case import lower_case
from holdfast.core.unicode_text import INFORMATION_SEPARATORS, SEPARATORS, split_at_white_space

# White space that is not Unicode's White_Space: it belongs to the word it stands in.
NOT_SEPARATORS = INFORMATION_SEPARATORS
_TO_BLANK = str.maketrans(dict.fromkeys(SEPARATORS, " "))


def words(text: str) -> list[str]:
    """The text in lower case, split at Unicode White_Space."""
    lowered = lower_case(text)
    for character in NOT_SEPARATORS:
        if character in lowered:
            return [word for word in lowered.translate(_TO_BLANK).split(" ") if word]
    return split_at_white_space(lowered)
