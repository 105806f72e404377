"""What a hostile clone and a hostile registry cannot do together: write elsewhere, fill the disk, learn a password."""

from __future__ import annotations

import base64
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast import build_cache
from holdfast.caches.registry.cache_artifact import (
    FILES,
    SIGNATURE,
    Blob,
    Layer,
    digest_of,
)
from holdfast.caches.registry_answers import pull
from holdfast.caches.registry_shapes import PullAnswer
from holdfast.core.errors import IoError, RegistryFailed, TransferBroken, UnsafePath
from holdfast.workspace import Workspace
from support.registry import LyingRegistry, ServedArtifact

CREATED_AT = "2026-01-02T03:04:05Z"
PARTS = ".context/caches/.docs.holdfast-pull"


@pytest.fixture
def registry() -> Iterator[ServedArtifact]:
    running = ServedArtifact()
    yield running
    running.close()


@pytest.fixture
def project(tmp_path: Path, registry: ServedArtifact) -> Path:
    """A project in a home; its cache `docs` lies in the registry."""
    project = tmp_path / "home" / "clone"
    (project / ".git").mkdir(parents=True)
    (project / "context.toml").write_text(f'[caches.docs]\nsources = {{ oci = "{registry.host}/a/b:1" }}\n')
    return project


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "one.md").write_text("# One\n\nText.\n")
    build_cache(tmp_path / "pages", tmp_path / "built", created_at=CREATED_AT)
    return tmp_path / "built"


def pulled(project: Path, registry: ServedArtifact, max_bytes: int = 1 << 30) -> PullAnswer:
    reference = f"oci://{registry.host}/a/b:1"
    return pull(Workspace(str(project)), {"name": "docs", "reference": reference, "max_bytes": max_bytes}).value


def everything_in(folder: Path) -> dict[str, str]:
    """Every name below a folder, with the content of a file and the target of a link."""
    found = {}
    for path in sorted(folder.rglob("*")):
        shown = os.readlink(path) if path.is_symlink() else path.read_text("latin-1") if path.is_file() else ""
        found[str(path.relative_to(folder))] = shown
    return found


@pytest.mark.parametrize("shared", ["the file of a part", "the folder of parts", "a part by a second name"])
def test_a_link_that_a_clone_planted_where_a_pull_keeps_its_parts_is_refused(
    shared: str, project: Path, registry: ServedArtifact
) -> None:
    held = b"# my settings\nexport A=1\n"
    evil = b"X" * len(held) + b"\ntouch PWNED\n"
    registry.hold(registry.layer(evil, "signature", SIGNATURE))
    (home := project.parent).joinpath(".bashrc").write_bytes(held)
    (home / "precious").mkdir()
    (home / "precious" / "thesis.txt").write_text("years of work\n")
    (home / "precious" / ("a" * 64)).write_text("more years of work\n")
    part = project / PARTS / digest_of(evil).removeprefix("sha256:")
    if shared == "the folder of parts":
        part.parent.parent.mkdir(parents=True)
        part.parent.symlink_to("../../../precious")
    else:
        part.parent.mkdir(parents=True)
        if shared == "the file of a part":
            part.symlink_to("../../../../.bashrc")
        else:
            part.hardlink_to(home / ".bashrc")
    before = everything_in(home)
    why = "has a second name" if shared == "a part by a second name" else "is a symbolic link, which is not followed"
    with pytest.raises(UnsafePath, match=why):
        pulled(project, registry)
    assert (everything_in(home), registry.layers_asked) == (before, 0)


def test_links_of_other_names_among_the_parts_are_removed_as_links(
    project: Path, registry: ServedArtifact, built: Path
) -> None:
    registry.hold_cache(built)
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (parts := project / PARTS).mkdir(parents=True)
    (parts / ("b" * 64)).symlink_to(outside / "kept")
    (parts / "folder").symlink_to(outside)
    (parts / "something-older").write_text("x")
    pulled(project, registry)
    assert everything_in(outside) == {"kept": "kept"}
    assert sorted(path.name for path in parts.parent.iterdir()) == ["docs"]


def sparse_member() -> bytes:
    """The header of a GNU sparse file of a tebibyte, without a byte of content."""
    member = tarfile.TarInfo("documents/a")
    member.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    block[483:495] = b"\x80" + (1 << 40).to_bytes(11, "big")
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block) + bytes(1024)


def two_names() -> bytes:
    return b"".join([tarfile.TarInfo(f"documents/{name}.json").tobuf() for name in "aA"]) + bytes(1024)


PLAIN = tarfile.TarInfo("documents/a.json").tobuf() + bytes(1024)
BOMBS: dict[str, tuple[Callable[[ServedArtifact], Layer], str]] = {
    "a sparse file of a tebibyte": (lambda held: held.layer(sparse_member()), "a header of it does not hold"),
    "names that differ in case": (lambda held: held.layer(two_names()), "differ in case alone"),
    "an unsound cache": (lambda held: held.layer(PLAIN), "not a sound cache"),
    "a size of 2^50": (lambda held: Layer(FILES, held.layer(PLAIN).blob._replace(size=1 << 50), "l"), "are allowed"),
    "more than the layer has": (
        lambda held: Layer(FILES, held.layer(PLAIN).blob._replace(size=len(PLAIN) + 512), "l"),
        "another size than its manifest",
    ),
    "less than the layer has": (
        lambda held: Layer(FILES, held.layer(PLAIN).blob._replace(size=len(PLAIN) - 512), "l"),
        "another size than its manifest",
    ),
    "a signature that is none": (lambda held: Layer(SIGNATURE, Blob("sha256:" + "a" * 64, 1 << 20), "s"), "no cache"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_is_refused_and_leaves_nothing(bomb: str, project: Path, registry: ServedArtifact) -> None:
    make, why = BOMBS[bomb]
    registry.hold(make(registry))
    before = everything_in(project)
    with pytest.raises(RegistryFailed, match=why) as refused:
        pulled(project, registry)
    assert not isinstance(refused.value, TransferBroken)
    assert (
        everything_in(project) == {**before, ".context": "", ".context/caches": ""} or everything_in(project) == before
    )


def test_a_cache_of_more_bytes_than_allowed_is_not_fetched(
    project: Path, registry: ServedArtifact, built: Path
) -> None:
    registry.hold_cache(built)
    size = sum(map(len, registry.blobs.values()))
    with pytest.raises(RegistryFailed, match=f"has {size:,} bytes and {size - 1:,} are allowed"):
        pulled(project, registry, max_bytes=size - 1)
    assert registry.layers_asked == 0
    assert pulled(project, registry, max_bytes=size)["bytes"] == size


def test_twice_the_bytes_of_the_lock_are_allowed_and_never_less_than_64_mib(
    project: Path, registry: ServedArtifact, built: Path
) -> None:
    registry.hold_cache(built)
    taken = pull(Workspace(str(project)), {"name": "docs"}).value["bytes"]
    assert json.loads((project / "context.lock").read_text())["caches"]["docs"]["bytes"] == taken
    registry.hold(Layer(FILES, Blob("sha256:" + "a" * 64, (64 << 20) + 1), "listing"))
    with pytest.raises(RegistryFailed, match="has 67,108,865 bytes and 67,108,864 are allowed"):
        pull(Workspace(str(project)), {"name": "docs"})


@pytest.mark.parametrize(
    ("blocks", "names", "why", "layers"), [(3, 9, "are free", 0), (1 << 30, 2, "there is room for 2", 4)]
)
def test_where_there_is_no_room_nothing_is_written(
    blocks: int,
    names: int,
    why: str,
    layers: int,
    project: Path,
    registry: ServedArtifact,
    built: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry.hold_cache(built)
    real = os.statvfs

    def small(place: int) -> os.statvfs_result:
        found = list(real(place))
        found[1], found[4], found[5], found[7] = 512, blocks, 1 << 20, names
        return os.statvfs_result(found)

    monkeypatch.setattr(os, "statvfs", small)
    with pytest.raises(IoError, match=f"{why}.*make room and run this again"):
        pulled(project, registry)
    assert registry.layers_asked == layers
    assert not (project / ".context").exists()


def test_what_arrived_is_kept_only_where_the_connection_broke(
    project: Path, registry: ServedArtifact, built: Path
) -> None:
    registry.hold_cache(built)
    (digest, data) = next(iter(registry.blobs.items()))
    registry.cut[digest] = len(data) // 8
    with pytest.raises(TransferBroken):
        pulled(project, registry)
    kept = (project / PARTS / digest.removeprefix("sha256:")).read_bytes()
    assert kept == data[: 4 * (len(data) // 8)]  # as many attempts as are made
    registry.cut.clear()
    answer = pulled(project, registry)
    assert (answer["bytes"] - answer["fetched"], (project / PARTS).exists()) == (len(kept), False)


@pytest.mark.parametrize(
    "realm",
    [
        "http://127.0.0.2:{port}/token",
        "http://registry.example/token",
        "http://127.0.0.1@127.0.0.2:{port}/token",
        "http://127.0.0.1:1@127.0.0.2:{port}/token",
        "http://127.0.0.2:{port}\\@127.0.0.1/token",
        "ftp://127.0.0.1/token",
        "//127.0.0.1/token",
        "",
    ],
)
def test_a_password_goes_to_no_other_host_in_plain_text(realm: str, project: Path, tmp_path: Path) -> None:
    """The registry is on this machine and without TLS; the service that it names for tokens is not."""

    def respond(_method: str, _path: str, _headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        return 401, {"WWW-Authenticate": f'Bearer realm="{address}",service="x"'}, b""

    registry = LyingRegistry(respond)
    address = realm.format(port=registry.server.server_address[1])
    try:
        _log_in(tmp_path, registry.host)
        workspace = Workspace(str(project), environment={"DOCKER_CONFIG": str(tmp_path)})
        with pytest.raises(RegistryFailed, match="an address without TLS, which is not done"):
            pull(workspace, {"name": "docs", "reference": f"oci://{registry.host}/a/b:1"})
        assert [headers.get("authorization") for _, _, headers in registry.asked] == [None]
    finally:
        registry.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_password_goes_in_plain_text_to_a_service_on_this_machine_and_through_no_proxy(
    name: str, project: Path, registry: ServedArtifact, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.hold_cache(built)
    inside = registry.respond

    def respond(method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if path.startswith("/token"):
            return 200, {}, b'{"token":"t"}'
        if headers.get("authorization") != "Bearer t":
            port = service.server.server_address[1]
            return 401, {"WWW-Authenticate": f'Bearer realm="http://{name}:{port}/token",service="x"'}, b""
        return inside(method, path, headers)

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    service = LyingRegistry(respond)
    try:
        _log_in(tmp_path, service.host)
        workspace = Workspace(str(project), environment={"DOCKER_CONFIG": str(tmp_path)})
        pull(workspace, {"name": "docs", "reference": f"oci://{service.host}/a/b:1"})
        packed = base64.b64encode(b"me:secret").decode()
        said = {headers.get("authorization") for _, path, headers in service.asked if path.startswith("/token")}
        assert said == {f"Basic {packed}"}
    finally:
        service.close()


def _log_in(folder: Path, host: str) -> None:
    packed = base64.b64encode(b"me:secret").decode()
    (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": packed}}}))
