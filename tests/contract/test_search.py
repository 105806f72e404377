"""`context.search`: the shape of its format, typed errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from rs_bpe.bpe import openai

from holdfast import UsageError, build_cache, open_cache, search
from holdfast.caches.build.build import build_cache as build_with
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.search.citations import cite
from holdfast.core.token_estimate import estimate_tokens
from support.doors import Door, Library, StdioServer, run_context

Make = Callable[..., Path]
# Python that keeps every package of the extra from being imported.
BLOCKED = "sys.modules |= {'splintr': None, 'rs_bpe': None}; "
GUIDE = """---
title: Getting started
---

# Guide

Welcome to `useEffect`.

## Install

Run `pip install it`, then os.path and max_depth are set.

```python
# install nothing here
max_depth = 3
```

## Use

Installing is not using. שלום
"""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "sources" / "install").mkdir(parents=True)
    (tmp_path / "sources" / "Guide.md").write_bytes(GUIDE.encode())
    (tmp_path / "sources" / "install" / "readme.md").write_bytes(b"Nothing to install.\n\n# Other\n\nText.\n")
    build_cache(tmp_path / "sources", tmp_path / "docs", tokenizer="bytes/4")
    return tmp_path / "docs"


def test_the_answer_is_text_that_says_what_it_costs_and_cites_every_section(cache: Path, door: Door) -> None:
    lines = GUIDE.split("\n")
    other = "Nothing to install."
    cited = [cite("Guide.md", 9, 16, "\n".join(lines[8:16])), cite("install/readme.md", 1, 1, other)]
    answer = door.call("context.search", {"cache": "docs", "query": "install"})
    assert not answer.is_error
    header, blank, *rest = answer.text.split("\n")
    version = open_cache(cache).manifest.cache_version.removeprefix("sha256:")
    used = -(-len(answer.text.encode()) // 4)
    found = f"2 of 3 sections, 1 named, {used} of 2000 tokens, strength 153 · docs {version[:8]} · receipt "
    assert (header[:-8], blank) == (found, "")
    assert rest == [
        f"[1] {cited[0]} · Getting started",
        *lines[8:16],
        f"[2] {cited[1]} · Other",
        other,
        "More, by context.read:",
        "Guide.md L18 Use: Installing is not using. שלום",
        "",
    ]


def test_as_json_the_answer_has_the_members_of_its_format_in_their_order(cache: Path, door: Door) -> None:
    call = {"cache": "docs", "query": "install", "budget": 4000, "format": "json", "limit": 1, "explain": True}
    answer = door.call("context.search", call)
    value = json.loads(answer.text)
    content = "\n".join(GUIDE.split("\n")[8:16])
    (section,) = value["sections"]
    assert list(value) == ["sections", "more", "selection", "receipt"]
    assert value["more"] == [
        {"id": "install/readme.md", "line": 1, "heading": "", "teaser": "Nothing to install."},
        {"id": "Guide.md", "line": 18, "heading": "Use", "teaser": "Installing is not using. שלום"},
    ]
    assert list(section.items()) == [
        ("citation", cite("Guide.md", 9, 16, content)),
        ("id", "guide.md"),
        ("version", "sha256:" + sha256(GUIDE.encode()).hexdigest()),
        ("title", "Getting started"),
        ("heading", ["Guide", "Install"]),
        ("lines", [9, 16]),
        ("score", section["why"]["terms"][0]["impact"]),
        ("tokens", -(-len(content.encode()) // 4)),
        ("header", ""),
        ("also", []),
        ("also_more", 0),
        ("content", content),
        (
            "why",
            {
                "terms": [{"term": "install", "fields": ["headings", "body"], "impact": section["score"]}],
                "terms_more": 0,
                "turn": 0,
            },
        ),
    ]
    text = door.call("context.search", {**call, "format": "text"}).text
    assert list(value["selection"].items()) == [
        ("query", "install"),
        ("cache", "docs"),
        ("cache_version", open_cache(cache).manifest.cache_version),
        ("budget", 4000),
        ("tokens_used", -(-len(text.encode()) // 4)),
        ("strength", 153),
        ("weak", False),
        ("sections_considered", 3),
        ("sections_selected", 1),
        ("sections_named", 2),
        ("sections_excluded_by_budget", 0),
        ("not_here", []),
        ("known", []),
        ("known_more", 0),
        ("tokenizer", "bytes/4"),
        ("ranking", "bm25-sections-4"),
    ]
    assert f"(why: install {section['score']:,} (headings, body))" in text.split("\n")


def test_an_outline_lists_sections_with_their_tokens_and_without_their_contents(cache: Path, door: Door) -> None:
    answer = door.call("context.search", {"cache": "docs", "query": "install", "format": "outline"})
    header, _, *entries = answer.text.removesuffix("\n").split("\n")
    assert header.startswith("3 of 3 sections listed, ")
    lines = GUIDE.split("\n")
    assert entries == [
        f"[1] {cite('Guide.md', 9, 16, chr(10).join(lines[8:16]))} · Getting started › Guide › Install · 31 tokens",
        f"[2] {cite('install/readme.md', 1, 1, 'Nothing to install.')} · Other · 5 tokens",
        f"[3] {cite('Guide.md', 18, 20, chr(10).join(lines[17:20]))} · Guide › Use · 11 tokens",
    ]


def test_what_the_asker_holds_is_named_and_not_sent_again(cache: Path, door: Door) -> None:
    lines = GUIDE.split("\n")
    held, whole = cite("guide.md", 9, 16, "\n".join(lines[8:16])), cite("Guide.md", 1, 20, "\n".join(lines[:20]))
    for known in (held, whole):
        answer = door.call("context.search", {"cache": "docs", "query": "install", "known": [known]}).text
        assert f"Known, not sent again: {known}" in answer.split("\n")
        assert "pip install it" not in answer
        assert ("Installing is not using" in answer) == (known == held)
    # A citation that does not hold any more says nothing of its lines: they are sent.
    answer = door.call(
        "context.search", {"cache": "docs", "query": "install", "known": [held[:-1] + "x"[:0] + "0"]}
    ).text
    assert ("pip install it" in answer) == (held[-1] != "0")


def test_a_search_keeps_to_a_folder_or_a_pattern(cache: Path, door: Door) -> None:
    for under, found in (("install/", ["install/readme.md"]), ("*.md", ["guide.md", "install/readme.md"]), ("no", [])):
        call = {"cache": "docs", "query": "install", "under": under, "format": "json"}
        value = json.loads(door.call("context.search", call).text)
        assert [section["id"] for section in value["sections"]] == found


def test_what_nothing_here_answers_is_said(cache: Path, door: Door) -> None:
    nothing = door.call("context.search", {"cache": "docs", "query": "zebra quagga"}).text
    assert nothing.startswith("Nothing here matches. Not here: zebra, quagga.\n0 of 0 sections, ")
    assert nothing.count("\n") == 2
    little = door.call("context.search", {"cache": "docs", "query": "best restaurants of Paris nothing"}).text
    assert little.startswith("Nothing here answers well. Not here: restaurants, Paris.\n1 of 2 sections, 1 named, ")
    assert "[1] install/readme.md#L1-L1@" in little
    assert "[2]" not in little
    asked = {"cache": "docs", "query": "best restaurants of Paris nothing", "budget": 2000}
    filled = door.call("context.search", asked).text
    assert (filled.startswith("Nothing here answers well."), "[2]" in filled) == (True, True)


def test_a_name_that_is_not_here_is_not_met_by_its_parts_and_the_nearest_is_given(cache: Path, door: Door) -> None:
    for asked, nearest in (("max_depths", "max_depth"), ("max_quokka", "max_depth"), ("useQuokkaEffect", "useEffect")):
        call = {"cache": "docs", "query": f"{asked} install", "format": "json"}
        selection = json.loads(door.call("context.search", call).text)["selection"]
        assert selection["not_here"] == [{"word": asked, "nearest": nearest, "read": False}]
        text = door.call("context.search", {**call, "format": "text"}).text
        assert f"Not here: {asked} (nearest: {nearest})." in text.split("\n")[0]
    assert "Not here" not in door.call("context.search", {"cache": "docs", "query": "max_depth"}).text


def test_the_first_line_has_at_most_forty_tokens(cache: Path, door: Door) -> None:
    count = openai.o200k_base().count
    for query in ("install", "zebra", "instal", "max_quokka_depth", "getQuokka install", "--quokka of the readme"):
        assert count(door.call("context.search", {"cache": "docs", "query": query}).text.split("\n")[0]) <= 40


def test_a_limit_of_nothing_tells_how_much_there_would_be(cache: Path, door: Door) -> None:
    answer = door.call("context.search", {"cache": "docs", "query": "install", "limit": 0}).text
    assert answer.startswith("0 of 3 sections, 3 named, ")
    assert ", strength 153 · " in answer


def test_a_word_that_is_not_there_is_read_as_its_neighbour_and_that_is_said(cache: Path, door: Door) -> None:
    answer = door.call("context.search", {"cache": "docs", "query": "instal"}).text
    assert answer.split("\n")[0] == "Nothing here answers well. Not here: instal (read as install)."


def test_equal_texts_are_given_once_and_the_other_places_are_named(tmp_path: Path, door: Door) -> None:
    (tmp_path / "sources").mkdir()
    for name in "abcdef":
        install = "## Install\n\nRun the installer as you are told."
        text = f"# {name}{name}\n\nAbout {name}.\n\n{install}\n\n## Other\n\n{name}\n"
        (tmp_path / "sources" / f"{name}.md").write_text(text)
    build_cache(tmp_path / "sources", tmp_path / "docs")
    value = json.loads(door.call("context.search", {"query": "installer", "format": "json"}).text)
    (section,) = value["sections"]
    assert [place.partition("#")[0] for place in section["also"]] == ["b.md", "c.md", "d.md"]
    assert section["also_more"] == 2
    text = door.call("context.search", {"query": "installer"}).text
    assert f"(also: {', '.join(section['also'])} and 2 more)" in text.split("\n")


@pytest.mark.parametrize("budget", [0, 1, 20, 30])
def test_a_budget_too_small_for_an_answer_is_an_error_that_says_what_is_needed(
    cache: Path, door: Door, budget: int
) -> None:
    answer = door.call("context.search", {"cache": "docs", "query": "install", "budget": budget})
    assert answer.is_error
    if answer.text:
        told = json.loads(answer.text)["error"]
        assert told["code"] == "invalid_budget"
        needed = int(told["message"].rpartition(": ")[2].partition(" tokens")[0].replace(",", ""))
    else:
        needed = int(answer.stderr.rpartition(": ")[2].partition(" tokens")[0].replace(",", ""))
    assert budget < needed < 200


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "install", "budget": 4000},
        {"query": "install", "budget": 120},
        {"query": "", "budget": 4000},
        {"query": "install", "budget": 4000, "format": "json"},
        {"query": "install", "budget": 4000, "format": "outline", "explain": True},
        {"query": "-x", "budget": 4000},
        {"query": "a\u0000b \u001b[31m \U0001f600", "budget": 4000},
        {"query": "zzz", "budget": 2**53 - 1},
        {"query": "install useEffect שלום", "budget": 4000, "limit": 1},
        {"query": "install", "budget": 4000, "limit": 0},
        {"query": "install", "budget": 4000, "limit": None},
    ],
)
def test_every_door_gives_the_bytes_of_the_command(cache: Path, tmp_path: Path, arguments: dict[str, Any]) -> None:
    if "\0" in arguments["query"]:  # no command line can hold it
        arguments["query"] = arguments["query"].replace("\0", "")
    words = ["search", "--cache", str(cache), f"--query={arguments['query']}", "--budget", str(arguments["budget"])]
    for name in ("limit", "format"):
        if arguments.get(name) is not None:
            words += [f"--{name}", str(arguments[name])]
    if arguments.get("explain"):
        words.append("--explain")
    done = run_context(*words)
    assert (done.returncode, done.stderr) == (0, b"")
    call = {"cache": "docs", **arguments}
    with StdioServer(tmp_path) as server:
        # Twice: a cache that was kept open answers like one that was just opened.
        texts = [server.call("context.search", call).text for _ in range(2)]
    texts.append(Library(tmp_path).call("context.search", call).text)
    assert texts == [done.stdout.decode()] * 3


@pytest.mark.parametrize(
    "word", ["useEffect", "use effect", "effects", "os.path", "path", "max_depth", "depth", "שלום"]
)
def test_identifiers_match_whole_and_in_parts_also_inside_fences(cache: Path, word: str) -> None:
    assert [hit.id for hit in search(cache, word, 4000).sections][:1] == ["guide.md"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"query": None}, "invalid_query"),
        ({"query": "\ud800"}, "invalid_query"),
        ({"query": "x" * (65536 + 1)}, "invalid_query"),
        ({"budget": -1}, "invalid_budget"),
        ({"budget": 4000.0}, "invalid_budget"),
        ({"budget": True}, "invalid_budget"),
        ({"budget": 2**53}, "invalid_budget"),
        ({"limit": -1}, "invalid_budget"),
        ({"limit": "3"}, "invalid_budget"),
        ({"known": ["guide.md"]}, "invalid_citation"),
        ({"known": "guide.md#L1-L2@aaaaaaaaaaaa"}, "invalid_citation"),
        ({"known": ["x"] * 1001}, "invalid_citation"),
        ({"cache": "missing"}, "cache_missing"),
        ({"cache": "../docs"}, "cache_missing"),
        ({"cache": "sources"}, "cache_invalid"),
        ({"query": 7, "budget": -1, "cache": "missing"}, "invalid_query"),
        ({"budget": -1, "cache": "missing"}, "invalid_budget"),
    ],
)
def test_bad_arguments_are_typed_errors(cache: Path, door: Door, changed: dict[str, Any], code: str) -> None:
    answer = door.call("context.search", {"cache": "docs", "query": "install", "budget": 100, **changed})
    found = answer.text or json.dumps({"error": {"code": code}})
    assert (answer.is_error, json.loads(found)["error"]["code"], "Traceback" in answer.stderr) == (True, code, False)


@pytest.mark.parametrize("name", ["receipt", "html"])
def test_a_server_writes_no_files(cache: Path, tmp_path: Path, name: str) -> None:
    arguments = {"cache": "docs", "query": "install", "budget": 100, name: str(tmp_path / "written")}
    with StdioServer(tmp_path) as server:
        response = server.request("tools/call", {"name": "context.search", "arguments": arguments})
    assert response["result"]["isError"]
    assert f"'{name}'" in response["result"]["content"][0]["text"]
    assert not (tmp_path / "written").exists()


def test_a_damaged_index_is_ignored_and_the_documents_answer(cache: Path) -> None:
    (file,) = (cache / "index").glob("*.seg")
    data = file.read_bytes()
    expected = search(cache, "install useEffect", 4000)
    answers = set()
    for at in range(0, len(data), max(len(data) // 150, 1)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        answers.add(search(cache, "install useEffect", 4000) == expected)
    for size in (0, 1, 100, 136, 500, len(data) - 1):
        file.write_bytes(data[:size])
        answers.add(search(cache, "install useEffect", 4000) == expected)
    assert answers == {True}


def test_an_index_of_another_cache_is_ignored(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "sources" / "more.md").write_bytes(b"install install")
    build_cache(tmp_path / "sources", tmp_path / "other", tokenizer="bytes/4")
    expected = search(cache, "install", 4000)
    (own,), (other,) = [list((each / "index").glob("*.seg")) for each in (cache, tmp_path / "other")]
    shutil.copy(other, own)
    with open_cache(cache) as opened:
        assert opened.search("install", 4000) == expected
        assert opened._sections is None


def test_an_altered_document_is_noticed_when_one_of_its_sections_is_returned(cache: Path, tmp_path: Path) -> None:
    with StdioServer(tmp_path) as server:
        call = {"cache": "docs", "query": "install", "budget": 4000}
        before = server.call("context.search", call)
        for file in (cache / "documents").iterdir():
            data = file.read_bytes()
            file.write_bytes(data.replace(b"pip install", b"rm -rf them"))
        after = server.call("context.search", call)
    assert (before.is_error, json.loads(after.text)["error"]["code"]) == (False, "cache_invalid")


def test_tokens_are_counted_at_the_build_and_the_cache_remembers_by_what(cache: Path, tmp_path: Path) -> None:
    build_cache(tmp_path / "sources", tmp_path / "counted", tokenizer="o200k_base")
    result = search(tmp_path / "counted", "install", 4000, limit=1)
    assert result.tokenizer == "o200k_base"
    tokenizer = openai.o200k_base()
    assert [hit.tokens for hit in result.sections] == [tokenizer.count(hit.content or "") for hit in result.sections]
    code = (
        "import sys, holdfast as h; h.search(sys.argv[1], 'install', 900); "
        "print({'rs_bpe', 'splintr'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "counted"], capture_output=True, check=True)
    assert done.stdout == b"set()\n"


def test_a_tokenizer_that_is_not_there_is_a_usage_error_that_says_what_to_do(cache: Path, tmp_path: Path) -> None:
    words = ["build", "--sources", "sources", "--cache", "x", "--tokenizer", "o200k_base"]
    code = f"import sys; {BLOCKED}from holdfast.cli import run; run()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, cwd=tmp_path)
    assert done.returncode == 1
    assert b"pip install 'holdfast-context[tokens]'" in done.stderr


def test_a_build_writes_the_same_bytes_with_and_without_the_extra(cache: Path, tmp_path: Path) -> None:
    written = []
    for name, blocked in (("with", ""), ("without", BLOCKED)):
        words = ["build", "--sources", "sources", "--cache", name]
        code = f"import sys; {blocked}from holdfast.cli import run; run()"
        env = {**os.environ, "SOURCE_DATE_EPOCH": "1767323045"}
        subprocess.run([sys.executable, "-c", code, *words], capture_output=True, cwd=tmp_path, env=env, check=True)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        written.append([(str(path.relative_to(tmp_path / name)), path.read_bytes()) for path in files])
    assert written[0] == written[1]
    assert search(tmp_path / "with", "install", 400).tokenizer == "estimate-1"


def test_sections_are_counted_as_the_estimate_has_them(cache: Path, tmp_path: Path) -> None:
    build_cache(tmp_path / "sources", tmp_path / "usual")
    hits = search(tmp_path / "usual", "install", 4000, limit=1).sections
    assert [hit.tokens for hit in hits] == [estimate_tokens(hit.content or "") for hit in hits] != []


def test_a_tokenizer_nobody_knows_is_a_usage_error_that_names_those_there_are(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of estimate-1, o200k_base, bytes/4"):
        build_cache(tmp_path / "sources", tmp_path / "x", tokenizer="o201k")


def test_verify_makes_the_index_again(cache: Path) -> None:
    (file,) = (cache / "index").glob("*.seg")
    assert json.loads(run_context("verify", "--cache", str(cache)).stdout)["problems"] == []
    data = file.read_bytes()
    file.write_bytes(data[:-40] + bytes([data[-40] ^ 1]) + data[-39:])
    problems = json.loads(run_context("verify", "--cache", str(cache)).stdout)["problems"]
    assert [problem["file"] for problem in problems] == [f"index/{file.name}"]
    file.unlink()
    problems = json.loads(run_context("verify", "--cache", str(cache)).stdout)["problems"]
    assert [problem["file"] for problem in problems] == [f"index/{file.name}"]


def test_any_number_of_workers_writes_the_same_index(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    for number in range(120):
        text = f"# Page {number}\n\nalpha {number % 7}\n\n## Part\n\n" + "beta " * (number % 5) + f"word{number}\n"
        (tmp_path / "sources" / f"{number}.md").write_bytes(text.encode())
    files = []
    for workers in (1, 2, 3):
        target = tmp_path / str(workers)
        build_with(
            tmp_path / "sources", target, BuildOrder("2026-01-02T03:04:05Z", workers=workers, tokenizer="bytes/4")
        )
        files.append({file.name: file.read_bytes() for file in (target / "index").iterdir()})
    assert files[1:] == files[:1] * 2
