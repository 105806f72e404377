"""What a context may hold. The rules of the existing tool's conformance set, with cases of our own for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from holdfast.contexts import schema, settings
from holdfast.contexts.schema import Problem, check
from holdfast.core.errors import UnsupportedVersion
from holdfast.core.yaml_text import YamlError, parse

REPOSITORY = Path(__file__).parents[3]
VECTORS = REPOSITORY.parent / "shared" / "vectors" / "contexts"
MINIMAL: dict[str, Any] = {
    "version": 1,
    "last_updated": "2026-01-02T03:04:05Z",
    "fingerprint": "0a1b2c3d",
    "scope": "lib",
    "summary": "Plumbing.",
    "maintenance": "Renew it.",
}


FULL: dict[str, Any] = {
    **MINIMAL,
    "files": [{"name": "a.py", "purpose": "Bends pipes."}],
    "interfaces": [{"name": "bend()", "description": "Bends one."}],
    "decisions": [{"what": "copper", "why": "it bends"}],
    "constraints": ["no lead"],
    "dependencies": {"internal": ["taps"], "external": ["solder"]},
    "current_state": {"working": ["bends"], "broken": [], "in_progress": ["joints"]},
    "subdirectories": [{"name": "joints/", "summary": "Joins pipes."}],
    **{name: ["x"] for name in ("environment", "testing", "todos", "data_models", "events", "config")},
    "project": {"name": "house", "description": "A house.", "language": "python"},
    "structure": [{"path": "lib", "summary": "Plumbing."}],
    "exports": ["bend"],
    "derived_fields": ["version"],
    "evidence": {"collected_at": "2026-01-02", "test_status": "passing", "test_count": 3, "coverage_percent": 0},
}


def test_a_context_with_every_part_of_it_is_valid() -> None:
    assert set(FULL) == set(schema.FIELDS)
    assert check(FULL) == []
    assert check(MINIMAL) == []


def test_the_conformance_set_is_judged_as_it_says() -> None:
    """A second opinion on the rules below, each of which has cases of our own."""
    if not VECTORS.is_dir():
        pytest.skip("the conformance set of the existing tool (shared/vectors) is not beside this checkout")
    valid = {path.stem: check(parse(path.read_bytes())) for path in sorted((VECTORS / "valid").glob("*.yaml"))}
    assert valid
    assert valid == {name: [] for name in valid}
    judged = {}
    for path in sorted((VECTORS / "invalid").glob("*.yaml")):
        meta = json.loads(path.with_suffix(".meta.json").read_bytes())
        try:
            fields = [problem.field.rpartition(".")[2] for problem in check(parse(path.read_bytes()))]
        except UnsupportedVersion:
            fields = ["version"]
        except YamlError:
            fields = [""]
        judged[path.stem] = fields == [meta.get("error_field", "")]
    assert judged
    assert judged == dict.fromkeys(judged, True)


@pytest.mark.parametrize("name", schema.REQUIRED)
def test_each_required_field_is_missed(name: str) -> None:
    context = {key: value for key, value in MINIMAL.items() if key != name}
    assert check(context) == [Problem(name, "is required")]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"version": "1"}, Problem("version", "must be the number 1")),
        ({"version": True}, Problem("version", "must be the number 1")),
        ({"summary": 3}, Problem("summary", "must be text")),
        ({"extra": 1}, Problem("extra", "is no known field")),
        ({"files": "a.py"}, Problem("files", "must be a list")),
        ({"files": [{"name": "a.py"}]}, Problem("files.0.purpose", "is required")),
        ({"files": ["a.py"]}, Problem("files.0", "must be a mapping")),
        ({"interfaces": [{"name": "go()"}]}, Problem("interfaces.0.description", "is required")),
        ({"decisions": [{"what": "x"}]}, Problem("decisions.0.why", "is required")),
        ({"decisions": [{"why": "x"}]}, Problem("decisions.0.what", "is required")),
        ({"constraints": ["a", 2]}, Problem("constraints.1", "must be text")),
        ({"dependencies": ["a"]}, Problem("dependencies", "must be a mapping")),
        ({"dependencies": {"internal": "a"}}, Problem("dependencies.internal", "must be a list")),
        ({"evidence": {}}, Problem("evidence.collected_at", "is required")),
        (
            {"evidence": {"collected_at": "x", "coverage_percent": 100.5}},
            Problem("evidence.coverage_percent", "must be a number from 0 to 100"),
        ),
        (
            {"evidence": {"collected_at": "x", "test_count": 1.5}},
            Problem("evidence.test_count", "must be a whole number"),
        ),
        (
            {"evidence": {"collected_at": "x", "test_status": "fine"}},
            Problem("evidence.test_status", "must be one of: passing, failing, unknown"),
        ),
        ({"project": {"name": "a", "description": "b"}}, Problem("project.language", "is required")),
        ({"exports": None}, Problem("exports", "must be a list")),
    ],
)
def test_a_field_that_breaks_a_rule_is_named_with_the_rule(more: dict[str, Any], problem: Problem) -> None:
    assert check({**MINIMAL, **more}) == [problem]


@pytest.mark.parametrize(
    "more",
    [
        {"x-owner": "me", "x-": None, "x-deep": {"a": [1]}},
        {"files": [{"name": "a", "purpose": "b", "size": 1}]},
        {"decisions": [{"what": "a", "why": "b", "alternatives": ["c"]}]},
        {"dependencies": {"internal": [], "optional": ["a"]}},
        {"evidence": {"collected_at": "x", "tool": "y"}},
        {"project": {"name": "a", "description": "b", "language": "c", "license": "d"}},
    ],
)
def test_extensions_and_parts_that_are_not_known_are_read_past(more: dict[str, Any]) -> None:
    published = json.loads((REPOSITORY / "schema" / "context.schema.json").read_bytes())
    assert check({**MINIMAL, **more}) == []
    assert jsonschema.Draft202012Validator(published).is_valid({**MINIMAL, **more})


def test_another_version_is_not_judged_by_these_rules() -> None:
    with pytest.raises(UnsupportedVersion) as caught:
        check({"version": 2, "anything": "else"})
    assert caught.value.version == 2


def test_what_is_no_mapping_is_no_context() -> None:
    nothing: list[object] = [None, [], "text"]
    assert [check(value) for value in nothing] == [[Problem("", "must be a mapping of fields")]] * 3


def test_fields_come_in_the_declared_order_and_a_filter_in_its_own() -> None:
    context = {"exports": ["a"], "evidence": {"collected_at": "x"}, "decisions": [], **MINIMAL}
    assert list(schema.whole(context)) == [
        *(
            "version",
            "scope",
            "fingerprint",
            "last_updated",
            "summary",
            "decisions",
            "maintenance",
            "exports",
            "evidence",
        )
    ]
    wanted = ["exports", "summary", "unknown", "exports", "evidence", "todos"]
    assert list(schema.filtered(context, wanted)) == [
        *("version", "scope", "fingerprint", "last_updated", "exports", "summary")
    ]


def test_the_published_schema_agrees_with_the_reader() -> None:
    published = json.loads((REPOSITORY / "schema" / "context.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(published)
    validator = jsonschema.Draft202012Validator(published)
    cases = [MINIMAL, {**MINIMAL, "files": "x"}, {**MINIMAL, "extra": 1}, {**MINIMAL, "exports": ["a"]}, {"version": 1}]
    assert [validator.is_valid(case) for case in cases] == [not check(case) for case in cases]


def test_settings_are_checked_and_unfit_ones_give_way_to_defaults() -> None:
    given = {"max_depth": 3, "min_tokens": -1, "ignore": ["a"], "mode": "loud", "provider": "x", "colour": 1}
    assert settings.check(given) == [
        "min_tokens must be a whole number from 0",
        "mode must be one of: lean, full",
        "colour is no known setting",
    ]
    assert settings.settings_of(given) == settings.Settings(max_depth=3, ignore=("a",))
    assert (settings.check(None), settings.check([])) == ([], ["must be a mapping of settings"])
