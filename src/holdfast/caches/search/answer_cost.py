"""What the parts of an answer cost in tokens, and the whole of it. Pure; no tokenizer is loaded.

Where tokens are counted by rules of our own, every part and the whole text are counted by them. Where the tokenizer
needs an extra, which a search never loads, sections and the lines that name them have the tokens that were counted when
the cache was built, and everything else is bounded: no token is shorter than a byte.
"""

from __future__ import annotations

from holdfast.caches.tokenizers import WITHOUT_EXTRA, counter, line_counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Words of the header, each with the blank before it, and the most tokens that they are to o200k_base (a test counts).
_WORDS = {
    **dict.fromkeys(
        "of here answers well more named strength · receipt listed section sections tokens Nothing Not".split(), 1
    ),
    **dict.fromkeys(("sections,", "section,", "tokens,", "named,", "well.", "here:", "listed,"), 2),
}


class AnswerCost:
    """Counts the parts of an answer from a cache that was counted by one tokenizer: never too few."""

    def __init__(self, tokenizer: str) -> None:
        self.count: Callable[[str], int] | None = None
        if tokenizer in WITHOUT_EXTRA:
            self.count = counter(tokenizer)
            # What lines weigh adds up; the second gives the tokens of a whole text that weighs so much.
            self.weigh, self.whole = line_counter(tokenizer)

    def line(self, text: str) -> int:
        """A line of the answer's own words with its end."""
        if self.count is not None:
            return self.count(text)
        return sum([_WORDS.get(word) or len(word.encode()) + 1 for word in text.split(" ")]) + 1

    def label(self, text: str, counted: int, numbers: Iterable[int], digest: str) -> int:
        """The line that names a section, with its end; `counted` is what the build counted, each number and the hash
        being one."""
        if self.count is not None:
            return self.count(text)
        return counted + most_of_hex(digest) - 1 + sum([(len(str(number)) - 1) // 3 for number in numbers])

    def prefix(self, text: str, name: str) -> int:
        """What a cache's name costs before the name of a document that `label` counted without it.

        It may change how the letters right after it are counted, and nothing beyond them.
        """
        if self.count is not None:
            return 0  # counted with the label
        letters = next((at for at, sign in enumerate(name) if sign in _ENDS_OF_LETTERS), len(name))
        return len((text + name[:letters]).encode())

    def content(self, tokens: int) -> int:
        """The text of a section with its end; `tokens` is what the build counted."""
        return tokens if self.count is not None else tokens + 1

    def gap(self, text: str) -> int:
        """The cost of the text between two sections given as one: white space alone."""
        return len(text.encode())


def most_of_hex(digits: str) -> int:
    """The most tokens that hex digits can be to o200k_base.

    Three digits are one token, and so are two letters from a to f; of more letters at least two are one.
    """
    found = 0
    for run in digits.translate(_NUMERALS_OUT).split():
        found += max(len(run) - 1, 1)
    for run in digits.translate(_LETTERS_OUT).split():
        found += -(-len(run) // 3)
    return found


# ASCII but letters and apostrophes.
_ENDS_OF_LETTERS = frozenset(map(chr, range(128))) - frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'")
_NUMERALS_OUT = dict.fromkeys(map(ord, "0123456789"), " ")
_LETTERS_OUT = dict.fromkeys(map(ord, "abcdef"), " ")
