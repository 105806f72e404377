"""Commands that write are interrupted at every system call, and leave the complete old state or the complete new one.

Each command runs in a copy of a project. Call by call, one fails (ENOSPC, EIO, EACCES, once or from then on; a write
comes up short) or the process is killed there. As root the command also runs on real file systems that are full, have
no inodes left, or are read-only. Afterwards every file must be the old or the new one, every cache must be sound, and
the next run must succeed and leave no stray file. Another command is one more line in SUBJECTS.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import forked_command
from campaign import Campaign, Snapshot, arguments, command_line, scratch, snapshot
from clone import registry
from clone_world import Copy, World
from faulty_disk import MODES, Mode, install_for_good

from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.project.project_lock import parse_lock
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE, parse_context, read_context_bytes
from support.example_project import example_project

_IN_THE_MAKING = re.compile(r"\.holdfast-")
_PAGE = 4096
_ROOMY = "size=64m,nr_inodes=20000"


class Subject(NamedTuple):
    """A command, what is run before it in the old state, and what a person runs after it was interrupted.

    In each, REGISTRY is a registry's address and TEAM a part of it that no other case writes to.
    """

    words: str
    prepare: str = ""
    again: tuple[str, ...] = ()  # the command itself where there is nothing here

    @property
    def next_runs(self) -> tuple[str, ...]:
        return self.again or (self.words,)

    @property
    def sends(self) -> bool:
        """Whether what it writes lies in a registry, so that each case prepares its own."""
        return "TEAM" in self.words


SUBJECTS = (
    Subject("add handbook handbook", again=("add handbook handbook", "sync")),
    Subject("sync"),
    Subject("pull shared oci://REGISTRY/team/handbook:2", prepare="pull shared oci://REGISTRY/team/handbook:1"),
    Subject(
        "push docs oci://TEAM/docs:1",
        prepare="push .context/older oci://TEAM/docs:1",
        # What is there now is whole, whichever of the two it is.
        again=("pull fetched oci://TEAM/docs:1", "push docs oci://TEAM/docs:1", "pull fetched oci://TEAM/docs:1"),
    ),
    Subject("setup codex cursor --project --yes"),
    Subject("init"),
    Subject("spec approve login design --by ada"),
    Subject("spec merge login"),
    Subject("merge-driver base.yaml ours.yaml theirs.yaml src/.context.yaml"),
    Subject("setup git"),
    Subject("setup ci"),
    Subject("regen --all"),
    Subject("rehash"),
    Subject("config max_depth 4"),
    Subject("steering init"),
    Subject("spec init reset"),
    Subject("search deploy --receipt receipt.json"),
)
# Real ones, where this process may mount: what is left for the command is counted in pages or inodes.
FULL, NO_INODES, READ_ONLY = Mode("full tmpfs"), Mode("tmpfs without inodes"), Mode("read-only")
MOUNTED = (FULL, NO_INODES, READ_ONLY)


class Case(NamedTuple):
    """One command, interrupted once."""

    subject: Subject
    mode: Mode
    at: int


class Series(NamedTuple):
    """A case and those that follow it.

    True: the calls after it, until the command ends by itself. None: an earlier call where it ended before its turn.
    """

    first: Case
    every_call: bool | None


class Verdict(NamedTuple):
    """What became of a case; `hit` is empty where the command ended before its turn came."""

    hit: str
    state: str
    problems: list[str]


class Known(NamedTuple):
    """What an undisturbed command does: the world before it, the states from that one on, how the next runs end."""

    old: World
    states: list[Snapshot]
    codes: list[int | None]


class Interrupter:
    """Runs cases in copies of one project, each at a place of this process's own."""

    def __init__(self, world: World, address: str) -> None:
        self.world = world
        self.address = address
        self.known: dict[str, Known] = {}
        self._copies: dict[str, Copy] = {}
        self._runs = 0

    def learn(self, subject: Subject) -> None:
        """Run a command undisturbed, and keep the old state, the new one, and what the next runs made and said."""
        top = self.world.top.parent
        old = self.world.copy_to(top / f"old-{len(self.known)}")
        self._prepare(old, subject)
        world = old.copy_to(top / "learned")
        states, codes = [_state(old)], []
        for line in (subject.words, *subject.next_runs):
            codes.append(self.run(world, line).code)
            states.append(_state(world))
        if codes[0] or (states[0] == states[1] and not subject.sends):
            raise RuntimeError(f"{subject.words}: exit {codes[0]}, and nothing to interrupt")
        self.known[subject.words] = Known(old, states, codes[1:])

    def _prepare(self, world: World, subject: Subject) -> None:
        self._runs += 1
        if subject.prepare and (ran := self.run(world, subject.prepare)).code:
            raise RuntimeError(f"{subject.prepare}: {ran.output.decode()}")

    def run(self, world: World, line: str, before: Callable[[], object] = lambda: None) -> forked_command.Ran:
        team = f"{self.address}/team-{os.getpid()}-{self._runs}"
        words = shlex.split(line.replace("REGISTRY", self.address).replace("TEAM", team))
        return forked_command.run(words, str(world.project), world.environment(), before=before)

    def __call__(self, case: Case) -> Verdict:
        known = self.known[case.subject.words]
        old = known.old
        top = self.world.top.parent / f"copy-{os.getpid()}"
        if case.mode in MOUNTED:
            with _mounted(top) as limit:
                world = old.copy_to(top / "world")
                if case.subject.sends:
                    self._prepare(world, case.subject)
                hit = limit(case)
                ran = self.run(world, case.subject.words)
                subprocess.run(["mount", "-o", f"remount,rw,{_ROOMY}", str(top)], check=True)
                return self._verdict(case, world, ran, hit if ran.code else "", known)
        told = self.world.top.parent / f"told-{os.getpid()}"
        told.unlink(missing_ok=True)
        world = self._copies.setdefault(case.subject.words, Copy(old, Path(f"{old.top}-{os.getpid()}"))).fresh()
        if case.subject.sends:
            self._prepare(world, case.subject)
        ran = self.run(world, case.subject.words, lambda: install_for_good(case.at, case.mode, str(told)))
        return self._verdict(case, world, ran, told.read_text() if told.exists() else "", known)

    def _verdict(self, case: Case, world: World, ran: forked_command.Ran, hit: str, known: Known) -> Verdict:
        states = known.states
        if not hit:
            return Verdict("", "", [])
        found, killed, problems = _state(world), case.mode.kill, []
        if ran.code is None:
            problems.append("it hangs")
        elif ran.code in (7, 70) or b"Traceback" in ran.output or (ran.code < 0 and not killed):
            problems.append(f"exit {ran.code}: {ran.output[-200:].decode('utf-8', 'replace')}")
        torn = _torn(world, found, states)
        state = "the old state" if found == states[0] else "the new state" if found == states[1] else "each file whole"
        if torn:
            problems.append(f"neither old nor new: {', '.join(torn[:3])}")
        for line, code in zip(case.subject.next_runs, known.codes, strict=True):
            again = self.run(world, line)
            if again.code not in (0, code):
                problems.append(f"the next run: exit {again.code}: {again.output[-200:].decode('utf-8', 'replace')}")
        after = _state(world)
        strays = [name for name in snapshot(world.project) if _IN_THE_MAKING.search(name)]
        if strays:
            problems.append(f"the next run left {', '.join(strays[:3])}")
        elif after not in states[1:]:
            other = [name for name in {**after, **states[-1]} if after.get(name) != states[-1].get(name)]
            problems.append(f"the next run made another state: {', '.join(other[:3])}")
        return Verdict(hit, state, problems)


def _state(world: World) -> Snapshot:
    """What the project says, git's own files and what is in the making aside."""
    return {
        name: what
        for name, what in snapshot(world.project).items()
        if not (name.startswith(".git/") or _IN_THE_MAKING.search(name))
    }


def _torn(world: World, found: Snapshot, states: list[Snapshot]) -> list[str]:
    """Files that are neither old nor new, and caches that are not whole. What a failed read left out may be missing."""
    wrong = []
    for name, what in found.items():
        path = world.project / name
        if any(state.get(name) == what for state in states) or ".context/caches/" in f"{name}/":
            continue
        try:
            if path.name == CONTEXT_FILE:
                parse_context(read_context_bytes(str(path.parent)))
            elif path.name == "context.lock":
                parse_lock(path.read_bytes())
            else:
                wrong.append(name)
        except Exception as error:
            wrong.append(f"{name} ({error})")
    lost = [name for name in states[0] if name not in found and any(name in state for state in states[1:])]
    wrong += [name for name in lost if not name.startswith(".context/caches/")]
    for cache in (world.project / ".context/caches").glob("[!.]*"):
        wrong += [f"{cache.name}/{one.file} {one.problem}" for one in verify_cache(cache).problems[:1]]
    return wrong


@contextmanager
def _mounted(top: Path) -> Iterator[Callable[[Case], str]]:
    """A file system of its own, and what limits it to little more than it holds."""
    top.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", _ROOMY, "none", str(top)], check=True)

    def limit(case: Case) -> str:
        held = os.statvfs(top)
        options = {
            FULL: f"size={(held.f_blocks - held.f_bfree) * held.f_frsize + case.at * _PAGE}",
            NO_INODES: f"nr_inodes={held.f_files - held.f_ffree + case.at}",
            READ_ONLY: "ro",
        }[case.mode]
        subprocess.run(["mount", "-o", f"remount,{options}", str(top)], check=True)
        return case.mode.name if case.mode != READ_ONLY or case.at == 1 else ""

    try:
        yield limit
    finally:
        subprocess.run(["umount", "-l", str(top)], check=True)


def _lay_out(folder: Path, address: str) -> World:
    """The project that is interrupted, behind its sources. A registry, where there is one, holds two of its caches."""
    world = World(folder / "world")
    (world.top / "home/.local/state").mkdir(parents=True)
    (world.top / "home/.cache").mkdir()
    project = world.project
    project.mkdir()
    example_project(project)
    for name, text in ((".codex/config.toml", 'model = "x"\n'), (".cursor/mcp.json", '{"mcpServers": {}}\n')):
        (project / name).parent.mkdir()
        (project / name).write_text(text)
    shutil.rmtree(project / ".spec-context/steering")
    theirs = project / "theirs.yaml"
    theirs.write_text(theirs.read_text("utf-8").replace("Deploys.", "Deploys releases."), "utf-8")
    for cache, tag in ((".context/older", 1), ("docs", 2)) if address else ():
        words = ["push", cache, f"oci://{address}/team/handbook:{tag}"]
        if (ran := forked_command.run(words, str(project), world.environment())).code:
            raise RuntimeError(ran.output.decode())
    (project / "docs/guide.md").write_text("# Deploying\n\nNever deploy on a Friday.\n", "utf-8")
    return world


def run(campaign: Campaign, count: int, only: list[str], chosen: str | None, at: int | None) -> None:
    """`count` interruptions of every command, drawn by the seed; 0 is every call in every mode."""
    with scratch(in_memory=True) as folder, registry(folder / "registry") as address:
        forked_command.load()
        interrupter = Interrupter(_lay_out(folder, address), address)
        mounted = MOUNTED if _may_mount(folder / "probe") else ()
        modes = [mode for mode in (*MODES, *mounted) if chosen in (None, mode.name)]
        subjects = [one for one in SUBJECTS if not only or one.words in only]
        subjects = [one for one in subjects if address or "oci://" not in one.words]
        campaign.counts["modes"], campaign.counts["commands"] = len(modes), len(subjects)
        for subject in subjects:
            interrupter.learn(subject)
        if at is not None or not count:
            series = [Series(Case(subject, mode, at or 1), at is None) for subject in subjects for mode in modes]
        else:
            drawn = [(one, campaign.random.choice(modes)) for one in subjects for _ in range(count)]
            series = [Series(Case(one, mode, _draw(campaign, mode)), None) for one, mode in drawn]
        with multiprocessing.get_context("fork").Pool(
            len(os.sched_getaffinity(0)), _interrupters.append, (interrupter,)
        ) as pool:
            for one, verdicts in zip(series, pool.imap(_verdicts, series, chunksize=1), strict=True):
                for number, verdict in verdicts:
                    _count(campaign, one.first._replace(at=number), verdict)


def _may_mount(folder: Path) -> bool:
    folder.mkdir()
    tried = subprocess.run(["mount", "-t", "tmpfs", "none", str(folder)], stderr=subprocess.DEVNULL, check=False)
    return not (tried.returncode or subprocess.run(["umount", str(folder)], check=False).returncode)


def _draw(campaign: Campaign, mode: Mode) -> int:
    """A call, or what is left of a file system, that may lie behind the end of a command."""
    return campaign.random.randrange(1, 2 if mode == READ_ONLY else 16 if mode in MOUNTED else 260)


def _count(campaign: Campaign, case: Case, verdict: Verdict) -> None:
    if not verdict.hit:
        return
    campaign.counts["interruptions"] += 1
    campaign.counts[f"left {verdict.state}"] += 1
    campaign.counts[f"of '{case.subject.words}'"] += 1
    where = f"{case.subject.words}, call {case.at} ({verdict.hit}), {case.mode.name}"
    again = f"--only {json.dumps(case.subject.words)} --mode '{case.mode.name}' --at {case.at}"
    for problem in verdict.problems:
        campaign.find(f"{where}: {problem}", again)


_interrupters: list[Interrupter] = []


def _verdicts(asked: Series) -> list[tuple[int, Verdict]]:
    """What became of each case of a series, with the call that went wrong."""
    verdicts: list[tuple[int, Verdict]] = []
    case, every_call = asked
    while True:
        verdict = _interrupters[0](case)
        verdicts.append((case.at, verdict))
        if every_call and verdict.hit:
            case = case._replace(at=case.at + 1)
        elif every_call is None and not verdict.hit and case.at > 1:
            case = case._replace(at=case.at // 2)
        else:
            return verdicts


def main() -> int:
    parser = arguments(__doc__, "cases", 20, "interruptions of every command, 0 for every call in every mode")
    names = [subject.words for subject in SUBJECTS]
    parser.add_argument("--only", action="append", default=[], choices=names, help="a command; more than once for more")
    parser.add_argument("--mode", help="one mode", choices=[mode.name for mode in (*MODES, *MOUNTED)])
    parser.add_argument("--at", type=int, help="one call")
    given = parser.parse_args()
    campaign = Campaign("interruptions", given.seed, command_line(given.cases))
    if given.sabotage:
        with forked_command.writing_in_place():
            run(campaign, given.cases, given.only, given.mode, given.at)
    else:
        run(campaign, given.cases, given.only, given.mode, given.at)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
