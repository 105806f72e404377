"""A client's configuration file: read with care, written in one step, and what it was kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from holdfast.core import posix_calls
from holdfast.core.atomic_write import StagedFile, flush_path
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import IoError, SettingsInvalid
from holdfast.core.regular_files import NotRegular, TooLarge, read_regular

_LARGEST = 64 << 20
_ABSENT = "absent"


class ConfigFile(NamedTuple):
    """A file as it was found: where it is asked for, where it really is, and its text (None: there is none)."""

    path: str
    real: str
    text: str | None

    @property
    def is_link(self) -> bool:
        """Whether the place leads to a file elsewhere."""
        return self.real != self.path


def read_config(path: str, *, inside: str = "") -> ConfigFile:
    """The file at a place, through a link where there is one; SettingsInvalid or IoError says why it cannot be used.

    With `inside`, a link that leads out of that directory is refused: a checkout has no say about other files.
    """
    shown = printable(path)
    real = os.path.realpath(path) if os.path.islink(path) else path
    if inside and not lies_inside(os.path.realpath(path), os.path.realpath(inside)):
        raise SettingsInvalid(f"{shown} leads out of the project: make it a file of the project, or use --user")
    if real != path and not os.path.exists(real):
        raise SettingsInvalid(f"{shown} is a link to {printable(real)}, which is not there: mend or remove the link")
    try:
        data = read_regular(real, limit=_LARGEST)
    except FileNotFoundError:
        return ConfigFile(path, real, None)
    except NotRegular:
        raise SettingsInvalid(f"{shown} is not a regular file: move it away") from None
    except TooLarge:
        raise SettingsInvalid(f"{shown} is larger than any configuration: look at it first") from None
    except OSError as error:
        raise IoError(f"{shown} cannot be read: {error.strerror}") from None
    try:
        return ConfigFile(path, real, data.decode())
    except UnicodeDecodeError:
        raise SettingsInvalid(f"{shown} is not UTF-8: save it as UTF-8") from None


def check_writable(file: ConfigFile) -> None:
    """IoError where the file, or the directory it would be made in, is read-only: a person meant that."""
    if file.text is not None:
        mode = os.stat(file.real).st_mode
        if not mode & 0o222 or not os.access(file.real, os.W_OK):
            shown = printable(file.path)
            raise IoError(f"{shown} is read-only: make it writable (chmod u+w), or add the entry where it is generated")
    directory = os.path.dirname(file.real)
    while not os.path.lexists(directory):
        directory = os.path.dirname(directory)
    if not os.path.isdir(directory):
        raise IoError(f"{printable(directory)} is not a directory")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise IoError(f"{printable(directory)} cannot be written to: it belongs to another user, or is read-only")


def replace_config(file: ConfigFile, text: str | None) -> None:
    """Put a text in the place of the one that was read, or remove the file (None), all or nothing.

    IoError where the file is not any more what was read: another program writes it too, and its words count.
    """
    directory = os.path.dirname(file.real)
    try:
        if text is None:
            _check_unchanged(file)
            os.unlink(file.real)
        else:
            os.makedirs(directory, exist_ok=True)
            with StagedFile(file.real) as staged:
                # A configuration can hold keys: nobody else reads the copy while it is being written.
                posix_calls.fchmod(staged.descriptor, 0o600)
                staged.write(text.encode())
                if file.text is None:
                    posix_calls.fchmod(staged.descriptor, 0o644 & ~_umask())
                os.fsync(staged.descriptor)
                _check_unchanged(file)
                os.replace(staged.path, file.real)
        flush_path(directory)
    except OSError as error:
        raise IoError(f"{printable(file.path)} cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _check_unchanged(file: ConfigFile) -> None:
    try:
        now: str | None = read_regular(file.real, limit=_LARGEST).decode("utf-8", "replace")
    except FileNotFoundError:
        now = None
    if now != file.text:
        raise IoError(f"{printable(file.path)} was changed by another program just now: close it and run this again")


class KeptTexts:
    """What configuration files said before they were set up, in a directory of the user's own.

    Beside the file a copy would be in the way: some clients read every file of a directory, and a project is committed.
    """

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def keep(self, file: ConfigFile) -> str:
        """Keep a text, readable for its owner alone; where it is kept (empty: there is nothing to keep)."""
        if not self.directory:
            if file.text is None:
                return ""
            raise IoError("there is no place for a backup: set HOME or XDG_STATE_HOME; nothing was written")
        digest = _ABSENT if file.text is None else sha256(file.text.encode()).hexdigest()[:12]
        path = os.path.join(self.directory, f"{self._prefix(file)}{digest}-{os.path.basename(file.path)}")
        try:
            os.makedirs(self.directory, mode=0o700, exist_ok=True)
            descriptor = posix_calls.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | posix_calls.O_CLOEXEC | posix_calls.O_NOFOLLOW, 0o600
            )
            with open(descriptor, "wb") as kept:
                kept.write((file.text or "").encode())
                kept.flush()
                os.fsync(descriptor)
        except OSError as error:
            shown = printable(self.directory)
            raise IoError(f"no backup can be kept in {shown}: {error.strerror}; nothing was written") from None
        return path

    def texts(self, file: ConfigFile) -> Iterator[str | None]:
        """Everything that was kept of a file, the latest first; None where there was no file."""
        prefix = self._prefix(file)
        try:
            names = [name for name in os.listdir(self.directory) if name.startswith(prefix)]
        except OSError:
            return  # nothing was kept
        paths = [os.path.join(self.directory, name) for name in names]
        for path in sorted(paths, key=lambda path: (-os.stat(path, follow_symlinks=False).st_mtime_ns, path)):
            if os.path.basename(path).startswith(f"{prefix}{_ABSENT}-"):
                yield None
                continue
            try:
                yield read_regular(path, limit=_LARGEST).decode()
            except (OSError, UnicodeDecodeError):
                continue  # another one may do

    def _prefix(self, file: ConfigFile) -> str:
        return sha256(os.fsencode(file.real)).hexdigest()[:12] + "-"
