"""The source code of a project as it is now: which files there are, and the record of each.

In a git repository the tracked files count; elsewhere all that no ignore rule leaves out. Before each answer every file
is looked at by a `stat`; one that changed is read, and its record made unless the store has one of the same content. A
grammar is compiled code that reads whatever lies in a repository: what is larger than a little runs in processes of its
own, and a file that ends its process or takes too long is passed over.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from stat import S_ISREG
from time import time_ns

from holdfast.caches.build.guarded_files import ignore_texts
from holdfast.caches.build.refresh import Runs
from holdfast.caches.cache_format import document_id
from holdfast.caches.search.code_record import RECORDS, CodeRecord, make_record
from holdfast.caches.search.code_source import CodeFile, CodePage, CodeSource
from holdfast.caches.secret_patterns import holds_private_key, is_secret_path
from holdfast.code.analysis.analyser import code_language
from holdfast.code.analysis.facts import MAX_ANALYSED
from holdfast.code.code_sections import CUTTER, CutFile, cutter_version
from holdfast.code.git_index import IndexUnreadable
from holdfast.code.languages import UNREAD, extension_of, language_of
from holdfast.code.on_disk.fact_store import FactStore, fact_key
from holdfast.code.on_disk.repository import find_repository, tracked_files
from holdfast.code.on_disk.source_workers import worked
from holdfast.core.confined_paths import read_confined
from holdfast.core.errors import BuildFailed
from holdfast.core.file_identity import Identity, identity, is_settled
from holdfast.core.ignore_rules import Rules
from holdfast.core.record import NamedTuple
from holdfast.core.regular_files import TooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.caches.build.refresh import Run
    from holdfast.caches.project.project_file import DeclaredCode
    from holdfast.caches.project.project_lock import LockedCode
    from holdfast.workspace import Workspace

# Files that a search looks at; what a project has beyond is counted and left out.
MOST_FILES = 60_000
# Bytes of new source, and files of it, that are cut without another process.
_LITTLE, _FEW = 64 << 10, 16
SourcePath = tuple[str, str, str]  # the project's root, a place and a file's name
_MANY = 100  # files whose progress is shown
_UNSETTLED = (0, 0, 0, 0, 0)  # the stamps of no file
_NOT_PARSED = "not parsed"
_RULES = f"files 1 {RECORDS} {CUTTER}"  # what is kept of files that other rules looked at is not believed


class _Known(NamedTuple):
    """A file as it was last read: its stamps, the SHA-256 of its bytes where they are searched, and why its text is
    not."""

    stamps: Identity
    digest: str
    why: str = ""


class WorkTrees:
    """What a process knows of the source files of its project; one for a workspace."""

    def __init__(self) -> None:
        self._lock = allocate_lock()  # of everything below; no call holds it while a file is read
        self._runs = Runs()
        self._known: dict[str, _Known] = {}
        self._records: dict[bytes, CodeRecord] = {}
        self._store: FactStore | None = None
        self._source: tuple[object, CodeSource] | None = None
        self._listing: tuple[object, list[str]] | None = None  # what git tracks, and what of it is searched

    def telemetry(self) -> dict[str, dict[str, int]]:
        """Nothing is counted."""
        return {}

    @property
    def left_out(self) -> dict[str, str]:
        """Why the text of a file is not searched, by its path."""
        return {path: known.why for path, known in list(self._known.items()) if known.why}

    def read_before(self, workspace: Workspace) -> tuple[int, Counter[str]]:
        """How many files the last search read, and how many it left out, by why; nothing is looked at or made."""
        self._begin(workspace, os.path.realpath(workspace.project))
        return len(self._known), Counter(self.left_out.values())

    def source(
        self, workspace: Workspace, tokenizer: str, patience: float | None, declared: Sequence[DeclaredCode] = ()
    ) -> CodeSource | None:
        """The source files of the project as they are now, of declared code alone where there is some; None where there
        are none.

        CacheBuilding where their records take longer to make than a caller waits: that goes on meanwhile.
        """
        root = os.path.realpath(workspace.project)
        every = self._listed(workspace, root)
        paths = _declared(every, declared)
        if not paths:
            return None
        stale: list[str] = []

        def is_current() -> bool:
            with self._lock:
                self._begin(workspace, root)
                stale[:] = self._stale(root, paths)
            return not stale

        self._runs.wait_for("code", is_current, lambda run: self._make(workspace, root, every, stale, run), patience)
        with self._lock:
            return self._made(root, paths, tokenizer)

    def locked(self, workspace: Workspace, declared: DeclaredCode) -> LockedCode:
        """What a lock says of source code as it is now; BuildFailed where there is none."""
        from holdfast.caches.project.project_lock import LockedCode, sources_digest

        root = os.path.realpath(workspace.project)
        paths = _declared(self._listed(workspace, root), [declared])
        found = [(path, digest) for path in paths if (digest := _digest(root, path)[0])]
        if not found:
            named = ", ".join([f"'{place or '.'}'" for place in declared.places])
            raise BuildFailed(f"no source code for '{declared.name}' in {named}: a new file counts when git tracks it")
        return LockedCode(sources_digest(found), len(found))

    def ids(self, workspace: Workspace) -> set[str]:
        """The ids of all source files."""
        paths = self._listed(workspace, os.path.realpath(workspace.project))
        return {document_id(path) for path in paths if _is_text(path)}

    def page(self, workspace: Workspace, name: str) -> CodePage | None:
        """A source file as it is now, by its path; None where the project has none that is searched."""
        root, wanted = os.path.realpath(workspace.project), document_id(name)
        paths = self._listed(workspace, root)
        path = name if name in paths else next((path for path in paths if document_id(path) == wanted), "")
        if not path:
            return None
        try:
            data = read_confined(root, path, MAX_ANALYSED)
        except (OSError, ValueError, TooLarge):
            return None
        if holds_private_key(data):
            return None
        digest = sha256(data).hexdigest()
        cut = self._cut(workspace, root, path, digest)
        return CodePage(path, digest, cut, data.decode("utf-8", "replace"))

    def _cut(self, workspace: Workspace, root: str, path: str, digest: str) -> CutFile:
        """What a file declares: as a search knows it, or made now, where a grammar is not lost with it."""
        with self._lock:
            self._begin(workspace, root)
            record, known = self._record(path, digest), self._known.get(path)
        is_lost = known is not None and known.why == _NOT_PARSED and known.stamps == _stamps(f"{root}/{path}")
        if record is None and not is_lost:
            for _, again, made in _records(root, [path]):
                record = CodeRecord(memoryview(made)) if again == digest else None
        return CutFile([], [], _NOT_PARSED) if record is None else record.cut

    def _listed(self, workspace: Workspace, root: str) -> list[str]:
        """The paths of the source files below a project, in order."""
        repository = find_repository(workspace.file_contents, root)
        tracked = None if repository is None else tracked_files(workspace.file_contents, repository)
        if repository is None or tracked is None or isinstance(tracked, IndexUnreadable):
            return _searched(_walked(root))
        if self._listing is None or self._listing[0] is not tracked:
            top = os.path.relpath(root, os.path.realpath(repository.top))
            lead = b"" if top == "." else os.fsencode(top) + b"/"
            below = [os.fsdecode(path[len(lead) :]) for path in tracked.paths() if path.startswith(lead)]
            self._listing = tracked, _searched(below)
        return self._listing[1]

    def _begin(self, workspace: Workspace, root: str) -> None:
        if self._store is None:
            self._store = FactStore(workspace.user_cache, root)
            self._store.load()
            self._known = _parsed(self._store.read_stamps())

    def _stale(self, root: str, paths: Sequence[str]) -> list[str]:
        """The files that are not known as they are now, or whose record is not there."""
        stale = []
        for path in paths:
            try:
                now = identity(os.stat(f"{root}/{path}", follow_symlinks=False))
            except OSError:
                self._known.pop(path, None)
                continue
            known = self._known.get(path)
            if known is None or known.stamps != now or (known.digest and self._record(path, known.digest) is None):
                stale.append(path)
        return stale

    def _record(self, path: str, digest: str) -> CodeRecord | None:
        key = _key(path, digest)
        record = self._records.get(key)
        if record is None and self._store is not None and (data := self._store.get(key)) is not None:
            try:
                record = self._records[key] = CodeRecord(memoryview(data))
            except ValueError:
                return None
        return record

    def _make(self, workspace: Workspace, root: str, paths: Sequence[str], stale: Sequence[str], run: Run) -> None:
        """Read what changed, and make the records that are not there."""
        started, known, made, jobs = time_ns(), dict[str, _Known](), dict[bytes, bytes](), list[str]()
        for path in stale:
            seen = _stamps(f"{root}/{path}")
            digest, why = ("", "") if seen is None else _digest(root, path)
            if seen is not None:
                with self._lock:
                    kept = self._record(path, digest) if digest else None
                stamps = seen if is_settled(seen, started) else _UNSETTLED
                known[path] = _Known(stamps, digest, _why(kept) if kept else why)
                if digest and kept is None:
                    jobs.append(path)
        for done, (path, digest, record) in enumerate(_records(root, jobs), 1):
            # Without a record it ended its process, or was written to meanwhile.
            why = _why(CodeRecord(memoryview(record))) if record else _NOT_PARSED
            known[path] = known[path]._replace(digest=digest, why=why)
            if record:
                made[_key(path, digest)] = record
            run.phase("source files", done, len(jobs))
            if workspace.phases is not None and len(jobs) > _MANY:
                workspace.phases("source files", done, len(jobs))
        with self._lock:
            there = set(paths)
            self._known = {path: each for path, each in {**self._known, **known}.items() if path in there}
            self._records.update({key: CodeRecord(memoryview(record)) for key, record in made.items()})
            used = [_key(path, each.digest) for path, each in self._known.items() if each.digest]
            written = _written(self._known)
        if self._store is not None:
            if made:
                self._store.add(made, used)
            self._store.write_stamps(written)

    def _made(self, root: str, paths: Sequence[str], tokenizer: str) -> CodeSource | None:
        digests = tuple([(path, known.digest) for path in paths if (known := self._known.get(path)) and known.digest])
        if self._source is None or self._source[0] != (digests, tokenizer):
            files = [
                CodeFile(path, digest, record) for path, digest in digests if (record := self._record(path, digest))
            ]
            used = {_key(path, digest) for path, digest in digests}
            self._records = {key: record for key, record in self._records.items() if key in used}
            source = CodeSource(files, lambda path: read_confined(root, path, MAX_ANALYSED), tokenizer)
            whys = self.left_out
            source.left_out = Counter([whys[path] for path in paths if path in whys])
            self._source = (digests, tokenizer), source
        return self._source[1].fresh() if self._source[1].document_count else None


def _why(record: CodeRecord) -> str:
    """Why the text of a file is not searched; a file has a section unless it is left out, or empty."""
    return "" if record.sections else record.cut.unread


@lru_cache(2 * MOST_FILES)
def _key(path: str, digest: str) -> bytes:
    language = _language(path)
    return fact_key(f"search {RECORDS} {language} {_version(language)}", digest.encode())


_versions: dict[str, str] = {}


def _version(language: str) -> str:
    if language not in _versions:
        also = cutter_version("C++") if language == "C" else ""  # a header of C may turn out to be one of C++
        _versions[language] = cutter_version(language) + also
    return _versions[language]


def is_source(path: str) -> bool:
    """Whether a path is that of a source file, by its ending."""
    return bool(_language(path))


def _language(path: str) -> str:
    name = path.rpartition("/")[2]
    return language_of(name) or UNREAD.get(extension_of(name), "")


def _spoken(path: str, data: bytes) -> str:
    """The language that a file is cut as: that of its content, where its name may mean two."""
    return code_language(path.rpartition("/")[2], data) or _language(path)


def _searched(paths: Iterable[str]) -> list[str]:
    return sorted([path for path in paths if _language(path) and not is_secret_path(path)])[:MOST_FILES]


def _declared(paths: Sequence[str], declared: Sequence[DeclaredCode]) -> Sequence[str]:
    """Those of some declared code; all where none is declared."""
    return [path for path in paths if any(code.holds(path) for code in declared)] if declared else paths


def _is_text(path: str) -> bool:
    """Whether a path can be cited: UTF-8, on one line."""
    return "\n" not in path and path.encode("utf-8", "replace") == os.fsencode(path)


def _walked(root: str) -> Iterator[str]:
    """The files of a tree that is in no repository, without those that ignore rules leave out."""
    waiting = [("", Rules())]
    count = 0
    while waiting and count < 4 * MOST_FILES:
        place, rules = waiting.pop()
        try:
            with os.scandir(f"{root}/{place}") as entries:
                there = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        rules = rules.within(place, *ignore_texts(root, place))
        for entry in there:
            count += 1
            path = f"{place}/{entry.name}" if place else entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git" and not rules.ignores(place, entry.name, folder=True):
                    waiting.append((path, rules))
            elif entry.is_file(follow_symlinks=False) and not rules.ignores(place, entry.name, folder=False):
                yield path


def _stamps(path: str) -> Identity | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return identity(status) if S_ISREG(status.st_mode) else None


def _digest(root: str, path: str) -> tuple[str, str]:
    """The SHA-256 of a file, or why it is not searched."""
    if not _is_text(path):
        return "", "name is no text"
    try:
        data = read_confined(root, path, MAX_ANALYSED)
    except TooLarge:
        return "", "too large"
    except (OSError, ValueError):
        return "", "unreadable"
    return ("", "holds a private key") if holds_private_key(data) else (sha256(data).hexdigest(), "")


def _records(root: str, paths: list[str]) -> Iterator[tuple[str, str, bytes]]:
    """(path, digest, record) of each file, in any order; no record of one that could not be cut."""
    items = [(root, place, name) for place, _, name in [path.rpartition("/") for path in paths]]
    size = sum([(_stamps(f"{root}/{path}") or _UNSETTLED)[1] for path in paths])
    is_little = len(paths) <= _FEW and size <= _LITTLE
    found = enumerate(map(cut_file, items)) if is_little else worked(items, cut_file, size)
    for number, made in found:
        yield paths[number], *(made or ("", b""))


def cut_file(file: SourcePath) -> tuple[str, bytes]:
    """The digest and the record of a file, given by root, place and name; nothing of one that cannot be read or cut."""
    root, place, name = file
    try:
        data = read_confined(root, f"{place}/{name}", MAX_ANALYSED)
        return sha256(data).hexdigest(), make_record(data, _spoken(name, data))
    except (OSError, ValueError, TooLarge, RecursionError, MemoryError):
        return "", b""


def _written(known: dict[str, _Known]) -> bytes:
    rows = [
        f"{each.digest}-{each.why.replace(' ', '-')} {' '.join(map(str, each.stamps))} {path}"
        for path, each in known.items()
        if "\n" not in path
    ]
    return "\n".join([_RULES, *rows]).encode("utf-8", "surrogateescape")


def _parsed(data: bytes) -> dict[str, _Known]:
    found: dict[str, _Known] = {}
    rules, *rows = data.decode("utf-8", "surrogateescape").split("\n")
    for row in rows if rules == _RULES else ():
        digest, *numbers, path = row.split(" ", 6)
        if len(numbers) == 5:
            first, second, third, fourth, fifth = map(int, numbers)
            digest, _, why = digest.partition("-")
            found[path] = _Known((first, second, third, fourth, fifth), digest, why.replace("-", " "))
    return found
