"""A bundle is the same bytes for the same files, and what differs from its lock by one byte is not put in place."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.doors import run_context

if TYPE_CHECKING:
    from collections.abc import Callable

    Members = dict[str, bytes]


def run(folder: Path, *words: str, code: int = 0) -> str:
    done = run_context(*words, cwd=folder)
    assert done.returncode == code, (words, done.stderr)
    return done.stdout.decode() if not code else (done.stdout + done.stderr).decode()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with two caches, and its bundle beside it."""
    project = tmp_path_factory.mktemp("bundle") / "project"
    for name in ("docs", "guide"):
        (project / name).mkdir(parents=True)
        (project / name / "a.md").write_text(f"# About {name}\n\nThe quokka of {name}.\n", encoding="utf-8")
        run(project, "add", name, name)
    run(project, "bundle", "../carry.tar")
    return project


@pytest.fixture
def far(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def there(project: Path) -> dict[str, bytes]:
    return {str(path.relative_to(project)): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def test_a_bundle_is_the_same_bytes_at_any_time_and_brings_all_that_answers(made: Path, far: Path) -> None:
    bundle = made.parent / "carry.tar"
    run(made, "bundle", "../again.tar")
    assert (made.parent / "again.tar").read_bytes() == bundle.read_bytes()
    checked = json.loads(run(far, "unbundle", str(bundle), "--check"))
    assert (checked["done"], [cache["name"] for cache in checked["caches"]]) == ("checked", ["docs", "guide"])
    assert there(far) == {}
    run(far, "unbundle", str(bundle))
    before = {name: data for name, data in there(made).items() if name.startswith((".context/", "context."))}
    assert there(far) == before
    asked = ("search", "quokka", "--format", "json")
    assert run(far, *asked) == run(made, *asked)
    assert json.loads(run(far, "unbundle", str(bundle)))["done"] == "installed"


def test_a_bundle_of_another_lock_is_shown_and_an_edited_context_toml_is_kept(made: Path, far: Path) -> None:
    other = far / "other"
    shutil.copytree(made, other)
    (other / "docs" / "a.md").write_text("# New\n", encoding="utf-8")
    assert "is of other sources than the lock" in run(other, "search", "new") + run(other, "bundle", "x.tar", code=5)
    run(other, "sync")
    run(other, "bundle", "x.tar")
    (told,) = [
        cache["reasons"]
        for cache in json.loads(run(made, "unbundle", str(other / "x.tar"), "--check", code=8))["caches"]
        if cache["reasons"]
    ]
    assert told == ["lock: other sources"]
    with (other / "context.toml").open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    bundle = str(made.parent / "carry.tar")
    assert "--force replaces it" in run(other, "unbundle", bundle, code=1)
    run(other, "unbundle", bundle, "--force")
    assert (other / "context.lock").read_bytes() == (made / "context.lock").read_bytes()


def test_a_folder_of_wheels_has_to_hold_the_distribution_by_its_own_name(made: Path, far: Path) -> None:
    wheels, project = far / "wheels", far / "project"
    wheels.mkdir()
    shutil.copytree(made, project)
    (wheels / "holdfast-1-py3-none-any.whl").write_bytes(b"of another project")
    said = run(project, "bundle", "x.tar", "--wheels", str(wheels), code=1)
    assert "holds no wheel of holdfast-context: 'pip wheel --wheel-dir" in said
    (wheels / "holdfast_context-1-py3-none-any.whl").write_bytes(b"")
    run(project, "bundle", "x.tar", "--wheels", str(wheels))
    with tarfile.open(project / "x.tar") as file:
        assert "wheels/holdfast_context-1-py3-none-any.whl" in file.getnames()


def rewritten(bundle: Path, into: Path, change: Callable[[Members], Any]) -> Path:
    """The bundle with its members changed."""
    with tarfile.open(bundle) as file:
        members = {each.name: (file.extractfile(each) or io.BytesIO()).read() for each in file.getmembers()}
    change(members)
    with tarfile.open(into, "w", format=tarfile.PAX_FORMAT) as file:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return into


def _first(members: Members, folder: str) -> str:
    return next(name for name in members if name.startswith(folder))


DAMAGE: dict[str, Callable[[Members], Any]] = {
    "a document": lambda members: members.update(
        {(name := _first(members, "caches/docs/documents/")): members[name].replace(b"quokka", b"numbat")}
    ),
    "an index": lambda members: members.update(
        {(name := _first(members, "caches/docs/index/")): members[name][:-1] + bytes([members[name][-1] ^ 1])}
    ),
    "a cache less": lambda members: [members.pop(name) for name in [*members] if name.startswith("caches/guide/")],
    "no lock": lambda members: members.pop("context.lock"),
    "a path out of the cache": lambda members: members.update({"caches/docs/documents/../../../x": b""}),
    "a cache of a hostile name": lambda members: members.update({"caches/../manifest.json": b"{}"}),
    "something else": lambda members: members.update({".bashrc": b"touch x\n"}),
    "a wheel in a folder": lambda members: members.update({"wheels/a/b.whl": b""}),
    "two of one name": lambda members: members.update({"CONTEXT.lock": b"{}"}),
    "the caches exchanged": lambda members: members.update(
        {
            name: members[name.replace("/docs/", "/guide/")]
            for name in [*members]
            if name.startswith("caches/docs/") and name.replace("/docs/", "/guide/") in members
        }
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_bundle_that_was_changed_is_refused_and_nothing_is_written(made: Path, far: Path, damage: str) -> None:
    bundle = rewritten(made.parent / "carry.tar", far / "bad.tar", DAMAGE[damage])
    for words in (("--check",), ()):
        assert "bundle cannot be used" in run(far, "unbundle", "bad.tar", *words, code=5)
    assert there(far) == {"bad.tar": bundle.read_bytes()}


def test_a_link_in_a_bundle_and_bytes_after_its_end_are_refused(made: Path, far: Path) -> None:
    data = (made.parent / "carry.tar").read_bytes()
    link = tarfile.TarInfo("caches/docs/manifest.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    for name, bad in (
        ("link", link.tobuf() + data),
        ("more", data + b"x" * 512),
        ("short", data[:-1500]),
        ("none", b""),
    ):
        (far / name).write_bytes(bad)
        assert "bundle cannot be used" in run(far, "unbundle", name, code=5)
    assert not (far / ".context").exists()


def test_a_project_that_names_keys_takes_no_bundle_without_a_signature(made: Path, far: Path) -> None:
    pytest.importorskip("cryptography")
    key = json.loads(run(far, "sign", "--new-key", "team.key"))["key"]
    signed = far / "signed"
    shutil.copytree(made, signed)
    for name in ("docs", "guide"):
        run(signed, "sign", name, "--key", "../team.key")
    run(signed, "bundle", "../signed.tar")
    with (far / "context.toml").open("w", encoding="utf-8") as file:
        file.write((made / "context.toml").read_text(encoding="utf-8") + f'\n[registry]\nkeys = ["{key}"]\n')
    assert "is not signed" in run(far, "unbundle", str(made.parent / "carry.tar"), "--force", code=5)
    told = json.loads(run(far, "unbundle", "signed.tar", "--force"))
    assert all(cache["signed_by"] for cache in told["caches"])
    assert (far / ".context" / "caches" / "docs.minisig").is_file()
