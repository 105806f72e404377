"""Files read without a link on the way, and a failing disk told from a file that is absent or closed."""

from __future__ import annotations

from errno import EIO, EMFILE, ENFILE, ENOMEM

from holdfast.core.confined_paths import printable, read_confined
from holdfast.core.errors import IoError

# A failing disk, or a system without memory or descriptors: none of them says anything about the file.
_FAILURES = frozenset({EIO, EMFILE, ENFILE, ENOMEM})


def check_disk(error: Exception, path: str) -> None:
    """IoError that names the path where the system failed to read it; nothing for every other error.

    A context that is computed without a file which is there would be wrong, and would look fresh.
    """
    if isinstance(error, OSError) and error.errno in _FAILURES:
        raise IoError(f"'{printable(path)}' cannot be read: {error.strerror}") from None


def read_beneath(root: str, place: str, name: str, limit: int) -> bytes | None:
    """A file of a place, reached without a link; None for one that is absent, closed or too large."""
    try:
        return read_confined(root, f"{place}/{name}" if place else name, limit)
    except (OSError, ValueError) as error:
        check_disk(error, f"{root}/{place}/{name}" if place else f"{root}/{name}")
        return None
