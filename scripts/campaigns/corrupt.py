"""Damage at random places of a cache is named by verify, and never changes an answer: right bytes or cache_invalid.

First accidents: bits flipped, bytes overwritten, inserted, cut out, files cut short, extended, deleted, or replaced by
a link, a folder or a pipe. `verify` must name each; every question, asked cold, of a cache opened before the damage,
and of a running server, must be answered with the right bytes or with cache_invalid, soon. Half of the accidents happen
to a cache whose tokens were counted by a tokenizer, where one is installed.
Then malice: index files made to mislead, with every checksum put right. A process limited to 64 MB more than it starts
with must answer from the cache's own documents, and open nothing else.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from campaign import CREATED_AT, TOKENIZER, Campaign, arguments, command_line, environment, scratch

from holdfast.caches.build.build import build_cache
from holdfast.caches.build.build_order import BuildOrder
from holdfast.caches.on_disk import counted_by
from holdfast.caches.on_disk.cache_listing import cache_name
from holdfast.caches.on_disk.open_caches import Cache, open_cache
from holdfast.caches.on_disk.verification import verify_cache
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import as_json as search_as_json
from holdfast.caches.selection import as_json
from holdfast.caches.tokenizers import O200K, is_installed
from holdfast.catalog import CATALOG
from holdfast.core.canonical_json import encode
from holdfast.core.errors import CacheInvalid
from holdfast.operation import answer
from holdfast.workspace import Workspace
from support.doors import StdioServer

ACCIDENTAL, MALICE = "accidents", "malice"
INVALID = '{"error":{"code":"cache_invalid","message":"Cache exists but is invalid"}}\n'
PATIENCE = 20
# A tool to ask and its arguments, the cache left out. One that does not exist here is left out.
QUESTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context.resolve", {"query": "ba be bi", "budget": 4000}),
    ("context.resolve", {"query": "id3x0 bo", "budget": 900}),
    ("context.resolve", {"query": "", "budget": 10**6}),
    ("context.search", {"query": "ba be bi", "budget": 4000, "format": "json"}),
    ("context.search", {"query": "id3x0 bo", "budget": 900, "explain": True, "format": "json"}),
)
OPERATIONS = {operation.tool: operation for operation in CATALOG if operation.tool}
ASKED = tuple(question for question in QUESTIONS if question[0] in OPERATIONS)


class TooLong(BaseException):
    """An answer that did not come."""


def too_long(*_: object) -> None:
    """What a signal does when time is up."""
    raise TooLong(f"no answer within {PATIENCE} s")


def ask(cache: Path, tool: str, given: dict[str, Any]) -> str:
    """The answer of a process that knows nothing yet."""
    workspace = Workspace(str(cache.parent), cache_root=str(cache.parent), door="tool")
    return answer(OPERATIONS[tool], {"cache": cache.name, **given}, workspace).text


class Accident(NamedTuple):
    """Damage done to one file: `damage` gets its bytes and gives others, or does to the file itself what it likes."""

    name: str
    damage: Callable[[Campaign, bytes], bytes] | None
    act: Callable[[Campaign, Path], None] | None = None


def _at(campaign: Campaign, data: bytes) -> int:
    return campaign.random.randrange(len(data))


def _flip(campaign: Campaign, data: bytes) -> bytes:
    at = _at(campaign, data)
    return data[:at] + bytes([data[at] ^ 1 << campaign.random.randrange(8)]) + data[at + 1 :]


def _overwrite(campaign: Campaign, data: bytes) -> bytes:
    at, length = _at(campaign, data), campaign.random.randrange(1, 17)
    return data[:at] + campaign.random.randbytes(length)[: len(data) - at] + data[at + length :]


def _insert(campaign: Campaign, data: bytes) -> bytes:
    at = _at(campaign, data)
    return data[:at] + campaign.random.randbytes(campaign.random.randrange(1, 17)) + data[at:]


def _cut_out(campaign: Campaign, data: bytes) -> bytes:
    at = _at(campaign, data)
    return data[:at] + data[at + campaign.random.randrange(1, 17) :]


def _cut_short(campaign: Campaign, data: bytes) -> bytes:
    return data[: _at(campaign, data)]


def _extend(campaign: Campaign, data: bytes) -> bytes:
    size = campaign.random.choice((1, 3, 100, 70_000))
    return data + campaign.random.choice((bytes(size), b" " * size, campaign.random.randbytes(size)))


def _zero_page(campaign: Campaign, data: bytes) -> bytes:
    at = _at(campaign, data) // 512 * 512
    return data[:at] + bytes(len(data[at : at + 512])) + data[at + 512 :]


def _delete(_: Campaign, file: Path) -> None:
    file.unlink()


def _into_a_link(_: Campaign, file: Path) -> None:
    moved = file.parent.parent.parent / "moved"
    shutil.copyfile(file, moved)
    file.unlink()
    file.symlink_to(moved)


def _into_a_folder(_: Campaign, file: Path) -> None:
    file.unlink()
    file.mkdir()


def _into_a_pipe(_: Campaign, file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


ACCIDENTS = (
    *[Accident("bit flipped", _flip)] * 6,
    *[Accident("bytes overwritten", _overwrite)] * 3,
    *[Accident("bytes inserted", _insert)] * 2,
    *[Accident("bytes cut out", _cut_out)] * 2,
    *[Accident("cut short", _cut_short)] * 2,
    *[Accident("extended", _extend)] * 2,
    Accident("a sector of zeros", _zero_page),
    Accident("file deleted", None, _delete),
    Accident("a link instead", None, _into_a_link),
    Accident("a folder instead", None, _into_a_folder),
    Accident("a pipe instead", None, _into_a_pipe),
)


class Accidents:
    """One cache, damaged and restored. Sabotaged, verify sees nothing."""

    def __init__(self, campaign: Campaign, cache: Path, name: str, *, sabotage: bool) -> None:
        self.campaign = campaign
        self.cache = cache
        self.name = name
        self.sabotage = sabotage
        self.expected = [ask(cache, tool, given) for tool, given in ASKED]
        files = [str(path.relative_to(cache)) for path in sorted(cache.rglob("*")) if path.is_file()]
        compiled = [name for name in files if name.startswith("index/")]
        documents = [name for name in files if name.startswith("documents/")]
        # As many chances for the index as for all documents together, and some for the two listings.
        self.groups = (compiled, compiled, documents, documents, ["manifest.json"], ["index.json"])

    def run(self, count: int) -> None:
        with StdioServer(self.cache.parent, env=environment()) as server:
            for number in range(count):
                self.one(number, server if number % 10 == 0 else None)
            if server.close() != 0:
                self.campaign.find("the server did not end with 0")

    def one(self, number: int, server: StdioServer | None) -> None:
        """One accident: do it, look, put it right."""
        name = self.campaign.random.choice(self.campaign.random.choice(self.groups))
        accident = self.campaign.random.choice(ACCIDENTS)
        file = self.cache / name
        before = file.read_bytes()
        held = open_cache(self.cache)
        if accident.act is not None:
            accident.act(self.campaign, file)
        elif accident.damage is not None:
            after = accident.damage(self.campaign, before)
            if after == before:
                held.close()
                return
            file.write_bytes(after)
        where = f"{self.name}, {number}: {name}, {accident.name}"
        self.campaign.counts[f"times {accident.name}"] += 1
        signal.alarm(PATIENCE)
        try:
            self._look(where, name, held)
            if server is not None:
                for asked, (tool, given) in enumerate(ASKED):
                    self._compare(
                        f"{where}, server", asked, server.call(tool, {"cache": self.cache.name, **given}).text
                    )
        except (Exception, TooLong) as error:
            self.campaign.find(f"{where}: {type(error).__name__}: {error}")
        finally:
            signal.alarm(0)
            held.close()
            if file.is_dir() and not file.is_symlink():
                file.rmdir()
            else:
                file.unlink(missing_ok=True)
            file.write_bytes(before)

    def _look(self, where: str, name: str, held: Cache) -> None:
        for number, (tool, given) in enumerate(ASKED):
            self._compare(f"{where}, cold", number, ask(self.cache, tool, given))
            self._compare(f"{where}, opened before", number, _ask_held(held, tool, given))
        problems = [] if self.sabotage else verify_cache(self.cache).problems
        if any(name in problem.file or name in problem.problem for problem in problems):
            self.campaign.counts["damages named by verify"] += 1
        elif name == "manifest.json" and self._only_the_time():
            self.campaign.counts["damages that made the time of the build another time: no answer holds it"] += 1
        else:
            self.campaign.find(f"{where}: verify says {problems[:2]}")

    def _only_the_time(self) -> bool:
        """Whether the listing still says what it said, but for when the cache was built, and that it says well."""
        from holdfast.caches.cache_format import parse_manifest
        from holdfast.caches.listing_text import encode_manifest
        from holdfast.caches.on_disk.verification import _is_moment

        data = (self.cache / "manifest.json").read_bytes()
        manifest = parse_manifest(data)
        return (
            data == encode_manifest(manifest) and _is_moment(manifest.created_at) and manifest.created_at != CREATED_AT
        )

    def _compare(self, where: str, number: int, found: str) -> None:
        if found == self.expected[number]:
            self.campaign.counts["answers with the right bytes"] += 1
        elif found == INVALID:
            self.campaign.counts["answers cache_invalid"] += 1
        else:
            self.campaign.find(f"{where}: another answer: {found[:200]!r}")


def _ask_held(held: Cache, tool: str, given: dict[str, Any]) -> str:
    """The answer of a cache that was open before."""
    try:
        if tool == "context.resolve":
            return encode(as_json(held.resolve(**given))) + "\n"
        request = SearchRequest(
            given["query"], given["budget"], explain=given.get("explain", False), cache=cache_name(held.directory.path)
        )
        return encode(search_as_json(held.find(request))) + "\n"
    except CacheInvalid:
        return INVALID


def malice(campaign: Campaign, folder: Path, count: int) -> None:
    """Misled on purpose, in a process that can hold little more."""
    command = [sys.executable, str(Path(__file__).parent / "misled.py"), str(folder), str(count), str(campaign.seed)]
    done = subprocess.run(command, capture_output=True, env=environment(), timeout=600 + count)
    lines = done.stdout.decode().splitlines()
    for line in lines:
        kind, _, what = line.partition(" ")
        if kind == "count":
            name, _, number = what.rpartition(" ")
            campaign.counts[name] += int(number)
        else:
            campaign.find(what)
    if done.returncode != 0:
        campaign.find(f"the limited process ended with {done.returncode}: {done.stderr.decode()[-400:]}")


@contextmanager
def forgetful() -> Iterator[None]:
    """As if it did not matter how tokens were counted: the documents answer whenever the section index cannot."""
    with patch.object(counted_by, "tokenizer_of_documents", lambda _: TOKENIZER):
        yield


def run(campaign: Campaign, count: int, documents: int, only: str | None, *, sabotage: bool) -> None:
    from benchmarks.corpus import text

    signal.signal(signal.SIGALRM, too_long)
    with scratch(in_memory=True) as folder:
        for number in range(documents):
            source = folder / "sources" / f"{number % 5}" / f"{number}.md"
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(text(number), encoding="utf-8")
        root = folder / "root"
        root.mkdir()
        build_cache(folder / "sources", root / "cache", BuildOrder(CREATED_AT, tokenizer=TOKENIZER))
        (folder / "root" / "secret.json").write_text('{"content":"SECRET"}')
        caches = [root / "cache"]
        if is_installed(O200K):
            build_cache(folder / "sources", root / "counted", BuildOrder(CREATED_AT, tokenizer=O200K))
            caches.insert(0, root / "counted")
        for cache in caches if only != MALICE else ():
            name = O200K if cache.name == "counted" else TOKENIZER
            accidents = Accidents(campaign, cache, name, sabotage=sabotage and name == TOKENIZER)
            if sabotage and name == O200K:
                with forgetful():
                    accidents.run(count // len(caches))
            else:
                accidents.run(count // len(caches))
            campaign.counts[f"accidents to a cache counted by {name}"] = count // len(caches)
            if problems := verify_cache(cache).problems:
                campaign.find(f"the campaign itself left {problems}")
        if only != ACCIDENTAL:
            malice(campaign, root, count // 4)


def main() -> int:
    parser = arguments(__doc__, "count", 2000, "accidents")
    parser.add_argument("--documents", type=int, default=60, help="size of the caches (default 60)")
    parser.add_argument("--only", help="one half", choices=[ACCIDENTAL, MALICE])
    given = parser.parse_args()
    campaign = Campaign("corrupt", given.seed, command_line(given.count, "--documents", given.documents))
    run(campaign, given.count, given.documents, given.only, sabotage=given.sabotage)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
