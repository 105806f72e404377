"""Source code of the work tree is found, cited and read like documentation, and is never out of date."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from re import escape
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.caches.on_disk import work_tree
from holdfast.caches.on_disk.work_tree import WorkTrees
from holdfast.caches.project.project_file import parse_project_file
from holdfast.caches.project.project_lock import LockedCode, ProjectLock, encode_lock, parse_lock
from holdfast.caches.project_answers import add, sync
from holdfast.caches.search.code_record import CodeRecord, make_record
from holdfast.caches.search.search_text import claim_line
from holdfast.caches.search_answers import read, replay, search, verify_citations
from holdfast.caches.tokenizers import USUAL, counter
from holdfast.core.errors import (
    BuildFailed,
    CacheBuilding,
    CacheMissing,
    CacheStale,
    InvalidCitation,
    SettingsInvalid,
    UsageError,
)
from holdfast.survey.examinations import examine
from holdfast.workspace import Workspace
from support.answer_text import as_text

if TYPE_CHECKING:
    from pathlib import Path

CREDENTIALS = '''"""Credentials of registries."""

LIMIT = 3


class Credentials:
    """What a registry is asked with."""

    def from_netrc(self, path):
        """Read the credentials of a host from a netrc file."""
        return parse(path)

    def to_header(self):
        return "Basic " + self.token
'''
GUIDE = "# Guide\n\nHow to install it.\n\n## Credentials\n\nA netrc file in the home directory holds the credentials.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name, text in {
        "docs/guide.md": GUIDE,
        "src/credentials.py": CREDENTIALS,
        "src/server.go": "package x\n\n// Serve answers calls.\n"
        "func (s *Server) Serve(port int) error {\n\treturn nil\n}\n",
        "tests/test_credentials.py": "def test_netrc_credentials():\n    assert True\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def world(project: Path) -> Workspace:
    return Workspace(str(project), user_cache=str(project.parent / "cache"))


def found(workspace: Workspace, query: str, **arguments: Any) -> Any:
    answer = search(workspace, {"query": query, **arguments})  # type: ignore[typeddict-item]
    if "sections" in answer.value:
        assert answer.text == as_text(answer.value) + "\n"
    return answer.value


def citations(value: Any) -> list[str]:
    return [section["citation"] for section in value["sections"]]


def test_one_answer_has_documentation_and_code_with_lines_signature_and_first_sentence(project: Path) -> None:
    value = found(world(project), "how are netrc credentials read", budget=1000)
    names = [citation.rpartition("#")[0] for citation in citations(value)]
    assert {"docs/guide.md", "src/credentials.py"} <= set(names)
    (section,) = [each for each in value["sections"] if each["heading"] == ("Credentials.from_netrc",)]
    assert section["lines"] == (9, 11)
    assert section["declares"] == (
        "fn Credentials.from_netrc(self, path) — Read the credentials of a host from a netrc file."
    )
    assert section["test"] == "tests/test_credentials.py"
    with_text = [each for each in value["sections"] if "content" in each]
    assert len(with_text) <= 2


@pytest.mark.parametrize("query", ["netrc credentials", "install", "how do I read the credentials of a registry"])
def test_documentation_is_given_beside_code_as_it_is_alone(project: Path, query: str) -> None:
    for number in range(20):  # code that has the same words often does not take the place of documentation
        (project / f"src/credentials_{number}.py").write_text(CREDENTIALS)
    workspace = world(project)
    alone = found(workspace, query, **{"in": "docs"})["sections"]
    joined = found(workspace, query)["sections"]
    assert alone
    assert [each["content"] for each in joined if "declares" not in each] == [each["content"] for each in alone]


def test_what_has_lines_in_common_with_a_given_text_is_named_and_not_given_again(project: Path) -> None:
    (project / "src/kettle.js").write_text(
        "function boilKettle (kettle) {\n  function onKettleBoil () {\n    kettle.whistle()\n    kettle.stop()\n"
        "    kettle.pour()\n  }\n  kettle.heat(onKettleBoil)\n}\n\nfunction emptyKettle () {\n  kettle.pour()\n}\n"
    )
    (project / "src/limits.go").write_text("package x\n\nconst (\n\t// The volume.\n\tKettleVolume = 2\n)\n")
    value = found(world(project), "boil kettle whistle", budget=1000, **{"in": "code"})
    declared = {each["declares"]: "content" in each for each in value["sections"]}
    assert {declared["fn boilKettle(kettle)"], declared["fn boilKettle.onKettleBoil()"]} == {True, False}
    assert sum(declared.values()) == 2
    (first, *_) = found(world(project), "kettle volume", **{"in": "code"})["sections"]
    assert (first["declares"], first["lines"]) == ("const KettleVolume = 2 — The volume.", (4, 6))


CONTEXT = """
constraints:
  - Nothing here opens a socket.
  - 7
decisions:
  - {what: Passwords of hosts are never kept, why: A netrc file has the credentials already}
  - {what: Headers are made at every call, why: "Tokens\\tend\\e[1m"}
  - what: half a netrc decision
"""


def test_a_file_is_given_with_the_decision_or_constraint_of_its_directory_that_a_question_is_about(
    project: Path,
) -> None:
    (project / "src/second.py").write_text("def netrc_credentials_again():\n    pass\n")
    before = found(world(project), "netrc credentials", budget=1000)
    (project / "src/.context.yaml").write_text(CONTEXT)
    workspace = world(project)

    value = found(workspace, "netrc credentials", budget=1000)

    claims = [each["claim"] for each in value["sections"] if "claim" in each]
    assert claims == [
        "decision of src: Passwords of hosts are never kept — A netrc file has the credentials already",
    ]
    (first, *_) = [each for each in value["sections"] if each["citation"].startswith("src/")]
    assert first["claim"] == claims[0]
    assert citations(value) == citations(before)
    assert value["selection"]["tokens_used"] > before["selection"]["tokens_used"]
    answer = search(workspace, {"query": "opens a socket from_netrc", "in": "code"})
    assert answer.text is not None
    assert "\n(constraint of src: Nothing here opens a socket.)\n" in answer.text
    assert "(decision of src: Headers are made at every call — Tokens end␛[1m)" in str(
        search(workspace, {"query": "to_header tokens", "in": "code"}).text
    )
    assert found(workspace, "serve port", **{"in": "code"}) == found(world(project), "serve port", **{"in": "code"})
    assert "claim" not in str(found(workspace, "serve port", **{"in": "code"}))


@pytest.mark.parametrize("budget", range(100, 400, 20))
def test_claims_of_directories_take_a_tenth_of_the_budget_at_most(project: Path, budget: int) -> None:
    before = found(world(project), "netrc credentials", budget=budget, **{"in": "code"})
    for folder in ("src", "tests"):
        (project / folder / ".context.yaml").write_text(CONTEXT)

    value = found(world(project), "netrc credentials", budget=budget, **{"in": "code"})

    claims = [claim_line(each["claim"]) for each in value["sections"] if "claim" in each]
    assert sum(map(counter("estimate-1"), claims)) <= budget // 10
    assert value["selection"]["tokens_used"] <= budget
    assert citations(value) == citations(before)
    assert bool(claims) == (budget > 240)


@pytest.mark.parametrize(
    "context",
    [
        b"decisions: [",
        b"decisions: {what: netrc}",
        b"constraints: netrc credentials",
        b"[constraints]",
        b"\xff decisions:",
    ],
)
def test_a_context_that_cannot_be_used_changes_no_answer(project: Path, context: bytes) -> None:
    before = found(world(project), "netrc credentials")
    (project / "src/.context.yaml").write_bytes(context)
    (project / "tests/.context.yaml").mkdir()
    assert found(world(project), "netrc credentials") == before


def test_a_path_is_printed_once_for_all_entries_of_a_file(project: Path) -> None:
    answer = search(world(project), {"query": "credentials netrc header token registry", "budget": 1000, "in": "code"})
    assert answer.text is not None
    assert answer.text.count("] src/credentials.py#L") == 1
    assert "] #L" in answer.text


@pytest.mark.parametrize(("part", "endings"), [("docs", {"md"}), ("code", {"py"})])
def test_a_search_keeps_to_documentation_or_code(project: Path, part: str, endings: set[str]) -> None:
    value = found(world(project), "netrc credentials", **{"in": part})
    assert {citation.partition("#")[0].rpartition(".")[2] for citation in citations(value)} == endings


def test_a_name_is_found_by_what_it_begins_or_ends_with(project: Path) -> None:
    checks = ("FinalClassCheck", "OneFinalCheck", "ClassNameCheck", "FinalNameCheck")
    for name in checks:
        (project / "src" / f"{name}.java").write_text(f"class {name} {{\n  void visit() {{ final_class(); }}\n}}\n")
    workspace = world(project)

    for query, name in (("FinalClass", checks[0]), ("NameCheck", checks[2]), ("NameCheck", checks[3])):
        first = [each["heading"][0] for each in found(workspace, query, budget=1000, **{"in": "code"})["sections"]]
        assert name in first[:4]


def test_words_of_a_path_count_for_what_matches_otherwise_in_any_order(project: Path) -> None:
    (project / "src" / "tokenizer.py").write_text("LIMIT = 1\n\n\ndef widen():\n    pass\n")
    workspace = world(project)

    scores = [
        {each["heading"][0]: each["score"] for each in found(workspace, query, **{"in": "code"})["sections"]}
        for query in ("tokenizer widen", "widen tokenizer")
    ]

    assert scores[0] == scores[1]
    assert max(scores[0], key=lambda name: scores[0][name]) == "widen"


def test_a_named_budget_is_filled_with_a_few_lines_and_then_names(project: Path) -> None:
    functions = [f"def parse_{at}(text):\n    return text\n" for at in range(60)]
    (project / "src" / "parsers.py").write_text("\n\n".join(functions))
    (project / "tests" / "test_parsers.py").write_text("def test_it():\n    pass\n")

    answer = found(world(project), "parse text", budget=1500, **{"in": "code"})

    assert [len(answer["sections"]), "tests: tests/test_parsers.py" in as_text(answer)] == [8, True]
    assert len(answer["more"]) > 30
    assert as_text(answer).count("tests: ") == 1


def test_an_edited_file_is_found_as_it_is_now(project: Path) -> None:
    workspace = world(project)
    found(workspace, "netrc")
    (project / "src/credentials.py").write_text(CREDENTIALS.replace("from_netrc", "from_keyring"))
    value = found(workspace, "from_keyring", **{"in": "code"})
    assert value["sections"][0]["heading"] == ("Credentials.from_keyring",)
    assert not any(
        "from_netrc" in str(each["heading"]) for each in found(workspace, "netrc", **{"in": "code"})["sections"]
    )
    (project / "src/credentials.py").unlink()
    assert found(workspace, "from_keyring", **{"in": "code"})["sections"] == []


def test_a_new_process_gives_the_same_answer_from_what_is_kept(project: Path) -> None:
    first = found(world(project), "netrc credentials", budget=1000)
    assert found(world(project), "netrc credentials", budget=1000) == first
    for kept in (project.parent / "cache").rglob("*.facts"):
        kept.write_bytes(kept.read_bytes()[:-7])
    assert found(world(project), "netrc credentials", budget=1000) == first
    for kept in (project.parent / "cache").rglob("*.facts"):
        data = bytearray(kept.read_bytes())
        data[len(data) // 2] ^= 0x55
        kept.write_bytes(data)
    assert found(world(project), "netrc credentials", budget=1000) == first


def test_nothing_is_written_into_the_project(project: Path) -> None:
    before = sorted(project.rglob("*"))
    found(world(project), "netrc credentials")
    assert sorted(project.rglob("*")) == before


def test_code_is_read_by_citation_by_line_and_by_symbol(project: Path) -> None:
    workspace = world(project)
    citation = next(each for each in citations(found(workspace, "from_netrc", **{"in": "code"})) if "L9-L11" in each)
    for asked in (
        {"citation": citation},
        {"citation": "src/credentials.py#L10"},
        {"citation": "src/credentials.py#Credentials.from_netrc"},
        {"citation": "src/credentials.py#from_netrc"},
        {"id": "src/credentials.py", "line": 10},
    ):
        value: Any = read(workspace, asked).value  # type: ignore[arg-type]
        assert value["citation"] == citation
        assert value["content"].startswith("    def from_netrc(self, path):")
    around: Any = read(workspace, {"citation": citation, "after": 1}).value
    assert "to_header" in around["content"]
    (project / "src/credentials.py").write_text(CREDENTIALS.replace("parse(path)", "parse(open(path))"))
    stale = read(workspace, {"citation": citation})
    assert stale.exit_code == 9
    with pytest.raises(InvalidCitation, match="declares no 'gone'"):
        read(workspace, {"citation": "src/credentials.py#gone"})


def test_a_project_without_documentation_is_searched_for_its_code(project: Path) -> None:
    (project / "docs/guide.md").unlink()
    assert "src/credentials.py" in citations(found(world(project), "netrc"))[0]


def test_a_declared_project_is_searched_for_code_where_that_is_asked(project: Path) -> None:
    (project / "context.toml").write_text('[caches.docs]\nsources = ["docs"]\n')
    workspace = world(project)
    assert citations(found(workspace, "serve port", **{"in": "code"}))[0].startswith("src/server.go#L3-L6@")


CODE = """\
[caches.docs]
sources = ["docs"]

[caches.app]
code = ["src", "tests"]

[caches.go]
code = ["src/server.go"]
"""


def sources_of(value: Any) -> set[str]:
    return {citation.partition("#")[0] for citation in citations(value)}


def behind(project: Path, *names: str) -> dict[str, Any]:
    value: Any = sync(world(project), {"check": True, "names": list(names)}).value
    return {each["name"]: each["reasons"] for each in value["caches"] if not each["in_step"]}


def test_declared_code_is_locked_and_checked_and_searched_as_it_is(project: Path) -> None:
    (project / "context.toml").write_text(CODE)
    (project / "other.py").write_text("def netrc_credentials():\n    pass\n")

    value: Any = sync(world(project), {}).value

    assert [(each["name"], each["files"]) for each in value["code"]] == [("app", 3), ("go", 1)]
    assert [each["name"] for each in value["caches"]] == ["docs"]
    names = ("src/credentials.py", "src/server.go", "tests/test_credentials.py")
    listed = "".join(f"{name}\0{sha256((project / name).read_bytes()).hexdigest()}\n" for name in names)
    lock = parse_lock((project / "context.lock").read_bytes())
    assert lock.code["app"] == LockedCode("sha256:" + sha256(listed.encode()).hexdigest(), 3)
    assert behind(project) == {}

    both = sources_of(found(world(project), "netrc credentials", budget=2000))
    assert {"guide.md", "src/credentials.py", "tests/test_credentials.py"} == both
    only = found(world(project), "netrc credentials", budget=2000, **{"in": "code"})
    assert sources_of(only) == both - {"guide.md"}
    for part in ({}, {"in": "code"}):
        named = found(world(project), "serve netrc", cache="go", **part)
        assert sources_of(named) == {"src/server.go"}
        assert named["selection"]["caches"][0]["name"] == "go"


def test_a_lock_of_code_that_changed_is_behind_until_the_next_sync(project: Path) -> None:
    (project / "context.toml").write_text(CODE)
    sync(world(project), {})
    before = parse_lock((project / "context.lock").read_bytes())
    (project / "src/server.go").write_text("package x\n\nfunc Halt() {\n}\n")

    app, go = [f"sources: source code is not what the lock names ({count} files now, {count} then)" for count in (3, 1)]
    assert behind(project) == {"app": [app], "go": [go]}
    assert sync(world(project), {"check": True}).exit_code == 8
    assert sources_of(found(world(project), "halt", cache="go")) == {"src/server.go"}
    for arguments in ({"cache": "go"}, {"in": "code"}, {}):
        with pytest.raises(CacheStale, match=r"cache '(app|go)': sources: "):
            found(world(project), "halt", frozen=True, **arguments)
    sync(world(project), {"names": ["go"]})
    assert parse_lock((project / "context.lock").read_bytes()).code["app"] == before.code["app"]
    assert [behind(project, "go", "docs"), behind(project, "app")] == [{}, {"app": [app]}]
    sync(world(project), {})
    assert found(world(project), "halt", frozen=True)["sections"]
    (project / "context.toml").write_text(CODE.partition("[caches.go]")[0])
    assert behind(project) == {"go": ["lock: names it, and context.toml does not"]}


def test_a_project_that_declares_code_alone_is_searched_for_it(project: Path) -> None:
    (project / "context.toml").write_text('[caches.app]\ncode = ["src"]\n')
    assert sources_of(found(world(project), "netrc credentials")) == {"src/credentials.py"}
    sync(world(project), {})
    assert found(world(project), "netrc", frozen=True)["sections"]
    with pytest.raises(CacheMissing, match="'app' is source code"):
        found(world(project), "netrc", cache="app", **{"in": "docs"})
    citation = citations(found(world(project), "from_netrc", cache="app"))[0]
    assert read(world(project), {"citation": citation, "cache": "app"}).exit_code == 0
    add(world(project), {"name": "guides", "paths": [str(project / "docs")]})
    assert behind(project) == {}
    assert sources_of(found(world(project), "netrc credentials")) == {"guide.md", "src/credentials.py"}
    with pytest.raises(UsageError, match="'app' is declared as source code"):
        add(world(project), {"name": "app", "paths": [str(project / "docs")]})
    (project / "context.toml").write_text('[caches.app]\ncode = ["sources"]\n')
    with pytest.raises(BuildFailed, match="no source code for 'app' in 'sources'"):
        sync(world(project), {})


def test_a_receipt_of_declared_code_is_replayed_with_that_code(project: Path) -> None:
    (project / "context.toml").write_text(CODE)
    receipt = str(project.parent / "receipt.json")
    search(world(project), {"query": "netrc", "cache": "app", "receipt": receipt})
    assert replay(world(project), {"receipt": receipt}).value["same"]
    (project / "tests/test_credentials.py").write_text("def test_nothing():\n    pass\n")
    assert not replay(world(project), {"receipt": receipt}).value["same"]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("code = []", "caches.app.code names nothing"),
        ('code = "src"', "caches.app.code must be a list of folders and files"),
        ('code = ["../src"]', "leads outside the project"),
        ('code = ["src"]\nsources = ["docs"]', "caches.app.sources does not go with code"),
        ('code = ["src"]\nexclude = ["*.py"]', "caches.app.exclude does not go with code"),
        ('code = ["src"]\nabuot = "x"', "did you mean 'about'"),
        ('code = ["src"]\nabout = "x"', "caches.app.about does not go with code"),
    ],
)
def test_a_declaration_of_code_that_means_nothing_is_refused(table: str, reason: str) -> None:
    with pytest.raises(SettingsInvalid, match=escape(reason)):
        parse_project_file(f"[caches.app]\n{table}\n".encode())


@pytest.mark.parametrize("change", [{"sources": "sha256:0"}, {"files": "3"}, {"files": -1}])
def test_a_lock_with_other_code_than_sync_writes_is_refused(change: dict[str, Any]) -> None:
    code = {"app": LockedCode("sha256:" + "0" * 64, 3)}
    assert parse_lock(encode_lock(ProjectLock("r", "bytes/4", {}, code))).code == code
    with pytest.raises(SettingsInvalid):
        parse_lock(encode_lock(ProjectLock("r", "bytes/4", {}, {"app": code["app"]._replace(**change)})))


def test_secrets_are_never_searched(project: Path) -> None:
    key = "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n"
    (project / "src/keys.py").write_text(f'KEY = """{key}"""\nzebrafish = 1\n')
    assert found(world(project), "zebrafish", **{"in": "code"})["sections"] == []


def test_bad_files_cost_bounded_time_and_are_counted(project: Path) -> None:
    (project / "src/line.js").write_bytes(b"x" * (50 << 20))
    (project / "src/latin.py").write_bytes(b"# caf\xe9\ndef cafe_latin():\n    pass\n")
    (project / "src/many.py").write_bytes(b"x = 1\n" * 150_000)
    (project / "src/nested.cs").write_bytes(b"using (" * 20_000)
    (project / "src/import.py").write_bytes(b"from a import (" * 20_000)
    workspace = world(project)
    assert citations(found(workspace, "cafe_latin", **{"in": "code"}))[0].startswith("src/latin.py#L1-L3@")
    assert workspace.keep(WorkTrees).left_out["src/line.js"] == "too large"


def test_files_left_out_are_counted_in_the_answer_and_by_the_next_process(project: Path) -> None:
    (project / "src/line.js").write_bytes(b"x" * (2 << 20))
    (project / "src/app.min.js").write_bytes(b"a=1;" * 30_000)
    counts = {"minified": 1, "too large": 1}
    assert found(world(project), "netrc credentials")["selection"]["files_left_out"] == counts
    assert found(world(project), "netrc credentials")["selection"]["files_left_out"] == counts
    (check,) = [each for each in examine(world(project), untracked=False) if each.area == "code"]
    assert check.detail == "5 looked at for searches; text left out: 1 minified, 1 too large"


def test_files_whose_names_cannot_be_cited_are_left_out_and_counted(project: Path) -> None:
    for name in (b"bad\xff.py", b"two\nlines.py"):
        (project / "src" / os.fsdecode(name)).write_text("def netrc_of_the_host(): ...\n")
    for workspace in (world(project), world(project)):
        value = found(workspace, "netrc", **{"in": "code"})
        assert {citation.partition("#")[0] for citation in citations(value)} >= {"src/credentials.py"}
        assert value["selection"]["files_left_out"] == {"name is no text": 2}


def test_without_a_place_for_documentation_source_answers_and_the_reason_is_named(project: Path) -> None:
    workspace = Workspace(str(project), user_cache=str(project / "src" / "credentials.py"))
    answer = search(workspace, {"query": "netrc credentials"})
    value: Any = answer.value
    assert {citation.partition("#")[0] for citation in citations(value)} >= {"src/credentials.py"}
    assert "Left out: project (not built)." in str(answer.text)
    assert "set XDG_CACHE_HOME" in answer.note
    with pytest.raises(CacheMissing, match="no cache directory outside the project"):
        search(workspace, {"query": "netrc credentials", "in": "docs"})


def test_documentation_answers_while_source_is_still_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(str(project), user_cache=str(project.parent / "cache"), patience=60)
    go, make = Event(), WorkTrees._make

    def slow(self: WorkTrees, *given: Any) -> None:
        assert go.wait(60)
        make(self, *given)

    monkeypatch.setattr(WorkTrees, "_make", slow)
    monkeypatch.setattr("holdfast.caches.meant_caches._BESIDE", 0.01)
    answer = search(workspace, {"query": "netrc credentials"})
    assert answer.text is not None
    assert answer.text.startswith("Source code is still being read: ask again for it.\n")
    value: Any = answer.value
    assert {citation.partition("#")[0] for citation in citations(value)} == {"docs/guide.md"}
    go.set()
    monkeypatch.setattr("holdfast.caches.meant_caches._BESIDE", 60)
    assert "src/credentials.py" in {citation.partition("#")[0] for citation in citations(found(workspace, "netrc"))}


def test_calls_that_wait_for_source_wait_side_by_side_and_none_is_given_what_was_read_before_it(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, trees, go, records = world(project), WorkTrees(), Event(), work_tree._records

    def late(*given: Any) -> Any:
        assert go.wait(60)
        return records(*given)

    monkeypatch.setattr(work_tree, "_records", late)
    began = monotonic()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(trees.source, workspace, USUAL, 0.4) for _ in range(8)]
    assert {type(each.exception()) for each in asked} == {CacheBuilding}
    assert monotonic() - began < 8 * 0.4
    (project / "src/server.go").unlink()
    (project / "src/credentials.py").write_text("def moved_away(): ...\n")
    with ThreadPoolExecutor(1) as threads:
        later = threads.submit(trees.source, workspace, USUAL, 60)
        with pytest.raises(CacheBuilding):
            trees.source(workspace, USUAL, 0)
        go.set()
        source = later.result()
    assert source is not None
    files = [project / name for name in ("src/credentials.py", "tests/test_credentials.py")]
    assert set(source.digests.values()) == {sha256(file.read_bytes()).hexdigest() for file in files}


def test_a_question_that_is_asked_while_another_is_answered_finds_as_much(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, trees, meanwhile, find = world(project), WorkTrees(), list[int](), CodeRecord.found

    def asked_twice(self: CodeRecord, at: int) -> Any:
        if not meanwhile:
            meanwhile.append(0)
            meanwhile.append(sources[1].holding("netrc"))
        return find(self, at)

    sources = [source for _ in range(2) if (source := trees.source(workspace, USUAL, None))]
    monkeypatch.setattr(CodeRecord, "found", asked_twice)
    assert sources[0].holding("netrc") == meanwhile[1] > 0
    assert sources[0].holding("netrc") == meanwhile[1]


def test_a_server_holds_no_record_of_a_file_as_it_was(project: Path) -> None:
    workspace, trees = world(project), WorkTrees()
    for number in range(5):
        (project / "src/credentials.py").write_text(f"def version_{number}(): ...\n")
        trees.source(workspace, USUAL, None)
    assert trees._store is not None
    assert len(trees._store._new) == len(list(project.rglob("*.py")) + list(project.rglob("*.go")))


@pytest.mark.parametrize("part", ["", "code", "docs"])
def test_a_receipt_is_replayed_with_the_project_as_it_is_and_names_changed_files(project: Path, part: str) -> None:
    receipt = str(project.parent / "receipt.json")
    search(world(project), {"query": "netrc credentials", "receipt": receipt, **({"in": part} if part else {})})  # type: ignore[typeddict-item]
    assert replay(world(project), {"receipt": receipt}).value["same"]
    (project / "src/credentials.py").write_text(CREDENTIALS.replace("parse(path)", "parse(open(path))"))
    again = replay(world(project), {"receipt": receipt})
    if part == "docs":
        assert again.value["same"]
        return
    assert again.exit_code == 9
    (files,) = [each for each in again.value["differences"] if each["what"] == "source files"]
    assert "src/credentials.py" in set(files["recorded"]) - set(files["now"])  # type: ignore[call-overload]


def test_a_receipt_tells_that_the_claim_of_a_directory_is_another_one(project: Path) -> None:
    receipt, context = str(project.parent / "receipt.json"), project / "src/.context.yaml"
    context.write_text(CONTEXT)
    search(world(project), {"query": "netrc credentials", "in": "code", "receipt": receipt})
    assert replay(world(project), {"receipt": receipt}).value["same"]
    context.write_text(CONTEXT.replace("never kept", "kept nowhere"))
    again = replay(world(project), {"receipt": receipt})
    changed: list[Any] = [each for each in again.value["differences"] if "credentials.py" in each["what"]]
    assert again.exit_code == 9
    assert ["never kept" in each["recorded"]["claim"] for each in changed] == [True]
    assert ["kept nowhere" in each["now"]["claim"] for each in changed] == [True]


def test_citations_of_code_are_verified_and_lines_alone_are_of_the_file_named_before(project: Path) -> None:
    answer = search(world(project), {"query": "credentials netrc header token registry", "budget": 1000})
    assert answer.text is not None
    assert "] #L" in answer.text
    text = project.parent / "answer.md"
    text.write_text(answer.text)
    verdicts = verify_citations(world(project), {"citations": str(text)}).value  # type: ignore[typeddict-item]
    assert verdicts["failed"] == 0
    assert verdicts["found"] >= 4
    (project / "src/credentials.py").write_text("")
    assert verify_citations(world(project), {"citations": str(text)}).exit_code == 9  # type: ignore[typeddict-item]


def test_a_project_without_source_says_so(tmp_path: Path) -> None:
    with pytest.raises(CacheMissing, match="no source code"):
        found(world(tmp_path / "nothing"), "x", **{"in": "code"})


def test_headers_are_read_in_the_language_they_are_written_in(project: Path) -> None:
    header = (
        "namespace ink {\ntemplate <typename T> class buffer_view {\n public:\n  void grow_twice(int n) {}\n};\n}\n"
    )
    (project / "src/buffer.h").write_text(header)
    declared = [each["declares"] for each in found(world(project), "buffer_view grow_twice", budget=500)["sections"]]
    assert "class ink.buffer_view" in declared
    shown: Any = read(world(project), {"citation": "src/buffer.h#ink.buffer_view"}).value
    assert shown["citation"].startswith("src/buffer.h#L2-L5@")


def test_only_what_a_program_wrote_counts_half_whatever_grammars_there_are() -> None:
    code = b"sub read_wombat {\n  return 1\n}\n"
    made = [CodeRecord(memoryview(make_record(each, ""))) for each in (code, b"# Code generated by x\n" + code)]
    assert [(record.sections, record.is_generated) for record in made] == [(1, False), (2, True)]


def test_of_two_files_with_one_content_the_one_without_the_name_of_a_generated_file_comes_first(project: Path) -> None:
    for name in ("b.py", "a_pb2.py"):
        (project / name).write_text("def see_quokka(): ...\n")
    value = found(world(project), "see_quokka", budget=500, **{"in": "code"})
    assert value["sections"][0]["id"] == "b.py"


def test_documentation_that_cannot_be_built_is_named_and_not_taken_for_none(project: Path) -> None:
    (project / "docs/Page.md").write_text("# One\n\nA quagga.\n")
    (project / "docs/page.md").write_text("# Two\n\nA quagga.\n")
    answer = search(world(project), {"query": "netrc quagga"})
    assert "Left out: project (not built)" in (answer.text or "")
    assert "have the same id 'docs/page.md'" in answer.note
