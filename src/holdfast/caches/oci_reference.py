"""Where an artifact lies in a registry: `oci://HOST[:PORT]/REPOSITORY[:TAG][@sha256:…]`. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.core.errors import UsageError

SCHEME = "oci://"
MAX_REFERENCE = 1024
_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SHAPE = "write oci://HOST/REPOSITORY:TAG, such as oci://registry.example/team/docs:1.4"


class OciReference(NamedTuple):
    """A repository of a registry and a tag, a digest or both; the digest takes precedence."""

    host: str  # with its port, if it has one
    repository: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        return f"{SCHEME}{self.name}"

    @property
    def name(self) -> str:
        """The reference without its scheme, as `context.toml` may have it."""
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.host}/{self.repository}{tag}{f'@{self.digest}' if self.digest else ''}"

    @property
    def wanted(self) -> str:
        """What a registry is asked for: the digest, where there is one."""
        return self.digest or self.tag

    @property
    def is_loopback(self) -> bool:
        """Whether the registry is on this machine, where it may do without TLS."""
        return is_loopback(self.host)


def parse_reference(text: str) -> OciReference:
    """A reference, with or without its scheme; UsageError says what is wrong with it."""
    if len(text) > MAX_REFERENCE:
        raise _no_reference(f"{text[:60]}…", "it is too long")
    rest, marked, digest = text.removeprefix(SCHEME).partition("@")
    host, slash, path = rest.partition("/")
    if "://" in rest:
        raise _no_reference(text, "its scheme is not oci")
    if not slash or not _HOST.fullmatch(host):
        raise _no_reference(text, "it names no registry")
    repository, colon, tag = path.partition(":")
    if not _REPOSITORY.fullmatch(repository) or len(repository) > 255:
        raise _no_reference(text, f"'{repository}' is no repository (lower case, digits, '.', '_', '-' and '/')")
    if colon and not _TAG.fullmatch(tag):
        raise _no_reference(text, f"'{tag}' is no tag")
    if marked and not _DIGEST.fullmatch(digest):
        raise _no_reference(text, "what follows '@' is no sha256 digest of 64 hex digits")
    if not tag and not digest:
        raise _no_reference(text, "it has neither a tag nor a digest")
    return OciReference(host, repository, tag, digest)


def is_host(text: str) -> bool:
    """Whether a text is a host with or without a port, and nothing more."""
    return _HOST.fullmatch(text) is not None


def is_loopback(host: str) -> bool:
    """Whether a host, with or without its port, is this machine by one of its usual names."""
    return host.rpartition(":")[0] in _LOOPBACK or host in _LOOPBACK


def is_digest(text: str) -> bool:
    """Whether a text is a digest as registries write it."""
    return _DIGEST.fullmatch(text) is not None


def _no_reference(text: str, why: str) -> UsageError:
    return UsageError(f"'{text}': {why}: {_SHAPE}", headline="This is no reference to a registry")
