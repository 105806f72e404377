"""Resources, prompts and completion of a real server, in both eras, and as the official client reads them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from holdfast import build_cache
from support.official import check_answer
from support.specs import SpecProject
from support.wire import MODERN, OPENING, call, exchange, initialize, modern, request

if TYPE_CHECKING:
    from support.wire import Message

TASKS = "- [x] 1. a\n- [ ] 2. b\n  - do it\n  - File: b.py\n  - _Requirements: 1.1_\n- [ ] 10. c\n"
SPEC = "context://spec/{name}/{phase}"
SPECS_HERE = "Specs here: login, \u00fcn\u00ef 100%"


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("login", TASKS)
    project.write("specs/ünï 100%/requirements.md", "# Ü\n")
    project.steering("tech", "principles")
    return project


def read(uri: object) -> tuple[str, dict[str, Any]]:
    return "resources/read", {"uri": uri}


def prompt(name: object, /, **arguments: object) -> tuple[str, dict[str, Any]]:
    return "prompts/get", {"name": name, "arguments": arguments}


def complete(ref: dict[str, str], name: object, value: object, /, **context: object) -> tuple[str, dict[str, Any]]:
    asked: dict[str, Any] = {"ref": ref, "argument": {"name": name, "value": value}}
    return "completion/complete", {**asked, "context": {"arguments": context}} if context else asked


def of_prompt(name: str) -> dict[str, str]:
    return {"type": "ref/prompt", "name": name}


def of_resource(uri: str) -> dict[str, str]:
    return {"type": "ref/resource", "uri": uri}


def ask(
    root: Path, *asked: tuple[str, dict[str, Any]], era: str = "legacy", options: tuple[str, ...] = ()
) -> list[Any]:
    """The result or error of each request, in order."""
    if era == "legacy":
        lines: list[Message | bytes] = [*OPENING, *(request(n, *each) for n, each in enumerate(asked, 100))]
    else:
        lines = [modern(n, *each) for n, each in enumerate(asked, 100)]
    answers = exchange(root, *lines, options=options).answers_by_id()
    return [answers[n].get("result", answers[n].get("error")) for n in range(100, 100 + len(asked))]


def refused(message: str, **data: str) -> dict[str, Any]:
    return {"code": -32602, "message": message, **({"data": data} if data else {})}


VALID = [
    ("resources/list", {}),
    ("resources/templates/list", {}),
    read("context://telemetry"),
    read("context://steering/tech"),
    read("context://spec/login/tasks"),
    read("context://spec/%C3%BCn%C3%AF%20100%25/requirements"),
    ("prompts/list", {}),
    prompt("create-spec", name="x"),
    prompt("implement-task", spec="login"),
    prompt("review-task", spec="login", task="1"),
    complete(of_resource(SPEC), "name", ""),
    complete(of_prompt("implement-task"), "task", "1", spec="login"),
]


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN])
def test_every_answer_has_the_official_shape_of_its_revision(project: SpecProject, revision: str) -> None:
    if revision == MODERN:
        lines = [modern(n, *each) for n, each in enumerate(VALID)]
    else:
        lines = [initialize("open", revision), *(request(n, *each) for n, each in enumerate(VALID))]
    answers = exchange(project.root, *lines).answers_by_id()
    for number, (method, _) in enumerate(VALID):
        assert "result" in answers[number], answers[number]
        check_answer(answers[number], method, revision)


def test_capabilities_name_what_is_offered(tmp_path: Path) -> None:
    asked = [*OPENING, modern("m", "server/discover")]
    full = exchange(tmp_path, *asked).answers_by_id()
    caches_only = exchange(tmp_path, *asked, options=("--only", "caches")).answers_by_id()
    found = [[answer["result"]["capabilities"] for answer in each.values()] for each in (full, caches_only)]
    assert found == [
        [{"tools": {}, "resources": {}, "prompts": {}, "completions": {}}] * 2,
        [{"tools": {}, "resources": {}}] * 2,
    ]


def test_a_server_without_prompts_does_not_know_their_methods_and_still_tells_its_counts(project: SpecProject) -> None:
    asked: tuple[tuple[str, dict[str, Any]], ...] = (
        ("prompts/list", {}),
        ("completion/complete", {}),
        ("resources/list", {}),
        read("context://steering/tech"),
    )
    prompts, completion, listed, steering = ask(project.root, *asked, options=("--only", "caches"))
    assert (prompts["code"], completion["code"], [each["uri"] for each in listed["resources"]], steering) == (
        -32601,
        -32601,
        ["context://telemetry"],
        refused("Unknown resource: context://steering/tech", uri="context://steering/tech"),
    )


def test_what_exists_is_listed_in_a_fixed_order_and_every_address_can_be_read(project: SpecProject) -> None:
    listed = ask(project.root, ("resources/list", {}))[0]["resources"]
    uris = [each["uri"] for each in listed]
    assert uris == [
        "context://telemetry",
        "context://steering/tech",
        "context://steering/principles",
        "context://spec/login/requirements",
        "context://spec/login/design",
        "context://spec/login/tasks",
        "context://spec/%C3%BCn%C3%AF%20100%25/requirements",
    ]
    assert listed[5] == {
        "uri": "context://spec/login/tasks",
        "name": "spec/login/tasks",
        "title": "Document of a spec: login tasks",
        "description": "The requirements, design or tasks of a spec.",
        "mimeType": "text/markdown",
    }
    texts = [each["contents"][0]["text"] for each in ask(project.root, *map(read, uris))]
    assert texts[1:] == [
        "# Tech\n\nRules of tech.\n",
        "# Principles\n\nRules of principles.\n",
        "# Requirements\n",
        "# Design\n",
        TASKS,
        "# Ü\n",
    ]


def test_the_templates_are_these(tmp_path: Path) -> None:
    templates = ask(tmp_path, ("resources/templates/list", {}))[0]["resourceTemplates"]
    assert [each["uriTemplate"] for each in templates] == ["context://steering/{doc}", SPEC]


def test_only_the_modern_era_hears_how_long_an_answer_may_be_kept(project: SpecProject) -> None:
    hints = {}
    for era in ("legacy", "modern"):
        results = ask(project.root, *VALID, era=era)
        hints[era] = [(each.get("ttlMs"), each.get("cacheScope")) for each in results]
    now, hour, unsaid = (0, "private"), (3_600_000, "private"), (None, None)
    assert hints == {
        "legacy": [unsaid] * len(VALID),
        "modern": [now, hour, now, now, now, now, hour, unsaid, unsaid, unsaid, unsaid, unsaid],
    }


def test_the_telemetry_resource_tells_calls_and_remembered_files(project: SpecProject) -> None:
    from support.wire import Wire

    with Wire(project.root, "--telemetry") as wire:
        for number in range(2):
            wire.ask(call(number, "spec-status", {"specName": "login"}, era="modern"))
        told = wire.ask(modern(9, *read("context://telemetry")))["result"]["contents"][0]
        ended = wire.end()
    # Files just written may be read again, but their hash is the same: the second answer used what was made of them.
    counts = json.loads(told["text"])
    used = counts["file_contents"]["spec-status"]
    assert (counts["calls"], list(used), used["misses"], used["hits"] + used["rereads"], used["uncached"]) == (
        {"spec-status": 2},
        ["hits", "misses", "uncached", "rereads"],
        *(1, 1, 0),
    )
    assert (told["uri"], told["mimeType"], ended.stderr) == ("context://telemetry", "application/json", told["text"])


def test_the_telemetry_counts_how_often_caches_were_found_open(tmp_path: Path) -> None:
    from support.wire import Wire

    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "a.md").write_text("alpha", encoding="utf-8")
    build_cache(tmp_path / "sources", tmp_path / "docs")
    asked, counts = 0, {"hits": 0, "misses": 0, "uncached": 0}
    with Wire(tmp_path, "--telemetry") as wire:
        # One that was built a moment ago is not kept.
        while counts["hits"] < 2:
            asked += 1
            wire.ask(call(asked, "context.resolve", {"cache": "docs", "query": "x", "budget": 9}, era="modern"))
            told = wire.ask(modern(-1, *read("context://telemetry")))["result"]["contents"][0]["text"]
            counts = json.loads(told)["file_contents"]["cache"]
        ended = wire.end()
    assert (counts["hits"], counts["misses"], sum(counts.values())) == (2, 1, asked)
    assert ended.stderr == told


@pytest.mark.parametrize(
    "uri",
    [
        *(
            "",
            "context://",
            "context://nothing",
            "context://steering",
            "context://steering/",
            "context://steering/notes",
        ),
        *("context://steering/product", "context://spec/login", "context://spec/login/notes", "context://spec//tasks"),
        *("context://spec/../tasks", "context://spec/%2E%2E/tasks", "context://spec/..%2Flogin/tasks"),
        *("context://spec/login%00/tasks", "context://spec/%FF/tasks", "context://spec/%4/tasks", "file:///etc/passwd"),
        "context://spec/nope/tasks",
    ],
)
def test_an_address_that_leads_nowhere_is_refused(project: SpecProject, uri: str) -> None:
    assert ask(project.root, read(uri)) == [refused(f"Unknown resource: {uri}", uri=uri)]


def test_a_document_is_never_stale(project: SpecProject) -> None:
    from support.wire import Wire

    seen = []
    with Wire(project.root) as wire:
        for text in ("one", "two", "six"):
            project.write("steering/tech.md", text)
            seen.append(wire.ask(modern(text, *read("context://steering/tech")))["result"]["contents"][0]["text"])
    assert seen == ["one", "two", "six"]


class TestPrompts:
    def text(self, project: SpecProject, asked: tuple[str, dict[str, Any]]) -> str:
        (result,) = ask(project.root, asked)
        (message,) = result["messages"]
        assert (message["role"], message["content"]["type"]) == ("user", "text")
        text: str = message["content"]["text"]
        return text

    def test_they_are_listed_with_their_arguments(self, project: SpecProject) -> None:
        listed = ask(project.root, ("prompts/list", {}))[0]["prompts"]
        assert [(each["name"], [(a["name"], a["required"]) for a in each["arguments"]]) for each in listed] == [
            ("create-spec", [("name", True), ("description", False)]),
            ("clarify", [("spec", True)]),
            ("implement-task", [("spec", True), ("task", False)]),
            ("review-task", [("spec", True), ("task", False)]),
        ]

    def test_a_task_is_the_one_asked_for_or_the_next(self, project: SpecProject) -> None:
        shown = "- [ ] 2. b\n  - do it\n  - Files: b.py\n  - Requirements: 1.1\n"
        texts = [
            self.text(project, prompt("implement-task", spec="login")),
            self.text(project, prompt("review-task", spec="login", task="2")),
        ]
        assert [text.partition(".")[0] for text in texts] == [
            "Carry out task 2 of the spec `login`",
            "Review the change made for task 2 of the spec `login`",
        ]
        assert [shown in text for text in texts] == [True, True]

    def test_a_prompt_names_only_resources_that_exist(self, tmp_path: Path) -> None:
        project = SpecProject(tmp_path, "openspec")
        project.write("changes/add/tasks.md", "- [ ] do it\n")
        text = self.text(project, prompt("implement-task", spec="add"))
        project.write("changes/add/specs/login/spec.md", "## ADDED Requirements\n\n### Requirement: A\nIt SHALL.\n")
        project.write("changes/add/proposal.md", "## Why\n")
        with_deltas = self.text(project, prompt("implement-task", spec="add"))
        uri = "context://spec/add/delta"
        (read,) = ask(project.root, ("resources/read", {"uri": uri}))
        assert "Read the task alone" in text
        assert f"Read context://spec/add/requirements and {uri}:" in with_deltas
        assert read["contents"][0]["text"].startswith("<!-- openspec/changes/add/specs/login/spec.md -->\n## ADDED")

    def test_at_most_five_open_questions_are_asked_with_what_the_spec_says(self, project: SpecProject) -> None:
        lines = [f"{n}. It SHALL answer quickly." for n in range(1, 6)]
        text = (
            "# R\n\n**TBD**: TBD\n\n1. The list SHALL have a limit.\n2. It SHALL wait at most 5 seconds.\n"
            + "\n".join(lines)
        )
        project.write("specs/login/requirements.md", text)
        asked = self.text(project, prompt("clarify", spec="login"))
        assert "1. What is decided?\n   **TBD**: TBD\n2. 'limit' has no number: which limit is it?\n" in asked
        assert ("5. What does 'quickly' mean here" in asked, "6. What" in asked, "5 seconds" in asked) == (
            True,
            False,
            False,
        )
        assert "## Clarifications" in asked

    def test_what_a_person_wrote_is_not_taken_for_a_blank(self, project: SpecProject) -> None:
        assert "about: {{name}} {{" in self.text(project, prompt("create-spec", name="x", description="{{name}} {{"))

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            (prompt("nothing"), "Unknown prompt: nothing"),
            (prompt(7), "name must be a string"),
            (prompt("create-spec"), "name is required"),
            (prompt("create-spec", name=""), "name is required"),
            (prompt("create-spec", name="x", more="y"), "Unknown argument: more"),
            (prompt("create-spec", name=1), "name must be a string"),
            (("prompts/get", {"name": "create-spec", "arguments": []}), "arguments must be an object"),
            (prompt("implement-task", spec="nope"), f"Unknown spec, or one without tasks: nope. {SPECS_HERE}"),
            (prompt("implement-task", spec="../login"), f"Unknown spec, or one without tasks: ../login. {SPECS_HERE}"),
            (prompt("implement-task", spec="login", task="99"), "Unknown task: 99"),
            (("prompts/list", {"cursor": "x"}), "There is one page only: no cursor was given out"),
            (("resources/list", {"cursor": "x"}), "There is one page only: no cursor was given out"),
            (read(None), "uri must be a string"),
            (("resources/read", {}), "uri must be a string"),
        ],
    )
    def test_what_cannot_be_answered_is_refused(
        self, project: SpecProject, asked: tuple[str, dict[str, Any]], message: str
    ) -> None:
        assert ask(project.root, asked) + ask(project.root, asked, era="modern") == [refused(message)] * 2


class TestCompletion:
    @pytest.mark.parametrize(
        ("asked", "values"),
        [
            (complete(of_resource("context://steering/{doc}"), "doc", "p"), ["product", "principles"]),
            (complete(of_resource(SPEC), "name", ""), ["login", "ünï 100%"]),
            (complete(of_resource(SPEC), "name", "lo"), ["login"]),
            (complete(of_resource(SPEC), "phase", "d", name="login"), ["design", "delta"]),
            (complete(of_prompt("review-task"), "spec", "l"), ["login"]),
            (complete(of_prompt("review-task"), "task", "1", spec="login"), ["1", "10"]),
            (complete(of_prompt("review-task"), "task", "1", spec="../x"), []),
            (complete(of_prompt("review-task"), "task", "1"), []),
            (complete(of_prompt("create-spec"), "description", ""), []),
        ],
    )
    def test_values_start_with_what_was_typed(
        self, project: SpecProject, asked: tuple[str, dict[str, Any]], values: list[str]
    ) -> None:
        expected = {"completion": {"values": values, "total": len(values), "hasMore": False}}
        assert ask(project.root, asked) == [expected]

    def test_a_layout_without_deltas_completes_no_phase_that_could_never_be_read(self, tmp_path: Path) -> None:
        project = SpecProject(tmp_path, ".specify")  # of spec-kit
        project.write("memory/constitution.md", "# Principles\n")
        (result,) = ask(project.root, complete(of_resource(SPEC), "phase", "d", name="login"))
        assert result["completion"]["values"] == ["design"]

    def test_at_most_a_hundred_are_given_and_all_are_counted(self, project: SpecProject) -> None:
        for number in range(120):
            project.write(f"specs/many-{number:03}/requirements.md", "")
        (result,) = ask(project.root, complete(of_resource(SPEC), "name", "many-"))
        completion = result["completion"]
        assert (completion["values"], completion["total"], completion["hasMore"]) == (
            [f"many-{number:03}" for number in range(100)],
            120,
            True,
        )

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            (complete(of_resource("context://other/{x}"), "x", ""), "Unknown resource: context://other/{x}"),
            (complete(of_resource(SPEC), "doc", ""), "Unknown argument: doc"),
            (complete(of_prompt("nothing"), "x", ""), "Unknown prompt: nothing"),
            (complete(of_prompt("create-spec"), "spec", ""), "Unknown argument: spec"),
            (complete(of_prompt("create-spec"), "name", 7), "value must be a string"),
            (("completion/complete", {}), "name must be a string"),
            (("completion/complete", {"ref": 1}), "ref must be an object"),
        ],
    )
    def test_what_cannot_be_completed_is_refused(
        self, project: SpecProject, asked: tuple[str, dict[str, Any]], message: str
    ) -> None:
        assert ask(project.root, asked) == [refused(message)]


@pytest.mark.parametrize("mode", ["legacy", "auto", MODERN])
def test_the_official_client_lists_reads_prompts_and_completes(project: SpecProject, mode: str) -> None:
    from mcp.types import PromptReference

    async def talk() -> list[Any]:
        command = ["-m", "holdfast", "serve"]
        parameters = StdioServerParameters(command=sys.executable, args=command, cwd=project.root, env=dict(os.environ))
        async with Client(stdio_client(parameters), mode=mode) as client:
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            contents: Any = (await client.read_resource("context://spec/login/tasks")).contents[0]
            prompts = (await client.list_prompts()).prompts
            message: Any = (await client.get_prompt("implement-task", {"spec": "login"})).messages[0].content
            completion = await client.complete(
                PromptReference(type="ref/prompt", name="implement-task"), {"name": "spec", "value": "l"}
            )
            return [
                len(resources),
                [template.uri_template for template in templates],
                contents.text,
                [each.name for each in prompts],
                message.text[:16],
                completion.completion.values,
            ]

    assert asyncio.run(talk()) == [
        7,
        ["context://steering/{doc}", SPEC],
        TASKS,
        ["create-spec", "clarify", "implement-task", "review-task"],
        "Carry out task 2",
        ["login"],
    ]
