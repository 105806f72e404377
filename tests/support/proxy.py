"""A real nginx in front of servers of this machine, with the configuration that the how-to shows."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
from grp import getgrgid
from http.client import HTTPSConnection
from pathlib import Path
from pwd import getpwuid
from typing import TYPE_CHECKING, NamedTuple

from support.listening import PATIENCE
from support.registry import make_certificate

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
MISSING = "nginx is not installed"  # Debian's package is nginx-light
SHOWN = Path(__file__).parents[2] / "examples/proxy/nginx.conf"
_AROUND = """\
daemon off;
worker_processes 1;
user {user} {group};
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
    log_format passed '$status $upstream_addr';
    access_log {folder}/access.log passed;
    include {folder}/site.conf;
}}
"""


class Passed(NamedTuple):
    """A request that went through: the answer's status, and the ports that were asked, in their order."""

    status: int
    ports: tuple[int, ...]


class Proxy:
    """nginx on a port that is known before it starts, so that replicas can be told what they are called.

    with Proxy(folder) as proxy, listening(root, "--public-url", proxy.url) as one:
        proxy.start([one.port])
        proxy.connection().request(...)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "nginx"
        self.folder.mkdir()
        self.certificate, self._key = make_certificate(self.folder)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *exc: object) -> None:
        self._listener.close()
        if self._process is not None:
            self._process.terminate()  # it ends its worker with itself
            self._process.wait(timeout=PATIENCE)

    def start(self, upstreams: Sequence[int]) -> None:
        """Start it over these ports; it is answering when this returns."""
        (self.folder / "site.conf").write_text(self._site(upstreams), encoding="utf-8")
        configuration = self.folder / "nginx.conf"
        configuration.write_text(
            _AROUND.format(folder=self.folder, user=getpwuid(os.getuid()).pw_name, group=getgrgid(os.getgid()).gr_name),
            encoding="utf-8",
        )
        number = self._listener.fileno()
        # A variable names the sockets that it takes over, as it does from itself when its program is replaced.
        self._process = subprocess.Popen(
            [PROGRAM or "", "-c", str(configuration), "-p", str(self.folder), "-e", str(self.folder / "error.log")],
            env={"NGINX": f"{number};"},
            pass_fds=[number],
            stderr=subprocess.DEVNULL,
        )
        self._listener.close()
        try:
            connection = self.connection()
            connection.request("GET", "/healthz")
            status = connection.getresponse().status
            connection.close()
        except OSError as error:
            raise AssertionError((self.folder / "error.log").read_text()) from error
        assert status == 200

    def connection(self) -> HTTPSConnection:
        """A connection of a client that trusts the certificate."""
        trusted = ssl.create_default_context(cafile=str(self.certificate))
        return HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE, context=trusted)

    def passed(self) -> list[Passed]:
        """What went through so far."""
        found = []
        for line in (self.folder / "access.log").read_text(encoding="utf-8").splitlines():
            status, *asked = line.replace(",", "").split()
            found.append(Passed(int(status), tuple(int(place.rpartition(":")[2]) for place in asked if ":" in place)))
        return found

    def _site(self, upstreams: Sequence[int]) -> str:
        """The text that is shown, with the ports and files of this machine."""
        text = SHOWN.read_text(encoding="utf-8")
        given = " max_fails=1 fail_timeout=2s;\n"
        servers = f"    server 127.0.0.1:8321{given}    server 127.0.0.1:8322{given}"
        for shown, meant in (
            (servers, "".join(f"    server 127.0.0.1:{port}{given}" for port in upstreams)),
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.port} ssl;"),
            ("server_name docs.example;", "server_name 127.0.0.1;"),
            ("/etc/ssl/certs/docs.example.pem", str(self.certificate)),
            ("/etc/ssl/private/docs.example.key", str(self._key)),
        ):
            assert text.count(shown) == 1, shown
            text = text.replace(shown, meant)
        return text
