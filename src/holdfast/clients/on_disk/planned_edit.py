"""What setting one client up would do to one file: worked out first, shown, proven, and only then written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from holdfast.clients.config_edit import changed_lines, document, entry_strings, found_in, with_entry, without_entry
from holdfast.clients.on_disk.config_file import check_writable, read_config
from holdfast.clients.on_disk.found_clients import server_command
from holdfast.clients.on_disk.server_proof import Start, prove, start_environment
from holdfast.clients.server_entry import (
    CACHE_ROOT,
    NAME,
    WORKSPACE,
    entry_text,
    entry_words,
    is_same,
    is_written,
    written_entry,
)
from holdfast.core.confined_paths import printable
from holdfast.core.edit_errors import BrokenText, OddText
from holdfast.core.errors import SettingsInvalid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from holdfast.clients.client_table import Client, Place, Scope
    from holdfast.clients.on_disk.config_file import ConfigFile, KeptTexts
    from holdfast.clients.on_disk.server_proof import Proven
    from holdfast.clients.server_entry import Entry


class PlannedEdit(NamedTuple):
    """A file as it is, and as it would be (None: removed).

    `found` is what is in the place of our entry now (None: nothing). If it `is_foreign`, set-up did not write it:
    it may be shown, and replaced or removed where a person says so, and is never started.
    """

    file: ConfigFile
    text: str | None
    found: object = None
    is_foreign: bool = False
    own: Collection[str] = ()  # the strings of the entries that come and go

    @property
    def had(self) -> bool:
        """Whether an entry that set-up wrote is in the file now."""
        return self.found is not None and not self.is_foreign

    @property
    def entry(self) -> str:
        """The full text of what is in the place of our entry."""
        return entry_text(self.found)

    @property
    def changes(self) -> bool:
        """Whether anything would be written."""
        return self.text != self.file.text

    def diff(self) -> str:
        """The lines that change and no other: the rest of a configuration may hold keys."""
        shown = printable(self.file.path)
        old, new = (shown if text is not None else os.devnull for text in (self.file.text, self.text))
        return changed_lines(self.file.text or "", self.text or "", old, new, self.own)


class Setting(NamedTuple):
    """Where set-up happens: the scope, the project, and the caller's environment variables."""

    scope: Scope
    project: str
    environment: Mapping[str, str]


def wanted_entry(client: Client, place: Place, setting: Setting) -> Entry:
    """The entry that a client needs at a place. What is committed names nothing of this machine."""
    if setting.scope == "project":
        return written_entry(client, place, ["context"], setting.project)
    command = server_command(setting.environment, anywhere=place.is_desktop)
    return written_entry(client, place, command, setting.project, _cache_root(place, setting))


def _cache_root(place: Place, setting: Setting) -> str:
    """The cache root that an entry names: the caller's, where the client does not pass it on by itself."""
    root = setting.environment.get(CACHE_ROOT, "") if place.is_desktop and setting.scope == "user" else ""
    return os.path.abspath(root) if root else ""


def plan_entry(client: Client, place: Place, path: str, setting: Setting) -> PlannedEdit:
    """A file with the entry; SettingsInvalid or IoError says why that cannot be, and what to do."""
    file = read_config(path, inside=setting.project if setting.scope == "project" else "")
    entry = wanted_entry(client, place, setting)
    shown = printable(path)
    try:
        found = found_in(client.target, document(client.target, file.text or ""))
        text = with_entry(client.target, file.text or "", entry)
    except BrokenText as error:
        raise SettingsInvalid(f"{shown} is broken ({error}): mend it and run this again") from None
    except OddText as error:
        by_hand = f"add an entry '{NAME}' under {client.target.container} that runs: "
        words = " ".join(entry_words(client.target.shape, entry))
        raise SettingsInvalid(f"{shown}: {error}; {by_hand}{words}") from None
    is_foreign = found is not None and not is_written(client, place, setting.scope, found)
    if text == file.text:
        return PlannedEdit(file, text, found, is_foreign)
    check_writable(file)
    return PlannedEdit(file, text, found, is_foreign, entry_strings([found, entry, {"name": NAME}]))


def served_elsewhere(client: Client, place: Place, planned: PlannedEdit, setting: Setting) -> str:
    """The other project that an entry serves, where that is all that is to be said against it; else empty."""
    words = entry_words(client.target.shape, planned.found)
    if place.project_from != "named" or "--path" not in words[:-1]:
        return ""
    served = words[words.index("--path") + 1]
    there = wanted_entry(client, place, setting._replace(project=served))
    return served if served != setting.project and is_same(planned.found, there) else ""


def plan_removal(client: Client, place: Place, path: str, setting: Setting, kept: KeptTexts) -> PlannedEdit:
    """A file without the entry, the same where it has none."""
    file = read_config(path, inside=setting.project if setting.scope == "project" else "")
    shown = printable(path)
    try:
        found = found_in(client.target, document(client.target, file.text or ""))
        if found is None:
            return PlannedEdit(file, file.text)
        text = without_entry(client.target, file.text or "", _sound(client, kept.texts(file)))
    except BrokenText as error:
        raise SettingsInvalid(f"{shown} is broken ({error}): mend it and run this again") from None
    except OddText as error:
        raise SettingsInvalid(f"{shown}: {error}; remove the entry '{NAME}' by hand") from None
    check_writable(file)
    is_foreign = not is_written(client, place, setting.scope, found)
    return PlannedEdit(file, text, found, is_foreign, entry_strings(found))


def _sound(client: Client, texts: Iterable[str | None]) -> list[str | None]:
    """The texts that can be read; a copy that cannot is no help."""
    sound = []
    for text in texts:
        try:
            document(client.target, text or "")
        except (BrokenText, OddText):
            continue
        sound.append(text)
    return sound


def prove_entry(client: Client, place: Place, setting: Setting) -> tuple[list[str], Proven]:
    """Start the server as the client will by the entry that set-up writes; the command line, and what came of it.

    Nothing of a file is started: the words and the variables are those of this installation and of the caller.
    """
    words = entry_words(client.target.shape, wanted_entry(client, place, setting))
    words = [word.replace(WORKSPACE, setting.project) for word in words]
    root = _cache_root(place, setting)
    added = {CACHE_ROOT: root} if root else {}
    variables = start_environment(setting.environment, client.passes, added, is_desktop=place.is_desktop)
    directory = "/" if place.is_desktop and place.project_from != "started there" else setting.project
    proven = prove(Start(words, directory, variables), client.client_info or client.name)
    if client.no_dots and any("." in name for name in proven.tools):
        return words, proven._replace(
            tools=(), failure="the tools are listed with dots, which this client does not take"
        )
    return words, proven
