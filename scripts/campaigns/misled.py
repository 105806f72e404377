"""The process that the corrupt campaign misleads. It may take 64 MB more than it starts with; every open is watched.

Prints `count WHAT NUMBER` and `finding WHAT` lines for the campaign.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from campaign import SOURCE
from corrupt import ASKED, INVALID, PATIENCE, ask, too_long
from hostile import HOSTILE, mutate_with_right_checksums

MOST_BYTES = 64 << 20


class Watch:
    """What is opened, and how much is asked for, while it is watched."""

    def __init__(self) -> None:
        self.watching = False
        self.opened: list[str] = []
        self.largest_read = 0
        self._really_pread = os.pread
        os.pread = self._pread
        sys.addaudithook(self._audit)

    def begin(self) -> None:
        self.opened.clear()
        self.largest_read = 0
        tracemalloc.reset_peak()
        self._floor = tracemalloc.get_traced_memory()[0]
        self.watching = True

    def asked_for(self) -> int:
        """The bytes held at most, or asked for at once."""
        return max(self.largest_read, tracemalloc.get_traced_memory()[1] - self._floor)

    def _pread(self, descriptor: int, length: int, offset: int) -> bytes:
        self.largest_read = max(self.largest_read, length)
        return self._really_pread(descriptor, length, offset)

    def _audit(self, event: str, given: tuple[Any, ...]) -> None:
        if self.watching and event == "open" and isinstance(given[0], str | bytes):
            self.opened.append(os.fsdecode(given[0]))


class Misled:
    """One cache whose index is replaced by misleading ones."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        self.sound = {path.name: path.read_bytes() for path in (cache / "index").iterdir()}
        self.expected = [ask(cache, tool, given) for tool, given in ASKED]
        documents = [json.loads(path.read_bytes()) for path in (cache / "documents").iterdir()]
        self.own = {document["version"]: document["content"] for document in documents}
        self.counts: Counter[str] = Counter()
        self.peak = 0
        self.watch = Watch()

    def meet(self, name: str, attack: Callable[[Path], None]) -> None:
        """One attack, all questions."""
        attack(self.cache)
        self.counts["misleading indexes with right checksums"] += 1
        for number in range(len(ASKED)):
            signal.alarm(PATIENCE)
            started = time.monotonic()
            try:
                self._ask(name, number)
            except BaseException as error:
                print(f"finding {name}, {ASKED[number]}: {type(error).__name__}: {error}")
            finally:
                self.watch.watching = False
                signal.alarm(0)
            if time.monotonic() - started > PATIENCE / 2:
                print(f"finding {name}, {ASKED[number]}: took {time.monotonic() - started:.0f} s")
        self._restore()

    def _ask(self, name: str, number: int) -> None:
        tool, given = ASKED[number]
        self.watch.begin()
        found = ask(self.cache, tool, given)
        self.watch.watching = False
        self.peak = max(self.peak, self.watch.asked_for())
        if self.watch.asked_for() > MOST_BYTES:
            print(f"finding {name}, {tool}: {self.watch.asked_for():,} bytes asked for")
        known = (str(self.cache), str(SOURCE), sys.base_prefix)  # the cache; modules loaded only now
        outside = [one for one in self.watch.opened if ".." in one or (one[0] == "/" and not one.startswith(known))]
        if outside or "SECRET" in found:
            print(f"finding {name}, {tool}: read outside the cache: {outside[:3]}")
        if found in (self.expected[number], INVALID):
            self.counts["answers of misled processes: right bytes or cache_invalid"] += 1
        elif self._is_sound(found):
            self.counts["answers of misled processes: another choice among the cache's own documents"] += 1
        else:
            print(f"finding {name}, {tool}: {found[:200]!r}")

    def _is_sound(self, found: str) -> bool:
        """Whether all that an answer holds is, word for word, from documents of the cache."""
        value = json.loads(found)
        given = value.get("documents", value.get("sections"))
        return given is not None and all(one["content"] in self.own.get(one["version"], "") for one in given)

    def _restore(self) -> None:
        index = self.cache / "index"
        if index.is_symlink():
            index.unlink()
        index.mkdir(exist_ok=True)
        for name, data in self.sound.items():
            path = index / name
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink(missing_ok=True)
            path.write_bytes(data)
        for stray in (self.cache / "documents").glob("evil*"):
            stray.unlink()


def main() -> int:
    cache, count, source = Path(sys.argv[1]) / "cache", int(sys.argv[2]), random.Random(int(sys.argv[3]))
    signal.signal(signal.SIGALRM, too_long)
    misled = Misled(cache)
    used = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmSize"))
    limit = int(used.split()[1]) * 1024 + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    tracemalloc.start()
    for name, attack in HOSTILE.items():
        misled.meet(name, attack)
    for number in range(count):
        misled.meet(f"mutation {number}", lambda path: mutate_with_right_checksums(source, path))
    misled.counts["bytes asked for at most by a misled process"] = misled.peak
    for name, number in misled.counts.items():
        print(f"count {name} {number}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
