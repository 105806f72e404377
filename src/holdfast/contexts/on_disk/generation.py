"""Contexts generated from the source of their directories, and generated again."""

from __future__ import annotations

import os

from holdfast.contexts import schema
from holdfast.contexts.context_text import edited, machine_fields, new_text, writable
from holdfast.contexts.dependencies import Index, dependencies
from holdfast.contexts.description import ALWAYS, FULL_ONLY, About, Child, fields
from holdfast.contexts.on_disk.directory_analysis import DirectoryFacts, gather_all
from holdfast.contexts.on_disk.directory_view import (
    CONTEXT_FILE,
    parse_context,
    read_context_bytes,
)
from holdfast.contexts.on_disk.merged_file import resolved_in
from holdfast.contexts.on_disk.project import Found
from holdfast.core.atomic_write import write_files
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextCorrupt, ContextError, ContextMissing, UnsupportedVersion
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, Literal

    Action = Literal["written", "renewed", "unchanged", "failed"]

    Context = dict[str, Any]

# So many files share one flush; whoever interrupts loses no more than these.
_BATCH = 256
WRITTEN: Literal["written"] = "written"
RENEWED: Literal["renewed"] = "renewed"
UNCHANGED: Literal["unchanged"] = "unchanged"
FAILED: Literal["failed"] = "failed"


class Made(NamedTuple):
    """What became of one directory's context."""

    scope: str
    action: Action
    reason: str = ""


def left_alone(scope: str, error: ContextError) -> Made:
    """What is said of a context that cannot be used: it stays as it is."""
    if isinstance(error, UnsupportedVersion):
        return Made(scope, FAILED, f"left as it is: schema version {error.version}")
    return Made(scope, FAILED, f"left as it is: {error.reason}")


class _Text(NamedTuple):
    """A context file as it should be, and whether a reader would find anything new in it."""

    old: str | None
    new: str
    context: Context


def generate(
    found: list[Found],
    wanted: Collection[str] | None,
    *,
    now: str,
    full: bool,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Made]:
    """Generate the contexts of the wanted places (all kept ones without), children first; what happened to each.

    A file is written whole or not at all, and only when something in it changes.
    """
    targets = [
        item for item in found if item.kept and item.view is not None and (wanted is None or item.place in wanted)
    ]
    targets.sort(key=lambda item: (-item.place.count("/") - bool(item.place), item.place))
    tasks = [
        (item.view.path, [(file.name, file.size) for file in item.view.files])
        for item in targets
        if item.view is not None
    ]
    index = _index(found)
    summaries = _known_summaries(found, {item.place for item in targets})
    below: dict[str, list[str]] = {}
    for item in found:
        if item.kept and item.place:
            below.setdefault(item.place.rpartition("/")[0], []).append(item.place)
    # As git would check the files in; taken before they are described, so that a change in between makes it stale.
    fingerprints = {
        item.place: item.view.fingerprint()
        for item in targets
        if item.view is not None and item.view.around.tracking is not None
    }
    made: dict[str, Made] = {}
    writer = _Writer(made, dry_run=dry_run)
    for at, facts in gather_all(tasks, progress):
        item = targets[at]
        children = [
            Child(place.rpartition("/")[2], place, summaries[place])
            for place in sorted(below.get(item.place, ()))
            if place in summaries
        ]
        if item.place in fingerprints:
            facts = facts._replace(fingerprint=fingerprints[item.place])
        result, text = _make_one(item, facts, index, children, now=now, full=full)
        made[item.place] = result
        if text is not None:
            summaries[item.place] = text.context["summary"]
            if text.new != text.old and item.view is not None:
                writer.add(item.place, os.path.join(item.view.path, CONTEXT_FILE), text.new)
    writer.flush()
    return sorted(made.values(), key=lambda one: one.scope)


class _Writer:
    """Context files on their way to the disk, a batch at a time."""

    def __init__(self, made: dict[str, Made], *, dry_run: bool) -> None:
        self._made = made
        self._dry_run = dry_run
        self._waiting: dict[str, tuple[str, bytes]] = {}

    def add(self, place: str, path: str, text: str) -> None:
        self._waiting[place] = (path, text.encode("utf-8", "surrogateescape"))
        if len(self._waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        if self._dry_run or not waiting:
            return
        for place, error in zip(waiting, write_files(list(waiting.values())), strict=True):
            if error is not None:
                self._made[place] = Made(self._made[place].scope, FAILED, error.strerror or "cannot be written")


def _index(found: list[Found]) -> Index:
    files = {item.place: item.view.sources for item in found if item.view is not None}
    modules = {}
    for item in found:
        named = item.view is not None and not {"go.mod", "package.json", "Cargo.toml"}.isdisjoint(files[item.place])
        if named and (module := _about(item).module):
            modules[module] = item.place
    return Index(files, modules)


def _about(item: Found) -> About:
    from holdfast.contexts.manifests import MANIFESTS, about
    from holdfast.core.regular_files import read_regular

    texts = {}
    for name in MANIFESTS:
        try:
            if item.view is not None:
                texts[name] = read_regular(f"{item.view.path}/{name}", limit=1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
    return about(texts)


def _known_summaries(found: list[Found], made_now: set[str]) -> dict[str, str]:
    """The summaries of the directories that are not being made now, for their parents to tell."""
    summaries = {}
    for item in found:
        if item.kept and item.view is not None and item.view.has_context and item.place not in made_now:
            try:
                summaries[item.place] = item.view.headline().summary
            except (ContextMissing, ContextCorrupt, UnsupportedVersion):
                continue
    return summaries


def _make_one(
    item: Found, facts: DirectoryFacts, index: Index, children: list[Child], *, now: str, full: bool
) -> tuple[Made, _Text | None]:
    view = item.view
    if view is None:
        return Made(item.scope, FAILED, "cannot be read"), None
    old: str | None = None
    context: Context = {}
    machine: set[str] = set()
    was_open = False
    try:
        data = read_context_bytes(view.path)
        whole = resolved_in(view.path, data)  # a merge conflict that no two people's words make
        context = parse_context(whole)
        old = whole.decode("utf-8")
        was_open = whole != data
        machine = machine_fields(context, old)
    except ContextMissing:
        pass
    except (ContextCorrupt, UnsupportedVersion) as error:
        return left_alone(item.scope, error), None
    is_full = full or any(name in machine for name in FULL_ONLY)
    needs = dependencies(item.place, facts.files, index)
    folders = [child.name for child in children] or view.folders
    fresh = fields(
        item.scope, item.place, facts.about, facts.files, view.sources, folders, needs, children, full=is_full
    )
    fresh = writable(fresh)
    if not item.place and "project" in fresh:
        fresh["project"]["name"] = fresh["project"]["name"] or printable(os.path.basename(view.path))
    merged = _merged(context, machine, fresh)
    merged.update(version=schema.VERSION, scope=item.scope, fingerprint=facts.fingerprint)
    merged["last_updated"] = context.get("last_updated", now)
    if old is None:
        return Made(item.scope, WRITTEN), _Text(None, new_text(schema.whole(merged)), merged)
    changes = {name: merged.get(name) for name in schema.FIELDS if merged.get(name) != context.get(name)}
    if not changes:
        return Made(item.scope, RENEWED if was_open else UNCHANGED), _Text(None if was_open else old, old, merged)
    if changes.keys() != {"fingerprint"}:  # a mere new fingerprint says nothing new
        changes["last_updated"] = merged["last_updated"] = now
    return Made(item.scope, RENEWED), _Text(old, edited(old, changes), merged)


def _merged(context: Context, machine: set[str], fresh: Context) -> Context:
    """The old context with the machine's fields renewed; whatever a person wrote or edited stays as it is."""
    merged = dict(context)
    derived = [*ALWAYS]
    for name in schema.FIELDS:
        if name == "dependencies":
            parts = dict(context.get(name, {}))
            for part in ("internal", "external"):
                dotted = f"{name}.{part}"
                new = fresh.get(name, {}).get(part)
                if part in parts and dotted not in machine:
                    continue
                parts.pop(part, None)
                if new:
                    parts[part] = new
                    derived.append(dotted)
            merged.pop(name, None)
            if parts:
                merged[name] = {part: parts[part] for part in ("internal", "external") if part in parts}
        elif name in ALWAYS or (name in context and name not in machine):
            continue
        elif name in fresh:
            merged[name] = fresh[name]
            derived.append(name)
        elif name in machine:
            merged.pop(name, None)
    merged["derived_fields"] = derived
    return merged
