"""Standard input, output and error as a process really gets them: closed, full, or with nobody reading.

A process may be started with any of them closed. The next file it opens would then be taken for standard input, output
or error, so the gaps are filled before anything else is opened.
"""

from __future__ import annotations

import os
import sys

from holdfast.core.errors import IoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def fill_gaps() -> None:
    """Make sure that descriptors 0, 1 and 2 are open, so that no other file can take their numbers.

    Where one was closed there is nothing to read, writing to stdout fails as it would on a full disk, and what is said
    on stderr is lost. `sys.stdin` stays None, `sys.stdout` and `sys.stderr` become streams.
    """
    for descriptor, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is taken, which is this one: those below are open by now.
            os.open(os.devnull, mode)
            os.set_inheritable(descriptor, True)
    if sys.stdout is None:
        sys.stdout = _writer(1)
    if sys.stderr is None:
        sys.stderr = _writer(2)


def _writer(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def read_input() -> bytes:
    """Everything on standard input; IoError when there is none."""
    if sys.stdin is None:
        raise IoError("standard input is closed", remedy="")
    return sys.stdin.buffer.read()


def write_output(text: str, *, is_json: bool = True) -> None:
    """Write a text to standard output; IoError when the system refuses, BrokenPipeError when nobody reads.

    On a terminal it is written so that it cannot steer it: JSON as the same JSON, other text with its controls shown.
    Anywhere else it is written as it is.
    """
    try:
        if sys.stdout.isatty():
            from holdfast.core.display_text import display_json, display_text

            text = display_json(text) if is_json else display_text(text)
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _drop(1)
        raise
    except OSError as error:
        _drop(1)
        raise IoError(f"standard output cannot be written: {error.strerror}", remedy="") from None


def write_error(text: str) -> None:
    """Write a line to stderr, its controls shown; where that cannot be done it is lost, and nothing else changes."""
    from holdfast.core.display_text import display_line

    line = display_line(text) + "\n"
    try:
        try:
            sys.stderr.write(line)
        except UnicodeEncodeError:
            sys.stderr.write(line.encode("ascii", "backslashreplace").decode())
        sys.stderr.flush()
    except OSError:
        _drop(2)


def write_bug() -> None:
    """Write where the exception that is being handled came from to stderr; where that cannot be done it is lost."""
    from traceback import format_exc

    for line in format_exc().rstrip("\n").split("\n"):
        write_error(line)


def _drop(descriptor: int) -> None:
    """Point a descriptor nowhere: the interpreter's last flush must not fail, or its exit code would replace ours."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
