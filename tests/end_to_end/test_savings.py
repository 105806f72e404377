"""`context savings` after a real server: the tokens of what it sent, of what that stood for, and what nobody saw."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from holdfast import build_cache
from holdfast.core.token_estimate import estimate_tokens
from support.doors import run_context
from support.wire import OPENING, call, exchange

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = "# Deploy\n\nTo deploy, push.\n\n## Roll back\n\nTo roll back, pull.\n\n" + "More of it. " * 400 + "\n"
CODE = '"""Counts."""\n\n\ndef count() -> int:\n    """How many."""\n    return 1\n' + "# a line\n" * 200


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text(DEPLOY, "utf-8")
    build_cache(tmp_path / "sources", tmp_path / ".context" / "caches" / "docs")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "m.py").write_text(CODE, "utf-8")
    (tmp_path / ".context.config.yaml").write_text("min_tokens: 0\n", "utf-8")
    assert run_context("init", "--full", "--no-agents", cwd=tmp_path).returncode == 0
    (tmp_path / ".context" / "receipts").mkdir()
    return tmp_path


def searched(number: int, **arguments: object) -> dict[str, Any]:
    return call(number, "context.search", {"cache": "docs", "budget": 400, "format": "json", **arguments})


def served(project: Path, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    """What a server with receipts and telemetry answered; what it told on stderr is in `telemetry.log`."""
    root, receipts = project / ".context" / "caches", project / ".context" / "receipts"
    options = ("--path", str(project), "--receipts", str(receipts), "--telemetry")
    done = exchange(root, *OPENING, *lines, options=options)
    with (project / "telemetry.log").open("a", encoding="utf-8") as log:
        log.write(f"a line of something else\n{done.stderr}")
    answers = done.answers_by_id()
    return [json.loads(answers[line["id"]]["result"]["content"][0]["text"]) for line in lines]


def savings(project: Path, *words: str, exit_code: int = 0) -> Any:
    done = run_context("savings", *words, cwd=project)
    assert done.returncode == exit_code, done.stderr
    return json.loads(done.stdout) if not exit_code else done.stderr.decode()


def test_what_was_sent_is_set_against_the_documents_and_sources_it_stood_for(project: Path) -> None:
    (first,) = served(project, searched(1, query="deploy"))
    known = first["sections"][0]["citation"]
    second, summary = served(
        project, searched(2, query="deploy", known=[known]), call(3, "query_context", {"scope": "src"})
    )

    value = savings(project, "--telemetry", "telemetry.log")

    sent = first["selection"]["tokens_used"] + second["selection"]["tokens_used"]
    found = value["searches"]
    assert (found["counted"], found["answer_tokens"], found["known"]) == (2, sent, 1)
    assert second["selection"]["known"] == [known]
    assert found["known_tokens"] == estimate_tokens(first["sections"][0]["content"])
    assert (found["distinct_documents"], found["distinct_document_tokens"]) == (1, estimate_tokens(DEPLOY))
    tools = {row["tool"]: row for row in value["tools"]}
    assert tools["query_context"]["behind_tokens"] == -(-len(CODE) // 4)
    assert (tools["context.search"]["answers"], tools["context.search"]["behind_tokens"]) == (2, None)
    assert summary["found"]
    assert value["given_tokens"] == sent + tools["query_context"]["answer_tokens"]
    assert value["percent_saved"] == 100 * (value["behind_tokens"] - value["given_tokens"]) // value["behind_tokens"]


def test_receipts_whose_cache_is_gone_and_files_that_are_none_are_told_and_not_counted(project: Path) -> None:
    served(project, searched(1, query="deploy"))
    (project / ".context" / "receipts" / "other.json").write_text("{}", "utf-8")
    (project / "sources" / "a.md").write_text("# Deploy\n\nOtherwise.\n", "utf-8")
    build_cache(project / "sources", project / ".context" / "caches" / "docs", force=True)

    value = savings(project)

    assert (value["searches"]["receipts"], value["searches"]["counted"], value["percent_saved"]) == (2, 0, None)
    assert [said for said in value["not_observed"] if "1 receipts" in said or "1 files" in said][1:]


def test_a_limit_takes_the_latest_and_says_how_many_are_left(project: Path) -> None:
    served(project, searched(1, query="deploy"), searched(2, query="roll back"))
    value = savings(project, "--limit", "1")
    assert value["searches"]["counted"] == 1
    assert any("1 older receipts" in said for said in value["not_observed"])


def test_nothing_seen_is_no_saving(tmp_path: Path) -> None:
    value = savings(tmp_path)
    assert (value["given_tokens"], value["behind_tokens"], value["percent_saved"]) == (0, 0, None)
    assert value["not_observed"][0].startswith("searches: no receipts here")


def test_a_directory_or_file_that_cannot_be_used_is_refused_by_name(project: Path) -> None:
    assert "'nowhere' cannot be listed" in savings(project, "--receipts", "nowhere", exit_code=6)
    assert "'nowhere' cannot be read" in savings(project, "--telemetry", "nowhere", exit_code=6)
    (project / "log").write_text("nothing of that\n", "utf-8")
    assert "holds no line" in savings(project, "--telemetry", "log", exit_code=1)
