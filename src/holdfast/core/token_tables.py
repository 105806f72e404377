"""The numbers behind `estimate-1`, fitted to o200k_base on documentation and code; never changed under that name.

A cost is in 32nds of a token. `{` means any Latin letter beyond ASCII. They are in `templates/estimate-1.txt`, a part
for each of the names below.
"""

from __future__ import annotations

from holdfast.core.packaged_text import packaged_text

_pairs, FIRST, LAST, _ranges, _han, WORDS = packaged_text("estimate-1.txt").rstrip("\n").split("\n\n")
# A row for the first letter of a pair, a column for the second, `a` to `z` and `{`; a digit in base 62.
PAIRS = _pairs.replace("\n", "")
# First code point of a range and what a character from there on costs beyond words and runs.
RANGES = tuple(
    [(int(first, 16), int(cost)) for first, _, cost in [x.partition(b":") for x in _ranges.encode().split()]]
)
# Han characters that are mostly part of a longer token.
COMMON_HAN = _han.replace("\n", "")
# WORDS are words of one token that the pairs would take for more.
