"""The entries that set-up writes, and has written: an entry is ours only if it is one of these, member for member.

A configuration of a project comes with a clone, so an entry that merely resembles ours is anybody's. What is committed
names nothing of a machine and has one form. A person's own configuration may hold paths of an earlier installation:
the forms below say in which places.
"""

from __future__ import annotations

from posixpath import isabs
from typing import TYPE_CHECKING

from holdfast.clients.client_table import WORKSPACE
from holdfast.clients.server_entry import CACHE_ROOT, NAME, entry_words, is_same, new_entry, server_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.clients.client_table import Client, Place, Scope
    from holdfast.clients.server_entry import Entry

# What has stood before `serve` in a person's own configuration: `context` by its name or by its path, or what follows
# the path of a Python. Up to 0.1.0 without `-P`: Python then imports from the working directory.
_MODULES = (("-m", NAME), ("-P", "-m", NAME))


def written_entry(client: Client, place: Place, command: Sequence[str], project: str, cache_root: str = "") -> Entry:
    """The entry that starts the server by a command, for a project, with the cache root where it is not empty."""
    named = {"variable": WORKSPACE, "named": project, "started there": ""}[place.project_from]
    words = server_words(command, project=named, underscores=bool(client.no_dots))
    return new_entry(client.target.shape, words, {CACHE_ROOT: cache_root} if cache_root else {})


def is_written(client: Client, place: Place, scope: Scope, found: object) -> bool:
    """Whether set-up wrote what `found_in` gives of a document: exactly, but for the paths of another installation."""
    entry = found
    if scope == "project":
        return is_same(entry, written_entry(client, place, ["context"], ""))
    words = entry_words(client.target.shape, entry)
    command = words[: words.index("serve")] if "serve" in words else []
    if not _is_command(command):
        return False
    project = words[len(command) + 2] if len(words) > len(command) + 2 else ""
    variables = entry.get(client.target.shape.environment) if isinstance(entry, dict) else None
    root = variables.get(CACHE_ROOT) if isinstance(variables, dict) and place.is_desktop else ""
    root = root if isinstance(root, str) and isabs(root) else ""
    if place.project_from == "named" and not isabs(project):
        return False
    return is_same(entry, written_entry(client, place, command, project, root))


def _is_command(words: Sequence[str]) -> bool:
    if len(words) == 1:
        return words[0] == "context" or (isabs(words[0]) and words[0].endswith("/context"))
    return bool(words) and isabs(words[0]) and tuple(words[1:]) in _MODULES
