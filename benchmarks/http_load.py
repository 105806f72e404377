"""How a server over HTTP holds up: many clients at once, each asking one question after the other.

    python -m benchmarks.http_load [--clients 200] [--calls 50000] [--workers 2]

Prints the errors, which must be none, and p99 under load as a multiple of a single call's median in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from holdfast import build_cache

TOPICS = ("token", "limit", "deploy", "rollback", "review", "incident", "schema", "queue")


def body(number: int) -> bytes:
    """One of eight searches, as a request of its own."""
    arguments = {"query": f"how does the {TOPICS[number % len(TOPICS)]} work", "cache": "docs", "budget": 1000}
    params = {"name": "context.search", "arguments": arguments}
    message = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(message)}\r\n\r\n"
    )
    return head.encode() + message


class Client:
    """One connection that is kept; the answers it got, by the topic that was asked for."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.seconds: list[float] = []
        self.errors = 0
        self.texts: dict[int, set[str]] = {}

    async def ask(self, numbers: range) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        for number in numbers:
            started = time.perf_counter()
            writer.write(body(number).replace(b"{port}", str(self._port).encode()))
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-l")
            )
            answer = json.loads(await reader.readexactly(length))
            self.seconds.append(time.perf_counter() - started)
            result = answer.get("result", {"isError": True})
            self.errors += result["isError"] or not head.startswith(b"HTTP/1.1 200")
            if not result["isError"]:
                self.texts.setdefault(number % len(TOPICS), set()).add(result["content"][0]["text"])
        writer.close()


async def measure(port: int, clients: int, calls: int) -> None:
    single = Client(port)
    await single.ask(range(200))
    alone = statistics.median(single.seconds[50:])
    crowd = [Client(port) for _ in range(clients)]
    each = calls // clients
    started = time.perf_counter()
    await asyncio.gather(*(client.ask(range(number, number + each)) for number, client in enumerate(crowd)))
    took = time.perf_counter() - started
    seconds = sorted(second for client in crowd for second in client.seconds)
    texts: dict[int, set[str]] = {}
    for client in (single, *crowd):
        for topic, given in client.texts.items():
            texts.setdefault(topic, set()).update(given)
    p99 = seconds[int(len(seconds) * 0.99)]
    print(f"{len(seconds):,} calls by {clients} clients: {sum(client.errors for client in crowd)} errors")
    print(f"answers to each of {len(texts)} questions: {max(map(len, texts.values()))} different")
    print(f"calls a second against one client alone: {len(seconds) / took * alone:.2f}x")
    print(f"median {statistics.median(seconds) / alone:.1f}x, p99 {p99 / alone:.1f}x of a single call's median")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=2)
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
            asyncio.run(measure(port, given.clients, given.calls))
        finally:
            server.terminate()
            server.communicate()


if __name__ == "__main__":
    main()
