"""How a server over HTTP holds up: many clients at once, in two worlds, in one run.

    python -m benchmarks.http_load [--clients 200] [--calls 50000] [--workers 2] [--share 0.4] [--era modern]

First each client asks its next question as soon as it has an answer: as many calls as the server manages, with every
client waiting for all the others. Then each pauses for a random time, as agents do, so long that all together ask for a
share of what the server was just seen to manage; a call's time counts from the moment it was due, so that none is left
out because the one before was slow. Half of the calls are made in each world. Prints the errors, which must be none,
and what calls take as a multiple of a single client's median in the same run, taken before, between and after.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from holdfast import build_cache

TOPICS = ("token", "limit", "deploy", "rollback", "review", "incident", "schema", "queue")
MODERN = "2026-07-28"
PREFIX = "io.modelcontextprotocol/"
ALONE = 200  # calls of one client, each time
SEED = 8


class Given(NamedTuple):
    """What clients got: how long each call took, how many failed, and the different answers to each question."""

    seconds: list[float]
    errors: int
    texts: tuple[frozenset[str], ...]

    def at(self, share: float) -> float:
        return sorted(self.seconds)[min(int(len(self.seconds) * share), len(self.seconds) - 1)]


def requests(port: int, era: str) -> list[bytes]:
    """A search for each topic, as the bytes of a request."""
    made = []
    for topic in TOPICS:
        arguments = {"query": f"how does the {topic} work", "cache": "docs", "budget": 1000}
        params: dict[str, object] = {"name": "context.search", "arguments": arguments}
        headers = {
            "Host": f"127.0.0.1:{port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if era == "modern":
            params["_meta"] = {f"{PREFIX}protocolVersion": MODERN, f"{PREFIX}clientCapabilities": {}}
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "context.search"}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {text}\r\n" for name, text in headers.items())
        made.append(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
    return made


class Crowd:
    """Clients, each on a connection of its own that is kept."""

    def __init__(self, port: int, era: str) -> None:
        self._port = port
        self._requests = requests(port, era)
        self._seconds: list[float] = []
        self._errors = 0
        self._bodies: list[set[bytes]] = [set() for _ in TOPICS]

    async def ask(self, clients: int, calls: int, pause: float | None = None) -> Given:
        """So many calls in all; with pauses of so many seconds in the mean, or without any."""
        each = max(calls // clients, 1)
        await asyncio.gather(*(self._client(number, each, pause) for number in range(clients)))
        texts = tuple(frozenset(map(_text, bodies)) for bodies in self._bodies)
        errors = self._errors + sum("" in each for each in texts)
        given = Given(self._seconds, errors, texts)
        self._seconds, self._errors, self._bodies = [], 0, [set() for _ in TOPICS]
        return given

    async def _client(self, number: int, calls: int, pause: float | None) -> None:
        chance = random.Random(SEED + number)
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        due = time.perf_counter()
        for call in range(number, number + calls):
            if pause is None:
                due = time.perf_counter()
            else:
                due += chance.expovariate(1 / pause)
                await asyncio.sleep(max(due - time.perf_counter(), 0))
            topic = call % len(TOPICS)
            try:
                writer.write(self._requests[topic])
                head = await reader.readuntil(b"\r\n\r\n")
                start = head.index(b"content-length: ") + 16
                body = await reader.readexactly(int(head[start : head.index(b"\r\n", start)]))
            except (OSError, EOFError, ValueError):
                self._errors += 1
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
                continue
            self._seconds.append(time.perf_counter() - due)
            self._errors += not head.startswith(b"HTTP/1.1 200 ")
            self._bodies[topic].add(body)
        writer.close()


def _text(body: bytes) -> str:
    """What a response answers; nothing for an error."""
    result = json.loads(body).get("result", {"isError": True})
    return "" if result["isError"] else str(result["content"][0]["text"])


async def measure(port: int, clients: int, calls: int, share: float, era: str) -> None:
    crowd = Crowd(port, era)
    await crowd.ask(1, ALONE)  # the caches are open now
    alone = [await crowd.ask(1, ALONE)]
    started = time.perf_counter()
    closed = await crowd.ask(clients, calls // 2)
    rate = len(closed.seconds) / (time.perf_counter() - started)
    alone.append(await crowd.ask(1, ALONE))
    offered = share * rate
    opened = await crowd.ask(clients, calls - calls // 2, clients / offered)
    alone.append(await crowd.ask(1, ALONE))

    single = statistics.median(second for given in alone for second in given.seconds)
    all_given = (*alone, closed, opened)
    texts = [frozenset().union(*(given.texts[topic] for given in all_given)) for topic in range(len(TOPICS))]
    print(f"{clients} clients, {era}: {len(closed.seconds) + len(opened.seconds):,} calls", end=", ")
    print(f"{sum(given.errors for given in all_given)} errors, {max(map(len, texts))} answer to each question")
    print(f"one client alone: median {single * 1000:.1f} ms, p99 {_times(alone, 0.99, single)}")
    print(f"without a pause:  {rate:,.0f} calls a second, {rate * single:.1f} times one client's;", end=" ")
    print(f"median {_times([closed], 0.5, single)}, p99 {_times([closed], 0.99, single)} of a single call's median")
    print(f"with pauses:      {offered:,.0f} calls a second, {share:.0%} of that;", end=" ")
    print(f"median {_times([opened], 0.5, single)}, p99 {_times([opened], 0.99, single)}")


def _times(given: list[Given], share: float, single: float) -> str:
    merged = Given([second for each in given for second in each.seconds], 0, ())
    return f"{merged.at(share) / single:.1f}x"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--share", type=float, default=0.4)
    parser.add_argument("--era", choices=("modern", "legacy"), default="modern")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        sources.mkdir()
        for number in range(400):
            topic = TOPICS[number % len(TOPICS)]
            text = f"# The {topic} {number}\n\n" + f"How the {topic} works in case {number}: it is told. " * 20
            (sources / f"{number}.md").write_text(text + "\n")
        build_cache(sources, Path(folder) / "docs")
        context = str(Path(sys.executable).with_name("context"))
        words = [context, "serve", "--http", "127.0.0.1:0", "--workers", str(given.workers), "--cache-root", folder]
        server = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, cwd=folder)
        try:
            assert server.stderr is not None
            port = int(server.stderr.readline().rpartition(":")[2].partition("/")[0])
            asyncio.run(measure(port, given.clients, given.calls, given.share, given.era))
        finally:
            server.terminate()
            server.communicate()


if __name__ == "__main__":
    main()
