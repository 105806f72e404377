"""Receipts: the record of an answer, small enough to keep, exact enough to run again. Pure.

A receipt file is one line of compact JSON, `{"receipt":…,"record":{…}}`; the receipt is the sha256 of the record's own
compact JSON. A file that is not exactly that is refused. docs/formats/search.md has the members.
"""

from __future__ import annotations

from holdfast.caches.cache_format import tagged_digest
from holdfast.caches.search.asked_caches import AskedCache
from holdfast.caches.search.impacts import PARAMETERS, RANKING
from holdfast.caches.search.pasted_lines import PASTE
from holdfast.caches.search.pointers import POINTERS
from holdfast.caches.search.search_request import USUAL_BUDGET, USUAL_SHARE, USUAL_TEXT, LeftOut, SearchRequest
from holdfast.caches.search.section import LONG
from holdfast.caches.search.section_ranking import FALL, SHARE
from holdfast.caches.tokenizers import BYTES
from holdfast.core.canonical_json import JsonError, decode, encode
from holdfast.core.errors import InvalidReceipt
from holdfast.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.caches.shapes import Record, RecordedSection, RecordOfSeveral
    from holdfast.core.canonical_json import Json

RECORD_VERSION = "4"
# Of an answer that several caches gave, or some parts of one: it has two members more.
SEVERAL_VERSION = "5"
# Answers of these versions ended by another rule; the release that has it is named where one is to be replayed.
_EARLIER = dict.fromkeys("123", "0.1")
# What an answer without a named budget ends by.
_STOP = {"budget": USUAL_BUDGET, "text": USUAL_TEXT, "share": USUAL_SHARE}
# What an answer is made by: the same ranking with others gives other answers.
_PARAMETERS = {
    **PARAMETERS,
    "fall": FALL,
    "share": SHARE,
    "long": LONG,
    "stop": _STOP,
    "pointers": POINTERS,
    "paste": PASTE,
}
_NAMED = ("ranking", "tokenizer")
_ASKED = ("query", "budget", "limit", "under", "known", "outline", "explain")
_OF_SEVERAL = ("caches", "left_out")
_BEFORE = ("record_version", "cache", "cache_version", "ranking", "tokenizer", *_ASKED)
_GIVEN = ("sections", "named")
_MEMBERS = {RECORD_VERSION: (*_BEFORE, *_GIVEN), SEVERAL_VERSION: (*_BEFORE, *_OF_SEVERAL, *_GIVEN)}
_READ = " and ".join([f"'{version}'" for version in _MEMBERS])


class ReceiptSection(NamedTuple):
    """An entry of an answer as a receipt remembers it; `claim` is a member where it is not empty."""

    citation: str
    content: str
    score: int
    claim: str = ""


def make_record(
    cache_version: str,
    tokenizer: str,
    request: SearchRequest,
    entries: Sequence[ReceiptSection],
    named: Sequence[str] = (),
) -> Record:
    """The canonical record of an answer: what was given, and what was named as `name#Lline`."""
    several: RecordOfSeveral = {}
    if request.caches or request.left_out:
        several["caches"] = [
            {"name": name, "cache_version": version, "tokenizer": counted_by}
            for name, version, counted_by in request.caches
        ]
        several["left_out"] = [{"name": name, "why": why} for name, why in request.left_out]
    return {
        "record_version": SEVERAL_VERSION if several else RECORD_VERSION,
        "cache": request.cache,
        "cache_version": cache_version,
        "ranking": {"name": RANKING, "parameters": _PARAMETERS},
        "tokenizer": {"name": tokenizer, "parameters": {"bytes": 4} if tokenizer == BYTES else {}},
        "query": request.query,
        "budget": request.budget,
        "limit": request.limit,
        "under": request.under,
        # As JSON gives it back: a record is compared with one that was read.
        "known": list(request.known),
        "outline": request.outline,
        "explain": request.explain,
        **several,
        "sections": [_section_json(section) for section in entries],
        "named": list(named),
    }


def _section_json(section: ReceiptSection) -> RecordedSection:
    value: RecordedSection = {"citation": section.citation, "content": section.content, "score": section.score}
    if section.claim:
        value["claim"] = section.claim
    return value


def encode_receipt(record: Mapping[str, object]) -> bytes:
    """The bytes of a receipt file."""
    return receipt_and_file(record)[1]


def receipt_and_file(record: Mapping[str, object]) -> tuple[str, bytes]:
    """The hash of a record and the bytes of its receipt file, the record encoded once for both."""
    encoded = encode(record).encode()
    receipt = tagged_digest(encoded)
    return receipt, b'{"receipt":"%b","record":%b}\n' % (receipt.encode(), encoded)


class Receipt(NamedTuple):
    """A receipt that was read and holds together: what to run again, and what must come back."""

    receipt: str
    record: Record

    @property
    def caches(self) -> tuple[AskedCache, ...]:
        """The caches that were asked as one; none where one alone was."""
        members = [(each["name"], each["cache_version"], each["tokenizer"]) for each in self.record.get("caches", ())]
        return tuple([AskedCache(*each) for each in members])

    @property
    def _left_out(self) -> tuple[LeftOut, ...]:
        return tuple([LeftOut(each["name"], each["why"]) for each in self.record.get("left_out", ())])

    @property
    def request(self) -> SearchRequest:
        """What to run again."""
        record = self.record
        return SearchRequest(
            *(record["query"], record["budget"], record["limit"], record["under"], tuple(record["known"])),
            *(record["outline"], record["explain"], record["cache"], self.caches, self._left_out),
        )


def parse_receipt(data: bytes) -> Receipt:
    """The receipt in a file's bytes; InvalidReceipt when it is none, was altered, or another release's to replay."""
    try:
        fields = decode(data)
    except JsonError as error:
        raise InvalidReceipt(f"it is not JSON, or was cut short: {error}") from None
    record = fields.get("record") if isinstance(fields, dict) else None
    if not isinstance(record, dict):
        raise InvalidReceipt("it has no record: write one with 'context search --receipt FILE'")
    version = record.get("record_version")
    if isinstance(version, str) and version in _EARLIER:
        raise InvalidReceipt(
            f"it is of version '{version}', whose rule release {_EARLIER[version]} applies: replay it with that, or "
            "search again for a new one"
        )
    if not isinstance(version, str) or version not in _MEMBERS:
        shown = f"'{version}'" if isinstance(version, str) else "?" if isinstance(version, dict | list) else version
        raise InvalidReceipt(f"it is of version {shown}, this release reads {_READ}: use a newer one")
    try:
        altered = encode_receipt(record) != data
    except RecursionError:  # reading goes deeper than writing, and no receipt goes deep
        altered = True
    if altered:
        raise InvalidReceipt("its hash does not match its record: it was altered")
    if tuple(record) != _MEMBERS[version] or not _is_sound(record):
        raise InvalidReceipt("its record lacks members or has others")
    sound: Record = fields["record"]
    if (name := sound["ranking"]["name"]) != RANKING:
        raise InvalidReceipt(_other_ranking(name))
    if sound["ranking"] != {"name": RANKING, "parameters": _PARAMETERS}:
        raise InvalidReceipt(
            f"it was ranked by '{RANKING}' with other parameters than this release: search again for a new one"
        )
    return Receipt(fields["receipt"], sound)


def _other_ranking(name: str) -> str:
    return f"it was ranked by '{name[:64]}', this release ranks by '{RANKING}': search again for a new one"


def _is_sound(record: Json) -> bool:
    limit, under, known = record["limit"], record["under"], record["known"]
    return (
        all(isinstance(record[name], str) for name in ("query", "cache", "cache_version"))
        and (record["budget"] is None or type(record["budget"]) is int)
        and (limit is None or type(limit) is int)
        and (under is None or isinstance(under, str))
        and isinstance(known, list)
        and all(isinstance(citation, str) for citation in known)
        and all(isinstance(record[name], bool) for name in ("outline", "explain"))
        and all(isinstance(record[of], dict) and isinstance(record[of].get("name"), str) for of in _NAMED)
        and isinstance(record["sections"], list)
        and all(map(_is_section, record["sections"]))
        and isinstance(record["named"], list)
        and all(isinstance(place, str) for place in record["named"])
        and _are_texts(record.get("caches", []), AskedCache._fields)
        and _are_texts(record.get("left_out", []), LeftOut._fields)
    )


def _is_section(section: Json) -> bool:
    if not isinstance(section, dict) or tuple(section) not in (ReceiptSection._fields[:3], ReceiptSection._fields):
        return False
    texts = [value for name, value in section.items() if name != "score"]
    return all(isinstance(text, str) for text in texts) and type(section["score"]) is int


def _are_texts(items: Json, members: tuple[str, ...]) -> bool:
    """Whether something is a list of objects with these members, all of them texts."""
    return isinstance(items, list) and all(
        isinstance(each, dict) and tuple(each) == members and all(isinstance(value, str) for value in each.values())
        for each in items
    )
