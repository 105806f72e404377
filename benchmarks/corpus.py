"""A seeded corpus: N Markdown files of about 2.5 KB whose words follow Zipf's law, the same bytes on every machine.

    python -m benchmarks.corpus 10000 /some/folder

Whole numbers only decide lengths and frequencies, so no machine's logarithm has a say. A word in a hundred is one that
occurs nowhere else, as names and numbers do in real text.
"""

from __future__ import annotations

import random
import sys
from itertools import accumulate
from pathlib import Path

VOCABULARY = 60_000
_CONSONANTS, _VOWELS = "bcdfghklmnprstvz", "aeiou"


def word(rank: int) -> str:
    """The word of a rank: frequent ones are short."""
    syllables = []
    rest = rank
    while True:
        rest, syllable = divmod(rest, len(_CONSONANTS) * len(_VOWELS))
        syllables.append(_CONSONANTS[syllable // len(_VOWELS)] + _VOWELS[syllable % len(_VOWELS)])
        if not rest:
            return "".join(syllables)
        rest -= 1


WORDS = [word(rank) for rank in range(VOCABULARY)]
CUMULATIVE = list(accumulate(10**9 // (rank + 3) for rank in range(VOCABULARY)))


def text(seed: int) -> str:
    """One document: a title, paragraphs of twelve lines."""
    source = random.Random(seed)
    length = source.randrange(240, 700)
    words = source.choices(WORDS, cum_weights=CUMULATIVE, k=length)
    for position in range(0, length, 100):
        words[position] = f"id{seed}x{position}"
    lines = [" ".join(words[start : start + 12]) for start in range(0, length, 12)]
    paragraphs = ["\n".join(lines[start : start + 12]) for start in range(0, len(lines), 12)]
    return f"# {words[0]} {words[-1]}\n\n" + "\n\n".join(paragraphs) + "\n"


def write_corpus(count: int, folder: Path) -> None:
    """Write the documents `0/0/0.md`, ... of a corpus of that size."""
    for number in range(count):
        path = folder / str(number // 5000) / str(number // 100 % 50) / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text(number).encode())


def queries(count: int, seed: int = 7) -> list[str]:
    """Three-word queries: one frequent word, one less so, one seldom, as people ask."""
    source = random.Random(seed)
    ranges = ((0, 200), (200, 3000), (3000, 30_000))
    return [" ".join(WORDS[source.randrange(low, high)] for low, high in ranges) for _ in range(count)]


FREQUENT = " ".join(WORDS[:3])

if __name__ == "__main__":
    write_corpus(int(sys.argv[1]), Path(sys.argv[2]))
