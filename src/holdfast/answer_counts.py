"""What a server gave: for each tool how many answers, of how many bytes, and which directories were asked about."""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.core.canonical_json import JsonValue
    from holdfast.operation import Reply

# So many directories are counted by name; of more a server says only that it answered.
MOST_DIRECTORIES = 1000
# The argument that names the directory whose sources an answer stands for.
_SCOPE = {"query_context": "scope"}


class AnswerCounts:
    """Counts that calls in several threads add to."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._numbers: dict[str, dict[str, int]] = {}
        self._directories: dict[str, dict[str, int]] = {}

    def add(self, tool: str, reply: Reply, arguments: Mapping[str, object]) -> None:
        """Count one answer; its parts must still be there."""
        size = sum([len(part) for part in reply.parts])
        scope = arguments.get(_SCOPE[tool]) if tool in _SCOPE and not reply.is_error else None
        with self._lock:
            numbers = self._numbers.get(tool)
            if numbers is None:
                numbers = self._numbers[tool] = {"given": 0, "failed": 0, "bytes": 0}
            numbers["given"] += 1
            numbers["failed"] += reply.is_error
            numbers["bytes"] += size
            if isinstance(scope, str):
                named = self._directories.setdefault(tool, {})
                if scope in named or len(named) < MOST_DIRECTORIES:
                    named[scope] = named.get(scope, 0) + 1

    def telemetry(self) -> dict[str, JsonValue]:
        """`given`, `failed` and `bytes` of every tool that answered, by name, and `directories` where it has some."""
        with self._lock:
            told: dict[str, JsonValue] = {}
            for tool in sorted(self._numbers):
                each: dict[str, JsonValue] = {**self._numbers[tool]}
                if tool in self._directories:
                    named = self._directories[tool]
                    each["directories"] = {scope: named[scope] for scope in sorted(named)}
                told[tool] = each
            return told
