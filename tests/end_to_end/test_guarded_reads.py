"""Nothing gets into a cache but regular files of the sources that no ignore file leaves out and that are no secrets.

Every reader, every form of an include and every file of a package is tried with every way to lead a build astray. Each
is first tried with an ordinary file, whose word must be found, so that not finding it later says something.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.caches.build import git_tree
from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.cache_plan import lacking_parts, plan_cache
from holdfast.caches.build.document_files import read_document
from holdfast.caches.build.project_directory import Project
from holdfast.caches.build.source_state import KnownSources, SourceState
from holdfast.caches.build.sync import sync_cache
from holdfast.caches.cache_format import MAX_DOCUMENT_BYTES
from holdfast.caches.readers.source_reader import Unreadable
from holdfast.core.errors import BuildFailed, SettingsInvalid
from support.doors import run_context
from support.projects import git

NOW = "2026-01-02T03:04:05Z"
WORD = "magicword"
SITE = ".venv/lib/python3.12/site-packages"
DOCS = '[caches.docs]\nsources = ["docs"]\n'
BY_NAME = "looks like a secret by its name"

_CELL = {"cell_type": "markdown", "metadata": {}, "source": [WORD]}
# A page of each reader.
PAGES = {
    "page.md": f"# Page\n\n{WORD}\n",
    "page.mdx": f"# Page\n\n{WORD}\n",
    "page.rst": f"Page\n====\n\n{WORD}\n",
    "page.adoc": f"= Page\n\n{WORD}\n",
    "page.txt": f"Page\n\n{WORD}\n",
    "page.html": f"<h1>Page</h1><p>{WORD}</p>",
    "page.ipynb": json.dumps({"cells": [_CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
    "page.json": json.dumps({"openapi": "3.0.0", "info": {"title": WORD, "version": "1"}, "paths": {}}),
    "page.yaml": f'openapi: "3.0.0"\ninfo:\n  title: {WORD}\n  version: "1"\npaths: {{}}\n',
}
# A page for each form of an include; PATH is what it includes.
INCLUDES = {
    "a.md": '# Page\n\n--8<-- "PATH"\n',
    "b.md": "# Page\n\n{!PATH!}\n",
    "c.md": "# Page\n\n{* PATH *}\n",
    "d.md": "# Page\n\n{{#include PATH}}\n",
    "e.md": "# Page\n\n<<< @/PATH\n",
    "f.md": '# Page\n\n{{% code_sample file="PATH" %}}\n',
    "g.mdx": '# Page\n\n--8<-- "PATH"\n',
    "h.rst": "Page\n====\n\n.. include:: PATH\n",
    "i.rst": "Page\n====\n\n.. literalinclude:: PATH\n",
    "j.adoc": "= Page\n\ninclude::PATH[]\n",
}
# A file of a package: the package, the file, its text.
PACKAGED = {
    "module": ("python:pkg", f"{SITE}/pkg/api.py", f'"""{WORD}"""\n\ndef go() -> int:\n    """{WORD}"""\n'),
    "description": ("python:pkg", f"{SITE}/pkg-1.dist-info/METADATA", f"Name: pkg\nVersion: 1\n\n{WORD}\n"),
    "readme": ("npm:pkg", "node_modules/pkg/README.md", f"# Page\n\n{WORD}\n"),
    "declarations": ("npm:pkg", "node_modules/pkg/index.d.ts", f"/** {WORD} */\nexport declare function go(): void;\n"),
}


def _linked_folder(place: Path, text: str, outside: Path) -> None:
    place.parent.rename(outside / "folder")
    (outside / "folder" / place.name).write_text(text, encoding="utf-8")
    place.parent.symlink_to(outside / "folder", target_is_directory=True)


def _symlink(place: Path, text: str, outside: Path) -> None:
    (outside / "secret.txt").write_text(text, encoding="utf-8")
    place.symlink_to(outside / "secret.txt")


def _too_large(place: Path, text: str, _outside: Path) -> None:
    place.write_text(text, encoding="utf-8")
    os.truncate(place, MAX_DOCUMENT_BYTES + 1)


def _device(place: Path, _text: str, _outside: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root makes a device")
    os.mknod(place, 0o600 | stat.S_IFCHR, os.makedev(1, 5))


def _private_key(place: Path, text: str, _outside: Path) -> None:
    key = f"{WORD} -----BEGIN RSA PRIVATE KEY----- {'A' * 64}"
    place.write_text(text.replace(WORD, key), encoding="utf-8")


WAYS: dict[str, Callable[[Path, str, Path], None]] = {
    "a symlink out": _symlink,
    "a folder that is a symlink out": _linked_folder,
    "a symlink to a device": lambda place, _text, _outside: place.symlink_to("/dev/zero"),
    "a FIFO": lambda place, _text, _outside: os.mkfifo(place),
    "a folder": lambda place, _text, _outside: place.mkdir(),
    "too large": _too_large,
    "a device": _device,
    "a private key": _private_key,
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a page, a Python package and an npm package; nothing in it has the word."""
    project = tmp_path / "project"
    put(project / "docs/good.md", "# Good\n")
    put(project / SITE / "pkg/__init__.py", '"""The package."""\n')
    put(project / SITE / "pkg-1.dist-info/METADATA", "Name: pkg\nVersion: 1\n\nText\n")
    put(project / SITE / "pkg-1.dist-info/RECORD", "pkg/__init__.py,,\npkg/api.py,,\npkg/id_rsa.py,,\n")
    put(project / "node_modules/pkg/package.json", '{"version": "1.0.0", "types": "index.d.ts"}')
    put(project / "node_modules/pkg/readme.txt", "Good\n")
    return project


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def sync(project: Path, toml: str) -> tuple[dict[str, str], bool]:
    """Sync the only cache of a project: what was not read and why, and whether the word is in what was written."""
    put(project / "context.toml", toml)
    here = Project(str(project), str(project / ".context" / "caches"))
    (declared,) = here.declared().caches
    unread = sync_cache(here, declared, BuildOrder(NOW, tokenizer="estimate-1")).unread
    files = [path for path in (project / ".context").rglob("*") if path.is_file()]
    return {each.source: each.reason for each in unread}, any(WORD.encode() in path.read_bytes() for path in files)


def read(project: Path, toml: str) -> tuple[dict[str, str], bool]:
    """The same of what a sync would read, without writing a cache, which takes far longer."""
    put(project / "context.toml", toml)
    here = Project(str(project), str(project / ".context" / "caches"))
    (declared,) = here.declared().caches
    plan = plan_cache(here, declared, SourceState.none(), lambda: str(project.parent))
    told = {each.source: each.reason for each in plan.found.passed}
    pages, more = [], {}
    for item in plan.items:
        try:
            document = read_document("", item)
        except Unreadable as error:
            told[item.source] = str(error)
        else:
            pages.append(document.data)
            more[item.source] = (document.included, "")
    known = KnownSources({}, more, {}, "")
    for each in [part for part in lacking_parts(plan, known) if not part.is_fault]:
        told[each.source] = "; ".join([*filter(None, [told.get(each.source)]), each.reason])
    return told, any(WORD.encode() in page for page in pages)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_every_reader_is_read_where_it_is_a_plain_file_and_in_no_other_way(tmp_path: Path, name: str) -> None:
    put(tmp_path / "plain/docs/sub" / name, PAGES[name])
    assert read(tmp_path / "plain", DOCS) == ({}, True)
    for way, lay in WAYS.items():
        place = put(tmp_path / way / "p/docs/sub/good.md", "# Good\n").with_name(name)
        lay(place, PAGES[name], tmp_path / way)
        told, is_leaked = read(tmp_path / way / "p", DOCS)
        # A folder is looked into, as any other; everything else is reported.
        assert (way, len(told), is_leaked) == (way, 0 if way == "a folder" else 1, False)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_not_read_where_it_is_ignored_or_has_the_name_of_a_secret(tmp_path: Path, name: str) -> None:
    ending = Path(name).suffix
    put(tmp_path / ".gitignore", f"hidden/\nlast{ending}\n")
    for place in (f"hidden/{name}", f"last{ending}", f"id_rsa{ending}"):
        put(tmp_path / "docs" / place, PAGES[name])
    (tmp_path / "docs" / name).symlink_to(f"hidden/{name}")
    told = {name: "is a link to a file that an ignore file leaves out", f"id_rsa{ending}": BY_NAME}
    assert read(tmp_path, DOCS) == (told, False)


@pytest.mark.parametrize("form", INCLUDES)
def test_every_form_of_an_include_takes_a_plain_file_and_reports_what_is_refused(tmp_path: Path, form: str) -> None:
    def page(project: Path) -> Path:
        put(project / "docs" / form, INCLUDES[form].replace("PATH", "../parts/sub/part.txt"))
        return put(project / "parts/sub/other.txt", "").with_name("part.txt")

    put(page(tmp_path / "plain"), f"{WORD}\n")
    assert read(tmp_path / "plain", DOCS) == ({}, True)
    refused = {
        "a symlink out": "leads outside what it may include",
        "a folder that is a symlink out": "leads outside what it may include",
        "a symlink to a device": "leads outside what it may include",
        "a private key": "looks like a secret: it holds a private key",
    }
    for way, lay in WAYS.items():
        lay(page(tmp_path / way / "p"), f"{WORD}\n", tmp_path / way)
        told = {form: f"includes '../parts/sub/part.txt', which {refused[way]}"} if way in refused else {}
        assert (way, *read(tmp_path / way / "p", DOCS)) == (way, told, False)


@pytest.mark.parametrize("form", INCLUDES)
@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (".env", BY_NAME),
        ("keys/id_ed25519", BY_NAME),
        ("keys/server.pem", BY_NAME),
        (".aws/credentials", BY_NAME),
        (".git/config", BY_NAME),
        ("secrets/db.txt", "is left out by an ignore file"),
        ("notes/private.txt", "is left out by an ignore file"),
    ],
)
def test_no_include_takes_what_is_ignored_or_a_secret(tmp_path: Path, form: str, file: str, reason: str) -> None:
    put(tmp_path / ".gitignore", "secrets/\n")
    put(tmp_path / "notes" / ".contextignore", "private.*\n")
    put(tmp_path / file, f"{WORD}\n")
    put(tmp_path / "docs" / form, INCLUDES[form].replace("PATH", f"../{file}"))
    assert read(tmp_path, DOCS) == ({form: f"includes '../{file}', which {reason}"}, False)


def test_what_is_ignored_from_now_on_leaves_the_cache_with_the_next_sync(project: Path) -> None:
    put(project / "part.txt", f"{WORD}\n")
    put(project / "docs" / "a.rst", "Page\n====\n\n.. include:: ../part.txt\n")
    assert sync(project, DOCS) == ({}, True)
    put(project / ".gitignore", "/part.txt\n")
    told = {"a.rst": "includes '../part.txt', which is left out by an ignore file"}
    assert [sync(project, DOCS), sync(project, DOCS)] == [(told, False)] * 2  # built, and unchanged


def test_a_symlink_cannot_give_an_ignored_file_or_a_secret_another_name(project: Path) -> None:
    put(project / ".gitignore", "/secrets\n")
    put(project / "secrets/db.txt", f"{WORD}\n")
    put(project / "docs/id_rsa.txt", f"{WORD}\n")
    (project / "docs/page.txt").symlink_to("id_rsa.txt")
    (project / "docs/part.txt").symlink_to("../secrets/db.txt")
    put(project / "docs/a.rst", "Page\n====\n\n.. include:: part.txt\n")
    told = {
        "id_rsa.txt": BY_NAME,
        "page.txt": BY_NAME,
        "part.txt": "is a link that leads outside the sources",
        "a.rst": "includes 'part.txt', which is left out by an ignore file",
    }
    assert read(project, DOCS) == (told, False)


def test_includes_of_a_folder_that_is_ignored_and_named_are_read_by_the_ignore_files_inside(project: Path) -> None:
    put(project / ".gitignore", "/lib\n.local\n")
    put(project / "lib/.gitignore", "*.tmp\n")
    put(project / "lib/code/a.py", "taken\n")
    put(project / "lib/code/a.tmp", f"{WORD}\n")
    put(project / ".local", f"{WORD}\n")
    includes = "".join([f".. include:: ../{path}\n\n" for path in ("code/a.py", "code/a.tmp", "../.local")])
    put(project / "lib/docs/a.rst", f"Page\n====\n\n{includes}")
    put(project / "docs/a.rst", "Page\n====\n\n.. include:: ../lib/code/a.py\n")
    reasons = [f"includes '{path}', which is left out by an ignore file" for path in ("../code/a.tmp", "../../.local")]
    named = {"a.rst": "; ".join(reasons)}
    assert read(project, '[caches.docs]\nsources = ["lib/docs"]\n') == (named, False)
    unnamed = {"a.rst": "includes '../lib/code/a.py', which is left out by an ignore file"}
    assert read(project, DOCS) == (unnamed, False)


@pytest.mark.parametrize("kind", PACKAGED)
def test_a_file_of_a_package_is_read_where_it_is_a_plain_file_and_in_no_other_way(
    project: Path, tmp_path: Path, kind: str
) -> None:
    name, file, text = PACKAGED[kind]
    toml = f'[caches.docs]\npackages = ["{name}"]\n'
    shutil.copytree(project, tmp_path / "plain")
    put(tmp_path / "plain" / file, text)
    assert read(tmp_path / "plain", toml) == ({}, True)
    for way, lay in WAYS.items():
        shutil.copytree(project, tmp_path / way / "p")
        (tmp_path / way / "p" / file).unlink(missing_ok=True)
        lay(tmp_path / way / "p" / file, text, tmp_path / way)
        if kind == "description" and way != "a private key":
            refused = "is not installed" if way == "a folder that is a symlink out" else "without its metadata"
        elif name == "npm:pkg" and way == "a folder that is a symlink out":
            refused = "leads outside the project"
        else:
            told, is_leaked = read(tmp_path / way / "p", toml)
            assert (way, bool(told), is_leaked) == (way, way != "a folder", False)
            continue
        with pytest.raises(BuildFailed) as caught:  # without what makes it a package there is nothing to read
            read(tmp_path / way / "p", toml)
        assert (way, refused in caught.value.reason) == (way, True)


def test_a_link_of_a_package_to_a_key_of_the_user_is_left_out_and_reported(project: Path) -> None:
    put(project.parent / ".ssh" / "id_rsa", f"{WORD}\n")
    (project / "node_modules/pkg/README.md").symlink_to("../../../.ssh/id_rsa")
    (project / SITE / "pkg/api.py").symlink_to("../../../../../../.ssh/id_rsa")
    reason = "is a link that leads outside the package"
    told = {"pkg/README.md": reason, "pkg/api.py": reason}
    assert sync(project, '[caches.docs]\npackages = ["npm:pkg", "python:pkg"]\n') == (told, False)


def test_a_module_with_the_name_of_a_secret_is_withheld(project: Path) -> None:
    put(project / SITE / "pkg/id_rsa.py", f'"""{WORD}"""\n\ndef go() -> int:\n    """Go."""\n')
    assert read(project, '[caches.docs]\npackages = ["pkg"]\n') == ({"pkg/id_rsa.py": BY_NAME}, False)


def test_a_package_may_be_a_link_within_node_modules_or_to_a_part_of_the_project(project: Path) -> None:
    store = project / "node_modules/.pnpm/lib@1/node_modules/lib"
    put(store / "package.json", '{"version": "1.0.0", "types": "./index"}')
    put(store / "index.d.ts", f"/** {WORD} */\nexport declare function go(): void;\n")
    put(project / "parts/mine/package.json", '{"version": "2.0.0"}')
    put(project / "parts/mine/README.md", "# Mine\n")
    (project / "node_modules/lib").symlink_to(".pnpm/lib@1/node_modules/lib")
    (project / "node_modules/mine").symlink_to("../parts/mine")
    assert read(project, '[caches.docs]\npackages = ["npm:lib", "npm:mine"]\n') == ({}, True)


@pytest.mark.parametrize(
    ("place", "package", "reason"),
    [
        (".venv", "python:pkg", "the Python environment .venv lies outside the project"),
        (SITE, "python:pkg", "the Python environment .venv lies outside the project"),
        (f"{SITE}/pkg-1.dist-info", "python:pkg", "is not installed in the Python environment"),
        ("node_modules", "npm:pkg", "node_modules/pkg leads outside the project"),
        ("node_modules/pkg", "npm:pkg", "node_modules/pkg leads outside the project"),
        ("node_modules/pkg/package.json", "npm:pkg", "is not installed in node_modules"),
    ],
)
def test_packages_outside_the_project_are_refused(project: Path, place: str, package: str, reason: str) -> None:
    (project / place).rename(project.parent / "outside")
    (project / place).symlink_to(project.parent / "outside")
    with pytest.raises(BuildFailed) as caught:
        read(project, f'[caches.docs]\npackages = ["{package}"]\n')
    assert reason in caught.value.reason


def test_a_file_that_the_project_names_itself_is_read_though_it_looks_like_a_secret(project: Path) -> None:
    put(project / "docs/id_rsa.md", f"# Page\n\n-----BEGIN PRIVATE KEY-----\n{'A' * 64}\n\n{WORD}\n")
    assert read(project, DOCS) == ({"id_rsa.md": BY_NAME}, False)
    assert read(project, '[caches.docs]\nsources = ["docs/id_rsa.md"]\n') == ({}, True)


def test_withheld_files_are_counted_and_reported_once(project: Path) -> None:
    put(project / "docs/id_rsa.md", f"# {WORD}\n")
    put(project / "more/prod.env.txt", f"{WORD}\n")
    put(project / "more/a.txt", f"Page\n\n{WORD}\n\n-----BEGIN PRIVATE KEY-----\n{'A' * 64}\n")
    put(project / "more/b.md", '# Page\n\n--8<-- "../.env"\n')
    put(project / ".env", WORD)
    put(project / "context.toml", f'{DOCS}[caches.more]\nsources = ["more"]\n')
    done = run_context("sync", cwd=project)
    counts = [(each["name"], each["withheld"], each["unread_count"]) for each in json.loads(done.stdout)["caches"]]
    assert counts == [("docs", 1, 1), ("more", 2, 2)]
    notes = done.stderr.decode()
    assert notes.count("withheld") == 1
    assert (
        "3 files withheld (a file that 'sources' in context.toml names itself is read): "
        "docs: 'id_rsa.md' looks like a secret by its name; "
        "more: 'a.txt' looks like a secret: it holds a private key; "
        "more: 'b.md' includes '../.env', which looks like a secret by its name\n"
    ) in notes
    assert WORD not in notes


def test_a_build_of_a_folder_reads_every_page_and_nothing_outside(tmp_path: Path) -> None:
    """Which files are documents is part of the frozen format: names and contents withhold nothing there."""
    docs = tmp_path / "docs"
    put(docs / "id_rsa.md", "-----BEGIN PRIVATE KEY-----\n")
    put(docs / ".env.md", "hidden\n")
    os.mkfifo(docs / "pipe.md")
    (docs / "folder.md").mkdir()
    (docs / "same.md").symlink_to("id_rsa.md")
    told: list[str] = []
    assert build_cache(docs, tmp_path / "cache", BuildOrder(NOW, note=told.append)).document_count == 3
    assert told == ["skipped: 'pipe.md' is not a regular file"]
    put(tmp_path / "secret.txt", f"{WORD}\n")
    (docs / "out.md").symlink_to("../secret.txt")
    with pytest.raises(BuildFailed, match=r"'out\.md' is a link that leads outside the sources"):
        build_cache(docs, tmp_path / "cache", BuildOrder(NOW, force=True))


def test_a_build_reads_no_folder_that_a_link_of_the_project_leads_out_to(project: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside" / "a.md", f"# {WORD}\n")
    shutil.rmtree(project / "docs")
    (project / "docs").symlink_to(tmp_path / "outside")
    done = run_context("build", "--sources", "docs", "--cache", "made", cwd=project)
    assert (done.returncode, b"leads out of the project" in done.stderr) == (5, True)
    assert not (project / "made").exists()
    assert run_context("build", "--sources", "../outside", "--cache", "made", cwd=project).returncode == 0


def test_a_commit_of_more_bytes_than_allowed_is_not_written(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few kilobytes of git can be a tree of terabytes: one blob of zeros under many names."""
    monkeypatch.setattr(git_tree, "_MAX_TREE", 100)
    git(project, "init", "-q")
    blob = git(project, "hash-object", "-w", str(project / "docs/good.md")).strip()
    (tmp_path / "rows").write_text("".join([f"100644 blob {blob}\tpage-{number}.md\n" for number in range(20)]))
    with open(tmp_path / "rows", "rb") as rows:
        made = subprocess.run(["git", "mktree"], cwd=project, stdin=rows, capture_output=True, check=True)
    commit = git(project, "commit-tree", "-m", "bomb", made.stdout.decode().strip()).strip()
    (tmp_path / "tree").mkdir()
    with pytest.raises(SettingsInvalid, match="140 bytes, and more than 100 are not written"):
        git_tree.write_tree(str(project), commit, "", str(tmp_path / "tree"))
    assert os.listdir(tmp_path / "tree") == []


def test_no_command_follows_settings_that_a_clone_brings_as_a_link_or_waits_for_a_pipe(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside.toml"
    project.mkdir()
    (project / "README.md").write_text(f"# Page\n\n{WORD}\n", encoding="utf-8")
    outside.write_text(f"{WORD} = 1\n", encoding="utf-8")
    settings = project / "context.toml"
    plants: list[Callable[[], None]] = [
        lambda: settings.symlink_to(outside),
        lambda: os.mkfifo(settings),
        lambda: os.mkdir(settings),
    ]
    for plant in plants:
        plant()
        for words in (["search", WORD], ["read", "--id", "README.md"], ["sync"]):
            result = run_context(*words, cwd=project)
            assert (result.returncode, result.stdout) == (5, b"")
            assert b"it cannot be read: not a regular file" in result.stderr
            assert WORD.encode() not in result.stderr
        settings.rmdir() if settings.is_dir() else settings.unlink()
