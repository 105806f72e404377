"""Each tool, each kind of its answers and each format, through every door: the same bytes as through the library.

Every other test of the contract asks the library, which refuses to answer a kind that has no case here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holdfast.catalog import tools
from support.door_cases import CASES, SETTINGS, Kind, kind, lay_out_project
from support.doors import CallCommand, Library, StdioServer
from support.specs import SpecProject

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.doors import Door


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out_project(tmp_path_factory.mktemp("doors"))


@pytest.fixture(scope="module", params=["call command", "server", "http"])
def door(request: pytest.FixtureRequest, project: Path) -> Iterator[Door]:
    """Each way in but the library, for all cases: no answer hangs on what was asked before it."""
    if request.param == "server":
        with StdioServer(project) as server:
            yield server
    elif request.param == "http":
        from support.http_server import HttpServer  # only these tests wait for the SDK

        with HttpServer(project) as http:
            yield http
    else:
        yield CallCommand(project)


@pytest.mark.parametrize("asked", CASES, ids=lambda asked: " ".join(map(str, asked)))
def test_every_door_answers_with_the_bytes_of_the_library(asked: Kind, door: Door, project: Path) -> None:
    arguments = CASES[asked]
    SpecProject(project).write("settings.json", SETTINGS.get(asked, "{}"))
    expected = Library(project).call(asked.tool, arguments)
    assert kind(asked.tool, arguments, expected) == asked
    answer = door.call(asked.tool, arguments)
    if isinstance(door, CallCommand):
        assert (answer.text, answer.exit_code) == (expected.text, expected.exit_code)
    else:
        assert (answer.text, answer.is_error) == (expected.text, expected.is_error)


def test_every_tool_has_a_case_that_succeeds_and_one_that_fails() -> None:
    succeed = {case.tool for case in CASES if case.code == 0}
    fail = {case.tool for case in CASES if case.code != 0}
    assert (succeed, fail) == ({tool.tool for tool in tools()},) * 2
