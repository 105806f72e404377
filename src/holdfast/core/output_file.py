"""A file that a person asked for by its path."""

from __future__ import annotations

from holdfast.core.atomic_write import write_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError


def write_output_file(path: str, data: bytes) -> None:
    """Write it, atomically; IoError says what is in the way."""
    try:
        write_file(path, data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise IoError(f"'{printable(path)}' cannot be written: {reason}") from None
