"""The project a command is given in: found by walking up from the working directory."""

from __future__ import annotations

import os

# What a project has at its top: its settings, its caches, its specs, its repository.
MARKERS = (
    *("context.toml", ".context", ".spec-context", ".spec-workflow", ".kiro", ".specify"),
    *("openspec/changes", "openspec/specs", "openspec/project.md", "openspec/config.yaml", ".git"),
)


def project_root(start: str, home: str = "") -> str:
    """The nearest directory from `start` upwards that has a marker; `start` itself when there is none.

    The home directory and the file system's root are never reached by walking: tools keep folders of their own there.
    """
    start = os.path.abspath(start)
    homes = (os.path.abspath(home), os.path.realpath(home)) if home else ()
    directory = start
    while not any(os.path.lexists(os.path.join(directory, marker)) for marker in MARKERS):
        directory = os.path.dirname(directory)
        if directory in homes or directory == os.path.dirname(directory):
            return start
    return directory
