"""A project's caches: declared once with `context add`, kept in step with `context sync`, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast import verify_cache
from support.doors import run_context
from support.dying import kill_syncs
from support.terminal import on_a_terminal

FIXED = {"SOURCE_DATE_EPOCH": "1767323045"}
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]


def page(path: Path, title: str, text: str = "Some words.") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<h1>{title}</h1>\n<p>{text}</p>\n", encoding="utf-8")


def answer(*words: str, cwd: Path, code: int = 0) -> Any:
    done = run_context(*words, cwd=cwd, env=FIXED)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


def failure(*words: str, cwd: Path, code: int) -> str:
    done = run_context(*words, cwd=cwd, env=FIXED)
    assert (done.returncode, done.stdout) == (code, b""), done.stderr.decode()
    return done.stderr.decode()


def commit(folder: Path) -> str:
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    subprocess.run([*GIT, "commit", "-q", "-m", "x"], cwd=folder, check=True)
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, check=True).stdout.decode()[
        :40
    ]


def every_byte(cache: Path) -> str:
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join([str(f.relative_to(cache)).encode() + f.read_bytes() for f in files])).hexdigest()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """`docs` with three pages; the folder is a project by its `.git`."""
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    for name in ("deploy", "rollback", "guide/secrets"):
        page(project / "docs" / f"{name}.html", name)
    return project


def test_add_declares_builds_locks_and_says_what_to_ask(project: Path) -> None:
    (project / "context.toml").write_text("# ours\n", encoding="utf-8")
    added = answer("add", "guides", ".", "--about", "Our guides", cwd=project / "docs")
    assert (project / "context.toml").read_text(encoding="utf-8") == (
        '# ours\n\n[caches.guides]\nsources = ["docs"]\nabout = "Our guides"\n'
    )
    assert (added["cache"]["documents"], added["declared"]) == (3, True)
    assert added["next"] == 'context search "your question" --cache guides'
    lock = json.loads((project / "context.lock").read_bytes())
    assert lock["caches"]["guides"]["version"] == added["cache"]["version"]
    assert verify_cache(project / ".context" / "caches" / "guides").problems == []
    assert b"rollback.html#L1" in run_context("search", "rollback", "--cache", "guides", cwd=project / "docs").stdout


def test_sync_builds_what_changed_and_check_says_what_is_behind(project: Path) -> None:
    answer("add", "guides", "docs", cwd=project)
    assert answer("sync", cwd=project)["caches"][0]["state"] == "unchanged"
    assert answer("sync", "--check", cwd=project) == {
        "in_step": True,
        "caches": [{"name": "guides", "in_step": True, "reasons": []}],
    }
    page(project / "docs" / "deploy.html", "deploy", "Other words.")
    page(project / "docs" / "new.html", "new")
    (project / "docs" / "rollback.html").unlink()
    behind = answer("sync", "--check", cwd=project, code=8)
    assert behind["caches"][0]["reasons"] == ["sources: 1 changed, 1 new, 1 gone"]
    lock = (project / "context.lock").read_bytes()
    synced = answer("sync", cwd=project)
    told = synced["caches"][0]
    assert [told[key] for key in ("state", "changed", "added", "removed", "documents")] == ["built", 1, 1, 1, 3]
    assert (project / "context.lock").read_bytes() != lock
    # The same as one that is built from nothing.
    cache = project / ".context" / "caches" / "guides"
    incremental = every_byte(cache)
    shutil.rmtree(project / ".context")
    assert answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"] == ["cache: not built here"]
    assert answer("sync", "--check", "--lock-only", cwd=project)["in_step"] is True
    assert not (project / ".context").exists()
    assert answer("sync", cwd=project)["lock_changed"] is False
    assert every_byte(cache) == incremental
    assert sorted(os.listdir(cache.parent)) == [".gitignore", "guides"]


def test_the_lock_alone_is_held_against_the_sources_whatever_cache_stands_here(project: Path) -> None:
    """As after a pull that brought new sources and their lock, before `context sync`."""
    answer("add", "guides", "docs", cwd=project)
    shutil.copytree(project / ".context", project.parent / "old")
    page(project / "docs" / "new.html", "new")
    answer("sync", cwd=project)
    shutil.rmtree(project / ".context")
    shutil.move(project.parent / "old", project / ".context")
    behind = answer("sync", "--check", cwd=project, code=8)
    assert behind["caches"][0]["reasons"] == ["cache: differs from what its sources make"]
    before = every_byte(project / ".context")
    assert answer("sync", "--check", "--lock-only", cwd=project)["in_step"] is True
    page(project / "docs" / "newer.html", "newer")
    behind = answer("sync", "--check", "--lock-only", cwd=project, code=8)
    assert behind["caches"][0]["reasons"] == ["lock: other sources"]
    assert every_byte(project / ".context") == before


def test_a_state_that_is_lost_costs_time_only(project: Path, user_cache: Path) -> None:
    answer("add", "guides", "docs", cwd=project)
    shutil.rmtree(user_cache / "holdfast")
    assert answer("sync", "--check", cwd=project)["in_step"] is True
    page(project / "docs" / "deploy.html", "deploy", "Other words.")
    told = answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"]
    assert told == ["cache: differs from what its sources make"]


def test_the_same_sources_elsewhere_give_the_same_cache_and_the_same_lock(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / "under another name"
    other.parent.mkdir()
    shutil.copytree(project, other)
    for place in (project, other):
        answer("add", "guides", "docs", cwd=place)
    assert (project / "context.lock").read_bytes() == (other / "context.lock").read_bytes()
    caches = [every_byte(place / ".context" / "caches" / "guides") for place in (project, other)]
    assert caches[0] == caches[1]


def test_what_is_ignored_made_or_fetched_is_left_out_and_what_cannot_be_read_is_told(project: Path) -> None:
    docs = project / "docs"
    for name in ("ignored", "draft", "node_modules/x", "env/lib", "sub/kept", ".hidden/x", "_build/x"):
        page(docs / f"{name}.html", name)
    (docs / "env" / "pyvenv.cfg").write_text("", encoding="utf-8")
    (project / ".gitignore").write_text("ignored.html\n", encoding="utf-8")
    (docs / "sub" / ".gitignore").write_text("*\n!kept.html\n", encoding="utf-8")
    page(docs / "sub" / "gone.html", "gone")
    (docs / ".contextignore").write_text("draft.html\n", encoding="utf-8")
    (docs / "picture.png").write_bytes(b"")
    (docs / "dangling.html").symlink_to("nowhere.html")
    (docs / "outside.html").symlink_to(project.parent)
    (docs / ".#lock.html").symlink_to("someone@somewhere")
    os.mkfifo(docs / "pipe.html")
    (docs / "latin.html").write_bytes(b"<p>\xe9\xff</p>")
    done = run_context("add", "guides", "docs", "--exclude", "guide/", cwd=project)
    told = json.loads(done.stdout)["cache"]
    reasons = {each["source"]: each["reason"] for each in told["unread"]}
    assert {name: reasons[name] for name in ("dangling.html", "outside.html", "pipe.html", ".#lock.html")} == {
        "dangling.html": "is a link that leads to no file",
        "outside.html": "is a link that leads outside the sources",
        "pipe.html": "is not a regular file",
        ".#lock.html": "is the lock of an editor",
    }
    assert (told["other_kinds"], told["left_out"]) == (
        {".png": 1},
        [{"source": name, "reason": "made or fetched by a tool"} for name in ("_build", "node_modules", "env")],
    )
    assert "1 file of kinds that are not read: .png 1" in done.stderr.decode()
    manifest = json.loads((project / ".context" / "caches" / "guides" / "manifest.json").read_bytes())
    ids = {document["id"] for document in manifest["documents"]}
    assert ids - {"latin.html"} == {"deploy.html", "rollback.html", "sub/kept.html"}
    assert "is a link that leads to no file" in failure("sync", "--strict", cwd=project, code=5)


def test_a_folder_alone_is_added_by_its_own_name(project: Path) -> None:
    assert answer("add", "docs", cwd=project)["cache"]["name"] == "docs"
    assert 'sources = ["docs"]' in (project / "context.toml").read_text(encoding="utf-8")
    assert answer("add", ".", cwd=project / "docs")["cache"]["name"] == "docs"
    named = project / "docs" / ".the guide (2)"
    page(named / "one.html", "one")
    assert answer("add", str(named), cwd=project)["cache"]["name"] == "the-guide--2"


def test_a_generator_its_pages_and_what_is_left_out_of_them_are_reported(project: Path) -> None:
    (project / "mkdocs.yml").write_text("nav:\n- Home: index.md\n", encoding="utf-8")
    for name in ("index", "de/index", "fr/index", "blog/new"):
        page(project / "guides" / f"{name}.md", name)
    done = run_context("add", "guides", cwd=project)
    told = json.loads(done.stdout)["cache"]
    why = "a blog, an older version or parts of pages, as MkDocs keeps them"
    assert (told["generators"], told["left_out"]) == (
        {"MkDocs": 1},
        [
            {"source": "blog", "reason": why},
            {"source": "de", "reason": "a translation"},
            {"source": "fr", "reason": "a translation"},
        ],
    )
    assert done.stderr.decode().split("\n")[-4:] == [
        "note: guides: read as MkDocs (1 page)",
        f"note: guides: left out: blog ({why}; 'include' or 'sources' reads it)",
        "note: guides: left out: de, fr (a translation; 'include' or 'sources' reads it)",
        "",
    ]


def test_a_build_from_a_folder_reports_what_only_add_reads(tmp_path: Path) -> None:
    for name in ("docs/a.rst", "docs/b/c.mdx", "docs/d.rst", "docs/e.png"):
        page(tmp_path / name, name)
    done = run_context("build", "--sources", "docs", "--cache", "made", cwd=tmp_path)
    assert (json.loads(done.stdout)["document_count"], done.stderr.decode()) == (
        0,
        "note: 3 files of kinds that are not read: .rst 2, .mdx 1: 'context add FOLDER' reads them\n",
    )


def test_what_a_text_needs_and_is_not_there_is_named_once_and_strict_fails_on_it(project: Path) -> None:
    for name in ("a", "b"):
        (project / "docs" / f"{name}.rst").write_text("Title\n=====\n\n.. include:: ../NOTHERE.rst\n\nText.\n", "utf-8")
    built = answer("add", "docs", "docs", cwd=project)
    reason = "needs '../NOTHERE.rst', which cannot be found (texts that need it: 2)"
    assert {"source": "a.rst", "reason": reason} in built["cache"]["unread"]
    assert reason in failure("sync", "--strict", cwd=project, code=5)


def test_sources_of_the_whole_project_and_a_source_that_is_ignored_work(project: Path) -> None:
    (project / ".gitignore").write_text("docs/\n", encoding="utf-8")
    page(project / "readme.html", "readme")
    assert answer("add", "all", ".", cwd=project)["cache"]["documents"] == 1
    assert answer("add", "guides", "docs", cwd=project)["cache"]["documents"] == 3
    assert answer("sync", "all", cwd=project)["caches"][0]["documents"] == 1


def test_nothing_to_read_is_an_error_that_names_what_was_found_and_leaves_everything_as_it_was(project: Path) -> None:
    (project / "pictures").mkdir()
    for name in ("a.png", "b.png", "c.svg"):
        (project / "pictures" / name).write_bytes(b"")
    said = failure("add", "pictures", "pictures", cwd=project, code=5)
    assert "no document for 'pictures' in 'pictures': 3 files of kinds that are not read: .png 2, .svg 1" in said
    assert sorted(os.listdir(project)) == [".git", "docs", "pictures"]
    (project / "pictures" / "bad.md").write_bytes(b"\xff\xfe\xff")
    assert "'bad.md' is not UTF-8" in failure("add", "pictures", "pictures", cwd=project, code=5)
    assert sorted(os.listdir(project)) == [".git", "docs", "pictures"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["add"], 1, "'add' needs NAME and PATH"),
        (["add", "guides"], 1, "context add guides PATH"),
        (["add", "guides", "nowhere"], 1, "there is no 'nowhere'"),
        (["add", "guides", ".."], 1, "lies outside the project"),
        (["add", "../x", "docs"], 1, "leads outside the cache root"),
        (["add", "--package", "no-such-package-anywhere"], 5, "'no-such-package-anywhere'"),
        (["sync"], 1, "'context add NAME PATH' writes one"),
        (["sync", "--lock-only"], 1, "--lock-only goes with --check"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_a_slip_is_told_and_nothing_is_written(words: list[str], code: int, said: str, project: Path) -> None:
    assert said in failure(*words, cwd=project, code=code)
    assert sorted(os.listdir(project)) == [".git", "docs"]


@pytest.mark.parametrize(
    ("toml", "words", "code", "said"),
    [
        ("[caches.a]\nsources = ['dcos']", ["sync"], 5, "there is no 'dcos': did you mean 'docs'?"),
        ("[caches.a]\nsources = ['.context/caches/b']", ["sync"], 5, "lies in the cache root"),
        ("[caches.a]\nsources = ['link']", ["sync"], 5, "is a link that leads outside the project"),
        ("[caches.a]\nsources = [{ git = 'docs' }]", ["sync"], 5, "is no git checkout"),
        ("[caches.a]\nsource = ['docs']", ["sync", "--check"], 5, "did you mean 'sources'?"),
        ("[caches.guides]\nsources = ['docs']", ["sync", "guidse"], 4, "did you mean 'guides'?"),
    ],
)
def test_what_is_declared_wrongly_is_told(toml: str, words: list[str], code: int, said: str, project: Path) -> None:
    (project / ".context" / "caches" / "b").mkdir(parents=True)
    (project / "link").symlink_to("/")
    (project / "context.toml").write_text(toml, encoding="utf-8")
    assert said in failure(*words, cwd=project, code=code)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b'"documents": 3', b'"documents": 4'), "it was edited by hand"),
        ((b'"lock_version": 1', b'"lock_version": 9'), "update holdfast"),
        ((b"{\n", b"<<<<<<< HEAD\n{\n"), "take either side and run 'context sync'"),
    ],
)
def test_a_lock_that_is_not_ours_is_refused_and_kept(change: tuple[bytes, bytes], said: str, project: Path) -> None:
    answer("add", "guides", "docs", cwd=project)
    changed = (project / "context.lock").read_bytes().replace(*change, 1)
    (project / "context.lock").write_bytes(changed)
    for words in (["sync"], ["sync", "--check"], ["diff", "--since", "HEAD"], ["add", "more", "docs"]):
        assert said in failure(*words, cwd=project, code=5)
    assert (project / "context.lock").read_bytes() == changed


def test_a_commit_of_a_checkout_is_read_through_git_and_a_check_tells_that_it_moved(project: Path) -> None:
    checkout = project / "vendor" / "x"
    page(checkout / "docs" / "api.html", "api", "The first words.")
    page(checkout / "other.html", "other")
    first = commit(checkout)
    page(checkout / "docs" / "api.html", "api", "The second words.")
    second = commit(checkout)
    source = f'{{ git = "vendor/x", commit = "{first[:12]}", path = "docs" }}'
    (project / "context.toml").write_text(f"[caches.x]\nsources = [{source}]\n", encoding="utf-8")
    assert answer("sync", cwd=project)["caches"][0]["documents"] == 1
    assert b"The first words" in run_context("search", "words", "--cache", "x", cwd=project).stdout
    assert json.loads((project / "context.lock").read_bytes())["caches"]["x"]["commits"] == {"vendor/x": first}
    # The commit that is declared is the one of the lock, wherever the checkout stands.
    assert answer("outdated", cwd=project) == {
        "in_step": True,
        "caches": [{"name": "x", "in_step": True, "reasons": []}],
    }
    assert sorted(os.listdir(project / ".context" / "caches")) == [".gitignore", "x"]
    (project / "context.toml").write_text(
        '[caches.x]\nsources = [{ git = "vendor/x", path = "docs" }]\n', encoding="utf-8"
    )
    reasons = answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"]
    assert reasons == [f"sources: vendor/x {first[:12]} in the lock, now {second[:12]}", "sources: 1 changed"]
    assert answer("sync", cwd=project)["caches"][0]["changed"] == 1
    assert answer("sync", "--check", cwd=project)["in_step"]
    page(checkout / "beside.html", "beside")
    third = commit(checkout)
    reasons = answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"]
    assert reasons == [f"sources: vendor/x {second[:12]} in the lock, now {third[:12]}"]
    answer("sync", cwd=project)
    # As in a hook of the project's own repository.
    (project / ".git").rmdir()
    commit(project / "docs")
    hook = {**FIXED, "GIT_DIR": str(project / "docs" / ".git"), "GIT_INDEX_FILE": str(project / "nowhere")}
    assert run_context("sync", "--check", cwd=project, env=hook).returncode == 0


@pytest.mark.rough
def test_killed_at_any_step_a_sync_leaves_the_old_cache_or_the_new_and_the_next_one_no_debris(project: Path) -> None:
    answer("add", "guides", "docs", cwd=project)
    cache = project / ".context" / "caches" / "guides"

    def edit(step: int) -> None:
        page(project / "docs" / "deploy.html", "deploy", f"Words of step {step}.")

    kill_syncs(project, cache, edit, 4)
    answer("sync", cwd=project)
    assert answer("sync", "--check", cwd=project)["in_step"] is True
    assert sorted(os.listdir(cache.parent)) == [".gitignore", "guides"]
    assert sorted(os.listdir(project)) == [".context", ".git", "context.lock", "context.toml", "docs"]


def test_quiet_says_nothing_and_plain_lines_tell_the_phases_where_nobody_watches(project: Path) -> None:
    (project / "docs" / "picture.png").write_bytes(b"")
    done = run_context("add", "guides", "docs", cwd=project)
    assert done.stderr.decode().splitlines()[0] == "guides: reading (3)"
    page(project / "docs" / "deploy.html", "deploy", "Other words.")
    assert run_context("sync", "--quiet", cwd=project).stderr == b""


def test_diff_since_a_commit_builds_the_caches_of_then_and_tells_which_answers_change(project: Path) -> None:
    (project / ".git").rmdir()
    (project / ".gitignore").write_text(".context/\nvendor/\n", encoding="utf-8")
    page(project / "vendor" / "lib.html", "lib")
    answer("add", "guides", "docs", cwd=project)
    answer("add", "lib", "vendor", cwd=project)
    answer("add", "old", "docs", cwd=project)
    first = commit(project)
    toml = (project / "context.toml").read_text(encoding="utf-8")
    (project / "context.toml").write_text(toml.partition("[caches.old]")[0], encoding="utf-8")
    page(project / "docs" / "rollback.html", "rollback", "Undo it with other words.")
    page(project / "vendor" / "lib.html", "lib", "Changed and not in git.")
    answer("add", "new", "docs", cwd=project)
    answer("sync", cwd=project)
    (project / "queries.txt").write_text("rollback\n", encoding="utf-8")
    told = answer("diff", "--since", "HEAD", "--queries", "queries.txt", cwd=project)
    states = {cache["name"]: cache["state"] for cache in told["caches"]}
    assert states == {"guides": "changed", "lib": "changed", "new": "added", "old": "removed"}
    guides, lib = told["caches"][:2]
    assert guides["difference"]["documents"] == {"added": [], "removed": [], "changed": ["rollback.html"]}
    assert guides["difference"]["queries"][0]["changed"] is True
    assert (lib["difference"], "cannot be built again" in lib["reason"]) == (None, True)
    words = ["diff", "guides", "--since", first, "--queries", "queries.txt", "--check"]
    assert len(answer(*words, cwd=project, code=8)["caches"]) == 1
    assert "git knows no commit 'gone'" in failure("diff", "--since", "gone", cwd=project, code=1)


def test_where_a_lock_is_not_of_its_commit_diff_since_says_why(project: Path) -> None:
    (project / ".git").rmdir()
    answer("add", "guides", "docs", cwd=project)
    commit(project)
    page(project / "docs" / "rollback.html", "rollback", "Merged, and not synced.")
    commit(project)
    answer("sync", cwd=project)
    assert "was behind the sources of then" in answer("diff", "--since", "HEAD", cwd=project)["caches"][0]["reason"]
    page(project / "docs" / "draft.html", "draft")
    answer("sync", cwd=project)
    subprocess.run([*GIT, "commit", "-qm", "the lock alone", "context.lock"], cwd=project, check=True)
    page(project / "docs" / "draft.html", "draft", "Other words.")
    answer("sync", cwd=project)
    told = answer("diff", "--since", "HEAD", cwd=project)["caches"][0]["reason"]
    assert told == "git does not track 'docs/draft.html', which the cache is built from"
    subprocess.run([*GIT, "commit", "-qam", "the lock"], cwd=project, check=True)
    (project / "queries.txt").write_text("rollback\n", encoding="utf-8")
    words = ("diff", "--since", "HEAD", "--queries", "queries.txt", "--check")
    assert answer(*words, cwd=project)["caches"][0]["reason"] == ""
    page(project / "docs" / "rollback.html", "rollback", "Edited.")
    for reason in ("sources: 1 changed", "lock: other sources"):
        told = answer(*words, cwd=project, code=8)["caches"][0]
        assert (told["state"], told["reason"]) == ("same", reason)
        assert answer("sync", "--check", cwd=project, code=8)["caches"][0]["reasons"] == [reason]
        assert b"Edited." in run_context("search", "edited rollback", cwd=project).stdout  # which builds it


def test_packages_are_read_as_installed_and_a_check_tells_which_moved(project: Path) -> None:
    site = project / ".venv" / "lib" / "python3.12" / "site-packages"
    for name, version in (("one", "1.0"), ("two", "2.0")):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text(f'"""The package {name}."""\n\ndef go() -> int:\n    """Go on."""\n')
        info = site / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n# {name}\n\nWords.\n"
        )
        (info / "RECORD").write_text(f"{name}/__init__.py,,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
    (project / ".venv" / "pyvenv.cfg").write_text("version = 3.12.0\n")
    answer("add", "--package", "one", cwd=project)
    told = answer("add", "--package", "two", cwd=project)
    assert (project / "context.toml").read_text() == '[caches.dependencies]\npackages = ["one", "two"]\n'
    assert (told["cache"]["added"] > 0, told["cache"]["removed"]) == (True, 0)
    lock = json.loads((project / "context.lock").read_bytes())
    assert lock["caches"]["dependencies"]["packages"] == {"one": "1.0", "two": "2.0"}
    assert answer("sync", "--check", cwd=project)["in_step"]
    metadata = site / "one-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    moved = "package: one 1.0 in the lock, now 1.1"
    for words in (("sync", "--check"), ("outdated",), ("sync", "--check", "--lock-only")):
        assert moved in answer(*words, cwd=project, code=8)["caches"][0]["reasons"]
    looked = [each for each in answer("doctor", cwd=project, code=8)["checks"] if each["area"] == "caches"]
    assert [moved in each["detail"] for each in looked] == [True]
    before = (project / "context.toml").read_bytes()
    assert "'three' of the cache 'dependencies' is not installed" in failure(
        "add", "--package", "three", cwd=project, code=5
    )
    assert (project / "context.toml").read_bytes() == before


def test_a_person_at_a_terminal_sees_what_was_built_what_is_behind_and_what_to_do(project: Path) -> None:
    shown, code = on_a_terminal("add", "guides", "docs", cwd=project, columns=100)
    assert (code, shown.splitlines()[0].startswith("guides  3 documents, files: 3 new, sha256:")) == (0, True)
    assert 'Ask it:  context search "your question" --cache guides' in shown
    assert "guides  3 documents, nothing changed\n" in on_a_terminal("sync", cwd=project, columns=100)[0]
    assert on_a_terminal("sync", "--check", cwd=project, columns=100) == ("Everything is in step.\n", 0)
    page(project / "docs" / "deploy.html", "deploy", "Other words.")
    assert on_a_terminal("sync", "--check", cwd=project, columns=100) == (
        "guides: sources: 1 changed\nRun `context sync`.\n",
        8,
    )


def test_caches_stay_out_of_git_unless_a_person_wants_them_there(project: Path) -> None:
    answer("add", "docs", "docs", cwd=project)
    ignored = project / ".context" / "caches" / ".gitignore"
    assert ignored.read_text() == "*\n"
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    shown = subprocess.run(["git", "status", "--short", "-uall"], cwd=project, capture_output=True, check=True).stdout
    assert b".context" not in shown, shown.decode()
    ignored.unlink()
    page(project / "docs" / "another.html", "Another")
    answer("sync", cwd=project)
    assert not ignored.exists()
