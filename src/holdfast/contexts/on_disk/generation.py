"""Contexts generated from the source of their directories, and generated again."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from holdfast.code.analysis.facts import MAX_ANALYSED, NO_GRAMMAR
from holdfast.code.languages import language_of
from holdfast.code.test_files import is_test_name
from holdfast.contexts import schema
from holdfast.contexts.claims import (
    Change,
    changes,
    claim_lines,
    claims_fingerprint,
    claims_of,
    recorded_claims,
    with_claim_lines,
)
from holdfast.contexts.context_text import DRAFT, HEADING, edited, machine_fields, new_text, writable
from holdfast.contexts.dependencies import Dependencies, dependencies
from holdfast.contexts.description import ALWAYS, ENTRIES, FULL, LEAN, OUTSIDE, Child, fields
from holdfast.contexts.manifests import says_something
from holdfast.contexts.on_disk.claim_subjects import Subjects, recorded_now
from holdfast.contexts.on_disk.derivation import Derivation
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE, DirectoryView, parse_context, read_context_bytes
from holdfast.contexts.on_disk.import_index import import_index, read_text
from holdfast.contexts.on_disk.merged_file import resolved_in
from holdfast.contexts.on_disk.project import ROOT, Found, Project
from holdfast.contexts.on_disk.source_facts import SizedFile, facts_of, gather_facts
from holdfast.contexts.project_index import Index
from holdfast.core.atomic_write import write_file, write_files
from holdfast.core.confined_paths import printable
from holdfast.core.errors import ContextCorrupt, ContextError, ContextMissing, UnsupportedVersion

Action = Literal["written", "renewed", "unchanged", "failed"]

Context = dict[str, Any]


_PACKAGE_COMMENTS = ("// Package ", "/*\nPackage ", "// Command ", "/*\nCommand ")
_MOST_HEADS = 40  # a package comment is in one of the first files, or nobody looks for it


def _derivations(
    project: Project,
    items: Iterable[Found],
    whole: Collection[str],
    progress: Callable[[int, int], None] | None,
) -> dict[str, Derivation]:
    """What derives the fields of each place: in places of `whole` from every file, in others a summary alone."""
    made = {item.place: Derivation(project, item.place, item.view) for item in items}
    wanted = {
        place: one.analysable if place in whole else [] if one.about.description else _speakers(one)
        for place, one in made.items()
    }
    found = facts_of(project, [file for files in wanted.values() for file in files], progress)
    for place, one in made.items():
        one.own = {name: found[place, name] for _, name, _ in wanted[place]}
    return made


def _speakers(one: Derivation) -> list[SizedFile]:
    """The files that may say what a directory is for."""
    entries = [file for file in one.analysable if file[1] in ENTRIES]
    sources = [file for file in one.analysable if language_of(file[1]) == "Go" and not is_test_name(file[1])]
    for file in [] if entries else sources[:_MOST_HEADS]:
        text = read_text(one.project, one.place, file[1])
        if text is not None and len(text) <= MAX_ANALYSED and any(words in text for words in _PACKAGE_COMMENTS):
            return [file]
    return entries


# Files that share one flush; an interrupt loses no more than these.
_BATCH = 256
WRITTEN: Literal["written"] = "written"
RENEWED: Literal["renewed"] = "renewed"
UNCHANGED: Literal["unchanged"] = "unchanged"
FAILED: Literal["failed"] = "failed"


class Made(NamedTuple):
    """The action taken on one directory's context; `is_refused` where the system did not let it be written."""

    scope: str
    action: Action
    reason: str = ""
    is_refused: bool = False


def left_alone(scope: str, error: ContextError) -> Made:
    """The result for a context that cannot be used: it is left unchanged."""
    if isinstance(error, UnsupportedVersion):
        return Made(scope, FAILED, f"left as it is: schema version {error.version}")
    return Made(scope, FAILED, f"left as it is: {error.reason}")


class _Old(NamedTuple):
    """A context file as it is on disk: its text, its fields, and which of them were generated; empty without one."""

    text: str | None = None
    context: Mapping[str, Any] = {}  # a tuple's default, shared and never changed
    machine: frozenset[str] = frozenset()
    was_open: bool = False  # it held the marks of a merge conflict, which could be resolved


class _Text(NamedTuple):
    """A context file as it should be, and whether a reader would find anything new in it."""

    old: str | None
    new: str
    context: Context


def generate(
    project: Project,
    found: list[Found],
    wanted: Collection[str] | None,
    *,
    now: str,
    full: bool = False,
    lean: bool = False,
    every: bool = False,
    vouch: bool = False,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
    unread: list[tuple[str, str]] | None = None,
) -> list[Made]:
    """Generate the contexts of the wanted places (all kept ones without), children first; what happened to each.

    A new context is lean, and a draft; without `every` none is made of a directory that says nothing about itself. With
    `vouch` the claims of a context are taken to hold as things are now. One that holds more derived fields has them
    renewed; with `full` the fields that the directory's own files decide are added, with `lean` they are taken out. A
    file is written whole or not at all, and
    only when something in it changes. `unread` takes the path of each file that could not be parsed, and why.
    """
    targets = [
        item for item in found if item.kept and item.view is not None and (wanted is None or item.place in wanted)
    ]
    targets.sort(key=lambda item: (-item.place.count("/") - bool(item.place), item.place))
    made: dict[str, Made] = {}
    old: dict[str, _Old] = {}
    for item in targets:
        try:
            old[item.place] = _old(item)
        except (ContextCorrupt, UnsupportedVersion) as error:
            made[item.place] = left_alone(item.scope, error)
    held = {place: _held(one, full=full, lean=lean) for place, one in old.items()}
    targets = [item for item in targets if item.place in old]
    derived = _derivations(project, targets, {place for place in held if held[place] - {*LEAN}}, progress)
    if unread is not None:
        unread += [
            (printable(f"{place}/{file.name}" if place else file.name), file.unread)
            for place, one in sorted(derived.items())
            for file in one.files
            if file.unread and file.unread != NO_GRAMMAR
        ]
    index = _index_where_needed(project, found, held)
    below = _Children(found, {*made, *old})
    writer = _Writer(made, dry_run=dry_run)
    for item in targets:
        children = below.of(item.place) if not held[item.place].isdisjoint(OUTSIDE) else []
        result, text = _make_one(
            *(item, old[item.place], derived[item.place], index, children), held=held[item.place], now=now, vouch=vouch
        )
        if result.action == WRITTEN and not every and not says_something(text.context["summary"]):
            continue
        made[item.place] = result
        below.summaries[item.place] = text.context["summary"]
        if text.new != text.old:
            writer.add(item.place, os.path.join(project.path(item.place), CONTEXT_FILE), text.new)
    writer.flush()
    return sorted(made.values(), key=lambda one: one.scope)


def _old(item: Found) -> _Old:
    """The context there is; ContextCorrupt or UnsupportedVersion when it cannot be used."""
    try:
        path = item.view.path if item.view is not None else ""
        data = read_context_bytes(path)
        whole = resolved_in(path, data)  # a merge conflict that no two people's words make
        context = parse_context(whole)
        text = whole.decode("utf-8")
    except ContextMissing:
        return _Old()
    return _Old(text, context, frozenset(machine_fields(context, text)), was_open=whole != data)


def _held(old: _Old, *, full: bool, lean: bool) -> frozenset[str]:
    """The derived fields that a file should hold, by dotted name."""
    if full:
        return frozenset({*LEAN, *FULL, *old.machine})
    return frozenset(LEAN) if lean else frozenset({*LEAN, *old.machine})


def _index_where_needed(project: Project, found: Sequence[Found], held: dict[str, frozenset[str]]) -> Index | None:
    """What imports lead to, where any file should hold dependencies: the whole project is looked at for that."""
    if not any(name.startswith("dependencies") for names in held.values() for name in names):
        return None
    return import_index(project, found, gather_facts(project, found).facts())


class _Children:
    """The directories below each place, with the summaries their contexts have or are about to have."""

    def __init__(self, found: list[Found], made_now: set[str]) -> None:
        self.summaries = _known_summaries(found, made_now)
        self._below: dict[str, list[str]] = {}
        for item in found:
            if item.kept and item.place:
                self._below.setdefault(item.place.rpartition("/")[0], []).append(item.place)

    def of(self, place: str) -> list[Child]:
        """The children of a place, in order."""
        return [
            Child(below.rpartition("/")[2], below, self.summaries[below])
            for below in sorted(self._below.get(place, ()))
            if below in self.summaries
        ]


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
                path = printable(os.path.join(place, CONTEXT_FILE))
                reason = f"'{path}' cannot be written: {error.strerror}"
                self._made[place] = Made(self._made[place].scope, FAILED, reason, is_refused=True)


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
    item: Found,
    old: _Old,
    one: Derivation,
    index: Index | None,
    children: list[Child],
    *,
    held: frozenset[str],
    now: str,
    vouch: bool,
) -> tuple[Made, _Text]:
    files = one.files
    needs = dependencies(item.place, files, index) if index is not None else Dependencies([], [])
    fresh = writable(fields(item.scope, item.place, one.about, files, one.view.sources, needs, children))
    if any(file.unread for file in files):
        # A run without a grammar must not remove what was read with one: generated fields stay as they are.
        fresh.update({name: old.context[name] for name in old.machine if name in old.context and name != "maintenance"})
    if not item.place and "project" in fresh:
        fresh["project"]["name"] = fresh["project"]["name"] or printable(os.path.basename(one.view.path))
    merged = _merged(old.context, old.machine, fresh, held)
    merged.update(version=schema.VERSION, scope=item.scope)
    print_ = _print(one.project, item.place, one.view, merged, old.text or "", vouch=vouch)
    merged["fingerprint"] = print_.fingerprint
    merged["last_updated"] = old.context.get("last_updated", now)
    if old.text is None:
        heading = DRAFT if merged["summary"] else HEADING
        text = with_claim_lines(new_text(schema.whole(merged), heading), print_.lines)
        return Made(item.scope, WRITTEN), _Text(None, text, merged)
    left = "; ".join(map(str, print_.changes))
    reason = f"read what it says, then `context regen {item.scope}`: {left}" if left else ""
    altered = {name: merged.get(name) for name in schema.FIELDS if merged.get(name) != old.context.get(name)}
    if altered.keys() - {"fingerprint"}:  # a mere new fingerprint says nothing new
        altered["last_updated"] = merged["last_updated"] = now
    text = edited(old.text, altered) if altered else old.text
    if "summary" not in merged["derived_fields"]:
        text = text.replace(DRAFT, HEADING, 1)
    text = with_claim_lines(text, print_.lines)
    if text == old.text and not old.was_open:
        return Made(item.scope, UNCHANGED, reason), _Text(old.text, text, merged)
    return Made(item.scope, RENEWED, reason), _Text(None if old.was_open else old.text, text, merged)


class _Print(NamedTuple):
    """The fingerprint that a file is to have, the comments that record its claims, and what was left as changed."""

    fingerprint: str
    lines: str = ""
    changes: Sequence[Change] = ()


def _print(
    project: Project, place: str, view: DirectoryView, context: Mapping[str, Any], text: str, *, vouch: bool
) -> _Print:
    """Claims whose subjects changed are recorded anew only with `vouch`: someone has read them.

    A file that holds what its directory's own files decide is as true as all of these: its fingerprint covers them.
    """
    if not {name.partition(".")[0] for name in context["derived_fields"]} <= {*ALWAYS, *LEAN}:
        return _Print(view.fingerprint())
    subjects = Subjects(project, place, view)
    written = claims_of(context, context["derived_fields"])
    before = recorded_claims(text) or {}
    recorded = recorded_now(subjects, written, before, anew=vouch)
    left = [] if vouch else changes(written, recorded, recorded_now(subjects, written, before, anew=True))
    return _Print(claims_fingerprint(printable(place) or ROOT, recorded), claim_lines(recorded, written), left)


def _merged(context: Mapping[str, Any], machine: Collection[str], fresh: Context, held: Collection[str]) -> Context:
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
                if new and dotted in held:
                    parts[part] = new
                    derived.append(dotted)
            merged.pop(name, None)
            if parts:
                merged[name] = {part: parts[part] for part in ("internal", "external") if part in parts}
        elif name in ALWAYS or (name in context and name not in machine):
            continue
        elif name in fresh and name in held:
            merged[name] = fresh[name]
            derived.append(name)
        elif name in machine:
            merged.pop(name, None)
    merged["derived_fields"] = derived
    return merged


def rehash_one(project: Project, item: Found) -> Made:
    """One directory's context with a new fingerprint, its claims recorded as they are now; every other byte stays.

    A merge conflict in it is resolved where no two people wrote different texts.
    """
    try:
        text, context, machine, was_open = _old(item)
        if item.view is None or text is None:
            raise ContextMissing
        derived = [name for name in context.get("derived_fields", ()) if name in machine or name in ALWAYS]
        print_ = _print(project, item.place, item.view, {**context, "derived_fields": derived}, text, vouch=True)
        new = with_claim_lines(edited(text, {"fingerprint": print_.fingerprint}), print_.lines)
        if new == text and not was_open:
            return Made(item.scope, UNCHANGED)
        write_file(os.path.join(item.view.path, CONTEXT_FILE), new.encode())
    except (ContextMissing, ContextCorrupt, UnsupportedVersion) as error:
        return left_alone(item.scope, error)
    return Made(item.scope, RENEWED)
