"""Builds killed at random moments leave the complete old cache, the complete new one, or none when there was none.

Fresh builds and `--force` in turn, each killed with SIGKILL at a moment drawn from the time a whole build takes, the
first as soon as it has a directory in the making; every third time one of the processes that share the work is killed
instead, and then the build itself must fail and clean up. After each the cache must verify, the next build must
succeed, and no stray file or process may be left.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from campaign import Campaign, arguments, command_line, digest, environment, scratch, write_sources

from holdfast.caches.on_disk.verification import verify_cache

# The `context` command, with builds shared among two processes from fewer documents on: shorter builds, more kills.
COMMAND = (
    "import sys; from holdfast import cli; from holdfast.caches.build import source_files; "
    "source_files._WORTH_A_WORKER = 50; source_files.core_count = lambda: 2; "
    "sys.exit(cli.run())"
)
SABOTAGE = "from holdfast.core import staging; staging.remove_abandoned = lambda *_: None; "


def children(process: int) -> list[int]:
    """The processes a process has started."""
    try:
        return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def is_alive(process: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def build(sources: Path, cache: Path, *options: str, command: str = COMMAND) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", command, "build", "--sources", sources, "--cache", cache, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )


def finished(process: subprocess.Popen[bytes], patience: float | None = 120) -> tuple[int, bytes]:
    """Exit code and stderr of a process, once it ended."""
    _, stderr = process.communicate(timeout=patience)
    return process.returncode, stderr


def one(
    campaign: Campaign, number: int, folder: Path, moment: float | None, known: dict[str, str], command: str
) -> None:
    """One build, killed after so many seconds, or as soon as it has a directory in the making."""
    home = folder / "home"
    cache = home / "cache"
    force = number % 2 == 1
    a_worker = number % 3 == 2
    again = f"--seed {campaign.seed}"
    before = digest(cache) if cache.exists() else ""
    second = known["second"] == before
    sources = folder / ("first" if second else "second")
    if not force and cache.exists():
        subprocess.run(["rm", "-r", cache], check=True)
        before = ""
    process = build(sources, cache, *(["--force"] if force else []), command=command)
    workers: list[int] = []
    started = time.monotonic()
    while process.poll() is None:
        if os.listdir(home) if moment is None else time.monotonic() >= started + moment:
            break
        workers = children(process.pid) or workers
        try:
            process.wait(0.002)
        except subprocess.TimeoutExpired:
            continue
    victims = [worker for worker in workers if is_alive(worker)] if a_worker else []
    victim = campaign.random.choice(victims) if victims else process.pid
    was_running = process.poll() is None
    if was_running:
        os.kill(victim, signal.SIGKILL)
    code, stderr = finished(process)
    after_what = "a directory was made" if moment is None else f"{moment * 1000:.0f} ms"
    where = f"kill {number} after {after_what}{' of a worker' if victims else ''}"
    if (victims and code not in (0, 6)) or b"Traceback" in stderr:
        campaign.find(f"{where}: exit {code}: {stderr.decode()[-200:]}", again)
    campaign.counts[
        "builds killed" if was_running and not victims else "workers killed" if victims else "too late"
    ] += 1
    after = digest(cache) if cache.exists() else ""
    names = {"": "none", known["first"]: "complete", known["second"]: "complete"}
    if after not in (before, known[sources.name]):
        campaign.find(f"{where}: the cache is {names.get(after, 'a half')}, which it was not before", again)
    what = "none, as before" if not after else "the old cache" if after == before else "the new cache"
    campaign.counts[f"left {what}"] += 1
    if after and (problems := verify_cache(cache).problems):
        campaign.find(f"{where}: {problems[0]}", again)
    staged = [name for name in os.listdir(home) if name != "cache"]
    campaign.counts["left a directory in the making, for the next build to remove"] += bool(staged)
    code, stderr = finished(build(sources, cache, "--force", command=command))
    if code != 0 or digest(cache) != known[sources.name]:
        campaign.find(f"{where}: the next build: exit {code}: {stderr.decode()[-200:]}", again)
    if os.listdir(home) != ["cache"]:
        campaign.find(f"{where}: strays: {os.listdir(home)}", again)
    if lasting := [worker for worker in workers if is_alive(worker)]:
        campaign.find(f"{where}: processes that outlived the next build: {lasting}", again)


def run(campaign: Campaign, count: int, documents: int, command: str) -> None:
    with scratch() as folder:
        known = {}
        longest = 0.0
        (folder / "home").mkdir()
        for name in ("first", "second"):
            write_sources(folder / name, f"{name} deploy release build", documents)
            started = time.monotonic()
            code, stderr = finished(build(folder / name, folder / f"{name}-built"))
            longest = max(longest, time.monotonic() - started)
            if code:
                campaign.find(f"a build that nobody killed: exit {code}: {stderr.decode()}")
                return
            known[name] = digest(folder / f"{name}-built")
        for number in range(count):
            moment = campaign.random.uniform(0, longest) if number else None
            one(campaign, number, folder, moment, known, command)


def main() -> int:
    parser = arguments(__doc__, "count", 300, "builds to kill")
    parser.add_argument("--documents", type=int, default=700, help="size of the corpora (default 700)")
    given = parser.parse_args()
    campaign = Campaign("kill", given.seed, command_line(given.count, "--documents", given.documents))
    run(campaign, given.count, given.documents, SABOTAGE + COMMAND if given.sabotage else COMMAND)
    return campaign.finish()


if __name__ == "__main__":
    sys.exit(main())
