"""Ask git: the one place that starts it for questions. Loaded only where git is needed."""

from __future__ import annotations

from holdfast.core.errors import UsageError

# Take no locks, run no file monitor that a repository names in its settings, and use no bare repository: a clone can
# hold one, with settings that name programs.
_QUESTION = ("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "safe.bareRepository=explicit")
# Fetch no object that a partial clone lacks: the settings may name the program that fetches.
_NO_TRANSPORT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}


def git(root: str, *words: str, given: bytes | None = None) -> bytes:
    """What git writes for a command in a directory; UsageError when it refuses or is not there.

    Git contacts no host, and reads the settings of the user and of the repository around the directory alone.
    """
    import os
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603  # no shell, and what comes from outside cannot be an option
            ["git", *_QUESTION, "-C", root, *words],  # noqa: S607  # the git the person uses
            capture_output=True,
            check=False,
            input=given if given is not None else b"",
            env={**os.environ, **_NO_TRANSPORT},
        )
    except FileNotFoundError:
        raise git_unusable("git is not installed, and this needs it") from None
    except OSError as error:
        raise git_unusable(f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it does not say why"]
        if b"not a git repository" in done.stderr:
            raise git_unusable("there is no git repository here: 'git init' makes one")
        if b"index.lock" in done.stderr:
            raise git_unusable(
                "git's index is locked: another git command is at work; if none is, remove .git/index.lock"
            )
        raise UsageError(f"git refused: {lines[0]}")
    return done.stdout


def git_unusable(reason: str) -> UsageError:
    """A refusal that has nothing to do with what was asked."""
    error = UsageError(reason)
    error.note = reason
    return error
