"""A release is the same wherever it is built: the short form of ./scripts/release, without what needs a network."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from scripts.publishing.desktop_bundle import manifest, write_bundle
from scripts.publishing.installation import list_tools
from scripts.publishing.judges import Refused, build_container, judge_licences
from scripts.publishing.project_facts import read_facts
from scripts.publishing.reproducible_build import NotReproducible, build_twice, sha256
from scripts.wheel_data import data_files

from holdfast.catalog import tools, underscored

pytestmark = pytest.mark.rough

ROOT = Path(__file__).parent.parent.parent
EPOCH = 1_767_225_600
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
INCLUDED = [name.removeprefix("/") for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]


def put_sources(target: Path) -> None:
    """What a release is built of, copied from this tree."""
    target.mkdir()
    for name in (*INCLUDED, "pyproject.toml", ".gitignore"):
        if (ROOT / name).is_dir():
            copytree(ROOT / name, target / name, ignore=ignore_patterns("__pycache__", "out"))
        else:
            (target / name).parent.mkdir(exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Wheel, sdist and bundle, built twice."""
    return build_twice(tmp_path_factory.mktemp("release"), put_sources, epoch=EPOCH)


def test_two_builds_in_different_folders_zones_and_umasks_are_the_same(release: list[Path]) -> None:
    version = read_facts().version
    distribution = f"holdfast_context-{version}"
    names = [f"{distribution}-py3-none-any.whl", f"{distribution}.tar.gz", f"holdfast-{version}.mcpb"]
    assert [path.name for path in release] == names


def test_a_difference_between_two_builds_is_noticed(tmp_path: Path) -> None:
    def put_other_sources(target: Path) -> None:
        put_sources(target)
        (target / "src" / "holdfast" / "place.txt").write_text(str(target))

    with pytest.raises(
        NotReproducible, match=r"two builds differ: holdfast_context-.*\.whl, holdfast_context-.*\.tar\.gz, .*\.mcpb"
    ):
        build_twice(tmp_path, put_other_sources, epoch=EPOCH)


def test_the_wheel_has_the_whole_package_and_nothing_else(release: list[Path]) -> None:
    with zipfile.ZipFile(release[0]) as wheel:
        packed = {name for name in wheel.namelist() if not name.split("/")[0].endswith((".dist-info", ".data"))}
    listed = subprocess.run(["git", "ls-files", "-z", "src"], cwd=ROOT, capture_output=True).stdout.decode()
    if not listed:
        pytest.skip("this tree is no checkout, so git cannot say what belongs to the package")
    belongs = [name for name in listed.split("\0") if name and not name.endswith(".context.yaml")]
    assert packed >= {name.removeprefix("src/") for name in belongs if (ROOT / name).is_file()}
    assert [name for name in packed if "__pycache__" in name or not name.startswith("holdfast/")] == []


def test_the_wheel_brings_manual_pages_and_completions(release: list[Path]) -> None:
    with zipfile.ZipFile(release[0]) as wheel:
        packed = {name.partition(".data/data/")[2]: wheel.read(name).decode() for name in wheel.namelist()}
    assert {place: text for place, text in packed.items() if place} == data_files()


def test_the_wheel_tells_what_pyproject_does(release: list[Path]) -> None:
    facts = read_facts()
    with zipfile.ZipFile(release[0]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        told = Parser().parsestr(wheel.read(name).decode())
    assert (told["Name"], told["Version"], told["Requires-Python"]) == ("holdfast-context", facts.version, facts.python)
    assert (told["License-Expression"], told["License-File"]) == (facts.license, "LICENSE")
    assert sorted(told.get_all("Provides-Extra") or []) == facts.extras
    assert f"mcp-name: {facts.registry_name}" in str(told.get_payload())


def test_the_sdist_can_be_built_and_read_by_itself(release: list[Path]) -> None:
    with tarfile.open(release[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
        owners = {(member.uid, member.gid, member.uname, member.mtime) for member in sdist.getmembers()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO", "docs/reference/commands.md"} <= names
    assert owners == {(0, 0, "", EPOCH)}


def test_the_sdist_has_every_test_with_what_it_reads_and_they_run_there(release: list[Path], tmp_path: Path) -> None:
    with tarfile.open(release[1]) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    folders = ("tests", "scripts", "benchmarks", "examples", "schema")
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True).stdout.decode()
    assert [name for name in listed.split("\0") if name and not (unpacked / name).exists()] == []
    few = "tests/unit/test_token_file.py"
    words = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", few)
    done = subprocess.run(words, cwd=unpacked, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_bundle_holds_the_wheel_and_declares_the_tools_that_its_server_lists(
    release: list[Path], tmp_path: Path
) -> None:
    """Its server is started with this Python, where the wheel's dependencies are: uv would bring its own."""
    with zipfile.ZipFile(release[2]) as bundle:
        bundle.extractall(tmp_path / "bundle")
    shown = json.loads((tmp_path / "bundle" / "manifest.json").read_bytes())
    assert sha256(tmp_path / "bundle" / release[0].name) == sha256(release[0])
    assert f'"{release[0].name}"' in (tmp_path / "bundle" / "pyproject.toml").read_text()
    declared = [tool["name"] for tool in shown["tools"]]
    assert declared == [underscored(tool.tool) for tool in tools()]
    starter = tmp_path / "bundle" / shown["server"]["entry_point"]
    assert list_tools(python("-I", starter), tmp_path / "project") == declared
    words = [str(tmp_path) if word == "${user_config.project}" else word for word in started_with(shown)]
    assert list_tools(python("-I", starter, *words), tmp_path / "project") == declared


def python(*words: object) -> list[str]:
    return [sys.executable, *map(str, words)]


def started_with(shown: dict[str, dict[str, dict[str, list[str]]]]) -> list[str]:
    """What the manifest has a client say to the server."""
    words = shown["server"]["mcp_config"]["args"]
    return words[words.index("server.py") + 1 :]


def test_the_manifest_asks_for_everything_it_uses() -> None:
    """The bundle format's rules, one by one; ./scripts/release asks its own tool."""
    shown = manifest(read_facts())
    assert {"manifest_version", "name", "version", "description", "author", "server"} <= set(shown)
    assert shown["server"]["type"] in ("python", "node", "binary", "uv")
    used = {word[14:-1] for word in shown["server"]["mcp_config"]["args"] if word.startswith("${user_config.")}
    assert used == set(shown["user_config"])
    for asked in shown["user_config"].values():
        assert {"type", "title", "description"} <= set(asked)
        assert asked["type"] in ("string", "number", "boolean", "directory", "file")
    assert set(shown["compatibility"]["platforms"]) <= {"darwin", "win32", "linux"}
    assert all(tool["name"].replace("_", "").replace("-", "").isalnum() for tool in shown["tools"])


def test_a_bundle_follows_from_its_wheel_and_time_alone(tmp_path: Path) -> None:
    wheel = tmp_path / "holdfast-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    for name, epoch in (("a", EPOCH), ("b", EPOCH), ("later", EPOCH + 60), ("before zip files", 0)):
        write_bundle(tmp_path / name, read_facts(), wheel, b"license", epoch=epoch)
    digests = [sha256(tmp_path / name) for name in ("a", "b", "later", "before zip files")]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


@pytest.mark.parametrize(
    ("licence", "is_fine"),
    [
        ({"license": {"id": "MIT"}}, True),
        ({"license": {"name": "License :: OSI Approved :: Apache Software License"}}, True),
        ({"expression": "GPL-3.0-only OR BSD-2-Clause"}, True),
        ({"license": {"id": "GPL-3.0-only"}}, False),
        (None, False),
    ],
)
def test_a_dependency_under_a_licence_that_was_not_agreed_to_is_refused(
    tmp_path: Path, licence: dict[str, object] | None, is_fine: bool
) -> None:
    sbom = tmp_path / "sbom.json"
    sbom.write_text(json.dumps({"components": [{"name": "one", "licenses": [licence] if licence else []}]}))
    if is_fine:
        assert judge_licences(sbom).startswith("1 components")
    else:
        with pytest.raises(Refused, match="one"):
            judge_licences(sbom)


@pytest.mark.parametrize(
    ("runs", "said"),
    [("0", "podman: built, and says context 0.2.0"), ("1", "not built: no container engine runs here")],
)
def test_the_image_is_built_where_an_engine_runs_and_else_it_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: str, said: str
) -> None:
    engine = tmp_path / "podman"
    engine.write_text(
        f'#!/bin/sh\necho "$1" >> "{tmp_path}/asked"\n[ "$1" = info ] && exit {runs}\necho context 0.2.0\n'
    )
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/nowhere")

    assert build_container(ROOT) == said
    assert (tmp_path / "asked").read_text().split() == ["info", *(["build", "run", "rmi"] if runs == "0" else [])]
