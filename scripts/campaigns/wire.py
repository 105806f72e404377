"""The wire campaign: hostile and valid lines against one server, and floods and silence against others.

Promised: standard output carries lines of the protocol only; every request is answered exactly once, or not at all if
it was cancelled in flight; a valid request always gets the same bytes; memory is flat; the counts add up; the process
ends with 0 at the end of input. What breaks a promise is a finding: its input is saved and the exit code is 1.

    wire                           a million messages, seed 1
    wire 20000 --seed 7            fewer, others
    wire --replay FILE             send a saved input again
"""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any

from playground import lay_out, serve_options, true_answers
from server_process import HOLDFAST, ServerProcess
from wire_client import Client, Finding, learn
from wire_model import RESULT, Owed, key_of
from wire_traffic import INITIALIZE, META, Sent, Traffic, templates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROUND = 5_000
FLOOD = 10_000
GROWTH = 8  # MiB that memory may have grown from the second quarter of the rounds to the last
SETTLED = 64  # MiB that may be resident when lines of 20 MB have been answered, however many there were
WAITING = 160  # MiB that a server may hold for a client that does not read, or for calls that wait
STALLED = 1500  # milliseconds without taking anything in, and a server is taken to be full
ODD_TOOLS = Path(__file__).parents[2] / "tests" / "support" / "odd_tools.py"


class Campaign:
    """Where it plays, with what, and where findings go."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.project = folder
        self.caches = lay_out(folder)
        self.options = options
        self.program = options.server.split() if options.server else HOLDFAST
        self.known = templates()
        truth = true_answers(self.project, self.caches)
        self.answers = learn(self.command(), self.project, self.known, truth)

    def client(self, program: Sequence[str] = ()) -> Client:
        return Client(self.command(program), self.project, self.answers, patience=self.options.patience)

    def command(self, program: Sequence[str] = ()) -> list[str]:
        confine = ["--confine"] if self.options.confine else []
        return [*(program or self.program), *serve_options(self.project, self.caches), *confine]

    def keep(self, name: str, data: bytes, finding: Finding) -> None:
        """Save what led to a finding, and say so."""
        folder = Path(self.options.findings)
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"wire-{name}-seed-{self.options.seed}.lines"
        file.write_bytes(data)
        print(f"FOUND in {name}, seed {self.options.seed}: {finding}\nits input: {file}", flush=True)


def rounds(campaign: Campaign) -> dict[str, Any]:
    """Round after round of fuzzed traffic to one server; memory is sampled when everything is answered."""
    return _rounds(campaign, "rounds", campaign.options.messages, huge=False)


def long_lines(campaign: Campaign) -> dict[str, Any]:
    """The same with a line of 20 MB in every round, twenty or more in all; memory must come back each time."""
    return _rounds(campaign, "long_lines", max(40, campaign.options.messages // 20), huge=True)


def _rounds(campaign: Campaign, name: str, total: int, *, huge: bool) -> dict[str, Any]:
    seed = campaign.options.seed
    client = campaign.client()
    memory: list[float] = []
    earlier = data = b""
    started = time.monotonic()
    sent = 0
    try:
        # The first lines come before the connection is open.
        traffic = Traffic(f"{seed}:unopened", client.model, campaign.known)
        earlier = _send(client, traffic.lines(50), seed)
        opening = _request("open", INITIALIZE)
        client.model.opened = True
        earlier += _send(client, [Sent(opening, Owed(key_of("open"), 0), None)], seed)
        size = min(ROUND, max(1, total // 20))
        for number in range(-(-total // size)):
            first_id = 1000 + number * ROUND * 10
            traffic = Traffic(f"{seed}:{number}", client.model, campaign.known, first_id=first_id)
            count = min(size, total - sent)
            data = _send(client, traffic.lines(count, huge=huge), f"{seed}:{number}")
            client.settle()
            sent += count
            memory.append(client.server.memory())
            earlier = earlier[:300_000] if number == 0 else b""
        seconds = time.monotonic() - started
        peak = client.server.peak_memory()
        client.server.send(b'{"jsonrpc":"2.0","id":"cut o')  # the last line is cut short
        client.expect([Sent(b"", Owed(None, -32700), None)])
        client.finish()
        grown = _growth(memory)
        if (max(memory) > SETTLED) if huge else (grown > GROWTH):
            raise Finding(f"memory grew by {grown:.1f} MiB: {[round(value, 1) for value in memory]}")
    except (Finding, BrokenPipeError) as finding:
        campaign.keep(name, _request("open", INITIALIZE) + b"\n" + earlier + data, _as_finding(finding, client))
        raise
    finally:
        client.end()
    return {
        "messages": sent,
        "answers": client.answered,
        "cancelled in flight": client.unanswered,
        "calls": sum(client.model.calls.values()),
        "messages a second": round(sent / seconds),
        "memory when idle, MiB": f"{min(memory):.1f} to {max(memory):.1f}",
        "growth, MiB": round(grown, 1),
        "peak, MiB": round(peak, 1),
    }


def flood(campaign: Campaign) -> dict[str, Any]:
    """Ten thousand requests in one breath (a short campaign has fewer), and no answer read before the last is sent."""
    client = campaign.client()
    data = b""
    try:
        client.pause()
        client.model.opened = True
        opening = Sent(_request("open", INITIALIZE), Owed(key_of("open"), 0), None)
        asked = [opening, *_valid_lines(campaign, client, min(FLOOD, campaign.options.messages))]
        data = _send(client, asked, "flood", whole=True)
        client.resume()
        client.settle()
        peak = client.server.peak_memory()
        client.finish()
    except (Finding, BrokenPipeError) as finding:
        campaign.keep("flood", data, _as_finding(finding, client))
        raise
    finally:
        client.end()
    return {"requests": len(asked), "answers": client.answered, "peak, MiB": round(peak, 1)}


def silence(campaign: Campaign) -> dict[str, Any]:
    """A client that stops reading, writes until the server takes no more, and then reads again."""
    figures: dict[str, Any] = {}
    for name, method in (("short answers", "ping"), ("long answers", "tools/list"), ("calls", "tools/call")):
        client = campaign.client()
        try:
            client.pause()
            client.model.opened = True
            client.expect([Sent(b"", Owed(key_of("open"), 0), None)])
            client.server.send(_request("open", INITIALIZE) + b"\n")
            taken = _write_until_full(client, campaign, method)
            held = client.server.memory()
            client.resume()
            client.settle()
            client.finish()
            if held > WAITING:
                raise Finding(f"{name}: {held:.0f} MiB are held for a client that does not read")
        except (Finding, BrokenPipeError) as finding:
            campaign.keep(f"silence-{method.replace('/', '-')}", b"", _as_finding(finding, client))
            raise
        finally:
            client.end()
        figures[name] = f"{taken} requests taken in, {held:.0f} MiB held, {client.answered} answered later"
    return figures


def backlog(campaign: Campaign) -> dict[str, Any]:
    """Calls that pile up behind sixteen slow ones, until the server takes no more; then the slow ones end."""
    pipe = campaign.project / "pipe"
    os.mkfifo(pipe)
    client = campaign.client([sys.executable, str(ODD_TOOLS)])
    try:
        slow = {"method": "tools/call", "params": {"name": "odd.wait", "arguments": {"pipe": str(pipe)}, "_meta": META}}
        client.expect([Sent(b"", Owed(key_of(f"slow {number}"), RESULT), None) for number in range(16)])
        client.model.calls["odd.wait"] = 16
        client.server.send(b"".join(_request(f"slow {number}", slow) + b"\n" for number in range(16)))
        taken = _write_until_full(client, campaign, "tools/call", era=META)
        held = client.server.memory()
        with open(pipe, "wb"):
            pass
        client.settle()
        client.finish()
        if held > WAITING:
            raise Finding(f"{held:.0f} MiB are held for calls that wait for others")
    except (Finding, BrokenPipeError) as finding:
        campaign.keep("backlog", b"", _as_finding(finding, client))
        raise
    finally:
        client.end()
    return {"calls": taken, "held, MiB": round(held), "answers": client.answered}


def departure(campaign: Campaign) -> dict[str, Any]:
    """A client that closes its reading end and goes on writing: nothing can be answered, and the end is still 0."""
    server = ServerProcess(campaign.command(), campaign.project)
    turns = min(200, campaign.options.messages // len(campaign.known) + 1)
    lines = [_request(number, template.message) for number, template in enumerate(campaign.known * turns)]
    data = _request("open", INITIALIZE) + b"\n" + b"\n".join(lines)
    try:
        server.stop_reading()
        server.send(data)
        server.close_input()
        code = server.wait()
        if code != 0:
            raise Finding(f"the server ended with {code}: {server.stderr[-2000:]}")
    except (Finding, BrokenPipeError) as finding:
        campaign.keep("departure", data, Finding(f"{finding} {server.stderr[-2000:]}"))
        raise
    finally:
        server.end()
    return {"requests nobody waits for": len(lines), "exit code": code}


def replay(campaign: Campaign, file: Path) -> dict[str, Any]:
    """Send a saved input again, as it is."""
    client = campaign.client()
    data = file.read_bytes()
    try:
        client.expect([Sent(line, *client.model.hear(line)) for line in data.split(b"\n")])
        client.server.send(data)
        client.finish()
    except BrokenPipeError as finding:
        raise _as_finding(finding, client) from None
    finally:
        client.end()
    return {"lines": data.count(b"\n"), "answers": client.answered}


def _request(identifier: object, message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message, "id": identifier}).encode()


def _send(client: Client, lines: Sequence[Sent] | Iterator[Sent], seed: str, *, whole: bool = False) -> bytes:
    """Send lines in pieces that end anywhere, a character's middle included; all the bytes that were sent."""
    random = Random(f"{seed}:pieces")
    everything: list[bytes] = []
    batch: list[Sent] = []
    waiting = b""
    for sent in lines:
        batch.append(sent)
        if len(batch) == 400:
            waiting += _batch(client, batch, everything)
            cut = len(waiting) if whole else random.randrange(len(waiting) + 1)
            client.server.send(waiting[:cut])
            waiting = waiting[cut:]
            batch.clear()
            if client.finding:
                break
    client.server.send(waiting + _batch(client, batch, everything))
    return b"".join(everything)


def _batch(client: Client, batch: list[Sent], everything: list[bytes]) -> bytes:
    client.expect(batch)
    data = b"".join([sent.line + b"\n" for sent in batch])
    everything.append(data)
    return data


def _valid_lines(campaign: Campaign, client: Client, count: int) -> Iterator[Sent]:
    for identifier in range(count):
        number = identifier % len(campaign.known)
        template = campaign.known[number]
        if template.tool:
            client.model.count(template.tool)
        line = template.before_id + str(identifier).encode() + template.after_id
        yield Sent(line, Owed(key_of(identifier), number), None)


def _write_until_full(client: Client, campaign: Campaign, method: str, era: object = None) -> int:
    """Write requests until the server has taken none for a while; how many were written.

    What it would not take is sent from the side, and gets through once it reads again.
    """
    fitting = [(n, known) for n, known in enumerate(campaign.known) if known.message["method"] == method]
    number, template = next(pair for pair in fitting if pair[1].message.get("params", {}).get("_meta") == era)
    poll = select.poll()
    poll.register(client.server.stdin, select.POLLOUT)
    written = 0
    rest = memoryview(b"")
    os.set_blocking(client.server.stdin, False)
    while poll.poll(STALLED):
        if not rest:
            batch = []
            for _ in range(200):
                written += 1
                line = template.before_id + str(written).encode() + template.after_id
                batch.append(Sent(line, Owed(key_of(written), number), None))
            if template.tool:
                client.model.calls[template.tool] += len(batch)
            client.expect(batch)
            rest = memoryview(b"".join([sent.line + b"\n" for sent in batch]))
        try:
            rest = rest[os.write(client.server.stdin, rest) :]
        except BlockingIOError:
            pass  # there was room, but not for a whole write
    os.set_blocking(client.server.stdin, True)
    client.aside(bytes(rest))
    return written


def _growth(memory: list[float]) -> float:
    """By how much memory grew over the second half, when everything that is ever loaded has been."""
    quarter = max(1, len(memory) // 4)
    return median(memory[-quarter:]) - median(memory[quarter : 2 * quarter] or memory[:1])


def _as_finding(error: Exception, client: Client) -> Finding:
    if isinstance(error, Finding):
        return error
    code = client.server.wait(5)
    return Finding(f"the server ended with {code}: {client.finding} {client.server.stderr[-4000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("messages", nargs="?", type=int, default=1_000_000, help="how many (default: a million)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--confine", action="store_true", help="serve confined to the project and its caches")
    parser.add_argument("--patience", type=float, default=60, help="seconds without an answer that count as never")
    parser.add_argument("--findings", default="campaign-findings", help="where inputs that found something are kept")
    parser.add_argument("--server", help="another program to start instead of the server, with the same arguments")
    parser.add_argument("--only", choices=[scenario.__name__ for scenario in SCENARIOS], help="one part of it")
    parser.add_argument("--replay", type=Path, help="a saved input to send again")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        try:
            campaign = Campaign(Path(folder).resolve(), options)
            if options.replay:
                _tell("replay", replay(campaign, options.replay))
            for scenario in SCENARIOS:
                if not options.replay and options.only in (None, scenario.__name__):
                    _tell(scenario.__name__, scenario(campaign))
        except (Finding, BrokenPipeError) as finding:
            print(f"FAILED, seed {options.seed}: {finding}")
            return 1
    print(f"no findings; seed {options.seed}, {time.monotonic() - started:.0f} s")
    return 0


SCENARIOS: tuple[Callable[[Campaign], dict[str, Any]], ...] = (rounds, long_lines, flood, silence, backlog, departure)


def _tell(name: str, figures: dict[str, Any]) -> None:
    print(f"{name}: " + "; ".join(f"{key} {value}" for key, value in figures.items()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
