"""One look at each area of a project: what is there, and whether anything of it needs doing. Nothing is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from shlex import quote
from typing import NamedTuple

from holdfast.caches.build.project_directory import Project
from holdfast.caches.on_disk.cache_listing import inspect_cache, list_caches
from holdfast.caches.on_disk.receipt_replay import receipt_files
from holdfast.caches.on_disk.receipt_store import MOST_FILES
from holdfast.caches.on_disk.work_tree import WorkTrees
from holdfast.caches.project_answers import sync
from holdfast.caches.project_shapes import CheckAnswer
from holdfast.caches.search.impacts import RANKING
from holdfast.caches.tokenizers import O200K, is_installed
from holdfast.clients.answers import setup
from holdfast.contexts.answers import open_project
from holdfast.contexts.on_disk.doctor import Level, findings
from holdfast.core.confined_paths import printable
from holdfast.core.errors import CacheMissing, ContextError
from holdfast.specs.check_answers import spec_check
from holdfast.specs.shapes import CheckAnswer as SpecCheck
from holdfast.survey.savings import RECEIPTS
from holdfast.survey.shapes import DoctorAnswer
from holdfast.version import __version__
from holdfast.workspace import Workspace

Examination = Callable[[Workspace, bool], Iterator["Check"]]

# Names listed where many are concerned.
_NAMED = 5


class Check(NamedTuple):
    """What one check found: in which area, how bad it is, and the command that mends it, where one does."""

    area: str
    check: str
    level: Level
    detail: str
    run: str = ""


def checkup(root: str, checks: Sequence[Check]) -> DoctorAnswer:
    """The answer: healthy where nothing needs doing; what mends a problem is to be run before what is advised."""
    ordered = [each.run for level in ("problem", "advice") for each in checks if each.level == level and each.run]
    return {
        "root": root,
        "healthy": all(each.level != "problem" for each in checks),
        "checks": [
            {"area": each.area, "check": each.check, "level": each.level, "detail": each.detail, "run": each.run}
            for each in checks
        ],
        "next": list(dict.fromkeys(ordered)),
    }


def examine(workspace: Workspace, *, untracked: bool) -> list[Check]:
    """What every examination found; one that fails is a finding itself."""
    checks: list[Check] = []
    for area, examination in _AREAS.items():
        try:
            checks += examination(workspace, untracked)
        except ContextError as error:
            checks.append(Check(area, area, "problem", error.reason or error.headline))
        except OSError as error:
            checks.append(Check(area, area, "problem", f"the system refused: {error.strerror}"))
    return checks


def _versions(_workspace: Workspace, _untracked: bool) -> Iterator[Check]:
    yield Check("versions", "holdfast", "ok", f"{__version__}, ranks by {RANKING}")
    yield Check("versions", "python", "ok", f"{'.'.join(map(str, sys.version_info[:3]))} on {sys.platform}")
    exact = "can be counted" if is_installed(O200K) else "cannot be counted here: the extra `tokens` does"
    yield Check("versions", "tokens", "ok", f"estimated; those of {O200K} {exact}")


def _caches(workspace: Workspace, _untracked: bool) -> Iterator[Check]:
    try:
        standing = [each.path for each in list_caches(workspace.cache_root) if each.has_manifest]
    except CacheMissing:
        standing = []
    project = Project(workspace.project, workspace.cache_root)
    is_declared = project.text() is not None
    if not is_declared and not standing:
        yield Check("caches", "context.toml", "advice", "no documentation is declared", "context add NAME PATH")
        return
    damaged = []
    for name in standing:
        if not inspect_cache(os.path.join(workspace.cache_root, name)).valid:
            damaged.append(name)
            detail = "its manifest and its index do not hold together"
            yield Check(
                "caches", name, "problem", detail, "context sync" if is_declared else f"context verify {quote(name)}"
            )
    if not is_declared:
        found = f"{len(standing):,} below the cache root, none declared: nothing tells when they are behind"
        yield Check("caches", "context.toml", "advice", found, "context add NAME PATH")
        return
    yield from _synced(workspace, damaged)
    strays = [name for name in standing if project.declared().cache(name) is None]
    if strays:
        yield Check("caches", "others", "advice", f"below the cache root and not declared: {_some(strays)}")


def _synced(workspace: Workspace, damaged: list[str]) -> Iterator[Check]:
    """Whether caches and lock are those of the sources."""
    checked: CheckAnswer = sync(workspace, {"check": True}).value  # type: ignore[assignment]  # `check` gives this one
    for each in checked["caches"]:
        if each["name"] in damaged:
            continue
        reasons = list(each["reasons"])
        detail = _some(reasons, "; ") if reasons else "in step with its sources and the lock"
        yield Check("caches", each["name"], "problem" if reasons else "ok", detail, "context sync" if reasons else "")


def _receipts(workspace: Workspace, _untracked: bool) -> Iterator[Check]:
    try:
        count = len(receipt_files(os.path.join(workspace.project, RECEIPTS)))
    except FileNotFoundError:
        yield Check(
            "receipts", "receipts", "ok", f"no {RECEIPTS}: `context serve --receipts DIR` keeps what was answered"
        )
        return
    level: Level = "problem" if count >= MOST_FILES else "ok"
    full = ", as many as it takes: remove some" if level == "problem" else ""
    yield Check("receipts", "receipts", level, f"{count:,} in {RECEIPTS}{full}")


def _code(workspace: Workspace, _untracked: bool) -> Iterator[Check]:
    files, left_out = WorkTrees().read_before(workspace)
    if files:
        whys = ", ".join([f"{count:,} {why}" for why, count in sorted(left_out.items())])
        yield Check("code", "source files", "ok", f"{files:,} looked at for searches; text left out: {whys or 'none'}")


def _contexts(workspace: Workspace, untracked: bool) -> Iterator[Check]:
    for found in findings(open_project(workspace, {"path": "", "untracked": untracked})):
        yield Check("contexts", found.check, found.level, found.detail, found.run)


def _specs(workspace: Workspace, _untracked: bool) -> Iterator[Check]:
    value: SpecCheck = spec_check(workspace, {}).value  # type: ignore[assignment]  # without a format it is this one
    findings, names = value["data"]["findings"], len(value["data"]["coverage"])
    if not names:
        yield Check("specs", "specs", "ok", "none here; `context spec init NAME` starts one")
        return
    levels: tuple[tuple[Level, str], ...] = (("problem", "error"), ("advice", "warning"))
    for level, words in levels:
        found = [each for each in findings if each["level"] == words]
        if found:
            places = _some([f"{each['file']}:{each['line']} {each['rule']}" for each in found])
            yield Check("specs", f"{words}s", level, f"{len(found):,}: {places}", "context spec check")
    if not findings:
        yield Check("specs", "specs", "ok", f"{names:,} without a finding")


def _clients(workspace: Workspace, _untracked: bool) -> Iterator[Check]:
    """The clients of this machine: an entry that does not fit any more needs doing, one that is not there does not."""
    if not os.path.isdir(workspace.environment.get("HOME", "")):
        yield Check("clients", "clients", "ok", "there is no home directory to look for clients in")
        return
    rows = setup(workspace, {}).value["clients"]
    shared = [row for row in setup(workspace, {"project": True}).value["clients"] if row["action"] == "set up"]
    for row in [*rows, *shared]:
        command = f"context setup {row['client']}"
        if row["action"] == "out of date":
            yield Check(
                "clients", row["client"], "problem", f"the entry in {row['file']} does not fit any more", command
            )
        elif row["action"] in ("refused", "not ours"):
            yield Check("clients", row["client"], "advice", row["detail"])
        elif row["action"] == "set up":
            said = row.get("detail", f"set up in {row['file']}")
            todo = row.get("next")  # a person has to trust the folder
            yield Check("clients", row["client"], "advice" if todo else "ok", f"{said}. {todo}" if todo else said)
    others = [row["title"] for row in rows if row["action"] == "not set up"]
    if others:
        names = _some(list(dict.fromkeys(others)))
        yield Check("clients", "others", "ok", f"found and not set up: {names}; `context setup` tells more")
    if not rows:
        yield Check(
            "clients", "clients", "ok", "none found on this machine; `context setup NAME` sets one up for later"
        )


def _some(words: list[str], between: str = ", ") -> str:
    shown = between.join([printable(word) for word in words[:_NAMED]])
    return shown if len(words) <= _NAMED else f"{shown}{between}and {len(words) - _NAMED:,} more"


# In the order they are shown.
_AREAS: dict[str, Examination] = {
    "versions": _versions,
    "caches": _caches,
    "code": _code,
    "receipts": _receipts,
    "contexts": _contexts,
    "specs": _specs,
    "clients": _clients,
}
