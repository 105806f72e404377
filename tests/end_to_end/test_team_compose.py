"""The compose file of a team's set-up: what it names is there, its scripts run, its proxy is the one that is tested.

No engine runs it here. What an engine would do is left; what it is told to run is run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from holdfast.cli import COMMANDS
from holdfast.command.command_line import parse
from support import proxy as nginx
from support import registry as docker_registry
from support.listening import call_body, listening_process
from support.registry import Registry
from support.transcripts import ROOT, Playground

pytestmark = pytest.mark.rough

TEAM = ROOT / "examples/team"
COMPOSE: dict[str, Any] = yaml.safe_load((TEAM / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
# What the specification of compose files has for these, as far as it is used here.
TOP = {"name", "services", "secrets", "volumes"}
OF_A_SERVICE = {
    *("build", "cap_drop", "command", "depends_on", "entrypoint", "environment", "healthcheck", "image", "ports"),
    *("profiles", "read_only", "restart", "secrets", "security_opt", "stop_grace_period", "tmpfs", "user", "volumes"),
    "working_dir",
}
SCRIPTS = sorted(TEAM.glob("*.sh"))


def test_the_file_says_only_what_a_compose_file_can_say() -> None:
    assert {key for key in COMPOSE if not key.startswith("x-")} == TOP
    assert {key for service in SERVICES.values() for key in service} <= OF_A_SERVICE
    for name, service in SERVICES.items():
        assert set(service.get("depends_on", ())) <= SERVICES.keys(), name
        assert set(service.get("secrets", ())) <= COMPOSE["secrets"].keys(), name
        assert all(isinstance(each, str) for each in service.get("environment", {}).values()), name
        assert ("image" in service, "/" in service["image"]) == (True, False), "no host of a registry is named"


def made_by_prepare() -> set[str]:
    """The names in the folder that are not committed, since each team makes its own."""
    return {line.rstrip("/") for line in (TEAM / ".gitignore").read_text().split()}


def test_every_file_that_it_names_is_there_or_made() -> None:
    files = [each["file"] for each in COMPOSE["secrets"].values()]
    for name, service in SERVICES.items():
        for mount in service.get("volumes", ()):
            source, target, *_ = mount.split(":")
            if source.startswith("."):
                files.append(source)
            else:
                assert source in COMPOSE["volumes"], mount
            assert target.startswith("/"), name
    missing = {Path(file).name for file in files if not (TEAM / file).exists()}
    assert missing <= made_by_prepare()
    build = COMPOSE["x-holdfast"]["build"]
    assert (TEAM / build["context"] / build["dockerfile"]).is_file()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(build["args"]["EXTRAS"].split(",")) <= extras.keys()
    assert "ARG EXTRAS=" in (ROOT / "Containerfile").read_text()


def test_every_command_and_option_in_it_exists() -> None:
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert subprocess.run(["sh", "-n", str(script)], timeout=60).returncode == 0
        for line in re.findall(r"^(?:.*\|\| |exec )?(context .*)$", text, re.MULTILINE):
            request = parse(shlex.split(line)[1:], COMMANDS)
            assert request.command is not None, line
        for service in SERVICES.values():
            if f"/team/{script.name}" in service.get("entrypoint", ()):
                needed = set(re.findall(r"\$\{?([A-Z]\w+)(?!.*:-)", text))
                assert needed - {"LISTEN"} <= service["environment"].keys(), script.name


def test_the_proxy_is_the_one_that_is_tested_with_other_names() -> None:
    text = (TEAM / "nginx.conf").read_text(encoding="utf-8")
    for here, there in (
        ("# It is examples/proxy/nginx.conf with the names of the containers.", nginx_note()),
        ("replica-1:8321", "127.0.0.1:8321"),
        ("replica-2:8321", "127.0.0.1:8322"),
        ("server_name localhost;", "server_name docs.example;"),
        ("/certificates/team.pem", "/etc/ssl/certs/docs.example.pem"),
        ("/certificates/team.key", "/etc/ssl/private/docs.example.key"),
    ):
        assert text.count(here) == 1, here
        text = text.replace(here, there)
    assert text == nginx.SHOWN.read_text(encoding="utf-8")
    assert {"replica-1", "replica-2"} <= SERVICES.keys()
    certificates = "./certificates:/certificates:ro"
    assert {"./nginx.conf:/etc/nginx/conf.d/default.conf:ro", certificates} == set(SERVICES["proxy"]["volumes"])


def nginx_note() -> str:
    (line,) = [line for line in nginx.SHOWN.read_text(encoding="utf-8").splitlines() if "test_replicas.py" in line]
    return line


@pytest.mark.skipif(
    None in (docker_registry.PROGRAM, shutil.which("openssl")), reason="docker-registry or openssl is not installed"
)
def test_its_scripts_prepare_publish_lock_and_serve(tmp_path: Path) -> None:
    place = Playground(tmp_path.resolve())
    team = Path(shutil.copytree(TEAM, place.scratch / "team"))
    (held := place.scratch / "registry").mkdir()

    def run(script: str, folder: Path, **environment: str) -> None:
        folder.mkdir(exist_ok=True)
        given = {**place.environment(), **environment}
        done = subprocess.run(["sh", str(team / script)], cwd=folder, env=given, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr.decode()

    run("prepare.sh", team)
    before = {name: (team / name).read_bytes() for name in ("ci.key", "tokens", "certificates/team.pem")}
    certificate = team / "certificates" / "team.pem"
    registry = Registry(held, certificate=(certificate, certificate.with_suffix(".key")))
    try:
        common = {"REGISTRY": registry.host, "SSL_CERT_FILE": str(certificate)}
        run("prepare.sh", team, **common)
        assert {name: (team / name).read_bytes() for name in before} == before
        ci = {"SOURCES": str(ROOT / "examples/handbook"), "KEY": str(team / "ci.key")}
        run("publish.sh", place.scratch / "ci", **common, **ci)
        run("lock.sh", team, **common, SERVED=str(team / "served"))
        assert json.loads((team / "served" / "context.lock").read_text())["caches"]["handbook"]["digest"]
        serving = {
            "SERVED": str(team / "served"),
            "TOKENS": str(team / "tokens"),
            "RECEIPTS": str(team / "receipts-1"),
            "PUBLIC_URL": "https://localhost:8443",
            "LISTEN": "127.0.0.1:0",
        }
        (replica := place.scratch / "replica").mkdir()
        environment = {**place.environment(), **common, **serving}
        with listening_process(["sh", str(team / "serve.sh")], replica, environment) as server:
            token = (team / "tokens").read_text().split()[0]
            body = call_body("context.search", {"query": "who is on call?"})
            status, answer = server.post(body, authorization=f"Bearer {token}", host="localhost:8443")
            assert (status, "on-call.md#" in answer["result"]["content"][0]["text"]) == (200, True)
            assert server.post(body)[0] == 401
            assert server.end() == 0
        assert len([name for name in os.listdir(team / "receipts-1") if name.endswith(".call")]) == 1
    finally:
        registry.kill()
