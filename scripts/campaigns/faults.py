"""Every system call a write is made of fails in turn, and nothing but the old state or the new one is ever left.

Each subject below is run on an injected file system. Call by call, one is made to fail: with ENOSPC, EIO or EACCES,
once or from then on; a write comes up short; the process is killed right there. Afterwards the target must be
complete, old or new; a cache must verify; no descriptor may be left open; and the next run must succeed and leave no
stray file. Another thing that writes is one more line in SUBJECTS.
"""

from __future__ import annotations

import gc
import json
import os
import shutil  # before anything is replaced: it looks at what the system can do when it is loaded
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from campaign import (
    CREATED_AT,
    SOURCE,
    TOKENIZER,
    Campaign,
    Snapshot,
    arguments,
    command_line,
    scratch,
    snapshot,
    write_sources,
)
from faulty_disk import FAULT, MODES, FaultyDisk, Mode

from holdfast.caches.build.build import build_cache, build_documents
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.build.source_item import SourceItem
from holdfast.caches.on_disk.receipt_store import ReceiptStore
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.readers import reader_table
from holdfast.caches.search.receipts import make_record
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.tokenizers import O200K, USUAL, is_installed
from holdfast.catalog import CATALOG
from holdfast.core import atomic_write, worker_pool
from holdfast.core.errors import IoError
from holdfast.core.staging import is_staging_name
from holdfast.operation import Operation, answer
from holdfast.workspace import Workspace
from support.plain_reader import READER


class Subject(NamedTuple):
    """Something that writes: `act` turns the state that `prepare` left into the next one, and can be repeated."""

    name: str
    target: str
    prepare: Callable[[Path], None]
    act: Callable[[Path], None]
    in_workers: bool = False
    exchange: bool = True
    whole: bool = True  # otherwise several files, each old or new for itself
    next_act: Callable[[Path], None] | None = None  # the same at less expense, for the run that comes after a fault
    aside: str = "//"  # a folder that may be there or not, with anything in it


def _build(sources: str, cache: str, *, workers: int | None = None) -> Callable[[Path], None]:
    def act(home: Path) -> None:
        target = home / cache
        build_cache(
            home.parent / sources,
            target,
            BuildOrder(CREATED_AT, force=target.exists(), workers=workers, tokenizer=TOKENIZER),
        )

    return act


def _patch(text: str) -> Callable[[Path], None]:
    """Edit a page and build its cache, of the one that is there."""

    def act(home: Path) -> None:
        (home / "pages" / "3.plain").write_text(text, encoding="utf-8")
        root, cache = str(home / "pages"), home / "cache"
        known = [f"{number}.plain" for number in range(5)]
        build_documents(
            [SourceItem(name, f"{root}/{name}", READER.name, root, root) for name in known],
            cache,
            BuildOrder(CREATED_AT, force=True, workers=1, tokenizer=TOKENIZER),
            str(cache) if cache.exists() else None,
            set(known) - {"3.plain"},
        )

    return act


def _patched(home: Path) -> None:
    (home / "pages").mkdir()
    for number in range(5):
        (home / "pages" / f"{number}.plain").write_text(f"# page {number}\n\nwords of {number}", encoding="utf-8")
    _patch("one")(home)
    _patch("two")(home)


def _write(file: str, data: bytes) -> Callable[[Path], None]:
    return lambda home: atomic_write.write_file(str(home / file), data)


def _create(file: str, data: bytes) -> Callable[[Path], None]:
    def act(home: Path) -> None:
        atomic_write.create_file(str(home / file), data)

    return act


def _keep_receipt(home: Path) -> None:
    record = make_record("sha256:" + "0" * 64, USUAL, SearchRequest("one", 100), [])
    if warning := ReceiptStore().add(str(home), record):
        raise IoError(warning)


def _is_in_the_making(name: str) -> bool:
    """Whether something goes with the next run."""
    return any(is_staging_name(part) for part in name.split("/"))


def _nothing(_: Path) -> None:
    pass


def _old_file(home: Path) -> None:
    (home / "file").write_bytes(b"old")


SUBJECTS = (
    Subject("build", "cache", _nothing, _build("second", "cache")),
    Subject("build, folders above missing", "a/b/cache", _nothing, _build("second", "a/b/cache")),
    Subject("build --force", "cache", _build("first", "cache"), _build("second", "cache")),
    Subject("build --force, no exchange", "cache", _build("first", "cache"), _build("second", "cache"), exchange=False),
    Subject("build --force, many files", "cache", _build("first", "cache"), _build("many", "cache")),
    Subject(
        *("build --force, inside workers", "cache", _build("first", "cache"), _build("many", "cache", workers=2)),
        in_workers=True,
        next_act=_build("many", "cache"),
    ),
    Subject("an edit", "cache", _patched, _patch("three")),
    Subject("create a file", "file", _nothing, _create("file", b"new" * 4000)),
    Subject("write a new file", "file", _nothing, _write("file", b"new" * 4000)),
    Subject("serve --receipts", ".", _nothing, _keep_receipt, whole=False),
    Subject("replace a file", "file", _old_file, _write("file", b"new")),
)


READING = "reads"
# What is asked on a disk that fails: each answer must be the right one, or one of the codes a failing disk may give.
READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.resolve", {"cache": "cache", "query": "seven", "budget": 100}),
    ("context.search", {"cache": "cache", "query": "seven", "budget": 400}),
    ("context.inspect_cache", {"cache": "cache"}),
    ("context.list_caches", {}),
)
FAILED = tuple(f'{{"error":{{"code":"{code}",' for code in ("io_error", "cache_invalid", "cache_missing"))


def read_on_a_failing_disk(campaign: Campaign, folder: Path, every: int, tokenizer: str) -> None:
    """Every call of every read fails in turn, for a process that knows nothing yet and for one that holds the cache."""
    operations = {operation.tool: operation for operation in CATALOG}
    build_cache(folder / "many", folder / "cache", BuildOrder(CREATED_AT, force=True, tokenizer=tokenizer))
    for tool, given in READS:
        if tool not in operations:
            continue
        for mode in MODES[:5]:
            for warm in (False, True):
                at = 1
                while _one_read(campaign, operations[tool], given, folder, at, mode, warm=warm):
                    at += every
                campaign.counts[f"calls in '{tool}'"] = max(at - 1, campaign.counts[f"calls in '{tool}'"])


def _one_read(
    campaign: Campaign, operation: Operation, given: dict[str, Any], folder: Path, at: int, mode: Mode, *, warm: bool
) -> bool:
    """One answer with one fault; False when there is no such call any more."""

    def fresh() -> Workspace:
        return Workspace(str(folder), cache_root=str(folder), door="tool")

    workspace = fresh()
    expected = answer(operation, given, workspace if warm else fresh()).text
    disk = FaultyDisk(at, mode)
    with disk.installed():
        try:
            found = answer(operation, given, workspace).text
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    if not disk.hit:
        return False
    campaign.counts["faults injected into reads"] += 1
    if found == expected:
        campaign.counts["reads answered all the same"] += 1
    elif found.startswith(FAILED):
        campaign.counts["reads refused with a code"] += 1
    elif found == expected.replace('"has_manifest":true', '"has_manifest":false'):
        campaign.counts["listings of caches that could not be looked into"] += 1
    else:
        campaign.find(f"{operation.tool}, call {at} ({disk.hit}), {mode.name}: {found[:300]!r}")
    if answer(operation, given, workspace).text != expected:
        campaign.find(f"{operation.tool}, after call {at} ({disk.hit}) failed with {mode.name}: another answer")
    return True


class Run:
    """One subject under one mode, call after call."""

    def __init__(self, campaign: Campaign, subject: Subject, home: Path) -> None:
        self.campaign = campaign
        self.subject = subject
        self.home = home
        self.begin()
        self.old = snapshot(home / subject.target)
        subject.act(home)
        self.new = snapshot(home / subject.target)
        self.final = self.everything()

    def everything(self) -> Snapshot:
        """All there is, but for what may be there or not."""
        found = snapshot(self.home)
        return {name: what for name, what in found.items() if name.split("/")[0] != self.subject.aside}

    def begin(self) -> None:
        """The state before."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        self.subject.prepare(self.home)

    def case(self, at: int, mode: Mode) -> bool:
        """One run with one fault; False when there is no such call any more."""
        self.begin()
        disk = FaultyDisk(at, mode)
        gc.collect()
        before = len(os.listdir("/proc/self/fd"))
        if mode.kill and not self.subject.in_workers:
            error, hit = self._killed(disk)
        elif self.subject.in_workers:
            error, hit = self._in_workers(at, mode)
        else:
            error = None
            with disk.installed():
                try:
                    self.subject.act(self.home)
                except Exception as raised:
                    error = raised
            hit = disk.hit
        where = f"{self.subject.name}, call {at} ({hit}), {mode.name}"
        again = f"--only '{self.subject.name}' --mode '{mode.name}' --at {at}"
        self.campaign.counts["faults injected"] += bool(hit)
        if error is not None and not isinstance(error, OSError | IoError):
            self.campaign.find(f"{where}: {type(error).__name__}: {error}", again)
        if error is not None:
            error.__traceback__ = error.__context__ = error.__cause__ = None  # they hold on to what was open
        gc.collect()
        if len(os.listdir("/proc/self/fd")) > before:
            self.campaign.find(f"{where}: a descriptor was left open", again)
        self._check(where, again, error, killed=mode.kill and bool(hit))
        return bool(hit)

    def _killed(self, disk: FaultyDisk) -> tuple[Exception | None, str]:
        process = os.fork()
        if not process:
            with disk.installed():
                self.subject.act(self.home)
            os._exit(0)
        return None, "killed" if os.waitpid(process, 0)[1] == signal.SIGKILL else ""

    def _in_workers(self, at: int, mode: Mode) -> tuple[Exception | None, str]:
        """The fault happens in every worker process of the build instead of in this one."""
        real = worker_pool._MAIN
        here = [str(Path(__file__).parent), str(SOURCE)]
        told = self.home.parent / "hit"
        told.unlink(missing_ok=True)
        os.environ[FAULT] = json.dumps([at, mode, str(told)])
        prelude = f"import sys; sys.path[:0] = {here!r}; import faulty_disk; faulty_disk.install_in_worker(); "
        worker_pool._MAIN = prelude.replace("{", "{{").replace("}", "}}") + real
        try:
            self.subject.act(self.home)
        except Exception as raised:
            return raised, "in a worker"
        finally:
            worker_pool._MAIN = real
            del os.environ[FAULT]
        return None, "in a worker" if told.exists() else ""

    def _check(self, where: str, again: str, error: Exception | None, *, killed: bool) -> None:
        target = self.home / self.subject.target
        found = snapshot(target)
        if not self.subject.whole:
            known = {*self.old.items(), *self.new.items()}
            torn = [name for name, what in found.items() if (name, what) not in known and not _is_in_the_making(name)]
            lost = [name for name in self.old if name not in found]
            self.campaign.counts["left files that are each the old or the new"] += 1
            if torn or lost:
                self.campaign.find(f"{where}: neither old nor new: {(torn + lost)[:3]}", again)
        elif found == self.new:
            self.campaign.counts["left the new state"] += 1
        elif found == self.old and (error is not None or killed):
            self.campaign.counts["left the old state"] += 1
        elif not found and not self.subject.exchange:
            # Without an exchange there is a moment between two renames; the old cache waits beside its place.
            self.campaign.counts["left nothing between two renames, where the system cannot exchange"] += 1
        else:
            self.campaign.find(f"{where}: the target is neither the old state nor the new one", again)
        if (target / "manifest.json").exists() and (problems := verify_cache(target).problems):
            self.campaign.find(f"{where}: {problems[0]}", again)
        try:
            (self.subject.next_act or self.subject.act)(self.home)
        except Exception as raised:
            self.campaign.find(f"{where}: the next run failed: {type(raised).__name__}: {raised}", again)
            return
        after = self.everything()
        if after != self.final:
            stray = sorted(set(after) ^ set(self.final))[:3]
            self.campaign.find(f"{where}: the next run left something else: {stray}", again)


@contextmanager
def without_exchange() -> Iterator[None]:
    """A system that has neither a rename that refuses nor one that exchanges."""
    with patch.object(atomic_write, "special_rename", lambda *_, **__: False):
        yield


@contextmanager
def sabotaged() -> Iterator[None]:
    """Writers that write in place."""
    real = atomic_write.write_file

    def over(path: str, data: bytes) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.write(descriptor, data)
        os.close(descriptor)

    atomic_write.write_file = over
    really_exchange = atomic_write._exchange

    def in_place(source: str, target: str) -> str:
        shutil.rmtree(target)
        os.rename(source, target)
        return ""

    atomic_write._exchange = in_place
    try:
        yield
    finally:
        atomic_write.write_file, atomic_write._exchange = real, really_exchange


def run(campaign: Campaign, every: int, only: str | None, chosen: str | None, at: int | None) -> None:
    """Every `every`-th call of every subject, in every mode."""
    with scratch(in_memory=True) as folder:
        write_sources(folder / "first", "one two three", 3)
        write_sources(folder / "second", "four five six", 4)
        write_sources(folder / "many", "seven eight nine", 70, size=8)
        if only in (None, READING):
            for tokenizer in filter(is_installed, (TOKENIZER, USUAL, O200K)):
                read_on_a_failing_disk(campaign, folder, every, tokenizer)
        for subject in SUBJECTS:
            if only not in (None, subject.name):
                continue
            with nullcontext() if subject.exchange else without_exchange():
                run = Run(campaign, subject, folder / "home")
                calls = 0
                for mode in MODES:
                    if chosen not in (None, mode.name):
                        continue
                    start = at or campaign.random.randrange(every) + 1
                    last = start
                    while run.case(last, mode) and at is None:
                        last += every
                    calls = max(calls, last)
            campaign.counts[f"calls in '{subject.name}'"] = calls


def main() -> int:
    parser = arguments(__doc__, "every", 1, "let every so many-th call fail")
    parser.add_argument("--only", help="one subject", choices=[READING, *[subject.name for subject in SUBJECTS]])
    parser.add_argument("--mode", help="one mode", choices=[mode.name for mode in MODES])
    parser.add_argument("--at", type=int, help="one call")
    given = parser.parse_args()
    campaign = Campaign("faults", given.seed, command_line(given.every))
    reader_table.READERS = (*reader_table.READERS, READER)
    if given.sabotage:
        with sabotaged():
            run(campaign, given.every, given.only, given.mode, given.at)
    else:
        run(campaign, given.every, given.only, given.mode, given.at)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
