"""What the project shows to registries, engines and people is what the code says, and what the readers of it accept."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from copy import deepcopy
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts.publishing.project_facts import read_facts
from scripts.publishing.registry_entry import PublishedBundle, entry_text, registry_entry

from holdfast.clients.on_disk.workflow_file import workflow
from holdfast.command.command_line import parse
from holdfast.version import __version__

ROOT = Path(__file__).parent.parent.parent
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
BUNDLE = PublishedBundle("https://example.org/holdfast.mcpb", "0" * 64)


def test_the_entry_for_the_registry_is_current() -> None:
    assert (ROOT / "server.json").read_text(encoding="utf-8") == entry_text(registry_entry(read_facts()))


def test_the_version_is_stated_once() -> None:
    """In version.py; server.json is generated from it. A changelog tells of versions."""
    listed = subprocess.run(["git", "grep", "-lF", f'"{__version__}"'], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode not in (0, 1):
        pytest.skip("this tree is no checkout, so git cannot look through it")
    assert sorted(listed.stdout.split()) == ["server.json", "src/holdfast/version.py"]
    assert "version" in (ROOT / "pyproject.toml").read_text().partition("dynamic = ")[2].partition("\n")[0]


def wrongs(entry: dict[str, Any]) -> list[str]:
    """What the registry would refuse of an entry: the rules of its schema that concern us, and those for publishers."""
    found = []
    if not re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry.get("name", "")):
        found.append("name")
    if not 1 <= len(entry.get("description", "")) <= 100:
        found.append("description")
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?", entry.get("version", "")):
        found.append("version")
    for package in entry.get("packages", []):
        if {"registryType", "identifier", "transport"} - set(package):
            found.append("package")
        if package["registryType"] == "pypi" and package.get("version") != entry["version"]:
            found.append("package version")
        if package["registryType"] == "mcpb":
            if not re.fullmatch(r"[a-f0-9]{64}", package.get("fileSha256", "")):
                found.append("hash")
            if not package["identifier"].startswith("https://") or "mcp" not in package["identifier"]:
                found.append("bundle")
        if package.get("registryBaseUrl"):
            found.append("host of a registry")
        for argument in package.get("packageArguments", []):
            if argument["type"] == "positional" and not {"value", "valueHint"} & set(argument):
                found.append("positional argument")
            if argument["type"] == "named" and not argument.get("name"):
                found.append("named argument")
    return found


# What is wrong -> where, and what stands there instead; None: nothing does.
SPOILT: dict[str, tuple[list[Any], str | None]] = {
    "name": (["name"], "holdfast"),
    "description": (["description"], "long " * 21),
    "version": (["version"], "latest"),
    "package": (["packages", 0, "transport"], None),
    "package version": (["packages", 0, "version"], "0.0.0"),
    "hash": (["packages", 1, "fileSha256"], "A" * 64),
    "bundle": (["packages", 1, "identifier"], "http://example.org/holdfast.mcpb"),
    "host of a registry": (["packages", 0, "registryBaseUrl"], "https://example.org"),
    "positional argument": (["packages", 0, "packageArguments", 0, "value"], None),
    "named argument": (["packages", 0, "packageArguments", 1, "name"], None),
}


@pytest.mark.parametrize("bundle", [None, BUNDLE])
def test_the_registry_would_take_the_entry(bundle: PublishedBundle | None) -> None:
    assert wrongs(registry_entry(read_facts(), bundle)) == []


@pytest.mark.parametrize("wrong", SPOILT)
def test_an_entry_that_the_registry_refuses_is_noticed(wrong: str) -> None:
    entry = deepcopy(registry_entry(read_facts(), BUNDLE))
    (*path, last_step), instead = SPOILT[wrong]
    place: Any = entry
    for step in path:
        place = place[step]
    if instead is None:
        del place[last_step]
    else:
        place[last_step] = instead
    assert wrong in wrongs(entry)


def test_the_entry_conforms_to_the_published_schema_where_it_lies() -> None:
    from jsonschema import Draft7Validator

    places = [ROOT.parent / "shared" / "mcp" / "server.schema.json", Path(os.environ.get("HOLDFAST_SERVER_SCHEMA", ""))]
    place = next((place for place in places if place.is_file()), None)
    if place is None:
        pytest.skip("the registry's schema is another project's and not here; ./scripts/release judges by it")
    validator = Draft7Validator(json.loads(place.read_bytes()))
    for bundle in (None, BUNDLE):
        assert [error.message for error in validator.iter_errors(registry_entry(read_facts(), bundle))] == []


def test_the_entry_starts_the_server_with_words_that_it_knows() -> None:
    from holdfast.cli import COMMANDS

    (package,) = registry_entry(read_facts())["packages"]
    positional, named = package["packageArguments"]
    request = parse([positional["value"], f"{named['name']}=somewhere"], COMMANDS)
    assert request.command is not None
    assert (request.command.name, request.arguments) == ("serve", {"path": "somewhere"})


def containerfile() -> list[tuple[str, str]]:
    """The instructions of the Containerfile and what each is given, comments left out and lines joined."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(line.partition(" ")[0], line.partition(" ")[2].strip()) for line in joined.splitlines()]


def last(instruction: str) -> str:
    return [given for name, given in containerfile() if name == instruction][-1]


def test_the_container_runs_as_nobody_and_starts_the_server() -> None:
    from holdfast.cli import COMMANDS

    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", last("USER")), "a number, so that an engine can see it is not root"
    program, *words = json.loads(last("ENTRYPOINT")) + json.loads(last("CMD"))
    request = parse(words, COMMANDS)
    assert (program, request.command and request.command.name) == ("context", "serve")
    assert request.arguments["path"] == last("WORKDIR")


def test_the_container_is_built_from_files_that_are_there_and_not_ignored() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    let_in = [rule[1:] for rule in rules if rule.startswith("!")]
    copied = [
        word
        for name, given in containerfile()
        if name == "COPY" and "--from" not in given
        for word in given.split()[:-1]
    ]
    assert (rules[0], sorted(copied), sorted(let_in)) == ("*", sorted(let_in), sorted(copied))
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert [given for name, given in containerfile() if name == "ADD"] == []


def test_the_container_names_no_host_to_take_its_base_from() -> None:
    """Which registry an engine asks is the choice of whoever runs it."""
    (image,) = [given.partition("=")[2] for name, given in containerfile() if given.startswith("PYTHON_IMAGE=")]
    assert {given.split()[0] for name, given in containerfile() if name == "FROM"} == {"${PYTHON_IMAGE}"}
    assert "/" not in image
    assert fnmatch(image, "python:3.*-slim")


@pytest.mark.parametrize("is_served", [True, False])
def test_the_health_check_tells_a_server_that_answers_from_one_that_does_not(tmp_path: Path, is_served: bool) -> None:
    command = json.loads(last("HEALTHCHECK").partition(" CMD ")[2])
    assert command[:2] == ["sh", "-c"]
    project = str(tmp_path) if is_served else str(tmp_path / "missing")
    script = command[2].replace("/project", shlex.quote(project))
    program = Path(sys.executable).parent if is_served else tmp_path
    environment = {"PATH": f"{program}:/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, capture_output=True, timeout=60)
    assert (done.returncode == 0) == is_served


@pytest.mark.parametrize("form", [form for form in FORMS if form.name != "config.yml"], ids=lambda form: form.stem)
def test_an_issue_form_asks_in_a_way_that_the_host_shows(form: Path) -> None:
    value = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert set(value) == {"name", "description", "labels", "body"}
    asked = [part for part in value["body"] if part["type"] != "markdown"]
    ids = [part["id"] for part in asked]
    assert asked
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z-]*", identifier) for identifier in ids)
    for part in value["body"]:
        assert part["type"] in ("markdown", "textarea", "input", "dropdown", "checkboxes")
        assert set(part) <= {"type", "id", "attributes", "validations"}
        assert ("value" if part["type"] == "markdown" else "label") in part["attributes"]
        assert set(part.get("validations", {})) <= {"required"}
        if part["type"] in ("dropdown", "checkboxes"):
            options = part["attributes"]["options"]
            assert len({str(option) for option in options}) == len(options) > 0


def test_pages_for_people_lead_to_files_that_are_there() -> None:
    pages = [ROOT / "SECURITY.md", ROOT / "CODE_OF_CONDUCT.md"]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))]
    assert links
    assert [link for page, link in links if not (page.parent / link).exists()] == []


def test_every_row_of_who_is_trusted_with_what_names_tests_that_there_are() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    lines = page.partition("## Who is trusted with what\n")[2].partition("\n## ")[0].splitlines()
    _, _, *rows = [line for line in lines if line.startswith("|")]
    assert len(rows) > 10
    for row in rows:
        named = re.findall(r"`(test_\w+)::(test_\w+)`", row.split("|")[-2])
        assert named, row
        for module, test in named:
            texts = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob(f"{module}.py")]
            assert any(f"\ndef {test}(" in text for text in texts), (module, test)


def test_no_action_that_a_workflow_uses_is_named_by_a_tag() -> None:
    files = [ROOT / "action.yml", *(ROOT / ".github").rglob("*.yml"), *(ROOT / "docs").rglob("*.md")]
    texts = [workflow("holdfast", []), *[file.read_text(encoding="utf-8") for file in files]]
    used = [name for text in texts for name in re.findall(r"(?m)^[ -]*uses: (\S+)", text)]
    assert len(used) >= 3
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
