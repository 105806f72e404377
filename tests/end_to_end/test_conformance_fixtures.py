"""The server that the conformance suite is run against offers what the suite looks for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.wire import Exchange, as_line, call, modern

FIXTURES = Path(__file__).parents[2] / "scripts" / "conformance_fixtures.py"


def test_its_tools_prompts_and_resources_answer(tmp_path: Path) -> None:
    lines = (
        call(1, "test_simple_text", {}, era="modern"),
        call(2, "test_error_handling", {}, era="modern"),
        modern(3, "prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": "x", "arg2": "y"}}),
        modern(4, "resources/read", {"uri": "test://template/7/data"}),
    )
    done = subprocess.run(
        [sys.executable, FIXTURES, "serve"], input=b"".join(map(as_line, lines)), capture_output=True, cwd=tmp_path
    )
    answers = Exchange(done.stdout.splitlines(), done.returncode, done.stderr.decode()).answers_by_id()
    found = {number: answer["result"] for number, answer in answers.items()}
    assert (done.returncode, done.stderr) == (0, b"")
    assert [(found[number]["content"][0]["text"], found[number]["isError"]) for number in (1, 2)] == [
        ('{"said":"something"}\n', False),
        ('{"said":"no"}\n', True),
    ]
    assert found[3]["messages"][0]["content"]["text"] == "a text for {'arg1': 'x', 'arg2': 'y'}\n"
    assert found[4]["contents"][0]["text"] == "a text for {'id': '7'}\n"
