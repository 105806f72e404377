"""Queries as people and agents type them, made at random from the words of documentation."""

from __future__ import annotations

import re
from random import Random

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
OFF_TOPIC = (
    *("best restaurants in Paris", "how to bake sourdough bread", "flight to Lisbon in May", "weather tomorrow"),
    *("who won the cup final", "symptoms of a cold", "zebra", "piano lessons for beginners", "recette de crêpes"),
    *("Öffnungszeiten Rathaus", "天気予報", "สูตรแกงเขียวหวาน", "😀", "42", "?", "the of and"),
)
FRAMES = (
    *("how do I {}", "what is {}", "why does {} not work with {}", "difference between {} and {}", "{} example"),
    *("how to use {} in {}", "{} error", "can I configure {}?", "where is {} documented", "{} {} {}"),
)
WORD = re.compile(r"[^\W\d_][\w.+#-]*")
LONGEST_LINE = 400


class RandomQueries:
    """The same queries for the same seed and texts."""

    def __init__(self, random: Random, texts: list[str]) -> None:
        self._random = random
        self._lines = [line for text in texts for line in text.split("\n") if 3 <= len(line) <= LONGEST_LINE]
        self._kinds = (
            *(self._phrase,) * 6,
            *(self._question,) * 6,
            *(self._words,) * 4,
            *(self._line,) * 2,
            *(self._mistyped,) * 2,
            *(self._off_topic,) * 3,
            self._trace,
        )

    def query(self) -> str:
        """Any kind of query."""
        return self._random.choice(self._kinds)()

    def _found(self) -> list[str]:
        """The words of a line that has any."""
        for _ in range(100):
            if found := WORD.findall(self._random.choice(self._lines)):
                return found
        return ["nothing"]

    def _word(self) -> str:
        return self._random.choice(self._found())

    def _phrase(self) -> str:
        found = self._found()
        first = self._random.randrange(len(found))
        return " ".join(found[first : first + self._random.randrange(1, 6)])

    def _words(self) -> str:
        return " ".join([self._word() for _ in range(self._random.randrange(1, 5))])

    def _question(self) -> str:
        frame = self._random.choice(FRAMES)
        return frame.format(*[self._word() for _ in range(frame.count("{}"))])

    def _line(self) -> str:
        return self._random.choice(self._lines).strip()

    def _mistyped(self) -> str:
        word = max(self._found(), key=len)
        at = self._random.randrange(len(word))
        return (
            word[:at] + self._random.choice((self._random.choice(ALPHABET), "")) + word[at + 1 :] + " " + self._word()
        )

    def _off_topic(self) -> str:
        return self._random.choice(OFF_TOPIC)

    def _trace(self) -> str:
        frames = [f'  File "{self._word()}.py", line {at}, in {self._word()}' for at in range(1, 13)]
        return "\n".join(["Traceback (most recent call last):", *frames, f"Error: {self._line()}"])
