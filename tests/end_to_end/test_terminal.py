"""What a person sees: the same commands on a real terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from support.doors import run_context
from support.terminal import on_a_terminal


@pytest.fixture
def cache(make_cache: Callable[..., Path]) -> Path:
    return make_cache({"guide.md": "how to deploy and roll back", "notes.md": "deploy " * 9, "big.md": "x" * 900})


def test_resolve_shows_a_ranked_table_and_a_bar_of_the_budget(cache: Path) -> None:
    text, code = on_a_terminal("resolve", "--cache", "docs", "--query", "deploy", "--budget", "40", cwd=cache.parent)
    lines = [line.rstrip() for line in text.splitlines()]
    assert code == 0
    assert lines[0].split() == ["#", "document", "score", "tokens", "why"]
    assert lines[1].split() == ["1", "notes.md", "1.0000", "16", "9", "of", "9", "words"]
    assert lines[2].split() == ["2", "guide.md", "0.1667", "7", "1", "of", "6", "words"]
    assert lines[4].startswith("budget █")
    assert lines[4].endswith("23 of 40 tokens")
    assert lines[5] == "2 of 3 documents, 1 did not fit"


def test_format_json_gives_the_line_on_a_terminal_too(cache: Path) -> None:
    words = ["resolve", "--cache", "docs", "--query", "deploy", "--budget", "40"]
    text, _ = on_a_terminal(*words, "--format", "json", cwd=cache.parent)
    assert text == run_context(*words, cwd=cache.parent).stdout.decode()


def test_list_inspect_and_verify_show_tables(cache: Path) -> None:
    home = cache.parent
    text, _ = on_a_terminal("list", "--cache-root", ".", cwd=home)
    assert [line.split() for line in text.splitlines()] == [
        ["cache", "manifest"],
        ["docs", "yes"],
        ["docs-sources", "no"],
    ]
    text, code = on_a_terminal("inspect", "--cache", "docs", cwd=home)
    assert code == 0
    assert re.search(r"documents +3 *\n", text)
    text, code = on_a_terminal("verify", "--cache", "docs", cwd=home)
    assert (code, text.split(":")[0]) == (0, "Sound")
    (cache / "documents" / "stray.json").write_bytes(b"")
    text, code = on_a_terminal("verify", "--cache", "docs", cwd=home)
    assert code == 5
    assert "documents/stray.json" in text
    assert "is not listed in the manifest" in text


def test_build_ends_with_one_line_of_documents_bytes_version_and_time(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_bytes(b"alpha")
    text, code = on_a_terminal("build", "--sources", "sources", "--cache", "c", cwd=tmp_path)
    assert code == 0
    assert re.fullmatch(r"Built 1 document, 5 bytes, sha256:[0-9a-f]{64}, in \d+\.\d s\n", text), text


def test_an_empty_root_says_what_to_do(tmp_path: Path) -> None:
    text, _ = on_a_terminal("list", "--cache-root", ".", cwd=tmp_path)
    assert text == "No caches here. `context add NAME PATH` makes one.\n"


def test_progress_appears_only_when_the_work_is_long(capsys: pytest.CaptureFixture[str]) -> None:
    from holdfast.command.terminal import ProgressLine

    now = 100.0
    progress = ProgressLine(clock=lambda: now)
    progress(1, 400)
    assert capsys.readouterr().err == ""
    now = 101.5
    progress(100, 400)
    progress(101, 400)  # too soon after the last
    assert capsys.readouterr().err == "\r\x1b[K100 of 400 (25 %)"
    now = 102.0
    progress(400, 400)
    assert capsys.readouterr().err == "\r\x1b[K"
