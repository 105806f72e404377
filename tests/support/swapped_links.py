"""A link that takes the place of a folder between any two system calls of a request, in every order there is."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdfast.core.file_contents import SystemFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

_CALLS = ("open", "stat", "lstat", "fstat", "scandir", "listdir", "readlink", "access")


class Swap:
    """A real folder, and a link that leads out; only one of them stands at the folder's path."""

    def __init__(self, folder: Path, outside: Path) -> None:
        self.folder = str(folder)
        self.aside, self.link = self.folder + ".aside", self.folder + ".link"
        self.swapped = False
        os.symlink(outside, self.link)

    def put_link(self) -> None:
        """The link stands there now."""
        os.rename(self.folder, self.aside)
        os.rename(self.link, self.folder)
        self.swapped = True

    def put_folder(self) -> None:
        """The real folder stands there again, or still."""
        if self.swapped:
            os.rename(self.folder, self.link)
            os.rename(self.aside, self.folder)
            self.swapped = False


class Interruptions:
    """Calls of `os` are counted, and something is done before some of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.before: dict[int, Callable[[], None]] = {}
        for name in _CALLS:
            patch.setattr(os, name, self._counted(getattr(os, name)))
        for name in ("stat", "fstat"):  # bound when the class was made
            patch.setattr(SystemFiles, name, staticmethod(getattr(os, name)))

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            act = self.before.pop(self.count, None)
            self.count += 1
            if act is not None:
                act()
            return call(*arguments, **options)

        return counted

    @contextmanager
    def during(self, before: dict[int, Callable[[], None]]) -> Iterator[None]:
        """Count from 0 and do these things before the calls of these numbers."""
        self.count, self.before = 0, dict(before)
        try:
            yield
        finally:
            self.before = {}


def answers_under_swaps(
    ask: Callable[[], str], swap: Swap, interruptions: Interruptions, longest: int
) -> Iterator[tuple[str, str]]:
    """Each answer when the link stands there from the n-th call to the m-th, and which two numbers these were."""
    with interruptions.during({}):
        ask()
    calls = interruptions.count
    for first in range(calls):
        for last in [*range(first + 1, min(first + longest, calls)), calls + 1000]:
            with interruptions.during({first: swap.put_link, last: swap.put_folder}):
                answer = ask()
            swap.put_folder()  # a request that had less to do than the first one ended before
            yield answer, f"{first} to {last} of {calls}"
