"""What `docker login` and `podman login` left: the credentials for a registry, from its file or a helper."""

from __future__ import annotations

import os
import re
import subprocess
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.errors import RegistryFailed
from holdfast.core.regular_files import read_regular

if TYPE_CHECKING:
    from holdfast.core.canonical_json import Json

_MOST_BYTES = 1 << 20
_HELPER = re.compile(r"[A-Za-z0-9._-]+")
_SECONDS = 30
_TOKEN = "<token>"  # noqa: S105  # what a helper gives as the user when the secret is a token


class Credentials(NamedTuple):
    """Who asks; with `is_token` the secret is a token that another one can be had for."""

    user: str
    secret: str
    is_token: bool = False


def find_credentials(host: str, environment: Mapping[str, str]) -> Credentials | None:
    """The credentials for a registry; None where none are kept."""
    for path in _files(environment):
        fields = _read(path)
        if fields is None:
            continue
        helper = _helper(fields, host)
        found = _from_helper(helper, host, environment) if helper else _from_file(fields, host)
        if found is not None:
            return found
    return None


def _files(environment: Mapping[str, str]) -> list[str]:
    home, runtime = environment.get("HOME", ""), environment.get("XDG_RUNTIME_DIR", "")
    docker = environment.get("DOCKER_CONFIG") or (os.path.join(home, ".docker") if home else "")
    files = [os.path.join(docker, "config.json")] if docker else []
    if environment.get("REGISTRY_AUTH_FILE"):
        files.insert(0, environment["REGISTRY_AUTH_FILE"])
    return [*files, os.path.join(runtime, "containers", "auth.json")] if runtime else files


def _read(path: str) -> Mapping[str, Json] | None:
    try:
        fields = decode(read_regular(path, limit=_MOST_BYTES))
    except FileNotFoundError:
        return None
    except (OSError, JsonError):
        raise RegistryFailed("the file that 'docker login' writes cannot be read as JSON: log in again") from None
    return fields if isinstance(fields, dict) else None


def _helper(fields: Mapping[str, Json], host: str) -> str:
    """The program that keeps the credentials for a host; empty where the file itself does."""
    helpers = fields.get("credHelpers")
    helper = helpers.get(host) if isinstance(helpers, dict) else None
    helper = helper or fields.get("credsStore")
    return helper if isinstance(helper, str) and _HELPER.fullmatch(helper) else ""


def _from_helper(helper: str, host: str, environment: Mapping[str, str]) -> Credentials | None:
    try:
        done = subprocess.run(  # noqa: S603  # the helper that the person's own file names, by a plain name
            [f"docker-credential-{helper}", "get"],
            input=host.encode(),
            capture_output=True,
            timeout=_SECONDS,
            env=dict(environment),
            check=False,
        )
        fields = decode(done.stdout) if not done.returncode else None
    except (OSError, subprocess.TimeoutExpired, JsonError):
        raise RegistryFailed(f"docker-credential-{helper}, which keeps the credentials, does not work") from None
    user, secret = (fields.get("Username"), fields.get("Secret")) if isinstance(fields, dict) else (None, None)
    if not isinstance(user, str) or not isinstance(secret, str):
        return None
    return Credentials("", secret, is_token=True) if user == _TOKEN else Credentials(user, secret)


def _from_file(fields: Mapping[str, Json], host: str) -> Credentials | None:
    known = fields.get("auths")
    entry = known.get(host) or known.get(f"https://{host}") if isinstance(known, dict) else None
    if not isinstance(entry, dict):
        return None
    token, packed = entry.get("identitytoken"), entry.get("auth")
    if isinstance(token, str) and token:
        return Credentials("", token, is_token=True)
    if not isinstance(packed, str):
        return None
    try:
        user, colon, secret = b64decode(packed, validate=True).decode().partition(":")
    except (NotBase64, UnicodeDecodeError):
        return None
    return Credentials(user, secret) if colon else None
