"""What is known of directories: what their manifests and READMEs say, and the facts of the files that matter."""

from __future__ import annotations

from holdfast.contexts.analysis.facts import MAX_ANALYSED, FileFacts
from holdfast.contexts.description import ENTRIES, About
from holdfast.contexts.languages import extension_of, language_of
from holdfast.contexts.manifests import MANIFESTS, READMES, about
from holdfast.contexts.on_disk.import_index import read_beneath
from holdfast.contexts.on_disk.source_facts import facts_of
from holdfast.contexts.test_files import is_test_name
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from holdfast.contexts.on_disk.project import Found, Project

_TOLD = frozenset({*MANIFESTS, *READMES})
_ENTRIES = frozenset(ENTRIES)
_PACKAGE_COMMENTS = ("// Package ", "/*\nPackage ", "// Command ", "/*\nCommand ")
_MOST_HEADS = 40  # a package comment is in one of the first files, or nobody looks for it


class DirectoryFacts(NamedTuple):
    """What one directory says of itself, and the facts of its files, or of those that speak for it."""

    about: About
    files: tuple[FileFacts, ...]


def directory_facts(
    project: Project,
    items: Sequence[Found],
    whole: Collection[str],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, DirectoryFacts]:
    """What is known of each place; of the places in `whole` every file is analysed, of others what a summary needs."""
    wanted: dict[str, list[tuple[str, str, int]]] = {}
    abouts: dict[str, About] = {}
    for item in items:
        if item.view is None:
            continue
        sizes = {file.name: file.size for file in item.view.files}
        texts = {name: read_beneath(project, item.place, name) for name in _TOLD.intersection(sizes)}
        abouts[item.place] = about({name: text for name, text in texts.items() if text is not None})
        if item.place in whole:
            names = [name for name in sorted(sizes) if language_of(name)]
        else:
            names = [] if abouts[item.place].description else _speakers(project, item.place, sorted(sizes))
        wanted[item.place] = [(item.place, name, sizes[name]) for name in names]
    found = facts_of(project, [file for files in wanted.values() for file in files], progress)
    return {
        place: DirectoryFacts(abouts[place], tuple([found[place, name].facts for _, name, _ in files]))
        for place, files in wanted.items()
    }


def _speakers(project: Project, place: str, names: list[str]) -> list[str]:
    """The files that may say what a directory is for."""
    entries = [name for name in names if name in _ENTRIES]
    sources = [name for name in names if extension_of(name) == "go" and not is_test_name(name)]
    for name in [] if entries else sources[:_MOST_HEADS]:
        text = read_beneath(project, place, name)
        if text is not None and len(text) <= MAX_ANALYSED and any(words in text for words in _PACKAGE_COMMENTS):
            return [name]
    return entries
