"""The errors a user can meet, each knowing its own names.

    ContextError
    ├── UsageError        exit 1   the command line or the arguments cannot be understood
    │   ├── UnknownName             a command, flag, tool or argument that does not exist
    │   └── InvalidReceipt          a receipt that was altered, cut short or made by a later release
    ├── InvalidQuery      exit 2   invalid_query
    ├── InvalidBudget     exit 3   invalid_budget
    ├── CacheMissing      exit 4   cache_missing
    ├── CacheInvalid      exit 5   cache_invalid
    ├── IoError           exit 6   io_error
    └── InternalError     exit 7   internal_error

`message` is canonical: the same words every time, without paths, so it may travel to an agent.
`reason` is for the person at the terminal and may name paths; it never leaves the command line.
"""

from __future__ import annotations


class ContextError(Exception):
    """A failure with a code for programs, an exit code for shells and a stable sentence for people."""

    code = "internal_error"
    exit_code = 7
    message = "Internal error"

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason or self.message)
        self.reason = reason


class UsageError(ContextError):
    """The request itself cannot be understood; nothing was touched."""

    code = "usage"
    exit_code = 1
    message = "Usage error"


class UnknownName(UsageError):
    """A command, flag, tool or argument that does not exist; `nearest` is the best guess at what was meant."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"unknown {kind} '{name}'")
        self.name = name
        self.known = known

    @property
    def nearest(self) -> str | None:
        from difflib import get_close_matches  # only a typo pays for this import

        found = get_close_matches(self.name, self.known, n=1, cutoff=0.5)
        return found[0] if found else None


class InvalidReceipt(UsageError):
    """A receipt that was altered, cut short or made by a later release."""

    code = "invalid_receipt"
    message = "Receipt is invalid"


class InvalidQuery(ContextError):
    """Query cannot be processed as specified."""

    code = "invalid_query"
    exit_code = 2
    message = "Query is invalid"


class InvalidBudget(ContextError):
    """Budget is negative, too large or not an integer."""

    code = "invalid_budget"
    exit_code = 3
    message = "Budget is invalid"


class CacheMissing(ContextError):
    """There is no such cache, or its name leads outside the cache root."""

    code = "cache_missing"
    exit_code = 4
    message = "Cache does not exist"


class CacheInvalid(ContextError):
    """Something is there, and it breaks a rule of the format."""

    code = "cache_invalid"
    exit_code = 5
    message = "Cache exists but is invalid"


class IoError(ContextError):
    """The system refused: permissions, a full disk, a failing device."""

    code = "io_error"
    exit_code = 6
    message = "I/O error occurred"


class InternalError(ContextError):
    """Holdfast broke one of its own promises."""
