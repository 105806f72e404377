"""Caches shared through a real registry: pushed, pulled, proven, signed; and what a bad registry cannot do."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast import build_cache
from holdfast.caches.oci_reference import parse_reference
from holdfast.caches.on_disk.verification import CacheReport, verify_cache
from holdfast.caches.registry import transfers
from holdfast.caches.registry.cache_artifact import (
    FILES,
    SIGNATURE,
    VERSION,
    Artifact,
    Blob,
    Layer,
    blob_of,
    digest_of,
    encode_artifact,
    file_sets,
)
from holdfast.caches.registry.cache_files import files_of, sums_of
from holdfast.caches.registry.file_set_tar import in_chunks, layer_members, tar_blob, tar_parts
from holdfast.caches.registry.registry_client import RegistryClient
from holdfast.caches.registry.transfers import pull_cache, push_cache
from holdfast.core import minisign
from holdfast.core.errors import RegistryFailed, SignatureRefused
from support.doors import run_context
from support.registry import PROGRAM, LyingRegistry, Registry, make_certificate

CREATED_AT = "2026-01-02T03:04:05Z"
needs_registry = pytest.mark.skipif(PROGRAM is None, reason="docker-registry is not installed")


def run(project: Path, *words: str, code: int = 0, env: dict[str, str] | None = None) -> Any:
    done = run_context(*words, cwd=project, env=env or {})
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout) if not code else done.stderr.decode()


def every_file(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in sorted(cache.rglob("*")) if path.is_file()}


def make_project(folder: Path, pages: int = 3) -> Path:
    """A project with a cache `docs` that is built and locked."""
    (folder / ".git").mkdir(parents=True)
    (folder / "pages").mkdir()
    for number in range(pages):
        (folder / "pages" / f"page-{number}.md").write_text(f"# Page {number}\n\nDeploy it {number} times.\n")
    run(folder, "add", "docs", "pages")
    return folder


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    folder = tmp_path / "registry"
    folder.mkdir()
    running = Registry(folder)
    yield running
    running.kill()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    (tmp_path / "other" / ".git").mkdir(parents=True)
    return tmp_path / "other"


def cache_of(project: Path, name: str = "docs") -> Path:
    return project / ".context" / "caches" / name


@needs_registry
def test_what_is_pushed_is_pulled_byte_for_byte_and_only_what_is_new_travels(
    registry: Registry, tmp_path: Path, other: Path
) -> None:
    project = make_project(tmp_path / "project", pages=300)
    place = f"oci://{registry.host}/team/docs:1.4"
    pushed = run(project, "push", "docs", place)
    assert (pushed["sent"], pushed["reference"]) == (pushed["bytes"], f"{place}@{pushed['digest']}")
    assert run(project, "push", "docs", place)["sent"] == 0
    pulled = run(other, "pull", "docs", place)
    assert (pulled["digest"], pulled["version"]) == (pushed["digest"], pushed["version"])
    assert every_file(cache_of(other)) == every_file(cache_of(project))
    (project / "pages" / "page-7.md").write_text("# Page 7\n\nRoll it back.\n")
    run(project, "sync")
    again = run(project, "push", "docs", place)
    assert 0 < again["sent"] < again["bytes"] // 2
    fetched = run(other, "pull", "docs", place)
    assert (fetched["fetched"], every_file(cache_of(other))) == (again["sent"], every_file(cache_of(project)))
    assert sorted(path.name for path in cache_of(other).parent.iterdir()) == [".gitignore", "docs"]


@pytest.mark.parametrize(
    "name", ["index/words", "index/0.seg", f"index/{'g' * 32}.seg", f"{'a' * 32}.seg", "shards.json"]
)
def test_a_layer_may_hold_segments_of_an_index_and_nothing_like_them(name: str, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "layer", "w") as layer:
        for member in ("index/segments.idx", f"index/{'a' * 32}.seg", name):
            layer.addfile(tarfile.TarInfo(member))
    with open(tmp_path / "layer", "rb") as layer, pytest.raises(RegistryFailed, match="no part of a cache"):
        layer_members(layer, set())


@needs_registry
def test_a_tag_is_locked_by_its_digest_and_moves_only_when_it_is_pulled(
    registry: Registry, project: Path, other: Path
) -> None:
    place = f"{registry.host}/team/docs:stable"
    first = run(project, "push", "docs", f"oci://{place}")
    (other / "context.toml").write_text(f'[caches.docs]\nsources = {{ oci = "{place}" }}\nabout = "The guides"\n')
    synced = run(other, "sync", "--yes")
    locked = json.loads((other / "context.lock").read_text())["caches"]["docs"]
    assert (synced["caches"][0]["version"], locked["digest"]) == (first["version"], first["digest"])
    assert (locked["oci"], locked["sources"]) == (
        place,
        json.loads((project / "context.lock").read_text())["caches"]["docs"]["sources"],
    )
    (project / "pages" / "page-1.md").write_text("# Another\n")
    run(project, "sync")
    second = run(project, "push", "docs", f"oci://{place}")
    shutil.rmtree(cache_of(other))
    assert "not pulled here" in run_context("sync", "--check", cwd=other).stdout.decode()
    assert run(other, "sync")["caches"][0]["version"] == first["version"]
    assert run(other, "sync", "--check")["in_step"] is True  # which asks no registry
    pulled = run(other, "pull", "docs")
    assert (pulled["digest"], pulled["lock_changed"]) == (second["digest"], True)
    assert run(other, "sync", "--check")["in_step"]
    assert every_file(cache_of(other)) == every_file(cache_of(project))
    registry.kill()
    assert run(other, "sync")["caches"][0]["state"] == "unchanged"
    assert "[1]" in run_context("search", "deploy", cwd=other).stdout.decode()


@needs_registry
def test_two_pushes_of_one_tag_are_both_whole_and_each_digest_is_given_as_it_was_pushed(
    registry: Registry, project: Path, other: Path, tmp_path: Path
) -> None:
    rival = make_project(tmp_path / "rival", pages=5)
    place = f"oci://{registry.host}/team/docs"
    command = [sys.executable, "-m", "holdfast", "push", "docs", f"{place}:stable"]
    pushes = [subprocess.Popen(command, cwd=each, stdout=subprocess.PIPE) for each in (project, rival)]
    told = [json.loads(push.communicate(timeout=60)[0]) for push in pushes]
    assert [push.returncode for push in pushes] == [0, 0]
    assert run(other, "pull", "docs", f"{place}:stable")["digest"] in [each["digest"] for each in told]
    for pushed, whose in zip(told, (project, rival), strict=True):
        run(other, "pull", "docs", f"{place}@{pushed['digest']}")
        assert every_file(cache_of(other)) == every_file(cache_of(whose))


@needs_registry
def test_a_digest_that_the_registry_lost_is_told_and_what_stands_here_stays(
    registry: Registry, project: Path, other: Path
) -> None:
    place = f"{registry.host}/team/docs:stable"
    run(project, "push", "docs", f"oci://{place}")
    (other / "context.toml").write_text(f'[caches.docs]\nsources = {{ oci = "{place}" }}\n')
    run(other, "sync", "--yes")
    (project / "pages" / "page-1.md").write_text("# Another\n")
    run(project, "sync")
    registry.kill()
    shutil.rmtree(registry.folder / "held")
    registry.start()
    run(project, "push", "docs", f"oci://{place}")  # the tag is there, the digest of the lock is not
    assert run(other, "sync")["caches"][0]["state"] == "unchanged"
    shutil.rmtree(cache_of(other))
    lock = (other / "context.lock").read_bytes()
    assert "'context pull NAME' moves the lock to what the tag means now" in run(other, "sync", code=6)
    assert ((other / "context.lock").read_bytes(), cache_of(other).exists()) == (lock, False)


@needs_registry
def test_tls_and_a_password(tmp_path: Path, project: Path, other: Path) -> None:
    folder = tmp_path / "registry"
    folder.mkdir()
    certificate = make_certificate(folder)
    registry = Registry(folder, password=True, certificate=certificate)
    try:
        place = f"oci://{registry.host}/team/docs:1"
        trusted = {"SSL_CERT_FILE": str(certificate[0])}
        inside = {**trusted, **registry.logged_in(tmp_path / "login")}
        assert "certificate that is not trusted" in run(project, "push", "docs", place, code=6)
        assert "asks for credentials" in run(project, "push", "docs", place, code=6, env=trusted)
        run(project, "push", "docs", place, env=inside)
        (tmp_path / "login" / "config.json").write_text(
            json.dumps({"auths": {registry.host: {"auth": "cmVhZGVyOnd1cnN0"}}})
        )
        refused = run(other, "pull", "docs", place, code=6, env=inside)
        assert ("does not accept" in refused, "wurst" in refused, cache_of(other).exists()) == (True, False, False)
        registry.logged_in(tmp_path / "login")
        run(other, "pull", "docs", place, env=inside)
        assert every_file(cache_of(other)) == every_file(cache_of(project))
    finally:
        registry.kill()


@needs_registry
def test_a_helper_of_docker_keeps_the_password(tmp_path: Path, project: Path) -> None:
    (folder := tmp_path / "registry").mkdir()
    registry = Registry(folder, password=True)
    try:
        (programs := tmp_path / "bin").mkdir()
        helper = programs / "docker-credential-vault"
        helper.write_text(
            f"#!{sys.executable}\nimport sys\nassert sys.stdin.read() == '{registry.host}'\n"
            'print(\'{"Username":"reader","Secret":"open sesame"}\')\n'
        )
        helper.chmod(0o755)
        (tmp_path / "config.json").write_text('{"credsStore":"vault"}')
        env = {"DOCKER_CONFIG": str(tmp_path), "PATH": f"{programs}:/usr/bin:/bin"}
        run(project, "push", "docs", f"oci://{registry.host}/docs:1", env=env)
    finally:
        registry.kill()


@needs_registry
def test_a_registry_killed_in_mid_transfer_leaves_nothing_half_visible(
    registry: Registry, project: Path, other: Path
) -> None:
    place = f"oci://{registry.host}/team/docs:1"
    run(project, "push", "docs", place)
    before = run(other, "pull", "docs", place)
    (project / "pages" / "page-0.md").write_text("# Page 0\n\nAnother text.\n")
    run(project, "sync")
    registry.kill()
    assert "cannot be reached" in run(project, "push", "docs", place, code=6)
    registry.start()
    assert run(other, "pull", "docs", place)["version"] == before["version"]
    run(project, "push", "docs", place)
    assert run(other, "pull", "docs", place)["version"] != before["version"]
    assert every_file(cache_of(other)) == every_file(cache_of(project))


@needs_registry
def test_transfers_go_on_where_they_broke_when_the_registry_comes_back(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The registry is killed after the first chunk, each way, and started again on what it had kept."""
    project = make_project(tmp_path / "project", pages=40)
    monkeypatch.setattr(transfers, "in_chunks", lambda parts: in_chunks(parts, 8 << 10))
    reference = parse_reference(f"{registry.host}/docs:1")
    moved: list[int] = []

    def break_once(_phase: str, done: int, total: int) -> None:
        moved.append(done)
        if 16 << 10 < done < total and registry.process.returncode is None and len(killed) < 1:
            killed.append(done)
            registry.kill()
            registry.start()

    killed: list[int] = []
    client = RegistryClient(reference, None)
    pushed = push_cache(str(cache_of(project)), reference, client, {}, break_once)
    assert (len(killed), moved[-1], pushed.sent) == (1, pushed.size, pushed.size)
    killed.clear()
    pulled = pull_cache(
        reference, str(tmp_path / "pulled"), RegistryClient(reference, None), (), break_once, most=1 << 30
    )
    assert (len(killed), pulled.digest) == (1, pushed.digest)
    assert every_file(tmp_path / "pulled") == every_file(cache_of(project))


def artifact_of(cache: Path, signature: bytes = b"") -> tuple[dict[str, bytes], bytes]:
    """A cache as a registry would hold it: its blobs by digest, and its manifest."""
    blobs, layers = {}, []
    for name, files in file_sets(files_of(str(cache))).items():
        data = b"".join(tar_parts(str(cache), files))
        assert tar_blob(str(cache), files) == blob_of(data)
        blobs[digest_of(data)] = data
        layers.append(Layer(FILES, blob_of(data), name))
    if signature:
        blobs[digest_of(signature)] = signature
        layers.append(Layer(SIGNATURE, blob_of(signature), "signature"))
    version = json.loads((cache / "manifest.json").read_bytes())["cache_version"]
    return blobs, encode_artifact(Artifact(tuple(layers), {VERSION: version}))


@pytest.fixture
def held(tmp_path: Path) -> tuple[dict[str, bytes], bytes]:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "one.md").write_text("# One\n\nText.\n")
    build_cache(tmp_path / "pages", tmp_path / "built", created_at=CREATED_AT)
    return artifact_of(tmp_path / "built")


LIES = {
    "other bytes": "sent other bytes",
    "half": "does not send a layer whole",
    "too much": "another size than its manifest",
    "another manifest": "it was altered",
    "a picture": "no cache",
    "no layer": "has the manifest and not its layer",
    "elsewhere without TLS": "without TLS, which is not followed",
    "the manifest elsewhere": "without TLS, which is not followed",
    "in circles": "from one address to the next",
    "a file": "without TLS, which is not followed",
    "never ready": "answers with 503",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_registry_that_lies_is_not_believed(lie: str, held: tuple[dict[str, bytes], bytes], other: Path) -> None:
    blobs, manifest = held
    elsewhere = "http://192.0.2.1/" if lie == "elsewhere without TLS" else "file:///etc/passwd"

    def respond(_method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        kind, _, name = path.removeprefix("/v2/docs/").partition("/")
        if lie == "never ready":
            return 503, {}, b""
        if kind == "manifests":
            if lie == "the manifest elsewhere":
                return 307, {"Location": "http://192.0.2.1/v2/docs/manifests/1"}, b""
            if lie == "a picture":
                return 200, {}, b'{"schemaVersion":2,"layers":[]}'
            return 200, {}, manifest + b" " if lie == "another manifest" else manifest
        data = blobs[name]
        if lie == "no layer":
            return 404, {}, b""
        if lie in ("elsewhere without TLS", "a file"):
            return 307, {"Location": elsewhere}, b""
        if lie == "in circles":
            return 307, {"Location": path}, b""
        if lie == "half":
            start = int(headers.get("range", "bytes=0-")[6:-1])
            return 206 if start else 200, {"Content-Length": str(len(data) - start)}, data[start:-512]
        if lie == "other bytes":
            return 200, {}, data[:-1] + b"!"
        return 200, {}, data + b"more"

    liar = LyingRegistry(respond)
    try:
        asked = f"@{digest_of(manifest)}" if lie == "another manifest" else ":1"
        asked = f"oci://{liar.host}/docs{asked}"
        said = run(other, "pull", "docs", asked, code=6)
        assert LIES[lie] in said, said
        assert not cache_of(other).exists()
    finally:
        liar.close()


def test_credentials_stay_with_the_registry_they_are_for(
    held: tuple[dict[str, bytes], bytes], other: Path, tmp_path: Path
) -> None:
    """A registry may keep its layers elsewhere; whoever keeps them is not told who asks."""
    blobs, manifest = held

    def respond(_method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if "authorization" not in headers:
            return 401, {"WWW-Authenticate": 'Basic realm="x"'}, b""
        if "/manifests/" in path:
            return 200, {}, manifest
        return 307, {"Location": "https://127.0.0.1:1/blob"}, b""

    liar = LyingRegistry(respond)
    try:
        (tmp_path / "config.json").write_text(json.dumps({"auths": {liar.host: {"auth": "cmVhZGVyOnd1cnN0"}}}))
        said = run(other, "pull", "docs", f"oci://{liar.host}/docs:1", code=6, env={"DOCKER_CONFIG": str(tmp_path)})
        assert ("cannot be reached" in said, "wurst" in said, len(blobs) > 1) == (True, False, True)
    finally:
        liar.close()


def test_a_cache_in_the_registry_that_is_not_sound_stays_out(
    held: tuple[dict[str, bytes], bytes], other: Path, tmp_path: Path
) -> None:
    built = tmp_path / "built"
    (document,) = (built / "documents").iterdir()
    document.write_bytes(document.read_bytes().replace(b"Text", b"Lies"))
    blobs, manifest = artifact_of(built)
    liar = LyingRegistry(lambda _m, path, _h: (200, {}, blobs.get(path.rpartition("/")[2], manifest)))
    try:
        assert "not a sound cache" in run(other, "pull", "docs", f"oci://{liar.host}/docs:1", code=6)
        assert not cache_of(other).exists()
    finally:
        liar.close()


def alter_a_document(cache: Path) -> None:
    document = min((cache / "documents").iterdir())
    document.write_bytes(document.read_bytes().replace(b"Deploy", b"Remove"))


def lose_the_manifest(cache: Path) -> None:
    (cache / "manifest.json").unlink()


@needs_registry
def test_a_damaged_cache_is_not_pushed_and_the_tag_keeps_the_sound_one(
    registry: Registry, project: Path, other: Path
) -> None:
    place = f"oci://{registry.host}/docs:1"
    pushed = run(project, "push", "docs", place)
    alter_a_document(cache_of(project))
    said = run(project, "push", "docs", place, code=5)
    assert "nothing was sent" in said
    assert run(other, "pull", "docs", place)["digest"] == pushed["digest"]


@needs_registry
def test_another_cache_than_that_of_the_lock_is_not_pushed_by_its_name(
    registry: Registry, project: Path, tmp_path: Path
) -> None:
    place = f"oci://{registry.host}/docs:1"
    twin = make_project(tmp_path / "twin", pages=4)
    shutil.rmtree(cache_of(project))
    shutil.copytree(cache_of(twin), cache_of(project))
    said = run(project, "push", "docs", place, code=5)
    assert "context.lock names another version of it; nothing was sent" in said
    run(twin, "push", "docs", place)


@needs_registry
def test_a_cache_that_was_pulled_and_damaged_is_reported_and_pulled_again(
    registry: Registry, project: Path, other: Path
) -> None:
    place = f"oci://{registry.host}/docs:1"
    run(project, "push", "docs", place)
    (other / "context.toml").write_text(f'[caches.docs]\nsources = [{{ oci = "{place}" }}]\n')
    run(other, "sync", "--yes")
    whole = every_file(cache_of(other))

    def state_after_sync() -> str:
        state: str = run(other, "sync")["caches"][0]["state"]
        return state

    assert [state_after_sync(), state_after_sync()] == ["unchanged", "unchanged"]
    damages = (alter_a_document, lose_the_manifest)
    for damage, reason in zip(damages, ("cache: damaged", "registry: not pulled here"), strict=True):
        damage(cache_of(other))
        done = run_context("sync", "--check", cwd=other)
        assert (done.returncode, reason in done.stdout.decode()) == (8, True)
        assert (state_after_sync(), every_file(cache_of(other))) == ("pulled", whole)
        assert run(other, "sync", "--check")["in_step"] is True
        assert state_after_sync() == "unchanged"


@needs_registry
def test_a_pull_that_is_killed_goes_on_where_it_ended(registry: Registry, project: Path, other: Path) -> None:
    place = f"oci://{registry.host}/docs:1"
    run(project, "push", "docs", place)
    blobs, _ = artifact_of(cache_of(project))
    parts = cache_of(other).parent / ".docs.holdfast-pull"
    parts.mkdir(parents=True)
    for digest, data in blobs.items():
        (parts / digest.removeprefix("sha256:")).write_bytes(data[: len(data) // 2])
    (parts / "something-older").write_bytes(b"x")
    pulled = run(other, "pull", "docs", place)
    assert pulled["bytes"] / 3 < pulled["fetched"] < pulled["bytes"] * 2 / 3
    assert (every_file(cache_of(other)), parts.exists()) == (every_file(cache_of(project)), False)


@needs_registry
def test_keys_decide_what_comes_in(registry: Registry, project: Path, other: Path, tmp_path: Path) -> None:
    place = f"{registry.host}/docs:1"
    run(project, "push", "docs", f"oci://{place}")
    key = run(project, "sign", "--new-key", str(tmp_path / "ours"))["key"]
    stranger = run(project, "sign", "--new-key", str(tmp_path / "theirs"))["key"]
    settings = f'[caches.docs]\nsources = {{ oci = "{place}" }}\n[registry]\nkeys = ["{key}"]\n'
    (other / "context.toml").write_text(settings)
    assert "is not signed" in run(other, "sync", "--yes", code=5)
    run(project, "sign", "docs", "--key", str(tmp_path / "theirs"))
    run(project, "push", "docs", f"oci://{place}")
    assert "which context.toml does not name" in run(other, "sync", "--yes", code=5)
    assert not cache_of(other).exists()
    assert run(project, "sign", "docs", "--key", str(tmp_path / "ours"))["key"] == key != stranger
    run(project, "push", "docs", f"oci://{place}")
    assert run(other, "pull", "docs")["signed_by"]
    assert run(other, "sign", "docs", "--check")["signed"]
    (project / "pages" / "page-1.md").write_text("# Altered\n")
    run(project, "sync")
    run(project, "push", "docs", f"oci://{place}")  # with the signature of what it was before
    assert "altered" in run(other, "pull", "docs", code=5)
    assert run(other, "sync", "--check")["in_step"]


def test_signed_hashes_are_all_that_a_pull_needs_and_without_keys_everything_is_computed_again(
    held: tuple[dict[str, bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built, secret = tmp_path / "built", minisign.new_secret_key()
    signature = minisign.sign(sums_of(str(built), files_of(str(built))), secret, "of the cache as built")
    blobs, manifest = artifact_of(built, signature)
    liar = LyingRegistry(lambda _m, path, _h: (200, {}, blobs.get(path.rpartition("/")[2], manifest)))
    computed: list[str] = []

    def seen(cache: str) -> CacheReport:
        computed.append(cache)
        return verify_cache(cache)

    monkeypatch.setattr(transfers, "verify_cache", seen)
    try:
        reference = parse_reference(f"{liar.host}/docs:1")
        client = RegistryClient(reference, None)
        for keys, times in (((secret.public,), 0), ((), 1)):
            pull_cache(reference, str(tmp_path / "new"), client, keys, lambda *_: None, most=1 << 30)
            assert (len(computed), every_file(tmp_path / "new")) == (times, every_file(built))
        (document,) = (built / "documents").iterdir()
        document.write_bytes(document.read_bytes().replace(b"Text", b"Lies"))
        blobs, manifest = artifact_of(built, signature)
        with pytest.raises(SignatureRefused):
            pull_cache(reference, str(tmp_path / "new"), client, (secret.public,), lambda *_: None, most=1 << 30)
    finally:
        liar.close()


@pytest.mark.skipif(shutil.which("minisign") is None, reason="minisign is not installed")
def test_signatures_are_those_of_minisign(project: Path, tmp_path: Path) -> None:
    from holdfast.caches.registry.cache_files import sums_of

    cache = cache_of(project)
    key = run(project, "sign", "--new-key", str(tmp_path / "key"))["key"]
    run(project, "sign", "docs", "--key", str(tmp_path / "key"))
    (tmp_path / "sums").write_bytes(sums_of(str(cache), files_of(str(cache))))
    command = ["minisign", "-V", "-P", key, "-m", str(tmp_path / "sums"), "-x", f"{cache}.minisig"]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    assert subprocess.run(["sha256sum", "-c", str(tmp_path / "sums")], cwd=cache, capture_output=True).returncode == 0
    made = ["minisign", "-G", "-W", "-p", str(tmp_path / "m.pub"), "-s", str(tmp_path / "m.key")]
    assert subprocess.run(made, capture_output=True, timeout=60).returncode == 0
    public = run(project, "sign", "docs", "--key", str(tmp_path / "m.key"))["key"]
    assert public == (tmp_path / "m.pub").read_text().splitlines()[1]
    command[3] = public
    assert subprocess.run(command, capture_output=True, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["push", "docs", "https://registry.example/docs:1"], 1, "its scheme is not oci"),
        (["push", "docs", "oci://registry.example/Docs:1"], 1, "is no repository"),
        (["push", "docs", "oci://registry.example/docs"], 1, "neither a tag nor a digest"),
        (["push", "docs", f"oci://registry.example/docs@{'sha256:' + '0' * 64}"], 1, "a digest follows"),
        (["push", "nothing", "oci://127.0.0.1:1/docs:1"], 4, "nothing"),
        (["push", "docs", "oci://127.0.0.1:1/docs:1"], 6, "cannot be reached"),
        (["pull", "../docs", "oci://127.0.0.1:1/docs:1"], 1, "leads outside the cache root"),
        (["pull", "docs"], 1, "is built from its sources"),
        (["sign", "docs"], 1, "--key FILE"),
        (["sign", "docs", "--check"], 1, "names no keys"),
        (["sign", "docs", "--key", "absent"], 1, "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said(words: list[str], code: int, told: str, project: Path) -> None:
    assert told in run(project, *words, code=code)


def test_a_second_pull_of_the_same_cache_waits_its_turn(other: Path, held: tuple[dict[str, bytes], bytes]) -> None:
    """The first one stands still inside a request; the second is told, and the first goes on."""
    blobs, manifest = held
    second: list[str] = []

    def respond(_method: str, path: str, _headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if "/blobs/" in path and not second:
            second.append("")
            second[0] = run(other, "pull", "docs", f"oci://{liar.host}/docs:1", code=6)
        return 200, {}, blobs.get(path.rpartition("/")[2], manifest)

    liar = LyingRegistry(respond)
    try:
        run(other, "pull", "docs", f"oci://{liar.host}/docs:1")
        assert "another pull of this cache is under way" in second[0]
    finally:
        liar.close()


def test_a_pull_stopped_by_ctrl_c_leaves_no_cache(other: Path, held: tuple[dict[str, bytes], bytes]) -> None:
    blobs, manifest = held
    process: list[subprocess.Popen[bytes]] = []

    def respond(_method: str, path: str, _headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        if "/blobs/" in path:
            process[0].send_signal(signal.SIGINT)
        return 200, {}, blobs.get(path.rpartition("/")[2], manifest)

    liar = LyingRegistry(respond)
    try:
        command = [sys.executable, "-m", "holdfast", "pull", "docs", f"oci://{liar.host}/docs:1"]
        process.append(subprocess.Popen(command, cwd=other, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        assert process[0].wait(timeout=60) == 130
        assert not cache_of(other).exists()
    finally:
        liar.close()


def test_blobs_compare_by_digest_and_size() -> None:
    assert blob_of(b"{}") == Blob("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", 2)
