"""A real registry server on this machine, one that lies, and one that holds what a test gives it."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from holdfast.caches.registry.cache_artifact import (
    FILES,
    VERSION,
    Artifact,
    Layer,
    blob_of,
    digest_of,
    encode_artifact,
    file_sets,
)
from holdfast.caches.registry.cache_files import files_of
from holdfast.caches.registry.file_set_tar import tar_parts

PROGRAM = shutil.which("docker-registry")
USER, PASSWORD = "reader", "open sesame"
# What bcrypt makes of the password, at the least cost it has.
_HTPASSWD = f"{USER}:$2b$04$kjLaXK0NDaY2I5Dlenv5IOFrRCUUGEEvHnDaUBf8YtVkALj2Yuc42\n"
_LISTENING = re.compile(rb"listening on 127\.0\.0\.1:([0-9]+)")


class Registry:
    """`docker-registry` with its files in a folder, on a port of its own; it can be killed and begun again."""

    def __init__(self, folder: Path, *, password: bool = False, certificate: tuple[Path, Path] | None = None) -> None:
        self.folder = folder
        self._port = 0
        self._options: dict[str, Any] = {}
        if password:
            (folder / "htpasswd").write_text(_HTPASSWD, encoding="utf-8")
            self._options["auth"] = {"htpasswd": {"realm": "here", "path": str(folder / "htpasswd")}}
        self._tls = {"certificate": str(certificate[0]), "key": str(certificate[1])} if certificate else None
        self.start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it, and wait until it says that it listens."""
        http: dict[str, Any] = {"addr": f"127.0.0.1:{self._port}", "secret": "not much of one"}
        if self._tls:
            http["tls"] = self._tls
        settings = {
            "version": 0.1,
            "log": {"accesslog": {"disabled": True}},
            "storage": {"filesystem": {"rootdirectory": str(self.folder / "held")}, "delete": {"enabled": True}},
            "http": http,
            **self._options,
        }
        (self.folder / "config.yml").write_text(json.dumps(settings), encoding="utf-8")  # which is YAML as well
        self.process = subprocess.Popen(
            [PROGRAM or "", "serve", str(self.folder / "config.yml")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert self.process.stderr is not None
        said = b""
        for line in self.process.stderr:
            said += line
            if found := _LISTENING.search(line):
                self._port = int(found[1])
                break
        else:
            raise AssertionError(said.decode())
        # What it says later is read, so that it never waits for somebody to.
        self._reader = threading.Thread(target=self.process.stderr.read, daemon=True)
        self._reader.start()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def logged_in(self, folder: Path) -> dict[str, str]:
        """The environment of somebody who has done `docker login`."""
        folder.mkdir(parents=True, exist_ok=True)
        packed = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        (folder / "config.json").write_text(json.dumps({"auths": {self.host: {"auth": packed}}}), encoding="utf-8")
        return {"DOCKER_CONFIG": str(folder)}


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine that vouches for itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "this machine")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths


class LyingRegistry:
    """Answers every request as a function says: a status, headers and a body, of which `short` bytes are not sent."""

    def __init__(self, respond: Callable[[str, str, dict[str, str]], tuple[int, dict[str, str], bytes]]) -> None:
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked.append((self.command, self.path, headers))
                status, more, body = respond(self.command, self.path, headers)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_HEAD = do_PUT = do_POST = do_PATCH = _answer  # noqa: N815  # what the library looks for

            def log_message(self, *_: object) -> None:
                """Nothing: the tests look at what was asked."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class ServedArtifact:
    """Answers with the manifest and the blobs that a test gives it."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.cut: dict[str, int] = {}  # bytes of a blob after which each answer breaks off
        self.manifest = b""
        self._server = LyingRegistry(self.respond)
        self.host, self.asked, self.close = self._server.host, self._server.asked, self._server.close

    def respond(self, _method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """The answer to one request."""
        digest = path.rpartition("/")[2]
        data = self.manifest if "/manifests/" in path else self.blobs.get(digest, b"")
        start = int(headers.get("range", "bytes=0-")[6:-1])
        body = data[start:]
        return 206 if start else 200, {"Content-Length": str(len(body))}, body[: self.cut.get(digest)]

    def hold(self, *layers: Layer) -> None:
        """Have a manifest of these layers."""
        self.manifest = encode_artifact(Artifact(layers, {VERSION: "sha256:" + "0" * 64}))

    def layer(self, data: bytes, title: str = "listing", kind: str = FILES) -> Layer:
        """Have some bytes as a layer."""
        self.blobs[digest_of(data)] = data
        return Layer(kind, blob_of(data), title)

    def hold_cache(self, cache: Path) -> None:
        """What a push of that cache would send."""
        sets = file_sets(files_of(str(cache)))
        layers = [self.layer(b"".join(tar_parts(str(cache), files)), name) for name, files in sets.items()]
        version = json.loads((cache / "manifest.json").read_bytes())["cache_version"]
        self.manifest = encode_artifact(Artifact(tuple(layers), {VERSION: version}))

    @property
    def layers_asked(self) -> int:
        """How often a layer was asked for."""
        return len([path for _, path, _ in self.asked if "/blobs/" in path])
