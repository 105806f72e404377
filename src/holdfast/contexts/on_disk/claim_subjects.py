"""The subjects of claims as they are now: symbols, files and directories of a project, each as a short digest."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from holdfast.code.analysis.analyser import analyse
from holdfast.code.analysis.facts import MAX_ANALYSED, NO_GRAMMAR
from holdfast.code.declarations import Declared, declarations, digest_of, parts_of
from holdfast.code.languages import language_of
from holdfast.code.test_files import is_test
from holdfast.contexts import claims
from holdfast.contexts.claims import GONE, UNKNOWN, WHOLE, claims_fingerprint
from holdfast.contexts.freshness import FRESH, STALE
from holdfast.contexts.on_disk.disk_failure import read_beneath
from holdfast.contexts.on_disk.source_facts import Kind, SizedFile, SourcePath, remembered
from holdfast.core.canonical_json import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.contexts.claims import Change, Claim, Recorded
    from holdfast.contexts.freshness import State
    from holdfast.contexts.on_disk.directory_view import DirectoryView
    from holdfast.contexts.on_disk.project import Found, Project


class Judgement(NamedTuple):
    """Whether a context still holds, the fingerprint that says so, and which subjects of its claims changed."""

    state: State
    computed: str
    changes: list[Change]


def judge(project: Project, place: str, view: DirectoryView, known: OfFiles | None = None) -> Judgement:
    """By the form its fingerprint has; `known` is what `look_ahead` found.

    ContextMissing, ContextCorrupt or UnsupportedVersion without a usable context.
    """
    if view.judgement is not None:
        return view.judgement
    headline = view.headline()
    written = headline.written
    if written is None:
        verdict = view.freshness()
        return Judgement(verdict.state, verdict.computed, [])
    scope = headline.scope if _is_scope(view.path, headline.scope) else place or "."
    subjects = Subjects(project, place, view, known)
    recorded = written.recorded
    if recorded is None and headline.fingerprint == claims_fingerprint(headline.scope, {}):
        recorded = {}
    if recorded is None:  # another tool rewrote the file and dropped its comments
        recorded = now = recorded_now(subjects, written.claims, {}, anew=True)
    else:
        now = _as_recorded(subjects, recorded, written.claims)
    computed = claims_fingerprint(scope, now)
    state = FRESH if computed == headline.fingerprint else STALE
    found = Judgement(state, computed, claims.changes(written.claims, recorded, now))
    if subjects.are_local:
        view.judgement = found
    return found


def _is_scope(path: str, scope: str) -> bool:
    """Whether a scope may be that of a directory, by whichever of the directories above it is the project."""
    return scope == "." or f"{path}/".endswith(f"/{scope}/")


def _as_recorded(subjects: Subjects, recorded: Recorded, written: Iterable[Claim]) -> Recorded:
    """The recorded subjects as they are now; those of claims that were edited or removed since stay as they were."""
    there = {claim.digest for claim in written}
    return {
        digest: {
            name: state if state == UNKNOWN or digest not in there else subjects.state(name, state)
            for name, state in states.items()
        }
        for digest, states in recorded.items()
    }


def recorded_now(subjects: Subjects, written: Sequence[Claim], before: Recorded, *, anew: bool) -> Recorded:
    """What a file is to record of its claims: new ones as their subjects are now, others too with `anew`."""
    made: Recorded = {}
    for claim in written:
        known = before.get(claim.digest)
        if known is None:
            names = list(claim.about) or claims.named_subjects(claim.text, subjects.find) or [WHOLE]
            known = dict.fromkeys(names, UNKNOWN)
        made[claim.digest] = {
            name: subjects.state(name, state) if anew or state == UNKNOWN else state for name, state in known.items()
        }
    return made


class Subjects:
    """What claims of one directory may be about. Everything is looked up when first asked for, and then kept."""

    def __init__(self, project: Project, place: str, view: DirectoryView, known: OfFiles | None = None) -> None:
        self._project, self._place = project, place
        self._views: dict[str, DirectoryView | None] = {place: view}
        self._known: OfFiles = known or {}
        self._of_files: dict[str, dict[str, FileSubjects]] = {}
        self._decoded: dict[str, list[Declared]] = {}
        self._states: dict[str, str] = {}

    @property
    def are_local(self) -> bool:
        """Whether nothing outside of the directory was looked at."""
        return len(self._views) == 1

    def find(self, word: str) -> str:
        """The source file or symbol of the directory that a word means, or the file that it leads to; else nothing."""
        _, name = self._file(word)
        if name:
            return word if language_of(name) else ""
        if "/" in word or len(word) < 3:
            return ""
        return word if self._symbols(word) else ""

    def state(self, subject: str, known: str = UNKNOWN) -> str:
        """A digest of a subject, GONE where there is none; `known` where it cannot be read here."""
        if subject not in self._states:
            self._states[subject] = self._state(subject)
        found = self._states[subject]
        return known if found == UNKNOWN else found

    def _state(self, subject: str) -> str:
        path, colon, symbol = subject.partition(":")
        place, name = self._file(path)
        if name and colon and not symbol.startswith(":"):
            return _symbol_state(self._called(place, [name], symbol))
        if name:
            return self._public(place, [name]) if language_of(name) else self._content(place, name)
        place = self._beneath(subject)
        if subject == WHOLE or "/" in subject:
            view = self._view(place)
            if view is None:
                return GONE
            names = [name for name in view.sources if language_of(name)]
            if names or subject == WHOLE:
                return self._public(place, names)
            return "p" + digest_of(sorted([file.name for file in view.files]))  # a folder of data
        return _symbol_state(self._symbols(subject))

    def _beneath(self, path: str) -> str:
        """A path from the directory as a place; from the project's root where there is nothing under it here."""
        joined = posixpath.normpath(posixpath.join(self._place or ".", path.rstrip("/") or "."))
        place = "" if joined == "." else joined
        if self._view(place) is None and self._view(posixpath.dirname(place)) is None:
            place = posixpath.normpath(path.rstrip("/") or ".")
        return place

    def _file(self, path: str) -> tuple[str, str]:
        """The place and name of a file that counts, by its path from here or from the root; no name without one."""
        folder, _, name = path.rpartition("/")
        for place in [self._beneath(folder), posixpath.normpath(folder)] if folder else [self._place]:
            view = self._view(place)
            if name and view is not None and any(file.name == name for file in view.files):
                return place, name
        return "", ""

    def _view(self, place: str) -> DirectoryView | None:
        if place not in self._views:
            try:
                inside = not place.startswith(("..", "/"))
                self._views[place] = self._project.view(place) if inside and "\0" not in place else None
            except OSError:
                self._views[place] = None
        return self._views[place]

    def _symbols(self, name: str) -> list[Declared] | None:
        """What a name means in the directory; a module's name may stand before it. None where that is unknown."""
        view = self._views[self._place]
        sources = [file for file in view.sources if language_of(file)] if view is not None else []
        found = self._called(self._place, sources, name)
        parts = parts_of(name)
        if found or len(parts) < 2:
            return found
        stems = [file for file in sources if file.partition(".")[0] == parts[0]]
        return self._called(self._place, stems, ".".join(parts[1:])) if stems else found

    def _called(self, place: str, names: Sequence[str], symbol: str) -> list[Declared] | None:
        files = self._files(place)
        known = [self._declared(files[name]) if name in files else None for name in names]
        found = [one for declared in known for one in declared or () if one.is_called(symbol)]
        return None if not found and None in known else found

    def _declared(self, one: FileSubjects) -> list[Declared] | None:
        if one.declared is None:
            return None
        if one.declared not in self._decoded:
            self._decoded[one.declared] = list(map(Declared._make, decode(one.declared)))
        return self._decoded[one.declared]

    def _files(self, place: str) -> dict[str, FileSubjects]:
        if place not in self._of_files:
            view = self._view(place)
            files = _sources(place, view) if view is not None else []
            is_known = all(file[:2] in self._known for file in files)
            found = self._known if is_known else subjects_of(self._project, files)
            self._of_files[place] = {name: found[place, name] for _, name, _ in files}
        return self._of_files[place]

    def _public(self, place: str, names: Sequence[str]) -> str:
        """The public symbols at the top level of some source files of a place, with their signatures."""
        files = self._files(place)
        found = {word for name in names if not is_test(place, name) for word in files[name].public}
        return UNKNOWN if any(not files[name].is_read for name in names) else "p" + digest_of(sorted(found))

    def _content(self, place: str, name: str) -> str:
        data = read_beneath(self._project.root, place, name, MAX_ANALYSED)
        return UNKNOWN if data is None else "c" + digest_of(data.decode("utf-8", "replace").split())


def _symbol_state(found: list[Declared] | None) -> str:
    if found is None:
        return UNKNOWN
    if not found:
        return GONE
    parts = [sorted([one.signature for one in found]), sorted([one.body for one in found])]
    return ".".join([words[0] if len(words) == 1 else digest_of(words) for words in parts])


class FileSubjects(NamedTuple):
    """What a source file has for claims to be about."""

    is_read: bool  # there is a grammar for it
    public: Sequence[str] = ()  # its public symbols at the top level: their names, and each with its signature
    declared: str | None = None  # its declarations as JSON, since few claims need them; None if they cannot be read


OfFiles = dict[tuple[str, str], FileSubjects]  # by place and name


def _sources(place: str, view: DirectoryView) -> list[SizedFile]:
    return [(place, file.name, file.size) for file in view.files if language_of(file.name)]


def subjects_of(project: Project, files: Sequence[SizedFile]) -> OfFiles:
    """What some files have for claims to be about."""
    kind = Kind(
        name="subjects 3",
        read=read_subjects,
        lost=lambda _: FileSubjects(is_read=True),
        is_complete=lambda one: one.declared is not None,
        packed=_packed,
        unpacked=_unpacked,
        weight=lambda one: 200 + 100 * len(one.public) + len(one.declared or ""),
    )
    return remembered(project, kind, files)


def look_ahead(project: Project, found: Iterable[Found]) -> OfFiles:
    """What files of directories that claim something have, read at once and not directory by directory."""
    views = [(item.place, item.view) for item in found if item.view is not None and item.view.has_claims]
    new = [(at, view, view.headline().written) for at, view in views if view.judgement is None]
    return subjects_of(project, [file for at, view, said in new if said and said.claims for file in _sources(at, view)])


def read_subjects(file: SourcePath) -> FileSubjects:
    """What a file has for claims to be about."""
    root, place, name = file
    data = read_beneath(root, place, name, MAX_ANALYSED)
    if data is None:
        return FileSubjects(is_read=True)
    facts, declared = analyse(name, data), declarations(name, data)
    public: set[str] = set()
    # What the members of a type are like, a claim about that type tells.
    for export in [one for one in facts.exports if not (one.is_inner or one.owner or facts.generated)]:
        called = [one.signature for one in declared or () if one.is_called(export.name)]
        public.update([export.name, *[f"{export.name} {signature}" for signature in called]])
    rows = None if declared is None else encode(list(map(list, declared)))
    return FileSubjects(facts.unread != NO_GRAMMAR, sorted(public), rows)


def _packed(one: FileSubjects) -> bytes:
    return f"{encode([one.is_read, list(one.public)])}\n{one.declared}".encode("utf-8", "surrogatepass")


def _unpacked(_: str, data: bytes) -> FileSubjects:
    head, _, declared = data.decode("utf-8", "surrogatepass").partition("\n")
    is_read, public = decode(head)
    return FileSubjects(is_read, public, declared)
