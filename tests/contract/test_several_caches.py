"""Without a cache named, all caches of a project are asked as one."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from rs_bpe.bpe import openai

from holdfast import build_cache
from holdfast.core.token_estimate import estimate_tokens
from support.doors import Door, Library, StdioServer, run_context

FASTAPI = b"# CORS\n\nAllow origins with the middleware.\n\n# Deploy\n\nRoll out with docker.\n"
KUBERNETES = b"# Rolling back\n\nUndo the rollout of a deploy: `kubectl rollout undo`.\n"
QUESTION = "how do I roll back a deploy"


def build(root: Path, name: str, pages: dict[str, bytes], tokenizer: str = "estimate-1") -> None:
    sources = root / "sources" / name
    for page, text in pages.items():
        (sources / page).parent.mkdir(parents=True, exist_ok=True)
        (sources / page).write_bytes(text)
    build_cache(sources, root / name, tokenizer=tokenizer, force=True)


@pytest.fixture
def caches(tmp_path: Path) -> Path:
    build(tmp_path, "fastapi", {"tutorial/Cors.md": FASTAPI, "index.md": b"# FastAPI\n\nFast.\n"})
    build(tmp_path, "kubernetes", {"rollout.md": KUBERNETES, "index.md": b"# Kubernetes\n\nA deploy.\n"})
    return tmp_path


def command(root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return run_context(*words, cwd=root, env={"CONTEXT_CACHE_ROOT": str(root)})


def damage(cache: Path) -> None:
    """Leave a cache that says that it is one, and is not."""
    for file in (cache / "documents").iterdir():
        file.write_bytes(file.read_bytes().replace(b"\\n\\n", b"\\n.\\n"))


def citations(text: str) -> list[str]:
    return re.findall(r"^\[\d+\] (\S+)", text, flags=re.MULTILINE)


def test_every_citation_has_the_name_of_its_cache_and_the_best_is_first_whichever_it_is_of(
    caches: Path, door: Door
) -> None:
    text = door.call("context.search", {"query": QUESTION, "budget": 2000}).text
    assert citations(text)[0].startswith("kubernetes:rollout.md#L1-L3@")
    assert any(citation.startswith("fastapi:tutorial/Cors.md#L5-L7@") for citation in citations(text))
    header = text.split("\n")[0]
    assert re.search(r" · 2 caches [0-9a-f]{8} · receipt [0-9a-f]{8}$", header)
    assert text == Library(caches).call("context.search", {"query": QUESTION, "budget": 2000}).text


def test_one_cache_alone_or_named_has_no_name_in_its_citations(caches: Path, door: Door) -> None:
    named = door.call("context.search", {"query": QUESTION, "cache": "kubernetes"}).text
    assert citations(named)[0].startswith("rollout.md#")
    (caches / "fastapi").rename(caches / "sources" / "moved")
    assert citations(door.call("context.search", {"query": QUESTION}).text)[0].startswith("rollout.md#")


def test_json_says_which_caches_and_of_which_each_section_is(caches: Path, door: Door) -> None:
    value = json.loads(door.call("context.search", {"query": QUESTION, "format": "json"}).text)
    assert [each["name"] for each in value["selection"]["caches"]] == ["fastapi", "kubernetes"]
    assert value["selection"]["cache"] == ""
    first = value["sections"][0]
    assert (first["cache"], first["id"]) == ("kubernetes", "kubernetes:rollout.md")


@pytest.mark.parametrize(
    ("under", "found"),
    [
        ("fastapi:", {"fastapi"}),
        ("FastAPI:tutorial", {"fastapi"}),
        ("tutorial", {"fastapi"}),
        ("index.md", {"kubernetes"}),
    ],
)
def test_under_is_a_folder_of_every_cache_or_of_the_one_named_before_it(
    caches: Path, under: str, found: set[str]
) -> None:
    text = Library(caches).call("context.search", {"query": "deploy", "under": under}).text
    assert {citation.partition(":")[0] for citation in citations(text)} == found


def test_what_is_known_by_a_citation_with_or_without_its_cache_is_not_sent_again(caches: Path) -> None:
    door = Library(caches)
    best = citations(door.call("context.search", {"query": QUESTION}).text)[0]
    for cache, known in ((None, best), (None, best.partition(":")[2]), ("kubernetes", best)):
        arguments = {"query": QUESTION, "known": [known], **({} if cache is None else {"cache": cache})}
        text = door.call("context.search", arguments).text
        assert f"Known, not sent again: {known}" in text
        assert best.partition(":")[2] not in "".join(citations(text))


def test_a_citation_is_read_in_its_cache_and_goes_on_there(caches: Path, door: Door) -> None:
    cited = citations(door.call("context.search", {"query": "cors middleware origins"}).text)[0]
    for citation in (cited, cited.partition(":")[2]):
        answer = door.call("context.read", {"citation": citation, "after": 1})
        assert answer.text.startswith("fastapi:tutorial/Cors.md#L1-L7@")
        assert "Roll out with docker." in answer.text
    page = door.call("context.read", {"id": "fastapi:tutorial/cors.md", "budget": 80}).text
    assert page.split("\n")[-2] == "[goes on: id fastapi:tutorial/Cors.md, line 3 of 7]"
    assert door.call("context.read", {"citation": cited, "cache": "fastapi"}).text.startswith(cited.partition(":")[2])


def test_what_cannot_be_read_says_why(caches: Path) -> None:
    door = Library(caches)
    both = command(caches, "read", "--id", "index.md")
    assert (both.returncode, b"fastapi:index.md or kubernetes:index.md" in both.stderr) == (1, True)
    missing = door.call("context.read", {"id": "kubernets:rollout.md"})
    assert json.loads(missing.text)["error"]["message"] == "Cache does not exist: did you mean 'kubernetes'?"
    gone = door.call("context.read", {"citation": "kubernetes:rollout.md#L1-L3@000000000000"})
    assert "Nearest now: kubernetes:rollout.md#L1-L3@" in gone.text
    assert door.call("context.read", {"id": "nowhere.md"}).exit_code == 9


def test_a_damaged_cache_is_left_out_and_named_and_the_others_answer(caches: Path, door: Door) -> None:
    damage(caches / "kubernetes")
    text = door.call("context.search", {"query": QUESTION}).text
    assert text.split("\n")[1] == "Left out: kubernetes (damaged)."
    assert {citation.partition(":")[0] for citation in citations(text)} == {"fastapi"}
    damage(caches / "fastapi")
    answer = door.call("context.search", {"query": "deploy roll docker"})
    assert (answer.is_error, json.loads(answer.text)["error"]["code"]) == (True, "cache_invalid")


def test_a_cache_whose_index_is_of_no_use_is_asked_by_its_documents(caches: Path) -> None:
    before = Library(caches).call("context.search", {"query": QUESTION}).text
    for file in (caches / "kubernetes" / "index").glob("*.seg"):
        file.write_bytes(b"no index")
    assert Library(caches).call("context.search", {"query": QUESTION}).text == before


def test_a_server_asks_a_cache_that_was_built_meanwhile_and_no_longer_one_that_was_removed(caches: Path) -> None:
    with StdioServer(caches) as server:
        assert "2 caches" in server.call("context.search", {"query": "helm charts"}).text
        build(caches, "helm", {"charts.md": b"# Charts\n\nHelm charts.\n"})
        text = server.call("context.search", {"query": "helm charts"}).text
        assert ("3 caches" in text, citations(text)[0].partition("#")[0]) == (True, "helm:charts.md")
        build(caches, "helm", {"charts.md": b"# Charts\n\nHelm charts, again.\n"})
        assert "again" in server.call("context.search", {"query": "helm charts"}).text
        (caches / "helm").rename(caches / "sources" / "gone")
        assert "2 caches" in server.call("context.search", {"query": "helm charts"}).text


def test_a_receipt_names_all_caches_and_is_replayed_from_them_by_version(caches: Path) -> None:
    receipt = caches / "receipt.json"
    done = command(caches, "search", QUESTION, "--receipt", str(receipt))
    assert done.returncode == 0
    record = json.loads(receipt.read_bytes())["record"]
    assert (record["record_version"], record["cache"], record["left_out"]) == ("5", "", [])
    assert [(each["name"], each["tokenizer"]) for each in record["caches"]] == [
        ("fastapi", "estimate-1"),
        ("kubernetes", "estimate-1"),
    ]
    assert command(caches, "replay", str(receipt)).returncode == 0
    (caches / "kubernetes").rename(caches / "k8s")
    build(caches, "later", {"deploy.md": b"# Roll back a deploy\n\nRoll back a deploy.\n"})
    replayed = command(caches, "replay", str(receipt))
    assert (replayed.returncode, json.loads(replayed.stdout)["same"]) == (0, True)
    build(caches, "k8s", {"rollout.md": b"# Something else\n"})
    assert command(caches, "replay", str(receipt)).returncode == 4


def test_citations_in_a_text_are_checked_in_their_caches(caches: Path) -> None:
    cited = citations(Library(caches).call("context.search", {"query": QUESTION, "budget": 2000}).text)
    false = cited[0].replace("kubernetes:", "fastapi:")
    text = caches / "answer.txt"
    text.write_text(f"See {cited[0]}, {cited[1].partition(':')[2]} and {false}.\n")
    done = command(caches, "verify", "--citations", str(text))
    states = [(each["citation"], each["state"]) for each in json.loads(done.stdout)["citations"]]
    assert states == [(cited[0], "holds"), (cited[1].partition(":")[2], "holds"), (false, "no such document")]
    assert done.returncode == 9


def test_a_damaged_cache_that_a_citation_is_checked_in_is_named(caches: Path) -> None:
    text = caches / "text.md"
    text.write_text(f"See {citations(Library(caches).call('context.search', {'query': QUESTION}).text)[0]}.\n")
    damage(caches / "kubernetes")
    done = command(caches, "verify", "--citations", str(text))
    assert (done.returncode, b"reason: cache 'kubernetes': document 'rollout.md' " in done.stderr) == (5, True)


def test_a_page_explains_the_answer_of_several_caches(caches: Path) -> None:
    page = caches / "page.html"
    command(caches, "search", QUESTION, "--html", str(page))
    assert "kubernetes:rollout.md" in page.read_text()


def test_caches_counted_in_different_ways_are_counted_by_the_estimate(caches: Path) -> None:
    build(caches, "kubernetes", {"rollout.md": KUBERNETES}, tokenizer="bytes/4")
    value = json.loads(Library(caches).call("context.search", {"query": QUESTION, "format": "json"}).text)
    text = Library(caches).call("context.search", {"query": QUESTION}).text
    assert value["selection"]["tokenizer"] == "estimate-1"
    assert value["selection"]["tokens_used"] == estimate_tokens(text)
    assert [each["tokens"] for each in value["sections"]] == [estimate_tokens(e["content"]) for e in value["sections"]]


@pytest.mark.parametrize("budget", [120, 160, 240, 2000])
def test_a_budget_in_exact_tokens_holds_with_the_names_of_caches(caches: Path, budget: int) -> None:
    for name, page in (("fastapi", FASTAPI), ("kubernetes", KUBERNETES)):
        build(caches, name, {"Überblick/it's/a.md": page, "tutorial/b.md": page + b"\nmore\n"}, tokenizer="o200k_base")
    answer = Library(caches).call("context.search", {"query": QUESTION, "budget": budget})
    if not answer.is_error:
        assert openai.o200k_base().count(answer.text) <= budget


def test_a_query_without_words_tells_what_there_is_in_few_tokens(caches: Path, door: Door) -> None:
    text = door.call("context.search", {"query": " "}).text
    assert text == (
        "2 caches of documentation. Ask in its words; `cache` keeps to one:\n"
        "fastapi · 2 documents\n"
        "kubernetes · 2 documents\n"
    )


def test_a_project_is_asked_for_the_caches_it_declares_and_says_what_they_are_about(tmp_path: Path) -> None:
    root = tmp_path / ".context" / "caches"
    build(root, "fastapi", {"a.md": FASTAPI})
    build(root, "kubernetes", {"b.md": KUBERNETES})
    build(root, "private", {"c.md": KUBERNETES})
    (tmp_path / "context.toml").write_text(
        '[caches.fastapi]\nsources = ["a"]\nabout = "FastAPI 0.120"\n\n[caches.kubernetes]\nsources = ["b"]\n\n'
        '[caches.helm]\nsources = ["c"]\nabout = "Charts"\n'
    )
    told = run_context("search", "", cwd=tmp_path).stdout.decode()
    assert told.split("\n")[1:] == [
        "fastapi · 1 document · FastAPI 0.120",
        "kubernetes · 1 document",
        "Left out: helm (not built).",
        "",
    ]
    text = run_context("search", QUESTION, "--budget", "2000", cwd=tmp_path).stdout.decode()
    assert text.split("\n")[1] == "Left out: helm (not built)."
    assert {citation.partition(":")[0] for citation in citations(text)} == {"fastapi", "kubernetes"}
    (tmp_path / "context.toml").write_text("caches = 3\n")
    refused = run_context("search", QUESTION, cwd=tmp_path)
    assert refused.stdout == b""
    assert b"context.toml" in refused.stderr
    assert refused.returncode == 5


def test_many_caches_are_told_within_300_tokens(tmp_path: Path) -> None:
    for number in range(30):
        build(tmp_path, f"documentation-{number}", {"a.md": b"# A\n\nText.\n"})
    text = Library(tmp_path).call("context.search", {"query": ""}).text
    assert estimate_tokens(text) <= 300
    assert text.startswith("30 caches of documentation.")
    refused = Library(tmp_path).call("context.search", {"query": "", "budget": 3})
    assert json.loads(refused.text)["error"]["code"] == "invalid_budget"
