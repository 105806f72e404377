"""Setting clients and a code host up, declared. They write files of a person's own, so no tool does it."""

from __future__ import annotations

from holdfast.operation import Operation, Parameter

_PROJECT = Parameter("path", "path", "The project (default: the one the current directory is in)", metavar="DIR")
_DRY_RUN = Parameter("dry_run", "flag", "Tell what would be written and write nothing")

OPERATIONS = (
    Operation(
        "clients",
        ("setup",),
        "Set up the clients you name to use the server; without a name, show those that are on this machine.",
        (
            Parameter("clients", "texts", "A client, such as codex or claude-code", metavar="CLIENT", positional=True),
            Parameter("user", "flag", "For you, in every project: the default"),
            Parameter("project", "flag", "For everybody who has the project, in files to commit"),
            Parameter("all", "flag", "Every client that is found"),
            Parameter("yes", "flag", "Write without asking; needs names or --all"),
            Parameter(
                "replace",
                "flag",
                "Also replace, or take out, an entry 'holdfast' that setup did not write; it is shown",
            ),
            _DRY_RUN,
            Parameter("undo", "flag", "Take the entry out again and leave everything else as it is"),
            _PROJECT,
        ),
        "holdfast.clients.answers:setup",
        view="holdfast.clients.views:setup",
    ),
    Operation(
        "clients",
        ("setup", "ci"),
        "Write a workflow for GitHub Actions that checks what the project keeps: contexts, caches, specs.",
        (
            Parameter(
                "origin",
                "text",
                "What pip installs there, if not this release from the index: a requirement, an address, a path",
                metavar="REQUIREMENT",
                flag="--from",
            ),
            _DRY_RUN,
            Parameter("undo", "flag", "Remove the workflow, if it is as it was written"),
            _PROJECT,
        ),
        "holdfast.clients.answers:setup_ci",
        view="holdfast.clients.views:workflow",
    ),
)
