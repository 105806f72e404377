"""What setting one client up would do to one file: worked out first, shown, proven, and only then written."""

from __future__ import annotations

import os

from holdfast.clients.client_table import WORKSPACE
from holdfast.clients.config_edit import NotOurs, document, entry_in, with_entry, without_entry
from holdfast.clients.edit_errors import BrokenText, OddText
from holdfast.clients.on_disk.config_file import check_writable, read_config
from holdfast.clients.on_disk.found_clients import server_command
from holdfast.clients.on_disk.server_proof import Start, prove, start_environment
from holdfast.clients.server_entry import (
    CACHE_ROOT,
    NAME,
    entry_environment,
    entry_words,
    is_ours,
    new_entry,
    server_words,
)
from holdfast.clients.shown_lines import changed_lines, entry_strings
from holdfast.core.confined_paths import printable
from holdfast.core.errors import SettingsInvalid
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from holdfast.clients.client_table import Client, Place, Scope
    from holdfast.clients.on_disk.config_file import ConfigFile, KeptTexts
    from holdfast.clients.on_disk.server_proof import Proven
    from holdfast.clients.server_entry import Entry


class PlannedEdit(NamedTuple):
    """A file as it is, and as it would be (None: removed). `had` says whether an entry of ours is in it now."""

    file: ConfigFile
    text: str | None
    had: bool
    own: Collection[str] = ()  # the strings of our entry, before and after

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
    """Where set-up happens: the scope, the project, and the variables of whoever asks."""

    scope: Scope
    project: str
    environment: Mapping[str, str]


def wanted_entry(client: Client, place: Place, setting: Setting) -> Entry:
    """The entry that a client needs at a place. What is committed names nothing of this machine."""
    shared = setting.scope == "project"
    command = ["context"] if shared else server_command(setting.environment, anywhere=place.is_desktop)
    named = {"variable": WORKSPACE, "named": setting.project, "started there": ""}[place.told]
    root = setting.environment.get(CACHE_ROOT, "")
    variables = {CACHE_ROOT: os.path.abspath(root)} if root and place.is_desktop and not shared else {}
    words = server_words(command, project=named, underscores=client.underscores)
    return new_entry(client.target.shape, words, variables)


def plan_entry(client: Client, place: Place, path: str, setting: Setting) -> PlannedEdit:
    """A file with the entry; SettingsInvalid or IoError says why that cannot be, and what to do."""
    file = read_config(path, inside=setting.project if setting.scope == "project" else "")
    entry = wanted_entry(client, place, setting)
    shown = printable(path)
    try:
        had = _own_entry(client, file)
        text = with_entry(client.target, file.text or "", entry)
    except BrokenText as error:
        raise SettingsInvalid(f"{shown} is broken ({error}): mend it and run this again") from None
    except NotOurs:
        taken = f"{shown} has an entry '{NAME}' that starts something else"
        raise SettingsInvalid(f"{taken}: rename or remove it and run this again") from None
    except OddText as error:
        by_hand = f"add an entry '{NAME}' under {client.target.container} that runs: "
        words = " ".join(entry_words(client.target.shape, entry))
        raise SettingsInvalid(f"{shown}: {error}; {by_hand}{words}") from None
    if text != (file.text or "") or file.text is None:
        check_writable(file)
        return PlannedEdit(file, text, had is not None, entry_strings([had, entry, {"name": NAME}]))
    return PlannedEdit(file, file.text, had is not None)


def served_elsewhere(client: Client, place: Place, planned: PlannedEdit, setting: Setting) -> str:
    """The other project that an entry serves, where that is all that is to be said against it; else empty."""
    words = entry_words(client.target.shape, _own_entry(client, planned.file))
    if place.told != "named" or "--path" not in words[:-1]:
        return ""
    served = words[words.index("--path") + 1]
    if served == setting.project:
        return ""
    return "" if plan_entry(client, place, planned.file.path, setting._replace(project=served)).changes else served


def plan_removal(client: Client, path: str, setting: Setting, kept: KeptTexts) -> PlannedEdit:
    """A file without the entry, the same where it has none of ours."""
    file = read_config(path, inside=setting.project if setting.scope == "project" else "")
    shown = printable(path)
    try:
        had = _own_entry(client, file)
        if had is None:
            return PlannedEdit(file, file.text, had=False)
        text = without_entry(client.target, file.text or "", _sound(client, kept.texts(file)))
    except BrokenText as error:
        raise SettingsInvalid(f"{shown} is broken ({error}): mend it and run this again") from None
    except OddText as error:
        raise SettingsInvalid(f"{shown}: {error}; remove the entry '{NAME}' by hand") from None
    check_writable(file)
    return PlannedEdit(file, text, True, entry_strings(had))


def _own_entry(client: Client, file: ConfigFile) -> object:
    """The entry of ours that is in a file now; None where there is none."""
    entry = entry_in(client.target, document(client.target, file.text or ""))
    return entry if is_ours(client.target.shape, entry) else None


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


def prove_edit(client: Client, place: Place, planned: PlannedEdit, setting: Setting) -> tuple[list[str], Proven]:
    """Start the command that the text holds, as the client would; the command line, and what came of it."""
    shape = client.target.shape
    entry = entry_in(client.target, document(client.target, planned.text or ""))
    words = [word.replace(WORKSPACE, setting.project) for word in entry_words(shape, entry)]
    variables = start_environment(
        setting.environment, client.passes, entry_environment(shape, entry), is_desktop=place.is_desktop
    )
    directory = "/" if place.is_desktop and place.told != "started there" else setting.project
    proven = prove(Start(words, directory, variables), client.client_info)
    if client.underscores and any("." in name for name in proven.tools):
        return words, proven._replace(
            tools=(), failure="the tools are listed with dots, which this client does not take"
        )
    return words, proven
