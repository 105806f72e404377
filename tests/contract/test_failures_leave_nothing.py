"""A failed call leaves nothing behind that only the garbage collector would find: its arguments may be megabytes."""

from __future__ import annotations

import gc
import json
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.contexts.on_disk.directory_view import DirectoryView, Surroundings
from holdfast.core.errors import ContextMissing
from holdfast.core.file_identity import directory_identity
from holdfast.core.ignore_rules import Rules
from holdfast.mcp.server import Server
from holdfast.workspace import Workspace
from support.wire import call

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.rough


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("context.resolve", {"cache": "docs", "query": "a", "budget": -1}),
        ("context.resolve", {"cache": "none", "query": "a", "budget": 1}),
        ("context.resolve", {"cache": "broken", "query": "a", "budget": 1}),
        ("context.resolve", {"cache": "../x", "query": "a", "budget": 1}),
        ("context.resolve", {"unknown": 1}),
        ("context.inspect_cache", {"cache": "none"}),
        ("context.list_caches", {"root": "none"}),
        ("query_context", {"scope": "none"}),
        ("query_context", {"scope": 1}),
        ("spec-status", {"specName": "none"}),
        ("spec-status", {}),
    ],
)
def test_a_failed_call_leaves_no_garbage(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    (tmp_path / "broken").mkdir()
    server = Server(Workspace(str(tmp_path), cache_root=str(tmp_path), door="tool"))
    line = json.dumps(call(1, tool, arguments, era="modern")).encode()

    def answered() -> bytes:
        call = server.receive(line, lambda _key: None)
        assert not isinstance(call, bytes | None)
        return call.run()

    first = answered()  # loads what is loaded once
    gc.collect()
    gc.disable()
    try:
        second = answered()
        left = gc.collect()
    finally:
        gc.enable()
    assert (left, second) == (0, first)


def test_an_error_that_is_remembered_keeps_none_of_the_frames_it_passed(tmp_path: Path) -> None:
    """Raised again and again, one and the same error would gather them all: a leak of every call that met it."""
    view = DirectoryView(
        str(tmp_path), directory_identity(tmp_path.stat()), Surroundings(Rules()), "", [], [], has_context=False
    )

    def raised() -> ContextMissing:
        with pytest.raises(ContextMissing) as caught:
            view.headline()
        return caught.value

    first, second, third = raised(), raised(), raised()
    assert len({id(first), id(second), id(third)}) == 3
    assert frames(second) == frames(third)


def frames(error: BaseException) -> list[str]:
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]
