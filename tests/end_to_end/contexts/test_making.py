"""Making contexts and keeping them: what is written, and what is left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.contexts.answers import open_project
from holdfast.contexts.answers.health import token_counts
from holdfast.workspace import Workspace
from support.projects import snapshot, states

Run = Callable[..., Any]
THEN, LATER = {"SOURCE_DATE_EPOCH": "1700000000"}, {"SOURCE_DATE_EPOCH": "1800000000"}


def read(path: Path) -> dict[str, Any]:
    value: dict[str, Any] = yaml.safe_load(path.read_text())
    return value


def test_init_drafts_contexts_where_the_source_says_something_and_writes_a_section_for_agents(
    project: Path, context: Run
) -> None:
    done = context("init", env=THEN)
    assert done == {
        "root": str(project),
        "dry_run": False,
        "agents": "written",
        "skipped_directories": 1,
        "written": 2,
        "renewed": 0,
        "unchanged": 0,
        "failed": 0,
        "contexts": [{"scope": s, "action": "written"} for s in (".", "src/shop")],
    }
    assert (project / "src" / "shop" / ".context.yaml").read_text().startswith("# A draft: ")
    made = read(project / "src" / "shop" / ".context.yaml")
    assert {**made, "fingerprint": "", "last_updated": ""} == {
        "version": 1,
        "scope": "src/shop",
        "fingerprint": "",
        "last_updated": "",
        "summary": "The shop itself.",
        "maintenance": "`context regen src/shop` renews the fingerprint and what is in derived_fields; "
        "everything else is yours.",
        "derived_fields": ["version", "scope", "fingerprint", "last_updated", "summary", "maintenance"],
    }
    assert read(project / ".context.yaml")["summary"] == "Sells things."
    assert [one["scope"] for one in context("init", "--all")["contexts"]] == ["src", "src/shop/db", "web"]
    assert "`context regen SCOPE`" in (project / "AGENTS.md").read_text()


def test_full_contexts_hold_files_interfaces_packages_and_the_project(project: Path, context: Run) -> None:
    context("init", "--full")
    root, db = read(project / ".context.yaml"), read(project / "src" / "shop" / "db" / ".context.yaml")
    assert root["project"] == {
        "name": "shop",
        "description": "Sells things.",
        "language": "unknown",
        "package_manager": "pip",
    }
    assert (db["files"], db["dependencies"], db["exports"]) == (
        [{"name": "store.py", "purpose": "Where orders are kept."}],
        {"external": ["numpy"]},
        ["store.py: class Store: get()", "store.py: go(a: int) -> int"],
    )
    # What other directories decide is not written: no fingerprint could vouch for it.
    assert ("structure" in root, "dependencies" in read(project / "src/shop/.context.yaml")) == (False, False)


def test_a_dry_run_tells_the_same_and_writes_nothing(project: Path, context: Run) -> None:
    before = snapshot(project)
    planned = context("init", "--dry-run")
    assert snapshot(project) == before
    assert {**planned, "dry_run": False} == context("init")


def test_agents_can_be_left_alone_and_an_existing_file_keeps_its_text(project: Path, context: Run) -> None:
    assert context("init", "--no-agents")["agents"] == "left alone"
    assert not (project / "AGENTS.md").exists()
    (project / "AGENTS.md").write_text("# Mine\n\nText without an end")
    assert context("init")["agents"] == "renewed"
    first = (project / "AGENTS.md").read_text()
    assert first.startswith("# Mine\n\nText without an end\n\n<!-- contexts: start -->\n")
    (project / "AGENTS.md").write_text(first.replace("What Holdfast knows", "Old words") + "\nAfter.\n")
    context("init")
    assert (project / "AGENTS.md").read_text() == first + "\nAfter.\n"
    assert states(context("status", "--check", "--format", "json"))["."] == "fresh"


def test_a_linked_agents_file_is_written_through_and_one_that_leads_elsewhere_is_left_alone(
    project: Path, context: Run, tmp_path: Path
) -> None:
    (project / "NOTES.md").write_text("# Mine\n")
    (project / "AGENTS.md").symlink_to("NOTES.md")
    assert context("init")["agents"] == "renewed"
    assert ((project / "AGENTS.md").is_symlink(), "## What Holdfast knows" in (project / "NOTES.md").read_text()) == (
        True,
        True,
    )
    assert states(context("status", "--check", "--format", "json"))["."] == "fresh"
    (tmp_path / "outside.md").write_text("not yours\n")
    (project / "AGENTS.md").unlink()
    (project / "AGENTS.md").symlink_to("../outside.md")
    assert (context("init")["agents"], (tmp_path / "outside.md").read_text()) == ("left alone", "not yours\n")


def test_a_name_that_is_not_utf_8_gives_a_context_that_can_be_read(project: Path, context: Run) -> None:
    with open(os.fsencode(project / "web") + b"/odd\xff.ts", "w") as file:
        file.write("export const x = 1;\n")
    context("init", "--full")
    assert context("check", "web")["state"] == "fresh"
    assert context("regen", "--all")["unchanged"] == 5


def test_nothing_is_rewritten_when_nothing_changed(project: Path, context: Run) -> None:
    context("init", "--all", env=THEN)
    before, stamps = snapshot(project), {path: path.stat().st_mtime_ns for path in project.rglob(".context.yaml")}
    assert context("init", env=LATER)["unchanged"] == 5
    assert context("regen", "--all", env=LATER)["unchanged"] == 5
    assert context("regen", "--hash-only", env=LATER)["unchanged"] == 5
    assert (snapshot(project), {path: path.stat().st_mtime_ns for path in stamps}) == (before, stamps)


def test_two_runs_write_the_same_bytes_but_for_the_time(project: Path, context: Run) -> None:
    context("init", "--full", env=THEN)
    first = snapshot(project, but="last_updated")
    for file in project.rglob(".context.yaml"):
        file.unlink()
    context("init", "--full", env={**LATER, "PYTHONHASHSEED": "7"})
    assert snapshot(project, but="last_updated") == first


def test_regenerating_keeps_what_a_person_wrote_comments_included(project: Path, context: Run) -> None:
    context("init", "--full", env=THEN)
    file = project / "src" / "shop" / ".context.yaml"
    by_hand = file.read_text().replace('summary: "The shop itself."', 'summary: "What people buy from."  # agreed')
    by_hand = by_hand.replace(
        "maintenance:",
        "# Ask before you change these\ndecisions:\n  - what: 'One shop'   # only one\n    why: Simple\n"
        "constraints: [no threads]\nmaintenance:",
    )
    file.write_text(by_hand)
    (project / "src" / "shop" / "__init__.py").write_text('"""Another docstring."""\ndef stop(): ...\n' + "#\n" * 9000)
    assert context("regen", env=LATER)["contexts"] == [{"scope": "src/shop", "action": "renewed"}]
    after = file.read_text()
    made = read(file)
    assert (made["summary"], made["exports"], "dependencies" in made, "summary" in made["derived_fields"]) == (
        "What people buy from.",
        ["__init__.py: stop()"],
        False,
        False,
    )
    assert 'summary: "What people buy from."  # agreed\n' in after
    kept = (
        "# Ask before you change these\ndecisions:\n  - what: 'One shop'   # only one\n    why: Simple\n"
        "constraints: [no threads]\nmaintenance:"
    )
    assert kept in after
    assert context("regen", "--all")["unchanged"] == 5


def test_an_untouched_summary_follows_its_source(project: Path, context: Run) -> None:
    context("init")
    file = project / "src" / "shop" / "__init__.py"
    file.write_text(file.read_text().replace("The shop itself.", "The whole shop."))
    context("regen", "src/shop")
    assert read(project / "src" / "shop" / ".context.yaml")["summary"] == "The whole shop."


def test_lean_takes_out_what_a_program_wrote_and_no_word_of_a_person(project: Path, context: Run) -> None:
    """The words of another tool's files are believed by `derived_fields`; of ours each field by its digest."""
    context("init", "--full")
    shop, web = project / "src/shop/.context.yaml", project / "web/.context.yaml"
    shop.write_text(shop.read_text().replace('  - "__init__.py: go(a: int) -> int"', '  - "go, and mind the step"'))
    theirs = (
        "version: 1\nlast_updated: x\nfingerprint: '00000000'\nscope: web\nsummary: Theirs.\nmaintenance: Too.\n"
        "# Agreed.\ndecisions: [{what: One, why: Simple}]\nexports: [render()]\nenvironment: [HOME]\n"
        "dependencies: {internal: [src], external: [react]}\n"
        "derived_fields: [version, scope, fingerprint, last_updated, exports, dependencies.internal, environment]\n"
    )
    web.write_text(theirs)
    assert context("regen", "--lean")["failed"] == 0
    lean = ["version", "scope", "fingerprint", "last_updated", "summary", "maintenance", "derived_fields"]
    assert list(read(project / ".context.yaml")) == lean
    assert (read(shop)["exports"], "files" in read(shop)) == (["go, and mind the step"], False)
    assert {name: value for name, value in read(web).items() if name not in lean} == {
        "decisions": [{"what": "One", "why": "Simple"}],
        "dependencies": {"external": ["react"]},
    }
    assert "# Agreed.\ndecisions: [{what: One, why: Simple}]\n" in web.read_text()
    assert context("regen", "--lean")["unchanged"] == 5
    assert context("regen", "--lean", "--full", exit_code=1).startswith("error: Usage error\nreason: ")


def test_rehash_renews_the_fingerprint_and_leaves_every_other_byte(project: Path, context: Run) -> None:
    context("init", "--all", env=THEN)
    file = project / "web" / ".context.yaml"
    file.write_text(file.read_text().replace('summary: ""', '# mine\nsummary: "Edited web"'))
    assert context("regen", "--hash-only", "web", env=LATER)["contexts"] == [{"scope": "web", "action": "renewed"}]
    before = file.read_text()
    (project / "web" / "index.ts").write_text("export const y = 1;\n" * 2000)
    assert context("check", "web")["state"] == "stale"
    assert context("regen", "--hash-only", "web", env=LATER)["contexts"] == [{"scope": "web", "action": "renewed"}]
    lines = zip(before.splitlines(), file.read_text().splitlines(), strict=True)
    assert [new.split()[0] for old, new in lines if old != new] == ["fingerprint:", "#"]
    assert context("check", "web")["state"] == "fresh"
    context("regen", "web")
    assert read(file)["summary"] == "Edited web"


def test_a_context_of_another_tool_keeps_all_it_says(project: Path, context: Run) -> None:
    theirs = (
        "version: 1\nlast_updated: x\nfingerprint: '00000000'\nscope: web\nsummary: |\n  Theirs.\n  Two lines.\n"
        "maintenance: Theirs too.\nderived_fields: [version, exports]\nexports:\n  - gone()\n"
    )
    (project / "web" / ".context.yaml").write_text(theirs)
    context("init")
    made = read(project / "web" / ".context.yaml")
    assert (made["summary"], made["maintenance"], made["exports"]) == (
        "Theirs.\nTwo lines.\n",
        "Theirs too.",
        ["index.ts: render(a: string): string"],
    )


def test_a_file_that_cannot_be_understood_is_left_as_it_is_and_told(project: Path, context: Run) -> None:
    (project / "web" / ".context.yaml").write_text("version: 1\nsummary: [unclosed\n")
    (project / "src" / ".context.yaml").write_text("version: 2\n")
    done = context("init", "--all", exit_code=5)
    assert (done["written"], done["failed"], [one for one in done["contexts"] if one["action"] == "failed"]) == (
        3,
        2,
        [
            {"scope": "src", "action": "failed", "reason": "left as it is: schema version 2"},
            {
                "scope": "web",
                "action": "failed",
                "reason": "left as it is: did not find expected ',' or ']'",
            },
        ],
    )
    assert (project / "web" / ".context.yaml").read_text() == "version: 1\nsummary: [unclosed\n"


def test_a_directory_below_the_threshold_gets_a_context_when_it_is_named(project: Path, context: Run) -> None:
    assert context("regen", "tiny")["contexts"] == [{"scope": "tiny", "action": "written"}]
    assert context("check", "tiny")["state"] == "fresh"


@pytest.mark.parametrize(
    "words", [("regen", "../.."), ("regen", "nope"), ("regen", "--hash-only", "web"), ("regen", "web", "--all")]
)
def test_a_scope_that_cannot_be_is_a_usage_error(context: Run, words: tuple[str, ...]) -> None:
    assert context(*words, exit_code=1).startswith("error: Usage error\nreason: ")


def test_validate_names_scope_line_and_field_of_each_problem(project: Path, context: Run) -> None:
    context("init", "--all")
    assert context("validate", "--strict") == {"root": str(project), "valid": True, "checked": 5, "problems": []}
    file = project / "web" / ".context.yaml"
    file.write_text(
        file.read_text().replace("summary:", "summery:").replace("version: 1\n", "version: 1\nversion: 1\n")
    )
    shop = project / "src" / "shop" / ".context.yaml"
    shop.write_text(shop.read_text() + "files: everything\n")
    found = context("validate", exit_code=5)
    assert [(one["scope"], one["line"], one["field"], one["problem"]) for one in found["problems"]] == [
        ("src/shop", len(shop.read_text().splitlines()), "files", "must be a list"),
        ("web", 3, "", "duplicate key 'version'"),
    ]


def test_strict_validation_names_what_is_gone_from_the_source(project: Path, context: Run) -> None:
    context("init", "--full")
    (project / "src" / "shop" / "db" / "store.py").rename(project / "src" / "shop" / "db" / "shelf.py")
    (project / "src" / "shop" / "db" / "shelf.py").write_text("def fetch(): ...\n")
    found = context("validate", "--strict", exit_code=5)
    assert [(one["scope"], one["field"], one["problem"]) for one in found["problems"]] == [
        ("src/shop/db", "files.0", "'store.py' does not exist"),
        ("src/shop/db", "exports.0", "'store.py' does not exist"),
        ("src/shop/db", "exports.1", "'store.py' does not exist"),
        ("src/shop/db", "dependencies.external.0", "'numpy' is neither imported here nor in a manifest"),
    ]


def test_the_tokens_of_contexts_are_compared_with_those_of_their_sources(project: Path, context: Run) -> None:
    context("init", "--all")
    found = {row.scope: row for row in token_counts(open_project(Workspace(str(project)), {}))}
    sizes = {scope: -(-(project / scope / ".context.yaml").stat().st_size // 4) for scope in found}
    assert {scope: row.context_tokens for scope, row in found.items()} == sizes
    assert (len(found), 2 * sum(sizes.values()) < sum([row.source_tokens for row in found.values()])) == (5, True)


def test_settings_are_shown_changed_and_checked(project: Path, context: Run) -> None:
    assert context("config") == {"max_depth": 10, "min_tokens": 4096, "ignore": [], "mode": "lean"}
    (project / ".context.config.yaml").write_text("# ours\nmin_tokens: 10 # small\n")
    assert context("config", "min_tokens") == {"key": "min_tokens", "value": 10}
    assert context("config", "ignore", "a, b*") == {"key": "ignore", "value": ["a", "b*"]}
    assert context("config", "min_tokens", "1") == {"key": "min_tokens", "value": 1}
    assert (project / ".context.config.yaml").read_text() == (
        '# ours\nmin_tokens: 1 # small\nignore:\n  - "a"\n  - "b*"\n'
    )
    assert context("status")["total_directories"] == 6
    for words in (("min_token",), ("min_tokens", "many"), ("mode", "loud")):
        assert context("config", *words, exit_code=1).startswith("error: Usage error\nreason: ")


def test_doctor_tells_what_is_wrong_and_what_to_do(project: Path, context: Run) -> None:
    context("init", "--full")
    checks = [check for check in context("doctor")["checks"] if check["area"] == "contexts"]
    assert {check["check"]: check["level"] for check in checks} == dict.fromkeys(
        ["settings", "grammars", "yaml", "directories", "contexts", "AGENTS.md", "git"], "ok"
    ) | {"files without content": "advice"}
    (project / ".context.config.yaml").write_text("max_depth: deep\n")
    found = context("doctor", exit_code=8)
    problems = [check for check in found["checks"] if check["level"] == "problem" and check["area"] == "contexts"]
    assert (found["healthy"], problems, found["next"][:2]) == (
        False,
        [
            {
                "area": "contexts",
                "check": "settings",
                "level": "problem",
                "detail": ".context.config.yaml: max_depth must be a whole number from 0",
                "run": "",
            },
            {
                "area": "contexts",
                "check": "contexts",
                "level": "problem",
                "detail": "4 fresh, 1 stale, 0 missing",
                "run": "context regen",
            },
        ],
        ["context regen", "context add NAME PATH"],
    )


def test_an_interrupt_leaves_complete_files_only(tmp_path: Path) -> None:
    """Interrupt as soon as the first contexts appear; whatever stands there is whole, and nothing else does."""
    for at in range(600):
        (tmp_path / f"d{at:03d}").mkdir()
        (tmp_path / f"d{at:03d}" / "a.py").write_text("def go(a: int) -> int:\n    return a\n\n\n" * 500)
    command = [sys.executable, "-m", "holdfast", "init", "--all", "--path", str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    while process.poll() is None and not any(tmp_path.glob("d*/.context.yaml")):
        pass
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    found = list(tmp_path.glob("d*/.context.yaml"))
    left = [path.name for path in tmp_path.rglob(".*") if path.name != ".context.yaml"]
    assert [read(path)["version"] for path in found] == [1] * len(found)
    assert (left, b"Traceback" in stderr, process.returncode in (130, 0)) == ([], False, True)


def test_the_answers_are_the_same_bytes_through_the_call_command(project: Path, context: Run) -> None:
    context("init", "--all")
    for words, tool, arguments in (
        (("status",), "list_contexts", {}),
        (("status", "--under", "src", "--state", "fresh"), "list_contexts", {"under": "src", "states": ["fresh"]}),
        (("check", "web"), "check_freshness", {"scope": "web"}),
        (("show", "web", "--filter", "exports"), "query_context", {"scope": "web", "filter": ["exports"]}),
    ):
        assert context(*words) == context("call", tool, json.dumps(arguments))
