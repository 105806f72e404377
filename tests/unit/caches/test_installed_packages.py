"""Installed packages are found by their files alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.caches.build.installed_packages import PackageUnreadable, find_package, python_environment


def _write(top: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text, encoding="utf-8")


def _install(site: Path, name: str, version: str, files: dict[str, str], more: dict[str, str] | None = None) -> None:
    info = f"{name}-{version}.dist-info"
    record = (
        "".join([f"{one},sha256=x,1\n" for one in files]) + f"{info}/METADATA,,\n../../../bin/run.py,,\n/etc/x.py,,\n"
    )
    spelt = name.replace("_", ".")
    _write(
        site, {**files, f"{info}/METADATA": f"Name: {spelt}\nVersion: {version}\n\nText\n", f"{info}/RECORD": record}
    )
    _write(site / info, more or {})


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / ".venv" / "lib" / "python3.12" / "site-packages"


def test_a_distribution_is_its_description_and_the_modules_that_are_for_users(tmp_path: Path, site: Path) -> None:
    files = {
        "pkg/__init__.py": "from ._core import Client\n",
        "pkg/_core.py": "class Client: ...\n",
        "pkg/_inner.py": "",
        "pkg/api.py": "",
        "pkg/api.pyi": "",
        "pkg/fast.pyi": "",
        "pkg/__main__.py": "",
        "pkg/tests/test_api.py": "",
        "pkg/_vendor/other.py": "",
        "pkg/data.json": "{}",
    }
    _install(site, "My_Pkg", "1.2", files)

    found = find_package(tmp_path, "my-pkg")

    assert (found.version, {one.root for one in found.items}) == ("1.2", {str(site)})
    assert [(one.source, one.reader) for one in found.items] == [
        ("My_Pkg-1.2.dist-info/METADATA", "metadata-1"),
        ("pkg/__init__.py", "python-1"),
        ("pkg/_core.py", "python-1"),
        ("pkg/api.py", "python-1"),
        ("pkg/fast.pyi", "python-1"),
    ]
    assert all(Path(one.path).is_file() for one in found.items)


def test_an_environment_is_given_by_its_folder_or_by_its_interpreter(tmp_path: Path, site: Path) -> None:
    site.mkdir(parents=True)
    (tmp_path / ".venv" / "bin").mkdir()

    assert python_environment(tmp_path) == site
    assert python_environment(tmp_path, ".venv/bin/python") == site
    assert python_environment(tmp_path / "elsewhere", str(tmp_path / ".venv")) == site
    assert python_environment(tmp_path, "nowhere") is None


def test_an_editable_install_is_followed_inside_the_project_only(tmp_path: Path, site: Path) -> None:
    mine, other = tmp_path / "src", tmp_path.parent / f"{tmp_path.name}-other"
    editable = {"direct_url.json": json.dumps({"url": "file:///x", "dir_info": {"editable": True}})}
    _write(mine, {"mine/__init__.py": "x: int = 1\n", "mine/_inner.py": ""})
    _write(other, {"theirs/__init__.py": ""})
    _install(site, "mine", "1", {"mine.pth": f"{mine}\n"}, editable)
    _install(site, "theirs", "1", {"theirs.pth": f"{other}\n"}, editable)

    found = find_package(tmp_path, "mine")
    assert [(one.root, one.source) for one in found.items] == [
        (str(mine), "mine-1.dist-info/METADATA"),
        (str(mine), "mine/__init__.py"),
    ]
    with pytest.raises(PackageUnreadable, match="is an editable install from outside the project"):
        find_package(tmp_path, "theirs")


def test_an_npm_package_is_what_its_types_lead_to(tmp_path: Path) -> None:
    modules = tmp_path / "node_modules"
    exports = {".": {"import": {"types": "./lib/index.d.ts"}, "require": {"types": "./lib/index.d.cts"}}}
    manifest = {"name": "@a/b", "version": "3.0.0", "exports": exports}
    _write(
        modules / "@a" / "b",
        {
            "package.json": json.dumps(manifest),
            "lib/index.d.ts": "export * from './x.js';\nexport * from '../../../../out';\nexport * from './index';\n",
            "lib/index.d.cts": "",
            "lib/x.d.ts": "export { y } from './deep';\n",
            "lib/deep/index.d.ts": "export declare const y: 1;\n",
            "lib/unused.d.ts": "",
        },
    )
    _write(modules / "plain", {"package.json": '{"version": "1.0.0"}'})
    _write(modules / "@types" / "plain", {"package.json": '{"version": "1.0.1", "types": "index"}', "index.d.ts": ""})

    scoped, plain = find_package(tmp_path, "@a/b"), find_package(tmp_path, "npm:plain")

    assert (scoped.version, scoped.items[0].root) == ("3.0.0", str(modules))
    assert [one.source for one in scoped.items] == [
        "@a/b/lib/deep/index.d.ts",
        "@a/b/lib/index.d.ts",
        "@a/b/lib/x.d.ts",
    ]
    assert (plain.version, [one.source for one in plain.items]) == ("1.0.0", ["@types/plain/index.d.ts"])


@pytest.mark.parametrize(
    "name", ["nosuch", "@a/nosuch", "npm:nosuch", "../..", "npm:../x", "@a/../b", ".", "", "python:", "\x00", "a\\b"]
)
def test_a_package_that_is_not_there_is_told_without_a_path(tmp_path: Path, site: Path, name: str) -> None:
    site.mkdir(parents=True)

    with pytest.raises(PackageUnreadable) as caught:
        find_package(tmp_path, name)

    assert "is not installed in" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_without_an_environment_it_says_where_to_name_one(tmp_path: Path) -> None:
    with pytest.raises(
        PackageUnreadable, match=r"there is no Python environment at \.venv: install it in one, or name one as `python`"
    ):
        find_package(tmp_path, "pydantic")


@pytest.mark.parametrize("manifest", ["", "[]", '{"version": 1}', "{"])
def test_a_broken_package_json_is_told(tmp_path: Path, manifest: str) -> None:
    _write(tmp_path / "node_modules" / "a", {"package.json": manifest})

    with pytest.raises(PackageUnreadable, match=r"has a package\.json that cannot be read"):
        find_package(tmp_path, "npm:a")
