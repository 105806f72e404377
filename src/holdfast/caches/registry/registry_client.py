"""Speaks to one repository of an OCI registry over HTTP, with the standard library alone.

Nothing that a registry says is believed: what it sends is counted and hashed before anybody sees it, an address it
gives is followed without credentials where it leads to another host, and never from TLS to plain text.
"""

from __future__ import annotations

import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from email.message import Message
from hashlib import sha256
from http.client import HTTPException, HTTPResponse
from typing import BinaryIO, NamedTuple

from holdfast.caches.oci_reference import OciReference, is_host, is_loopback
from holdfast.caches.registry.cache_artifact import MANIFEST, MAX_MANIFEST, Blob, digest_of
from holdfast.caches.registry.challenges import Challenge, parse_challenges
from holdfast.caches.registry.docker_credentials import Credentials
from holdfast.core.canonical_json import JsonError, decode
from holdfast.core.errors import RegistryFailed, TransferBroken

_TIMEOUT = 60.0  # seconds that a single step of the network may take
_ATTEMPTS = 4
_REDIRECTS = 4
_READ = 1 << 16
_MOST_WORDS = 1 << 16  # of an answer that is not a blob or a manifest
_OK, _CREATED, _ACCEPTED, _NO_CONTENT, _PARTIAL = 200, 201, 202, 204, 206
_MOVED = frozenset({301, 302, 303, 307, 308})
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _OUT_OF_RANGE, _TOO_MANY = 401, 403, 404, 416, 429
_SERVER_ERROR = 500


class _Reply(NamedTuple):
    """What came back: the status, the headers, and a body still to be read."""

    status: int
    headers: Message
    body: HTTPResponse | urllib.error.HTTPError
    url: str


class _Dropped(Exception):
    """The connection ended early, or the server was busy: worth another attempt. Says what happened."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """None is followed here: where credentials may go is decided below."""


class RegistryClient:
    """One repository; every method raises RegistryFailed with what to do."""

    def __init__(self, reference: OciReference, credentials: Credentials | None, *, ca_file: str = "") -> None:
        self._reference = reference
        self._credentials = credentials
        self._authorization = ""
        context = ssl.create_default_context(cafile=ca_file or None)
        # What goes to this machine, perhaps without TLS, goes through no proxy.
        direct = [urllib.request.ProxyHandler({})] if reference.is_loopback else []
        self._opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), _NoRedirect, *direct)
        self._base = f"https://{reference.host}"

    def has(self, blob: Blob) -> bool:
        """Whether the registry holds some bytes."""
        reply = self._ask("HEAD", self._path(f"blobs/{blob.digest}"))
        with reply.body:
            if reply.status == _NOT_FOUND:
                return False
            self._expect(reply, _OK, "looking for a layer")
            return True

    def push_blob(self, blob: Blob, chunks: Callable[[int], Iterable[bytes]], tell: Callable[[int], None]) -> None:
        """Send bytes in chunks; `chunks` gives them from an offset on. An upload that breaks is taken up again."""
        with (reply := self._ask("POST", self._path("blobs/uploads/"), data=b"")).body:
            self._expect(reply, _ACCEPTED, "beginning an upload")
            place = self._location(reply)
        sent, failures = 0, 0
        while sent < blob.size:
            try:
                for chunk in chunks(sent):
                    place = self._send(place, sent, chunk)
                    sent += len(chunk)
                    tell(len(chunk))
            except _Dropped as error:
                failures += 1
                if failures == _ATTEMPTS:
                    raise RegistryFailed(f"{self._host} does not take an upload: {error}") from None
                place, sent = self._taken_up(place)
        url = _with_query(place, digest=blob.digest)
        with (reply := self._ask("PUT", url, data=b"")).body:
            self._expect(reply, _CREATED, "completing an upload")

    def push_manifest(self, name: str, data: bytes) -> str:
        """Put a manifest under a tag or its digest; its digest."""
        headers = {"Content-Type": MANIFEST}
        with (reply := self._ask("PUT", self._path(f"manifests/{name}"), data=data, headers=headers)).body:
            self._expect(reply, _CREATED, "writing the manifest")
            stated = reply.headers.get("Docker-Content-Digest", "")
        digest = digest_of(data)
        if stated and stated != digest:
            raise RegistryFailed(f"{self._host} kept another manifest than it was given")
        return digest

    def _missing(self, name: str) -> str:
        if not name.startswith("sha256:"):
            return f"{self._host} has no '{self._reference.name}': look at its tag and repository"
        missing = f"{self._host} has nothing with the digest {name[:19]}… in '{self._reference.name}' (any more)"
        advice = ": 'context pull NAME' moves the lock to what the tag means now" if self._reference.tag else ""
        return missing + advice

    def manifest(self, name: str) -> tuple[str, bytes]:
        """The manifest of a tag or digest, with its digest."""
        headers = {"Accept": MANIFEST}
        with (reply := self._ask("GET", self._path(f"manifests/{name}"), headers=headers)).body:
            if reply.status == _NOT_FOUND:
                raise RegistryFailed(self._missing(name))
            self._expect(reply, _OK, "reading the manifest")
            data = _bounded(reply.body, MAX_MANIFEST, "its manifest is too large to be one of a cache")
        digest = digest_of(data)
        if name.startswith("sha256:") and digest != name:
            raise RegistryFailed(f"{self._host} sent another manifest than the one of {name[:19]}…: it was altered")
        return digest, data

    def fetch_blob(self, blob: Blob, file: BinaryIO, tell: Callable[[int], None]) -> None:
        """Add the bytes that a file lacks, going on from its end; it is whole and proven afterwards."""
        failures = 0
        while (held := file.seek(0, os.SEEK_END)) < blob.size:
            try:
                self._fetch_from(blob, held, file, tell)
            except _Dropped as error:
                failures += 1
                if failures == _ATTEMPTS:
                    raise TransferBroken(f"{self._host} does not send a layer whole: {error}; pull again") from None
        if held != blob.size or _hash_file(file) != blob.digest:
            raise RegistryFailed(f"{self._host} sent other bytes than those of {blob.digest[:19]}…: nothing is used")

    def _fetch_from(self, blob: Blob, held: int, file: BinaryIO, tell: Callable[[int], None]) -> None:
        headers = {"Range": f"bytes={held}-"} if held else {}
        with (reply := self._ask("GET", self._path(f"blobs/{blob.digest}"), headers=headers)).body as body:
            if reply.status == _NOT_FOUND:
                raise RegistryFailed(f"{self._host} has the manifest and not its layer {blob.digest[:19]}…: push again")
            if held and reply.status in (_OK, _OUT_OF_RANGE):
                held = 0  # it cannot go on, so all of it comes again
                file.truncate(file.seek(0))
            if reply.status == _OUT_OF_RANGE:
                raise _Dropped("it cannot go on where it ended")
            self._expect(reply, _PARTIAL if held else _OK, "reading a layer")
            sent = reply.headers.get("Content-Length", "")
            if sent and sent != str(blob.size - held):
                raise RegistryFailed(
                    f"{self._host} says that a layer has another size than its manifest: it is refused"
                )
            while held < blob.size:
                try:
                    part = body.read(min(_READ, blob.size - held))
                except (OSError, HTTPException) as error:
                    raise _Dropped(_why(error)) from None
                if not part:
                    raise _Dropped(f"{held:,} of {blob.size:,} bytes came")
                file.write(part)
                held += len(part)
                tell(len(part))

    def _send(self, place: str, offset: int, chunk: bytes) -> str:
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Range": f"{offset}-{offset + len(chunk) - 1}",
        }
        with (reply := self._ask("PATCH", place, data=chunk, headers=headers, attempts=1)).body:
            if reply.status == _OUT_OF_RANGE:
                raise _Dropped("it has another part of it")
            self._expect(reply, _ACCEPTED, "sending a layer")
            return self._location(reply)

    def _taken_up(self, place: str) -> tuple[str, int]:
        """Where to go on with an upload that broke, and how much of it has arrived; from the start where it is lost."""
        with (reply := self._ask("GET", place)).body:
            if reply.status == _NO_CONTENT:
                arrived = reply.headers.get("Range", "").removeprefix("bytes=").partition("-")[2]
                # `0-0` is what an upload of nothing says, and of one byte; the chunk is then sent again from the start.
                if arrived.isascii() and arrived.isdigit() and int(arrived) > 0:
                    return self._location(reply), int(arrived) + 1
        with (reply := self._ask("POST", self._path("blobs/uploads/"), data=b"")).body:
            self._expect(reply, _ACCEPTED, "beginning an upload")
            return self._location(reply), 0

    @property
    def _host(self) -> str:
        return self._reference.host

    def _path(self, rest: str) -> str:
        return f"/v2/{self._reference.repository}/{rest}"

    def _location(self, reply: _Reply) -> str:
        location = reply.headers.get("Location", "")
        url = urllib.parse.urljoin(reply.url, location)
        if not location or not self._is_here(url):
            raise RegistryFailed(f"{self._host} sends uploads elsewhere, which is not followed")
        return url

    def _is_here(self, url: str) -> bool:
        there, here = urllib.parse.urlsplit(url), urllib.parse.urlsplit(self._base)
        return (there.scheme, there.netloc) == (here.scheme, here.netloc)

    def _ask(
        self,
        method: str,
        target: str,
        *,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        attempts: int = _ATTEMPTS,
    ) -> _Reply:
        """One request, with credentials where the registry asks for them; attempts that broke are made again."""
        for attempt in range(attempts):
            try:
                reply = self._once(method, target, data, headers or {})
            except _Dropped as error:
                if attempt == attempts - 1:
                    if attempts == 1:
                        raise
                    raise TransferBroken(f"{self._host} cannot be reached: {error}") from None
                continue
            if reply.status == _UNAUTHORIZED and attempt < attempts:
                with reply.body:
                    self._authorize(reply)
                reply = self._once(method, target, data, headers or {})
            if reply.status == _TOO_MANY or reply.status >= _SERVER_ERROR:
                if attempt < attempts - 1:
                    reply.body.close()
                    continue
                if attempts == 1:
                    reply.body.close()
                    raise _Dropped(f"it answers with {reply.status}")
            return reply
        raise AssertionError

    def _once(self, method: str, target: str, data: bytes | None, headers: Mapping[str, str]) -> _Reply:
        url = target if "://" in target else self._base + target
        for _ in range(_REDIRECTS):
            given = dict(headers)
            if self._authorization and self._is_here(url):
                given["Authorization"] = self._authorization
            reply = self._open(_request(method, url, data, given))
            if reply.status not in _MOVED or method not in ("GET", "HEAD"):
                return reply
            reply.body.close()
            url = self._followed(reply)
        raise RegistryFailed(f"{self._host} sends from one address to the next")

    def _followed(self, reply: _Reply) -> str:
        url = urllib.parse.urljoin(reply.url, reply.headers.get("Location", ""))
        scheme = urllib.parse.urlsplit(url).scheme
        if scheme != "https" and not (scheme == "http" and self._base.startswith("http:") and self._is_here(url)):
            raise RegistryFailed(f"{self._host} sends to an address without TLS, which is not followed")
        return url

    def _open(self, request: urllib.request.Request) -> _Reply:
        try:
            body = self._opener.open(request, timeout=_TIMEOUT)
            return _Reply(body.status, body.headers, body, request.full_url)
        except urllib.error.HTTPError as error:
            return _Reply(error.code, error.headers, error, request.full_url)
        except urllib.error.URLError as error:
            reason = error.reason
            if isinstance(reason, ssl.SSLCertVerificationError):
                raise RegistryFailed(
                    f"{self._host} shows a certificate that is not trusted ({reason.verify_message}): "
                    "name the authority's file in SSL_CERT_FILE"
                ) from None
            is_first = self._base.startswith("https:") and self._is_here(request.full_url)
            if isinstance(reason, ssl.SSLError) and self._reference.is_loopback and is_first:
                # On this machine a registry may do without TLS, as it may for other tools.
                self._base = f"http://{self._reference.host}"
                plain = self._base + request.full_url.removeprefix(f"https://{self._reference.host}")
                data = request.data if isinstance(request.data, bytes) else None
                return self._open(_request(request.get_method(), plain, data, dict(request.header_items())))
            raise _Dropped(_why(reason)) from None
        except (OSError, HTTPException) as error:
            raise _Dropped(_why(error)) from None

    def _authorize(self, reply: _Reply) -> None:
        """Get ready to be let in as a challenge says; RegistryFailed where there is nothing to show."""
        challenges = {each.scheme: each for each in parse_challenges(reply.headers.get_all("WWW-Authenticate") or [])}
        known = self._credentials
        if "bearer" in challenges:
            self._authorization = f"Bearer {self._token(challenges['bearer'])}"
        elif "basic" in challenges and known is not None and not known.is_token:
            self._authorization = _basic(known)
        else:
            raise self._refused()

    def _token(self, challenge: Challenge) -> str:
        realm = challenge.fields.get("realm", "")
        url = urllib.parse.urlsplit(realm)
        is_here = self._reference.is_loopback and is_loopback(url.netloc)
        if not is_host(url.netloc) or not (url.scheme == "https" or (url.scheme == "http" and is_here)):
            raise RegistryFailed(f"{self._host} asks for credentials at an address without TLS, which is not done")
        asked = {name: challenge.fields[name] for name in ("service", "scope") if name in challenge.fields}
        known = self._credentials
        data, headers = None, {}
        if known is not None and known.is_token:
            form = {"grant_type": "refresh_token", "client_id": "holdfast", "refresh_token": known.secret, **asked}
            data = urllib.parse.urlencode(form).encode()
            target = realm
        else:
            target = _with_query(realm, **asked)
            headers = {} if known is None else {"Authorization": _basic(known)}
        reply = self._open(_request("GET" if data is None else "POST", target, data, headers))
        with reply.body:
            if reply.status in (_UNAUTHORIZED, _FORBIDDEN):
                raise self._refused()
            self._expect(reply, _OK, "asking for a token")
            try:
                fields = decode(_bounded(reply.body, _MOST_WORDS, "the token is too long"))
            except JsonError:
                fields = {}
        tokens = [fields.get(name) for name in ("token", "access_token")] if isinstance(fields, dict) else []
        for token in tokens:
            if isinstance(token, str) and token.isascii() and token.isprintable():
                return token
        raise RegistryFailed(f"{self._host} gives no token")

    def _refused(self) -> RegistryFailed:
        have = "does not accept the credentials" if self._credentials is not None else "asks for credentials"
        return RegistryFailed(f"{self._host} {have}: log in with 'docker login {self._host}' or 'podman login'")

    def _expect(self, reply: _Reply, status: int, doing: str) -> None:
        if reply.status == status:
            return
        if reply.status in (_UNAUTHORIZED, _FORBIDDEN):
            raise self._refused()
        raise RegistryFailed(f"{self._host} answers with {reply.status} when {doing}{_reason(reply)}")


def _request(method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> urllib.request.Request:
    if not url.startswith(("https://", "http://")):
        raise RegistryFailed("an address of a registry begins with https")
    return urllib.request.Request(url, data=data, headers=dict(headers), method=method)  # noqa: S310  # the scheme is checked above


def _reason(reply: _Reply) -> str:
    """What a registry says of a failure, made fit to be shown; empty where it says nothing that is understood."""
    try:
        fields = decode(reply.body.read(_MOST_WORDS))
        first = fields["errors"][0]["code"] if isinstance(fields, dict) else ""
    except (JsonError, OSError, HTTPException, LookupError, TypeError):
        return ""
    return f": {first[:80]}" if isinstance(first, str) and first.isascii() and first.isprintable() else ""


def _bounded(body: HTTPResponse | urllib.error.HTTPError, most: int, complaint: str) -> bytes:
    try:
        data = body.read(most + 1)
    except (OSError, HTTPException) as error:
        raise RegistryFailed(f"the answer broke off: {_why(error)}") from None
    if len(data) > most:
        raise RegistryFailed(complaint)
    return bytes(data)


def _hash_file(file: BinaryIO) -> str:
    digest = sha256()
    file.seek(0)
    while part := file.read(1 << 20):
        digest.update(part)
    return "sha256:" + digest.hexdigest()


def _with_query(url: str, **fields: str) -> str:
    joint = "&" if urllib.parse.urlsplit(url).query else "?"
    return f"{url}{joint}{urllib.parse.urlencode(fields)}" if fields else url


def _basic(known: Credentials) -> str:
    return "Basic " + b64encode(f"{known.user}:{known.secret}".encode()).decode()


def _why(error: object) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
