"""`context.read`: the cited lines as they are, within the budget, or that they are gone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import build_cache, search
from holdfast.caches.tokenizers import counter
from support.doors import EXIT_CODES, Door, Library, run_context


def _hex_digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


GUIDE = """---
title: The guide
---

# Guide

Welcome.

## Install

Run `pip install it`.

## Use

Using is
not installing.

### Deeply

Deep text.

## Other

The end.
"""
LINES = GUIDE.split("\n")
WINDOWS = "# Win\r\n\r\nA\r\nB\r\n"
LONG = "# Long\n\n" + "\n".join(f"Line {number} of a paragraph that is not cut." for number in range(1, 400)) + "\n"
LINE = (
    "# One line\n\n" + " ".join(f"Sentence {number} of a line that goes on." for number in range(1, 300)) + "\n\nEnd.\n"
)
MANY = "# Many\n\n" + "\n".join(f"## Part {number}\n\nWords of part {number}.\n" for number in range(1, 80))


@pytest.fixture(params=["estimate-1", "bytes/4", "o200k_base"])
def tokenizer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def build(root: Path, tokenizer: str = "estimate-1", name: str = "docs") -> Path:
    sources = root / f"{name}-sources"
    files = {"sub/useMemo.md": GUIDE, "win.md": WINDOWS, "long.md": LONG, "many.md": MANY, "empty.md": ""}
    files |= {"blank.md": "\n \n\n", "line.md": LINE}
    for file, text in files.items():
        (sources / file).parent.mkdir(parents=True, exist_ok=True)
        (sources / file).write_bytes(text.encode())
    build_cache(sources, root / name, tokenizer=tokenizer)
    return root / name


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives a root with the cache `docs`, counted by a tokenizer: made once, to be read only."""
    roots: dict[str, Path] = {}

    def root(tokenizer: str) -> Path:
        if tokenizer not in roots:
            roots[tokenizer] = build(tmp_path_factory.mktemp("shelf"), tokenizer).parent
        return roots[tokenizer]

    return root


@pytest.fixture
def cache(tmp_path: Path, shelf: Callable[[str], Path]) -> Path:
    return Path(shutil.copytree(shelf("estimate-1"), tmp_path, dirs_exist_ok=True)) / "docs"


def citation(first: int, last: int, text: str = GUIDE, name: str = "sub/useMemo.md") -> str:
    content = "\n".join(text.split("\n")[first - 1 : last])
    return f"{name}#L{first}-L{last}@{_hex_digest(content.encode())[:12]}"


def read(root: Path, **arguments: object) -> Any:
    answer = Library(root).call("context.read", {**arguments, "format": "json"})
    return json.loads(answer.text)


def test_a_citation_gives_its_lines_below_a_line_that_cites_them(cache: Path, door: Door) -> None:
    answer = door.call("context.read", {"cache": "docs", "citation": citation(13, 16)})
    version = json.loads((cache / "manifest.json").read_text())["cache_version"][7:15]
    header, *lines = answer.text.split("\n")

    assert (answer.is_error, answer.exit_code) == (False, 0)
    used = counter("estimate-1")(answer.text)
    assert header == f"{citation(13, 16)} · The guide › Guide › Use · {used} of 2,000 tokens · docs {version}"
    assert lines == [*LINES[12:16], "[goes on: id sub/useMemo.md, line 18 of 24]", ""]


def test_json_has_the_members_of_the_format_in_their_order(cache: Path, door: Door) -> None:
    given = {"cache": "docs", "citation": citation(13, 16)}
    text, answer = (door.call("context.read", {**given, "format": form}) for form in ("text", "json"))
    version = json.loads((cache / "manifest.json").read_text())["cache_version"]

    assert text == door.call("context.read", given)
    assert list(json.loads(answer.text).items()) == [
        ("citation", citation(13, 16)),
        ("id", "sub/usememo.md"),
        ("source", "sub/useMemo.md"),
        ("version", "sha256:" + _hex_digest(GUIDE.encode())),
        ("title", "The guide"),
        ("heading", ["Guide", "Use"]),
        ("lines", [13, 16]),
        ("line_count", 24),
        ("content", "\n".join(LINES[12:16])),
        ("next", 18),
        ("tokens_used", counter("estimate-1")(text.text)),
        ("budget", 2000),
        ("tokenizer", "estimate-1"),
        ("cache", "docs"),
        ("cache_version", version),
    ]


ASKED: list[dict[str, Any]] = [
    {"citation": citation(13, 16)},
    {"citation": citation(13, 16), "before": 1, "after": 1, "budget": 300},
    {"citation": citation(13, 16), "format": "json"},
    {"citation": citation(1, 3)[:-1] + "0"},
    {"citation": citation(1, 3)[:-1] + "0", "format": "json"},
    {"citation": citation(1, 3, name="gone.md")},
    {"id": "many.md", "line": 12, "budget": 200},
    {"id": "win.md"},
    {"id": "win.md", "line": 7},
    {"id": "empty.md"},
    {"id": "win.md", "budget": 0},
    {"id": "win.md", "budget": 1},
    {"id": "many.md", "budget": 2**53 - 1},
    {"id": "win.md", "budget": 2**53},
    {"citation": "no citation"},
    {"citation": citation(13, 16), "before": -1},
    {},
]


@pytest.mark.parametrize("arguments", ASKED, ids=json.dumps)
def test_tool_and_command_give_the_same_bytes(cache: Path, door: Door, arguments: dict[str, Any]) -> None:
    answer = door.call("context.read", {"cache": "docs", **arguments})
    options = [f"--{name}={value}" for name, value in arguments.items() if name != "citation"]
    words = ["--", arguments["citation"]] if "citation" in arguments else []
    done = run_context("read", "--cache", str(cache), *options, *words, cwd=cache.parent)

    if done.stdout:
        assert (done.stdout.decode(), done.returncode) == (answer.text, 9 if answer.is_error else 0)
    else:
        codes = {**EXIT_CODES, "invalid_citation": 1}
        assert (answer.is_error, done.returncode) == (True, codes[json.loads(answer.text)["error"]["code"]])


@pytest.mark.parametrize("name", ["sub/usememo.md", "sub/useMemo.md"])
def test_both_spellings_of_a_document_are_taken(cache: Path, name: str) -> None:
    given = [read(cache.parent, citation=citation(13, 16, name=name)), read(cache.parent, id=name, line=13)]

    assert [(value["citation"], value["source"]) for value in given] == [
        (citation(13, 16), "sub/useMemo.md"),
        (citation(13, 16), "sub/useMemo.md"),
    ]


def test_a_line_gives_its_section_and_more_only_when_asked(cache: Path) -> None:
    section, more = read(cache.parent, id="sub/usememo.md", line=15), {"id": "sub/usememo.md", "line": 15}
    assert (section["citation"], section["next"]) == (citation(13, 16), 18)
    assert read(cache.parent, **more, after=1)["lines"] == [13, 20]
    assert read(cache.parent, **more, before=1)["lines"] == [9, 16]
    assert read(cache.parent, **more, budget=2000)["lines"] == [15, 24]


def test_a_list_reads_several_within_one_budget(cache: Path, door: Door) -> None:
    places = [citation(13, 16), "sub/useMemo.md#L9"]
    alone = [door.call("context.read", {"citation": place}).text for place in places]
    assert alone[1].startswith(citation(9, 11))
    together = door.call("context.read", {"places": places}).text
    # Each is the same but for the budget that was left for it.
    assert [line for line in together.split("\n") if " tokens · " not in line] == [
        line for text in alone for line in text.removesuffix("\n").split("\n") if " tokens · " not in line
    ] + [""]
    value = json.loads(door.call("context.read", {"places": [*places, "nowhere.md#L1"], "format": "json"}).text)
    assert [passage.get("state") for passage in value["passages"]] == [None, None, "no such document"]


def test_the_places_of_a_list_that_the_budget_does_not_reach_are_named(
    shelf: Callable[[str], Path], tokenizer: str
) -> None:
    root, count, places = shelf(tokenizer), counter(tokenizer), [f"many.md#L{line}" for line in range(7, 167, 4)]
    reached = set()
    for budget in range(220, 900, 31):
        text = Library(root).call("context.read", {"places": places, "budget": budget}).text
        value = read(root, places=places, budget=budget)
        given, unread = [passage["lines"][0] for passage in value["passages"]], value["unread"]
        assert count(text) <= budget
        assert [f"many.md#L{line}" for line in given] + unread == places
        assert text.splitlines()[-1] == f"[not read, the budget is spent: {unread[0]} and {len(unread) - 1} more]"
        reached.add(len(given))
    assert len(reached) > 2
    assert "unread" not in read(root, places=places[:2])
    # Not even the first fits beside that line.
    answer = Library(root).call("context.read", {"places": places, "budget": 50})
    assert json.loads(answer.text)["error"]["code"] == "invalid_budget"


def test_a_pointer_to_one_of_several_sections_that_begin_on_a_line_is_read_alone(cache: Path) -> None:
    found = json.loads(Library(cache.parent).call("context.search", {"query": "sentence goes", "format": "json"}).text)
    pointers = [each for each in found["more"] if each["id"] == "line.md"]
    parts = [each["part"] for each in pointers if each["line"] == 3]
    assert len(parts) > 1 == pointers.count(pointers[0])
    text = Library(cache.parent).call("context.search", {"query": "sentence goes"}).text
    pieces = []
    for part in sorted(parts):
        assert f"L3.{part} " in text
        value = read(cache.parent, places=[f"line.md#L3.{part}"])["passages"][0]
        assert 0 < len(value["content"]) < 2500
        pieces.append(value["content"])
        assert value["content"] in LINE
    assert len(set(pieces)) == len(parts)
    first = read(cache.parent, places=["line.md#L3.1"])["passages"][0]["content"]
    assert read(cache.parent, id="line.md", line=3)["content"].startswith(first + " ")
    gone = read(cache.parent, places=["line.md#L3.99"])["passages"][0]
    assert (gone["state"], gone["citation"]) == ("no such lines", "line.md#L3.99")


def test_what_the_caller_has_is_not_sent_again(cache: Path, door: Door) -> None:
    for held in (citation(13, 16), citation(9, 16)):
        answer = door.call("context.read", {"citation": citation(13, 16), "known": [held]}).text
        assert answer.startswith(citation(13, 16))
        assert answer.endswith(f" · known by {held}, not sent again\n")
        assert "Using is" not in answer
    assert "Using is" in door.call("context.read", {"citation": citation(13, 16), "known": [citation(9, 11)]}).text


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [(0, 1, [13, 20]), (1, 0, [9, 16]), (1, 1, [9, 20]), (2, 9, [1, 24]), (2**53 - 1, 2**53 - 1, [1, 24])],
)
def test_sections_before_and_after_are_added(cache: Path, before: int, after: int, lines: list[int]) -> None:
    value = read(cache.parent, citation=citation(13, 16), before=before, after=after)

    assert value["lines"] == lines
    assert value["content"] == "\n".join(LINES[lines[0] - 1 : lines[1]])
    assert value["citation"] == citation(lines[0], lines[1])


def test_what_is_read_can_be_cited_and_verified(cache: Path) -> None:
    text = Library(cache.parent).call("context.read", {"citation": citation(13, 16), "before": 1}).text
    (cache.parent / "notes.txt").write_text(text, encoding="utf-8")
    done = run_context("verify", "--citations", "notes.txt", "--cache", str(cache), cwd=cache.parent)

    assert json.loads(done.stdout)["failed"] == 0
    assert json.loads(done.stdout)["found"] == 1


@pytest.mark.parametrize("name", ["sub/usememo.md", "long.md", "many.md", "win.md", "empty.md", "blank.md"])
@pytest.mark.parametrize("budget", [200, 400, 2000, 2**53 - 1])
def test_a_document_read_page_by_page_has_every_line_but_blank_ones_between_pages(
    shelf: Callable[[str], Path], tokenizer: str, name: str, budget: int
) -> None:
    door = Library(shelf(tokenizer))
    count, seen, pages = counter(tokenizer), [], [1]
    for line in pages:
        asked = {"id": name, "line": line, "budget": budget}
        text = door.call("context.read", asked).text
        value = json.loads(door.call("context.read", {**asked, "format": "json"}).text)
        assert value["lines"][0] == line
        assert count(text) <= value["tokens_used"] <= budget
        assert tokenizer == "o200k_base" or count(text) == value["tokens_used"]
        assert value["content"] in text
        seen.append(value["content"])
        if value["next"] is not None:
            assert value["next"] > value["lines"][1]
            pages.append(value["next"])

    whole = {"sub/usememo.md": GUIDE, "long.md": LONG, "many.md": MANY, "win.md": WINDOWS}.get(name, "")
    shown = "\n".join(seen)
    assert [text for text in shown.splitlines() if text.strip()] == [t for t in whole.splitlines() if t.strip()]
    assert budget < 2**20 or len(seen) == 1


def test_no_answer_costs_more_than_its_budget(tmp_path: Path, tokenizer: str) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "many.md").write_text(MANY)
    build_cache(tmp_path / "sources", tmp_path / "docs", tokenizer=tokenizer)
    door = Library(tmp_path)
    hit = search(tmp_path / "docs", "part 40", 2000, limit=1).sections[0]
    assert hit.content is not None
    given = 0
    for budget in range(60, 400, 17):
        asked = {"citation": hit.citation, "before": 50, "after": 3, "budget": budget}
        answer = door.call("context.read", asked)
        if answer.is_error:
            assert json.loads(answer.text)["error"]["message"].startswith("Budget is too small for this answer: ")
        else:
            given += 1
            assert counter(tokenizer)(answer.text) <= budget
            assert hit.content in answer.text
    assert given > 10


def test_cited_lines_that_do_not_fit_are_given_in_part_and_where_they_go_on(cache: Path) -> None:
    value = read(cache.parent, citation=citation(1, 401, LONG, "long.md"), budget=300)

    first, last = value["lines"]
    assert first == 1 < last < 401
    assert (value["citation"], value["next"]) == (citation(1, last, LONG, "long.md"), last + 1)


@pytest.mark.parametrize("budget", [250, 400, 2000])
def test_a_line_longer_than_a_page_is_read_on_by_the_citation_that_the_page_before_gives(
    shelf: Callable[[str], Path], tokenizer: str, budget: int
) -> None:
    root = shelf(tokenizer)
    count, seen, door = counter(tokenizer), [], Library(root)
    asked: dict[str, Any] = {"id": "line.md"}
    while asked:
        value = read(root, **asked, budget=budget)
        text = door.call("context.read", {**asked, "budget": budget}).text
        assert count(text) <= value["tokens_used"] <= budget
        assert read(root, citation=value["citation"])["content"] == value["content"]
        seen.append(value["content"])
        following = value["next"]
        if isinstance(following, str):
            assert text.endswith(f"[goes on: citation {following}]\n")
        asked = {} if following is None else {"citation": following}
        if isinstance(following, int):
            asked = {"id": "line.md", "line": following}

    assert len(seen) > 1
    assert " ".join(" ".join(seen).split()) == " ".join(LINE.split())


def test_a_section_found_in_a_long_line_is_cited_read_and_verified_by_its_columns(cache: Path) -> None:
    hit = search(cache, "sentence 150", 2000).sections[0]
    named, _, place = hit.citation.partition("#")
    assert (named, place.startswith("L3C")) == ("line.md", True)
    value = read(cache.parent, citation=hit.citation)
    assert (value["content"], value["lines"], value["citation"]) == (hit.content, [3, 3], hit.citation)
    around = read(cache.parent, citation=hit.citation, before=1, after=1)
    assert hit.content is not None
    assert hit.content in around["content"]
    assert len(around["content"]) > 2 * len(hit.content)
    note = cache.parent / "note.md"
    note.write_text(f"As {hit.citation} says, but not as {hit.citation.replace('L3C', 'L3C9')} does.")
    done = run_context("verify", "--citations", str(note), "--cache", str(cache), cwd=cache.parent)
    assert (done.returncode, [each["state"] for each in json.loads(done.stdout)["citations"]]) == (
        9,
        ["holds", "no such lines"],
    )


@pytest.mark.parametrize("arguments", [{"id": "win.md"}, {"citation": citation(13, 16)}, {"id": "gone.md"}])
@pytest.mark.parametrize("budget", [0, 1, 10])
def test_a_budget_too_small_for_any_answer_is_an_error_that_says_so(
    cache: Path, door: Door, arguments: dict[str, Any], budget: int
) -> None:
    answer = door.call("context.read", {**arguments, "budget": budget})

    error = json.loads(answer.text)["error"]
    message, _, needed = error["message"].rpartition(": ")
    assert (answer.is_error, error["code"], message) == (True, "invalid_budget", "Budget is too small for this answer")
    assert budget < int(needed.removesuffix(" tokens are needed")) < 200


def test_a_person_is_told_how_many_tokens_the_shortest_answer_needs(cache: Path) -> None:
    done = run_context("read", "--cache", str(cache), "--id", "win.md", "--budget", "5", cwd=cache.parent)

    assert (done.returncode, done.stdout) == (3, b"")
    assert b"reason: the shortest answer here does not fit: 61 tokens are needed" in done.stderr


@pytest.mark.parametrize(
    ("cited", "state", "nearest"),
    [
        (citation(13, 16)[:-12] + "0" * 12, "changed", citation(13, 16)),
        (citation(13, 16).replace("L13-L16", "L9-L11"), "changed", citation(13, 16)),  # it moved
        (citation(13, 16).replace("L13-L16", "L16-L13"), "no such lines", citation(13, 16)),
        (citation(13, 16).replace("L13-L16", "L0-L3"), "no such lines", citation(13, 16)),
        (citation(1, 3)[:-12].replace("L1-L3", "L90-L99") + "0" * 12, "no such lines", citation(22, 24)),
        (citation(13, 16, name="other.md"), "no such document", None),
        (citation(13, 16, name="../docs/sub/usememo.md"), "no such document", None),
        (citation(13, 16, name="empty.md"), "no such lines", None),
    ],
)
def test_a_citation_that_does_not_hold_says_so_and_names_the_nearest_section(
    cache: Path, door: Door, cited: str, state: str, nearest: str | None
) -> None:
    answer = door.call("context.read", {"citation": cited, "format": "json"})
    value = json.loads(answer.text)
    text = door.call("context.read", {"citation": cited}).text

    assert answer.is_error
    assert list(value) == ["error", "citation", "state", "nearest", "tokenizer", "cache", "cache_version"]
    assert value["error"] == {"code": "citation_stale", "message": "Citation does not hold"}
    assert (value["citation"], value["state"]) == (cited, state)
    assert (value["nearest"] and value["nearest"]["citation"]) == nearest
    assert text.startswith(f"{cited} does not hold in docs ")
    assert text.count("\n") == 1
    assert nearest is None or f"Nearest now: {nearest} · The guide" in text


def test_a_citation_of_another_cache_does_not_hold(cache: Path) -> None:
    (cache.parent / "other").mkdir()
    (cache.parent / "other" / "win.md").write_text("# Win\n\nSomething else.\n")
    build_cache(cache.parent / "other", cache.parent / "second")
    cited = search(cache.parent / "second", "something", 100).sections[0].citation

    assert read(cache.parent, cache="docs", citation=cited)["state"] == "changed"
    assert read(cache.parent, cache="second", citation=cited)["citation"] == cited


@pytest.mark.parametrize(
    "arguments",
    [
        *({}, {"citation": citation(13, 16), "id": "win.md"}, {"citation": ""}, {"citation": "sub/usememo.md"}),
        *({"citation": "#L1-L2@0123456789ab"}, {"citation": citation(13, 16) + "0"}, {"citation": "a" * 9000}),
        *({"citation": citation(13, 16)[:-1]}, {"citation": citation(13, 16).upper()}, {"citation": "\ud800"}),
        *({"citation": 1}, {"citation": None}, {"id": None}, {"id": ["win.md"]}, {"id": "win.md", "line": 0}),
        *({"id": "win.md", "line": True}, {"places": []}, {"citation": citation(13, 16), "line": 3}),
        *({"citation": citation(13, 16), "after": 1.0}, {"citation": citation(13, 16), "after": 2**53}),
    ],
    ids=ascii,
)
def test_what_is_no_place_is_refused_before_the_cache_is_looked_for(door: Door, arguments: dict[str, Any]) -> None:
    answer = door.call("context.read", {"cache": "nowhere", **arguments})

    error = json.loads(answer.text)["error"]
    assert (answer.is_error, error["code"]) == (True, "invalid_citation")
    assert re.fullmatch("Citation is invalid: .*(must be |line|hash |places).*", error["message"]), error["message"]


def test_without_a_cache_the_only_one_is_read_and_an_id_that_two_have_names_both(cache: Path, door: Door) -> None:
    asked = {"id": "win.md"}
    alone = door.call("context.read", asked)
    named = door.call("context.read", {**asked, "cache": "docs"})
    shutil.copytree(cache, cache.parent / "second")
    of_two = door.call("context.read", asked)

    assert alone == named
    error = json.loads(of_two.text)["error"]
    assert error == {
        "code": "invalid_citation",
        "message": "2 caches have it: name one, as docs:win.md or second:win.md",
    }


@pytest.mark.parametrize("name", ["nowhere", "../docs", "/", "link", "", "\0"])
def test_a_cache_that_is_none_is_missing(cache: Path, door: Door, name: str) -> None:
    inside = cache.parent
    os.symlink("/", inside / "link")
    answer = door.call("context.read", {"cache": name, "id": "win.md"})

    assert json.loads(answer.text)["error"]["code"] in ("cache_missing", "cache_invalid")


def test_lines_end_as_they_end_in_the_source(cache: Path, door: Door) -> None:
    text = door.call("context.read", {"id": "win.md"}).text

    assert text.partition("\n")[2] == "# Win\r\n\r\nA\r\nB\n"


@pytest.mark.parametrize("name", ["empty.md", "blank.md"])
def test_a_document_of_nothing_is_read_as_such(cache: Path, name: str) -> None:
    value = read(cache.parent, id=name)

    assert (value["content"].strip(), value["heading"], value["next"]) == ("", [], None)
    assert read(cache.parent, citation=value["citation"]) == value


@pytest.mark.parametrize("damaged", ["index", "*.seg"])
def test_without_its_index_a_cache_is_read_all_the_same(cache: Path, damaged: str) -> None:
    asked = {"citation": citation(13, 16), "before": 1, "after": 2, "budget": 300}
    before = Library(cache.parent).call("context.read", asked)
    if damaged == "index":
        shutil.rmtree(cache / "index")
    for file in (cache / "index").glob(damaged):
        file.write_bytes(b"")

    assert Library(cache.parent).call("context.read", asked) == before


def test_a_cache_counted_by_a_tokenizer_is_invalid_without_its_counts_and_read_without_the_tokenizer(
    tmp_path: Path,
) -> None:
    cache = build(tmp_path, "o200k_base")
    script = "import sys; sys.modules |= {'splintr': None, 'rs_bpe': None}; from holdfast.cli import run; run()"
    arguments = ["read", "--cache", str(cache), "--id", "many.md"]
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, check=True)
    assert done.stdout.decode() == Library(tmp_path).call("context.read", {"id": "many.md"}).text
    for file in (cache / "index").glob("*.seg"):
        file.write_bytes(b"")
    assert read(tmp_path, id="many.md")["error"]["code"] == "cache_invalid"


def test_an_altered_document_is_never_read(cache: Path, door: Door) -> None:
    for file in (cache / "documents").iterdir():
        file.write_bytes(file.read_bytes().replace(b"Using is", b"Using as"))
    answer = door.call("context.read", {"citation": citation(13, 16)})

    assert json.loads(answer.text)["error"]["code"] == "cache_invalid"


def test_names_and_headings_stay_on_the_first_line_and_the_path_is_bounded(tmp_path: Path, door: Door) -> None:
    name = "a\nb\x1b[31m·\u2028.md"
    content = f"# {'x' * 390} \x1b[1m\n\n## {'y' * 390}\n\nText.\n"
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / name).write_text(content)
    build_cache(tmp_path / "sources", tmp_path / "docs")
    text = door.call("context.read", {"id": name, "line": 3, "budget": 2000}).text
    value = json.loads(door.call("context.read", {"id": name, "line": 3, "budget": 2000, "format": "json"}).text)
    header, rest = text.split("\n", 1)

    assert rest == "## " + "y" * 390 + "\n\nText.\n"
    assert "\x1b" not in header
    assert len(header) < 400
    assert value["id"] == name
    again = door.call("context.read", {"citation": value["citation"], "format": "json"})
    assert json.loads(again.text)["content"] == value["content"]


def test_an_unknown_format_is_a_usage_error(cache: Path, door: Door) -> None:
    answer = door.call("context.read", {"id": "win.md", "format": "pretty"})
    done = run_context("read", "--id", "win.md", "--cache", str(cache), "--format", "yaml", cwd=cache.parent)

    assert json.loads(answer.text)["error"]["code"] == "usage"
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"--format is text, json or pretty, not 'yaml'" in done.stderr


def test_the_command_indents_its_json_when_asked(cache: Path) -> None:
    done = run_context("read", "--id", "win.md", "--cache", str(cache), "--format", "pretty", cwd=cache.parent)

    assert done.stdout.startswith(b'{\n  "citation": "win.md#L1-L4@')
