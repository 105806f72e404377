"""Why a configuration was not edited; each says what is in the way, in words that follow the file's name."""

from __future__ import annotations


class BrokenText(Exception):
    """The text is not what its format says: nobody can say where an entry would belong."""


class OddText(Exception):
    """The text is sound, and written in a way that is not edited here: a person adds the entry."""
