"""The pages of a dictionary that fits in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.caches.dictionary_pages import paged

if TYPE_CHECKING:
    from collections.abc import Sequence


def dictionary_pages(keys: Sequence[bytes], values: Sequence[int]) -> list[bytes]:
    """The pages of ascending keys and their 64-bit values."""
    return list(paged([(keys, values)]))


class DictionaryPages:
    """Pages made of keys added in ascending order."""

    def __init__(self) -> None:
        self._keys: list[bytes] = []
        self._values: list[int] = []

    def add(self, key: bytes, value: int) -> None:
        """The next key, greater than the last, and its 64-bit value."""
        self._keys.append(key)
        self._values.append(value)

    def finish(self) -> list[bytes]:
        """All pages."""
        return dictionary_pages(self._keys, self._values)
