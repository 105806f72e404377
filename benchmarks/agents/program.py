"""The command: which policies work on which tasks, and how the figures are printed."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.agents.peers import PEERS
from benchmarks.agents.product import Holdfast
from benchmarks.agents.ripgrep import Ripgrep, WholeFiles
from benchmarks.agents.runs import Project, perform
from benchmarks.agents.table import as_text
from benchmarks.agents.tasks import DEVELOPMENT, HELD_OUT, KINDS, WORDINGS, read_repositories, read_tasks
from holdfast.caches.tokenizers import O200K, counter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.agents.runs import Policy, Run
    from benchmarks.agents.tasks import Task

_HALVES = {DEVELOPMENT: (DEVELOPMENT,), HELD_OUT: (HELD_OUT,), "both": (DEVELOPMENT, HELD_OUT)}


def main(description: str | None) -> int:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the repositories, each in a folder of its short name")
    parser.add_argument("--half", choices=tuple(_HALVES), default=DEVELOPMENT, help="which tasks")
    parser.add_argument("--policy", action="append", help="keep to a policy, by name")
    parser.add_argument("--kind", action="append", choices=KINDS, help="keep to a kind of task")
    parser.add_argument("--repository", action="append", help="keep to a repository, by name")
    parser.add_argument("--peers", type=Path, help="folder of installed peers")
    parser.add_argument("--each", action="store_true", help="a line a run on standard error")
    options = parser.parse_args()
    if shutil.which("rg") is None:
        print("ripgrep is not installed: `apt install ripgrep`", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as home:
        policies, absent = _policies(Path(home), options.peers and options.peers.resolve())
        policies = [one for one in policies if not options.policy or one.name in options.policy]
        runs: dict[str, list[Run]] = {policy.name: [] for policy in policies}
        lists: dict[str, int] = {}
        for repository in read_repositories():
            if options.repository and repository.name not in options.repository:
                continue
            project = Project(repository, (options.folder / repository.name).resolve())
            wrong = _not_there(project)
            if wrong:
                print(wrong, file=sys.stderr)
                return 1
            tasks = [one for one in read_tasks(repository.name) if one.half in _HALVES[options.half]]
            tasks = [one for one in tasks if one.kind in (options.kind or KINDS)]
            for policy in policies:
                done, listed = work(policy, project, tasks, counter(O200K))
                runs[policy.name] += done
                lists[policy.name] = listed
                for run in done if options.each else ():
                    print(policy.name, run.task.id, run.wording, run.done, run.calls, run.tokens, file=sys.stderr)
            print(f"{repository.name}: {len(tasks)} tasks", file=sys.stderr, flush=True)
    print(as_text(runs, lists, absent))
    return 0


def work(policy: Policy, project: Project, tasks: Sequence[Task], count: Callable[[str], int]) -> tuple[list[Run], int]:
    """The runs of a policy on all tasks of its kinds in one project, and the tokens of its tool list."""
    policy.open(project)
    try:
        mine = [task for task in tasks if task.kind in policy.kinds]
        runs = [perform(policy, project, task, wording, count) for task in mine for wording in WORDINGS]
        return runs, count(policy.tool_list())
    finally:
        policy.close()


def _policies(home: Path, peers: Path | None) -> tuple[list[Policy], list[str]]:
    found: list[Policy] = [Ripgrep(), WholeFiles(), Holdfast(home)]
    absent = []
    for make in PEERS if peers else ():
        peer = make(home, peers)
        if peer.installed.exists():
            found.append(peer)
        else:
            absent.append(f"{peer.name}, since {peer.program} is not in the folder of peers")
    return found, absent


def _not_there(project: Project) -> str | None:
    """What is wrong with the copy of a repository; None where it is at the commit of its tasks."""
    repository = project.repository
    if not (project.folder / ".git").exists():
        return f"{project.folder} is no clone of {repository.source}"
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project.folder, capture_output=True, text=True, check=False)
    if head.stdout.strip() != repository.commit:
        return f"{project.folder} is at {head.stdout.strip()}; the tasks are written for {repository.commit}"
    return None
