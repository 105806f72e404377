"""A team's set-up, with real parts alone: CI signs and pushes, replicas pull by lock and serve behind a proxy with
tokens, the official client asks, and what it was given is audited. The commands are those of docs/tutorials/team.md."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import ssl
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from support import proxy as nginx
from support import registry as docker_registry
from support.doors import StdioServer, run_context
from support.listening import HEADERS, PATIENCE, Listening, call_body, listening
from support.registry import Registry
from support.transcripts import ROOT, Command, Playground, is_as_printed, steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

pytestmark = pytest.mark.rough

TUTORIAL = ROOT / "docs/tutorials/team.md"
QUESTIONS = ("who is on call?", "how are secrets rotated?", "größe 日本語 <b>")
MODES = ("legacy", "auto", "2026-07-28")
CHANCE = re.compile(r"\bRW[\w+/]{54}|sha256:[0-9a-f]{13,}|\b[0-9A-F]{16}\b|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")

needs_parts = pytest.mark.skipif(
    None in (nginx.PROGRAM, docker_registry.PROGRAM, shutil.which("openssl")),
    reason="nginx, docker-registry or openssl is not installed",
)


class Team(Playground):
    """A registry, a proxy and two replicas, and the folder in which the page's commands are typed."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        super().__init__(folder)
        self._stack = stack
        self.proxy = stack.enter_context(nginx.Proxy(folder))
        self.trusted = self.proxy.certificate
        (held := folder / "registry").mkdir()
        self.registry = Registry(held, certificate=(self.trusted, self.trusted.with_name("key.pem")))
        stack.callback(self.registry.kill)
        self.replicas: list[Listening] = []

    @property
    def home(self) -> Path:
        return self.scratch / "you"

    @property
    def token(self) -> str:
        return (self.home / "tokens").read_text().split()[0]

    def environment(self) -> dict[str, str]:
        return {**super().environment(), "SSL_CERT_FILE": str(self.trusted)}

    def type(self, command: Command) -> None:
        """Run a command of the page, and see that it prints what the page says."""
        shown = command.shown.replace("registry.example", self.registry.host)
        shown = shown.replace("https://docs.example", self.proxy.url)
        if shown.startswith("context serve"):
            self.replicas.append(self.serve(shown))
            if len(self.replicas) == 2:
                self.proxy.start([replica.port for replica in self.replicas])
            return
        ran = self.run(shown)
        assert ran.exit_code == 0, "\n".join(ran.printed)
        printed = [line.replace(self.registry.host, "registry.example") for line in ran.printed]
        assert is_as_printed(_without_chance(command.printed), _without_chance(printed)), "\n".join([shown, *printed])

    def serve(self, line: str) -> Listening:
        """A server with the words of the page, on a port that is free."""
        words = shlex.split(line)
        assert words[:3] == ["context", "serve", "--http"]
        project = self.here / words[words.index("--path") + 1]
        options = [str(self.here / word) if (self.here / word).exists() else word for word in words[4:]]
        return self._stack.enter_context(listening(project / ".context" / "caches", *options))

    def ask(self, question: str, *, mode: str = "auto", token: str | None = None) -> str:
        """What the official client is answered through the proxy."""
        headers = {"Authorization": f"Bearer {self.token if token is None else token}"}
        trusted = ssl.create_default_context(cafile=str(self.trusted))

        async def conversation() -> str:
            async with httpx2.AsyncClient(headers=headers, verify=trusted, trust_env=False) as http:
                transport = streamable_http_client(f"{self.proxy.url}/mcp", http_client=http)
                async with Client(transport, mode=mode) as client:
                    answer: Any = await client.call_tool("context.search", {"query": question})
                    text: str = answer.content[0].text
                    return text

        return asyncio.run(conversation())

    def status(self, **headers: str) -> int:
        """The status of a call through the proxy."""
        connection = self.proxy.connection()
        try:
            body = call_body("context.search", {"query": "deploy"})
            connection.request("POST", "/mcp", body, {**HEADERS, **headers})
            return connection.getresponse().status
        finally:
            connection.close()


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    with ExitStack() as stack:
        yield Team(tmp_path.resolve(), stack)


def _without_chance(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines without what differs from one run to the next: keys, times, and digests of what a key signed."""
    return tuple([CHANCE.sub("…", line) for line in lines])


def sections(page: str) -> dict[str, str]:
    """The parts of a page by the number that their heading begins with."""
    return {part[:1]: part for part in page.split("\n## ")[1:]}


def from_stdio(project: Path) -> dict[str, str]:
    """What the server on standard input and output answers to each question."""
    with StdioServer(project, cache_root=None) as server:
        return {question: server.call("context.search", {"query": question}).text for question in QUESTIONS}


def kept_calls(team: Team, count: int) -> list[Path]:
    """The files of that many calls, as soon as they are there: they are written after the answer."""
    deadline = monotonic() + PATIENCE
    while True:
        found = [*team.home.glob("receipts-?/*.call")]
        if len(found) >= count:
            assert len(found) == count
            return found
        assert monotonic() < deadline, f"{len(found)} of {count} calls are kept"
        os.sched_yield()


def audited(project: Path, receipts: Path, *options: str, code: int = 0) -> Any:
    done = run_context("replay", "--receipts", str(receipts), *options, cwd=project)
    assert done.returncode == code, done.stderr.decode()
    return json.loads(done.stdout)


@needs_parts
def test_a_team_is_served_as_the_tutorial_says(team: Team) -> None:
    parts = sections(TUTORIAL.read_text(encoding="utf-8"))
    shutil.copytree(ROOT / "examples/handbook", team.here / "handbook")

    def follow(number: str) -> None:
        for step in steps(parts[number], with_excused=True):
            if step.file:
                team.write(step.file, step.text)
            for command in step.commands:
                team.type(command)

    for number in "123":
        follow(number)
    first, second = team.home / "replica-1", team.home / "replica-2"
    before = from_stdio(first)
    assert before == from_stdio(second)
    asked = Counter(_every_door(team, before))
    only_good_tokens_open(team)
    together = team.home / "before"
    together.mkdir()
    for file in [*kept_calls(team, sum(asked.values())), *team.home.glob("receipts-?/*.json")]:
        file.rename(together / file.name)
    found = audited(first, together)
    assert (found["calls"], found["receipts"], found["same"]) == (sum(asked.values()), len(QUESTIONS), len(QUESTIONS))
    assert Counter(each["query"] for each in found["listed"]) == asked
    assert {name.partition(":")[0] for name in found["clients"]} == {"build-agents"}

    follow("4")
    assert team.replicas[0].end() == 0
    follow("5")
    kept_calls(team, 2)
    follow("6")
    assert "who is on call?" in (team.home / "audit.html").read_text("utf-8")

    lock = (first / "context.lock").read_bytes()
    follow("7")
    after = from_stdio(first)
    assert team.ask(QUESTIONS[0]) == after[QUESTIONS[0]] != before[QUESTIONS[0]]
    now = audited(first, together, "--now", code=9)
    assert [each["query"] for each in now["differing"]] == [QUESTIONS[0]]
    (first / "context.lock").write_bytes(lock)
    assert run_context("sync", cwd=first, env=team.environment()).returncode == 0
    assert from_stdio(first) == before
    assert audited(first, together)["same"] == len(QUESTIONS)


def _every_door(team: Team, expected: dict[str, str]) -> Iterator[str]:
    """Ask through the proxy in every era, and each replica by itself; every question that was asked."""
    for mode in MODES:
        for question in QUESTIONS:
            assert team.ask(question, mode=mode) == expected[question]
            yield question
    for replica in team.replicas:
        for question in QUESTIONS:
            body = call_body("context.search", {"query": question})
            status, answer = replica.post(body, authorization=f"Bearer {team.token}")
            assert (status, answer["result"]["content"][0]["text"]) == (200, expected[question])
            yield question
    assert {port for each in team.proxy.passed() for port in each.ports} == {each.port for each in team.replicas}


def only_good_tokens_open(team: Team) -> None:
    """Absent, wrong and ended tokens are refused through the proxy; the file is read again when it changed."""
    ended, ending = "ended-in-the-past-0", "no-good-from-today-0"
    today, tokens = datetime.now(UTC).date().isoformat(), team.home / "tokens"
    before = tokens.read_text()
    tokens.write_text(f"{before}{ended} late 2020-01-01\n{ending} today {today}\n")
    assert team.status() == 401
    for token in ("wrong-in-every-letter", team.token[:-1], ended, ending):
        assert team.status(authorization=f"Bearer {token}") == 401
    assert team.status(authorization=f"Basic {team.token}") == 401
    with pytest.raises(BaseExceptionGroup):
        team.ask(QUESTIONS[0], token="wrong-in-every-letter")
    tokens.write_text(before)
