"""A hostile clone does no harm: places x ways x commands, and everything outside is the same afterwards.

The places are all paths below the project that a command uses, found by tracing it. At each of them, one at a time,
something hostile is planted, and the command runs in a copy of its own, without a network but for a registry on this
machine. It must not change anything outside the project, show or store a word of a file outside, run anything of the
project, connect where it was not asked to, hang, or fail without a code; and a gate must not pass over a cache that is
damaged or behind.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import multiprocessing
import os
import random
import re
import socket
import struct
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import forked_command
from campaign import Campaign, arguments, command_line, scratch
from clone_ways import WAYS, Planted
from clone_world import BEHIND, IN_STEP, SECRET_WORDS, CommandLine, Copy, World, command_lines, lay_out, world_mark

from holdfast.caches.on_disk.verification import verify_cache
from holdfast.cli import COMMANDS
from support.registry import PROGRAM, Registry

_CACHES = (".context/caches/docs", ".context/caches/packages", ".context/caches/checkout", ".context/caches/shared")
_TAMPERED = ("damaged", "state of another", "forged state")
_NEW_NETWORK = 0x40000000
# The name of something in the making, which no clone can know in advance.
_RANDOM_NAME = re.compile(r"\.holdfast-[0-9a-f]{12}(-old)?$")
# These need somebody to end them.
_ENDLESS = {"watch"}


class Case(NamedTuple):
    """One thing planted at one place before one command."""

    line: CommandLine
    place: str
    way: str
    seed: int


class Judge:
    """Runs cases in copies of a world, each at a place of this process's own."""

    def __init__(self, worlds: dict[str, World], registry: str) -> None:
        self.worlds = worlds
        self.registry = registry
        self.sound = {name: self._caches(world) for name, world in worlds.items()}
        self._copies: dict[tuple[str, int], Copy] = {}

    def fresh(self, state: str) -> World:
        """A world in a state, in this process's own copy."""
        key = state, os.getpid()
        if key not in self._copies:
            template = self.worlds[state]
            self._copies[key] = Copy(template, template.top.parent / f"{state}-{os.getpid()}")
        return self._copies[key].fresh()

    def places(self, line: CommandLine) -> list[str]:
        """Every path below the project that a command uses, with the folders they lie in."""
        world = self.fresh(line.state)
        ran = forked_command.run(line.words, str(world.project), world.environment(), stdin=line.stdin, traced=True)
        found = set()
        for path in ran.touched:
            if not path.startswith(f"{world.project}/"):
                continue
            parts = os.path.relpath(path, world.project).split("/")
            if ".git" not in parts and not any(map(_RANDOM_NAME.search, parts)):
                found |= {"/".join(parts[: end + 1]) for end in range(len(parts))}
        return sorted(found)

    def __call__(self, case: Case) -> list[tuple[str, str]]:
        """The kinds of harm that were done, each with what was seen; nothing where the way does not apply."""
        world = self.fresh(case.line.state)
        dice = random.Random(f"{case.seed} {case.line.name} {case.place} {case.way}")
        try:
            if not WAYS[case.way](Planted(world, case.place, self.worlds["twin"], dice)):
                return [("not applicable", "")]
        except (FileExistsError, NotADirectoryError):
            return [("not applicable", "")]
        outside, inside = world.everything_outside(), _stamps(world.project)
        ran = forked_command.run(case.line.words, str(world.project), world.environment(), stdin=case.line.stdin)
        return list(self._harm(case, world, ran, outside, inside))

    def _harm(
        self,
        case: Case,
        world: World,
        ran: forked_command.Ran,
        outside: dict[str, tuple[object, ...]],
        inside: dict[str, tuple[int, ...]],
    ) -> Iterator[tuple[str, str]]:
        if world_mark(world.project).exists():
            yield "something of the project was run", ""
            world_mark(world.project).unlink()
        after = world.everything_outside()
        if after != outside:
            names = [name for name in {**outside, **after} if outside.get(name) != after.get(name)]
            yield "outside changed", ", ".join(sorted(names)[:4])
        if ran.code is None:
            yield "hang", ""
        elif ran.code in (7, 70) or ran.code < 0 or b"Traceback" in ran.output:
            yield "no code of its own", f"exit {ran.code}: {ran.output[-200:].decode('utf-8', 'replace')}"
        # A hard link is a file like any other: what it says may be read.
        for word in SECRET_WORDS:
            if word.encode() in ran.output:
                yield "a word from outside in an answer", word
            for name in _changed(world.project, inside):
                if word.encode() in Path(name).read_bytes():
                    yield "a word from outside in a file", f"{word} in {os.path.relpath(name, world.project)}"
                    break
        strange = [where for where in ran.connected if where != self.registry or not case.line.may_connect]
        if strange:
            yield "network", strange[0]
        yield from self._gates(case, world, ran.code)

    def _gates(self, case: Case, world: World, code: int | None) -> Iterator[tuple[str, str]]:
        """A gate that passes over what is behind or damaged; a command that keeps or sends what is damaged."""
        words = case.line.words
        if (
            code != 0
            or not case.place.startswith(".context/")
            or not (case.line.is_gate or words[0] in ("sync", "push"))
        ):
            return
        if case.line.state == BEHIND and case.line.is_gate and words[0] in ("sync", "doctor"):
            yield "a gate passed", "the sources are ahead of the lock"
        if case.line.state == IN_STEP and case.way in _TAMPERED and "--lock-only" not in words:
            held = self._caches(world)
            wrong = [name for name, sound in self.sound[IN_STEP].items() if sound and held[name] != sound]
            if words[0] == "push":
                wrong = [name for name in wrong if name.endswith(f"/{words[1]}")]
            if wrong:
                said = "sent" if words[0] == "push" else "called in step" if case.line.is_gate else "kept"
                yield f"a damaged cache was {said}", wrong[0]

    @staticmethod
    def _caches(world: World) -> dict[str, str]:
        """What each cache is: its version and its problems."""
        held = {}
        for name in _CACHES:
            if (path := world.project / name).is_dir():
                report = verify_cache(path)
                held[name] = f"{report.cache_version} {len(report.problems)}"
            else:
                held[name] = ""
        return held


def _stamps(project: Path) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for folder, _, files in os.walk(project):
        for name in files:
            status = os.lstat(path := os.path.join(folder, name))
            found[path] = (status.st_ino, status.st_mtime_ns, status.st_size)
    return found


def _changed(project: Path, before: dict[str, tuple[int, ...]]) -> list[str]:
    """Regular files that were written since."""
    return [
        path
        for path, stamps in _stamps(project).items()
        if before.get(path) != stamps and os.path.isfile(path) and not os.path.islink(path)
    ]


def leave_the_network() -> bool:
    """Have a network of this process's own, with nothing but loopback; False where the system refuses."""
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_NETWORK):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        up = struct.pack("16sh14x", b"lo", 0x1)
        fcntl.ioctl(asked, 0x8914, up)  # SIOCSIFFLAGS: the interface is up
    return True


@contextmanager
def registry(folder: Path) -> Iterator[str]:
    """The address of a registry on this machine; empty where the program is not installed."""
    if PROGRAM is None:
        yield ""
        return
    folder.mkdir()
    running = Registry(folder)
    try:
        yield running.host
    finally:
        running.kill()


def run(campaign: Campaign, given: argparse.Namespace) -> None:
    """Up to `given.cases` cases of every command line, drawn by the seed, for at most `given.seconds`; 0 is all."""
    with scratch(in_memory=True) as folder, registry(folder / "registry") as address:
        forked_command.load()
        judge = Judge(lay_out(folder, address), address)
        lines = [line for line in command_lines(address) if not given.only or _shown(line, address) in given.only]
        left_out = {command.name for command in COMMANDS} - _ENDLESS
        left_out -= {" ".join(line.words[:length]) for line in command_lines(address) for length in (1, 2)}
        if left_out - (set() if address else {"push", "pull"}):
            campaign.find(f"commands that no case runs: {sorted(left_out)}")
        with multiprocessing.get_context("fork").Pool(len(os.sched_getaffinity(0)), _judges.append, (judge,)) as pool:
            cases: list[Case] = []
            for line, places in zip(lines, pool.map(_places, lines, chunksize=1), strict=True):
                drawn = [
                    Case(line, one, by, campaign.seed)
                    for one in ([given.place] if given.place else places)
                    for by in ([given.way] if given.way else WAYS)
                ]
                campaign.random.shuffle(drawn)
                cases += drawn[: given.cases or None]
                campaign.counts["places of commands"] += len(places)
            campaign.random.shuffle(cases)
            campaign.counts["command lines"] = len(lines)
            ends = time.monotonic() + (given.seconds or float("inf"))
            judged = zip(cases, pool.imap(_verdict, cases, chunksize=1), strict=True)
            _judge(campaign, takewhile(lambda _: time.monotonic() < ends, judged), address)


_judges: list[Judge] = []


def _places(line: CommandLine) -> list[str]:
    return _judges[0].places(line)


def _verdict(case: Case) -> list[tuple[str, str]]:
    return _judges[0](case)


def _shown(line: CommandLine, address: str) -> str:
    """A command line as it is in every run, whatever the port of the registry."""
    return line.name.replace(address or "\0", "REGISTRY")


def _judge(campaign: Campaign, judged: Iterator[tuple[Case, list[tuple[str, str]]]], address: str) -> None:
    """Count every case; one finding for a kind of harm by one way at one place, whichever commands do it."""
    seen: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for case, harm in judged:
        if harm == [("not applicable", "")]:
            continue
        campaign.counts["cases"] += 1
        campaign.counts["cases with a finding"] += bool(harm)
        for kind, detail in harm:
            campaign.counts[f"cases: {kind}"] += 1
            commands = seen[(kind, case.line.name, "") if kind == "network" else (kind, case.way, case.place)]
            commands.append(_shown(case.line, address))
            if len(commands) == 1:
                again = f"--only {commands[0]!r} --place '{case.place}' --way '{case.way}' --seed {case.seed}"
                campaign.find(f"{kind}: {case.way} at {case.place}: {commands[0]}: {detail}", again)


def main() -> int:
    parser = arguments(__doc__, "cases", 40, "cases of every command line, 0 for all")
    parser.add_argument("--only", action="append", default=[], help="a command line; more than once for more than one")
    parser.add_argument("--seconds", type=int, default=0, help="no case after these; 0 for no bound")
    parser.add_argument("--place", help="one place, a path below the project")
    parser.add_argument("--way", help="one way", choices=WAYS)
    given = parser.parse_args()
    campaign = Campaign("clone", given.seed, command_line(given.cases))
    if not leave_the_network():
        campaign.counts["networks that could not be left: connections are recorded"] = 1
    if given.sabotage:
        with forked_command.writing_in_place():
            run(campaign, given)
    else:
        run(campaign, given)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
