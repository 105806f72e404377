"""Calls: that an answer was given, when and to whom; small files beside the receipts that say what it was. Pure.

A call file is one line of compact JSON, `{"call":…,"record":{…}}`, named by the hash of the record, so that every call
has a file of its own: a server counts its calls and has a random name for itself. docs/formats/search.md has the
members.
"""

from __future__ import annotations

from holdfast.caches.cache_format import is_version, tagged_digest
from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.record import NamedTuple

SUFFIX = ".call"
MAX_BYTES = 4 << 10
# Milliseconds since 1970 at the end of the year 9999: a later time is none that anybody's clock showed.
LAST = 253_402_300_799_999
_VERSION = "1"


class CallRecord(NamedTuple):
    """One call: when, in milliseconds since 1970, by whom, what was answered, and which of which server's it is."""

    at: int
    client: str
    receipt: str
    server: str
    number: int


def encode_call(call: CallRecord) -> tuple[str, bytes]:
    """The name of a call's file, and its bytes."""
    record = encode({"record_version": _VERSION, **call._asdict()}).encode()
    digest = tagged_digest(record)
    return digest.removeprefix("sha256:") + SUFFIX, b'{"call":"%b","record":%b}\n' % (digest.encode(), record)


def parse_call(data: bytes) -> CallRecord | None:
    """The call in a file's bytes; None where it is none, or was altered."""
    try:
        fields = decode(data)
    except JsonError:
        return None
    record = fields.get("record") if isinstance(fields, dict) else None
    if not isinstance(record, dict) or tuple(record) != ("record_version", *CallRecord._fields):
        return None
    version, at, client, receipt, server, number = record.values()
    if type(at) is not int or type(number) is not int or not all(isinstance(each, str) for each in (client, server)):
        return None
    if version != _VERSION or not isinstance(receipt, str) or not is_version(receipt) or not 0 <= at <= LAST:
        return None
    call = CallRecord(at, str(client), receipt, str(server), number)
    return call if encode_call(call)[1] == data else None
