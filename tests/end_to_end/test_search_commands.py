"""Receipts, replay, citations, differences and the page, as a person uses them."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast import build_cache
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.search.receipts import encode_receipt
from support.browser import CHROMIUM, NO_BROWSER
from support.doors import StdioServer, run_context
from support.terminal import on_a_terminal


@pytest.fixture
def home(tmp_path: Path) -> Path:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "deploy.md").write_text("# Deploy\n\nTo deploy, push.\n\n## Roll back\n\nTo roll back, pull.\n", "utf-8")
    (sources / "big.md").write_text("# Big\n\n" + "deploy and more " * 100 + "<script>alert(1)</script>\n", "utf-8")
    (sources / "other.md").write_text("# Other\n\nNothing.\n", "utf-8")
    (tmp_path / "caches").mkdir()
    build_cache(sources, tmp_path / "caches" / "docs", tokenizer="bytes/4")
    return tmp_path


def search(
    home: Path, *more: str, query: str = "how to deploy", budget: int = 100
) -> subprocess.CompletedProcess[bytes]:
    words = ["search", "--cache", "caches/docs", "--query", query, "--budget", str(budget), *more]
    return run_context(*words, cwd=home)


def found(home: Path, *more: str, query: str = "how to deploy", budget: int = 2000) -> dict[str, Any]:
    """The answer as JSON."""
    done = search(home, "--format", "json", *more, query=query, budget=budget)
    assert (done.returncode, done.stderr) == (0, b"")
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def cited(value: dict[str, Any]) -> list[str]:
    return [section["citation"] for section in value["sections"]]


def rebuild(home: Path, page: str, text: str) -> None:
    (home / "sources" / page).write_text(text, "utf-8")
    build_cache(home / "sources", home / "caches" / "docs", force=True, tokenizer="bytes/4")


def test_a_question_needs_no_more_than_its_words_where_there_is_one_cache(home: Path) -> None:
    root = {"CONTEXT_CACHE_ROOT": str(home / "caches")}
    asked = run_context("search", "how to deploy", cwd=home, env=root)
    told = run_context("search", "--query", "how to deploy", "--cache", "caches/docs", cwd=home)
    assert (asked.returncode, asked.stdout, asked.stderr) == (0, told.stdout, b"")
    build_cache(home / "sources", home / "caches" / "other")
    several = run_context("search", "how to deploy", cwd=home, env=root)
    assert (several.returncode, b"2 caches" in several.stdout, several.stderr) == (0, True, b"")
    none = run_context("search", "how to deploy", cwd=home, env={"CONTEXT_CACHE_ROOT": str(home / "sources")})
    assert (none.returncode, none.stdout, b"'context add NAME PATH' makes one" in none.stderr) == (4, b"", True)


def test_a_query_may_begin_with_a_dash_after_an_equals_sign_or_two_dashes(home: Path) -> None:
    named = run_context("search", "--cache", "caches/docs", "--query=--deploy", cwd=home)
    placed = run_context("search", "--cache", "caches/docs", "--", "--deploy", cwd=home)
    assert (named.returncode, placed.returncode, named.stdout) == (0, 0, placed.stdout)
    assert b"deploy.md" in named.stdout
    spaced = run_context("search", "--cache", "caches/docs", "--query", "--deploy", cwd=home)
    assert (spaced.returncode, spaced.stdout, b"--query=--deploy" in spaced.stderr) == (2, b"", True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["deploy", "--query", "deploy"], "--query is given twice"),
        (["--query", "how", "to", "deploy"], "between quotation marks"),
        (["how", "to", "deploy"], "between quotation marks"),
    ],
    ids=" ".join,
)
def test_a_query_is_one_word_of_the_command_line_and_given_once(home: Path, words: list[str], told: str) -> None:
    done = run_context("search", *words, "--cache", "caches/docs", cwd=home)
    assert (done.returncode, done.stdout, told in done.stderr.decode()) == (1, b"", True)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"limit": 1},
        {"format": "outline"},
        {"explain": True},
        {"under": "d*"},
        {"known": ["deploy.md#L1-L3@1befc8f285be", "gone.md#L1-L2@0123456789ab"]},
        {"format": "json", "explain": True},
        {"budget": 3},
    ],
    ids=str,
)
def test_what_is_piped_is_what_the_server_gives(home: Path, more: dict[str, Any]) -> None:
    words = []
    for name, value in more.items():
        for item in value if isinstance(value, list) else [value]:
            words += [f"--{name}"] if item is True else [f"--{name}", str(item)]
    piped = run_context("search", "how to deploy", "--cache", "caches/docs", *words, cwd=home)
    with StdioServer(home / "caches") as server:
        served = server.call("context.search", {"query": "how to deploy", "cache": "docs", **more})
    if more == {"budget": 3}:
        assert (piped.returncode, piped.stdout, served.is_error) == (3, b"", True)
        assert json.loads(served.text)["error"]["code"] == "invalid_budget"
    else:
        assert (piped.returncode, piped.stderr, piped.stdout.decode(), served.is_error) == (0, b"", served.text, False)


def test_the_text_has_the_cited_lines_as_they_stand_under_each_citation(home: Path) -> None:
    text, value = search(home, budget=2000).stdout.decode(), found(home)
    header, blank, *lines = text.removesuffix("\n").split("\n")
    selection = value["selection"]
    assert header == (
        f"{selection['sections_selected']} of {selection['sections_considered']} sections, "
        f"{selection['tokens_used']} of 2000 tokens, strength {selection['strength']}"
        f" · docs {selection['cache_version'][7:15]} · receipt {value['receipt'][7:15]}"
    )
    assert (blank, len(value["sections"])) == ("", 2)
    for place, section in enumerate(value["sections"], 1):
        first, last = section["lines"]
        assert lines.pop(0).startswith(f"[{place}] {section['citation']}")
        content = "\n".join([lines.pop(0) for _ in range(first, last + 1)])
        assert content == section["content"]
        assert hashlib.sha256(content.encode()).hexdigest()[:12] == section["citation"].rpartition("@")[2]
    assert lines == []


def test_an_outline_lists_citations_and_what_each_would_cost_without_contents(home: Path) -> None:
    header, blank, *lines = search(home, "--format", "outline", budget=100).stdout.decode().splitlines()
    assert re.match(r"3 of 3 sections listed, \d+ of 100 tokens, strength \d+ · docs ", header)
    assert (blank, [line.rpartition(" · ")[0] for line in lines]) == (
        "",
        [
            "[1] deploy.md#L1-L3@1befc8f285be · Deploy",
            "[2] deploy.md#L5-L7@ee15c38ae8a9 · Roll back",
            "[3] big.md#L1-L3@0d0e24e20b67 · Big",
        ],
    )
    told = dict(re.findall(r"(?m)\] (\S+) .*· (\d+) tokens$", "\n".join(lines)))
    assert len(told) == 3
    alone = found(home, "--under", "big.md")
    assert {section["citation"]: str(section["tokens"]) for section in alone["sections"]}.items() <= told.items()


def test_explain_adds_why_each_section_was_chosen_in_text_and_in_json(home: Path) -> None:
    plain, explained = found(home), found(home, "--explain")
    assert cited(plain) == cited(explained)
    assert not [section for section in plain["sections"] if "why" in section]
    terms = [[(term["term"], term["fields"]) for term in one["why"]["terms"]] for one in explained["sections"]]
    assert terms == [[("deploy", ["title", "path", "headings", "body"])], [("deploy", ["body"])]]
    lines = search(home, "--explain", budget=2000).stdout.decode().splitlines()
    for section in explained["sections"]:
        at = next(number for number, line in enumerate(lines) if f"] {section['citation']}" in line)
        (term,) = section["why"]["terms"]
        assert lines[at + 1] == f"(why: deploy {term['impact']:,} ({', '.join(term['fields'])}))"
        assert lines[at + 2] == section["content"].partition("\n")[0]
    assert explained["selection"]["tokens_used"] > plain["selection"]["tokens_used"]


def test_under_keeps_to_a_folder_a_document_or_a_glob(home: Path) -> None:
    (home / "sources" / "guide").mkdir()
    rebuild(home, "guide/more.md", "# More\n\nHow to deploy more.\n")
    everywhere = {citation.partition("#")[0] for citation in cited(found(home))}
    assert everywhere == {"deploy.md", "big.md", "guide/more.md"}
    for under, names in {
        "guide/": {"guide/more.md"},
        "guide": {"guide/more.md"},
        "deploy.md": {"deploy.md"},
        "**/*.md": everywhere,
        "[bd]*.md": {"deploy.md", "big.md"},
    }.items():
        assert {citation.partition("#")[0] for citation in cited(found(home, "--under", under))} == names, under
    nothing = search(home, "--under", "nowhere/")
    assert (nothing.returncode, nothing.stdout.startswith(b"Nothing here matches.\n0 of 0 sections, ")) == (0, True)


def test_what_is_known_is_named_and_not_sent_again(home: Path) -> None:
    first, second = cited(found(home))
    assert cited(found(home, "--known", first)) == [second]
    both = search(home, "--known", first, "--known", second, budget=2000)
    header, known = both.stdout.decode().splitlines()
    assert (both.returncode, known) == (0, f"Known, not sent again: {first}, {second}")
    assert header.startswith("0 of 3 sections, ")
    assert found(home, "--known", first, "--known", second)["selection"]["known"] == [first, second]
    # A citation whose lines say something else by now is none of what is there.
    assert cited(found(home, "--known", first[:-12] + "0123456789ab")) == [first, second]
    bad = search(home, "--known", first, "--known", "deploy.md")
    assert (bad.returncode, bad.stdout, b"known takes citations" in bad.stderr) == (1, b"", True)


def test_a_citation_of_an_answer_is_verified_and_read(home: Path) -> None:
    text = search(home, budget=2000).stdout
    (home / "answer.txt").write_bytes(text)
    value = found(home)
    held = run_context("verify", "--citations", "answer.txt", "--cache", "caches/docs", cwd=home)
    judged = [(item["citation"], item["state"]) for item in json.loads(held.stdout)["citations"]]
    assert (held.returncode, judged) == (0, [(citation, "holds") for citation in cited(value)])
    for section in value["sections"]:
        words = ("read", section["citation"], "--cache", "caches/docs", "--format", "json")
        read = json.loads(run_context(*words, cwd=home).stdout)
        assert (read["citation"], read["content"], read["lines"]) == (
            section["citation"],
            section["content"],
            section["lines"],
        )


def test_a_budget_too_small_for_any_section_names_them_and_one_too_small_for_that_says_which_would_do(
    home: Path,
) -> None:
    named = search(home, "--under", "big.md", budget=100)
    assert (named.returncode, named.stdout.startswith(b"0 of 1 section, 1 named, ")) == (0, True)
    refused = search(home, "--under", "big.md", budget=40)
    assert (refused.returncode, refused.stdout) == (3, b"")
    told = re.search(r": ([\d,]+) tokens are needed", refused.stderr.decode())
    assert told is not None
    enough = search(home, "--under", "big.md", budget=int(told[1].replace(",", "")))
    assert (enough.returncode, b"[1] big.md#L1-L3@" in enough.stdout) == (0, True)
    header = search(home, budget=3)
    assert (header.returncode, header.stdout, b"what is above the sections does not fit" in header.stderr) == (
        3,
        b"",
        True,
    )


def test_a_short_section_is_given_where_the_best_does_not_fit(home: Path) -> None:
    (home / "sources" / "note.md").write_text("# Note\n\nA zebra.\n", "utf-8")
    rebuild(home, "zebra.md", "# Zebra\n\n" + "A zebra and more. " * 60 + "\n")
    best, short = cited(found(home, query="zebra"))
    assert (best.partition("#")[0], short.partition("#")[0]) == ("zebra.md", "note.md")
    assert cited(found(home, query="zebra", budget=200)) == [short]


@pytest.mark.parametrize("form", ["text", "json", "outline"])
def test_a_receipt_is_the_hash_of_its_record_and_changes_nothing_of_the_answer(home: Path, form: str) -> None:
    plain, recorded = search(home, "--format", form), search(home, "--format", form, "--receipt", "r.json")
    assert (plain.returncode, plain.stdout) == (0, recorded.stdout)
    receipt = json.loads((home / "r.json").read_bytes())
    record = json.dumps(receipt["record"], separators=(",", ":"), ensure_ascii=False)
    assert receipt["receipt"] == "sha256:" + hashlib.sha256(record.encode()).hexdigest()
    assert list(receipt["record"]) == [
        *("record_version", "cache", "cache_version", "ranking", "tokenizer", "query", "budget", "limit", "under"),
        *("known", "outline", "explain", "sections", "named"),
    ]
    listed = [section["citation"] for section in receipt["record"]["sections"]]
    if form != "json":
        assert f" · receipt {receipt['receipt'][7:15]}\n" in plain.stdout.decode()
        assert re.findall(r"(?m)^\[\d+\] (\S+@[0-9a-f]{12})", plain.stdout.decode()) == listed
        return
    answer = json.loads(plain.stdout)
    assert receipt["receipt"] == answer["receipt"]
    assert receipt["record"]["sections"] == [
        {
            "citation": section["citation"],
            "content": "sha256:" + hashlib.sha256(section["content"].encode()).hexdigest(),
            "score": section["score"],
        }
        for section in answer["sections"]
    ]


def test_a_replay_of_an_unchanged_cache_is_the_same(home: Path) -> None:
    search(home, "--receipt", "r.json", "--limit", "5")
    named = run_context("replay", "r.json", "--cache", "caches/docs", cwd=home)
    found = run_context("replay", "r.json", cwd=home, env={"CONTEXT_CACHE_ROOT": str(home / "caches")})
    assert (named.returncode, found.returncode, named.stdout) == (0, 0, found.stdout)
    assert json.loads(named.stdout)["same"] is True


@pytest.mark.parametrize(
    "more",
    [
        ["--under", "d*"],
        ["--known", "deploy.md#L1-L3@1befc8f285be", "--known", "gone.md#L1-L2@0123456789ab"],
        ["--format", "outline"],
        ["--explain"],
        ["--under", "*.md", "--known", "deploy.md#L1-L3@1befc8f285be", "--format", "outline", "--explain"],
    ],
    ids=" ".join,
)
def test_a_replay_asks_all_that_was_asked(home: Path, more: list[str]) -> None:
    plain, asked = search(home, budget=900), search(home, "--receipt", "r.json", *more, budget=900)
    assert (asked.returncode, asked.stdout != plain.stdout) == (0, True)
    done = run_context("replay", "r.json", cwd=home, env={"CONTEXT_CACHE_ROOT": str(home / "caches")})
    value = json.loads(done.stdout)
    assert (done.returncode, value["same"], value["differences"]) == (0, True, [])
    assert value["receipt"] == value["now"] == json.loads((home / "r.json").read_bytes())["receipt"]


def test_a_replay_of_a_changed_cache_exits_9_and_tells_the_difference(home: Path) -> None:
    search(home, "--receipt", "r.json", "--limit", "2", "--format", "outline")
    rebuild(home, "deploy.md", "# Deploy\n\nTo deploy, push harder.\n\n## Roll back\n\nTo roll back, pull.\n")
    done = run_context("replay", "r.json", "--cache", "caches/docs", cwd=home)
    value = json.loads(done.stdout)
    assert (done.returncode, value["same"], value["receipt"] == value["now"]) == (9, False, False)
    # The other section is as it was, and not among the differences.
    assert len(json.loads((home / "r.json").read_bytes())["record"]["sections"]) == 2
    assert [item["what"] for item in value["differences"]] == ["cache_version", "deploy.md#L1-L3"]
    text, code = on_a_terminal("replay", "r.json", "--cache", "caches/docs", cwd=home)
    assert (code, "Another answer than recorded" in text, "deploy.md#L1-L3" in text) == (9, True, True)


def test_a_replay_without_the_recorded_cache_says_to_name_one(home: Path) -> None:
    search(home, "--receipt", "r.json")
    rebuild(home, "deploy.md", "# Deploy\n\nElse.\n")
    done = run_context("replay", "r.json", cwd=home, env={"CONTEXT_CACHE_ROOT": str(home / "caches")})
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"--cache" in done.stderr


def test_a_replay_finds_the_cache_by_version_and_by_tokenizer(home: Path) -> None:
    """The names are such that the wrong one would be found first, whichever of them was recorded."""
    for name, tokenizer in (("a", "estimate-1"), ("b", "bytes/4"), ("c", "estimate-1")):
        build_cache(home / "sources", home / "both" / name, tokenizer=tokenizer)
    root = {"CONTEXT_CACHE_ROOT": str(home / "both")}
    for name in ("a", "b", "c"):
        words = ("search", "--cache", f"both/{name}", "--query", "deploy", "--budget", "100", "--receipt", "r.json")
        assert run_context(*words, cwd=home).returncode == 0
        done = run_context("replay", "r.json", cwd=home, env=root)
        assert (done.returncode, json.loads(done.stdout)["same"]) == (0, True)
    shutil.rmtree(home / "both" / "a")
    shutil.rmtree(home / "both" / "c")
    done = run_context("replay", "r.json", cwd=home, env=root)
    assert (done.returncode, done.stdout, b"counted by 'estimate-1'" in done.stderr) == (4, b"", True)


def test_a_receipt_of_another_ranking_is_refused_by_both_names(home: Path) -> None:
    search(home, "--receipt", "r.json")
    record = json.loads((home / "r.json").read_bytes())["record"]
    record["ranking"]["name"] = "bm25-sections-0"
    (home / "r.json").write_bytes(encode_receipt(record))
    done = run_context("replay", "r.json", "--cache", "caches/docs", cwd=home)
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"ranked by 'bm25-sections-0', this release ranks by '{RANKING}'".encode() in done.stderr


def test_a_receipt_of_the_old_ranking_is_refused_by_its_name(home: Path) -> None:
    """A record as releases with the first ranking wrote it."""
    record = {
        "record_version": "1",
        "cache_version": "sha256:" + "0" * 64,
        "ranking": {"name": "bm25-sections-1", "parameters": {"k1": 1200, "b": 750}},
        "tokenizer": {"name": "bytes/4", "parameters": {"bytes": 4}},
        "query": "how to deploy",
        "budget": 100,
        "limit": None,
        "sections": [{"id": "deploy.md", "lines": [1, 3], "content": "sha256:" + "1" * 64, "score": 100}],
    }
    (home / "r.json").write_bytes(encode_receipt(record))
    done = run_context("replay", "r.json", "--cache", "caches/docs", cwd=home)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"it is of version '1', whose rule release 0.1 applies" in done.stderr


@pytest.mark.parametrize("damage", ["altered", "truncated", "future", "empty", "missing", "directory"])
def test_a_receipt_that_is_none_is_a_typed_error(home: Path, damage: str) -> None:
    search(home, "--receipt", "r.json")
    file = home / "r.json"
    data = file.read_bytes()
    if damage in ("missing", "directory"):
        file.unlink()
    if damage == "directory":
        file.mkdir()
    else:
        changed = {
            "altered": data.replace(b"how to deploy", b"how to delete"),
            "truncated": data[: len(data) // 2],
            "future": data.replace(b'"record_version":"4"', b'"record_version":"9"'),
            "empty": b"",
        }
        if damage in changed:
            assert changed[damage] != data
            file.write_bytes(changed[damage])
    done = run_context("replay", "r.json", "--cache", "caches/docs", cwd=home)
    expected = 6 if damage in ("missing", "directory") else 1
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (expected, b"", False)
    assert (b"Receipt is invalid" in done.stderr) == (expected == 1)


def test_citations_are_checked_against_the_cache(home: Path) -> None:
    given = cited(found(home, budget=4000))
    (home / "text.md").write_text("\n".join(f"As `{citation}` says." for citation in given), "utf-8")
    held = run_context("verify", "--citations", "text.md", "--cache", "caches/docs", cwd=home)
    assert (held.returncode, json.loads(held.stdout)["found"], json.loads(held.stdout)["failed"]) == (0, len(given), 0)
    with (home / "text.md").open("a") as file:
        file.write(
            "\nnever.md#L1-L2@0123456789ab and deploy.md#L1-L3@0123456789ab and deploy.md#L90-L99@0123456789ab\n"
        )
    failed = run_context("verify", "--citations", "text.md", cwd=home, env={"CONTEXT_CACHE_ROOT": str(home / "caches")})
    assert failed.returncode == 9
    assert [item["state"] for item in json.loads(failed.stdout)["citations"]][len(given) :] == [
        *("no such document", "changed", "no such lines"),
    ]
    text, code = on_a_terminal("verify", "--citations", "text.md", "--cache", "caches/docs", cwd=home)
    assert (code, f"{len(given)} of {len(given) + 3} hold" in text) == (9, True)


def test_a_citation_holds_in_the_spelling_of_the_file_and_of_the_id(home: Path) -> None:
    rebuild(home, "use Memo.md", "# Memo\n\nRemember.\n")
    read = ("read", "--cache", "caches/docs", "--format", "json")
    citation = json.loads(run_context(*read, "--id", "use memo.md", cwd=home).stdout)["citation"]
    assert citation.startswith("use Memo.md#L1-L3@")
    folded = citation.replace("Memo", "memo")
    assert json.loads(run_context(*read, folded, cwd=home).stdout)["citation"] == citation
    (home / "text.md").write_text(f"{citation}\n{folded}\n{citation.replace('Memo', 'Menu')}\n", "utf-8")
    done = run_context("verify", "--citations", "text.md", "--cache", "caches/docs", cwd=home)
    assert [(item["citation"], item["state"]) for item in json.loads(done.stdout)["citations"]] == [
        (citation, "holds"),
        (folded, "holds"),
        ("Menu.md#L" + citation.partition("#L")[2], "no such document"),
    ]


def test_diff_tells_documents_sections_and_queries(home: Path) -> None:
    shutil.copytree(home / "caches" / "docs", home / "caches" / "old")
    (home / "sources" / "other.md").unlink()
    rebuild(home, "deploy.md", "# Deploy\n\nTo deploy, wait.\n\n## Roll back\n\nTo roll back, pull.\n")
    (home / "queries.txt").write_text(
        '{"query":"roll back","limit":1}\n{"query":"deploy","budget":100,"limit":2}\n\n', "utf-8"
    )
    words = ["diff", "caches/old", "caches/docs", "--queries", "queries.txt"]
    done = run_context(*words, cwd=home)
    value = json.loads(done.stdout)
    assert done.returncode == 0
    assert value["documents"] == {"added": [], "removed": ["other.md"], "changed": ["deploy.md"]}
    assert [(change["source"], change["heading"], change["change"]) for change in value["sections"]] == [
        ("deploy.md", ["Deploy"], "changed"),
        ("other.md", ["Other"], "removed"),
    ]
    assert [(query["query"], query["changed"]) for query in value["queries"]] == [
        ("roll back", False),
        ("deploy", True),
    ]
    text, _ = on_a_terminal(*words, cwd=home)
    assert "1 of 2 saved queries change their answer" in text
    bad = home / "bad.txt"
    bad.write_text('{"query":7}\n', "utf-8")
    assert run_context("diff", "caches/old", "caches/docs", "--queries", "bad.txt", cwd=home).returncode == 1
    assert run_context("diff", "caches/old", "caches/gone", cwd=home).returncode == 4


def test_diff_checks_saved_queries_and_exits_8_when_one_changes_its_answer(home: Path) -> None:
    shutil.copytree(home / "caches" / "docs", home / "caches" / "old")
    (home / "queries.txt").write_text("roll back\n", "utf-8")
    words = ["diff", "caches/old", "caches/docs", "--queries", "queries.txt"]
    assert run_context(*words, "--check", cwd=home).returncode == 0
    rebuild(home, "other.md", "# Other\n\nNothing new.\n")
    assert run_context(*words, "--check", cwd=home).returncode == 0
    rebuild(home, "deploy.md", "# Deploy\n\nTo deploy, push.\n\n## Roll back\n\nTo roll back, wait.\n")
    plain, checked = run_context(*words, cwd=home), run_context(*words, "--check", cwd=home)
    assert (plain.returncode, checked.returncode) == (0, 8)
    assert (plain.stdout, checked.stderr) == (checked.stdout, b"")
    alone = run_context("diff", "caches/old", "caches/docs", "--check", cwd=home)
    assert (alone.returncode, b"--queries" in alone.stderr) == (1, True)


def test_a_terminal_shows_what_changed_in_short_before_the_details(home: Path) -> None:
    shutil.copytree(home / "caches" / "docs", home / "caches" / "old")
    (home / "sources" / "other.md").unlink()
    rebuild(home, "deploy.md", "# Deploy\n\nTo deploy, wait.\n\n## Roll back\n\nTo roll back, pull.\n")
    (home / "queries.txt").write_text('{"query":"roll back","limit":1}\ndeploy\n', "utf-8")
    text, code = on_a_terminal("diff", "caches/old", "caches/docs", "--queries", "queries.txt", "--check", cwd=home)
    lines = [line.rstrip() for line in text.splitlines()]
    assert lines[:2] == [
        "documents: 1 removed, 1 changed; sections: 2",
        "1 of 2 saved queries change their answer",
    ]
    assert (code, lines[2:4]) == (8, ["- other.md", "~ deploy.md"])


def test_a_terminal_shows_queries_that_change_between_caches_of_the_same_documents(home: Path) -> None:
    build_cache(home / "sources", home / "caches" / "estimated", tokenizer="estimate-1")
    (home / "queries.txt").write_text('{"query":"deploy","budget":620}\n', "utf-8")
    text, _ = on_a_terminal("diff", "caches/docs", "caches/estimated", "--queries", "queries.txt", cwd=home)
    assert "The same documents." in text
    assert "1 of 1 saved queries change their answer" in text


def test_a_terminal_shows_headings_places_best_lines_and_the_budget(home: Path) -> None:
    text, code = on_a_terminal("search", "--cache", "caches/docs", "--query", "roll back", "--limit", "1", cwd=home)
    lines = [line.rstrip() for line in text.splitlines()]
    assert code == 0
    assert lines[0] == "1. Deploy › Roll back"
    assert lines[1].startswith("   deploy.md#L5-L7@ee15c38ae8a9  score ")
    assert lines[2] == "   To roll back, pull."
    assert any(line.startswith("budget █") and line.endswith("of 2,000 tokens") for line in lines)


@pytest.mark.parametrize("option", ["--receipt", "--html"])
def test_a_file_that_cannot_be_written_is_an_io_error(home: Path, option: str) -> None:
    done = search(home, option, "no/such/folder/file")
    assert (done.returncode, done.stdout, b"cannot be written" in done.stderr) == (6, b"", True)


def test_the_page_explains_every_candidate_and_fetches_nothing(home: Path) -> None:
    done = search(home, "--html", "page.html")
    page = (home / "page.html").read_text("utf-8")
    assert done.returncode == 0
    assert page.index("To deploy, push.") < page.index("Why it ranked here") < page.index("big.md:1-3")
    assert "did not fit by" in page
    assert "<script" not in page
    assert not [mark for mark in ("http://", "https://", "src=", "@import", "url(") if mark in page]


def test_the_page_renders_in_a_browser(home: Path, tmp_path: Path) -> None:
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    words = ["search", "--cache", "caches/docs", "--query", "deploy <b>@rows@</b>", "--html", "page.html"]
    run_context(*words, cwd=home)
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    done = subprocess.run(
        [*command, "--virtual-time-budget=2000", "--dump-dom", (home / "page.html").as_uri()],
        capture_output=True,
        timeout=120,
    )
    dom = done.stdout.decode()
    assert done.returncode == 0
    assert '<h1 dir="auto"><bdi>deploy &lt;b&gt;@rows@&lt;/b&gt;</bdi></h1>' in dom
    assert dom.count('<li id="section-') == 1
    assert "2 are named, not given</h3>" in dom
    assert "Named after it</h3>" in dom
    assert "<li><span><bdi>deploy</bdi></span><svg" in dom
    assert "<script" not in dom
