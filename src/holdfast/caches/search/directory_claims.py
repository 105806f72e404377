"""What the context of a directory decides and demands, and which of that a question is about. Pure."""

from __future__ import annotations

from functools import lru_cache

from holdfast.caches.search.question import GOOD_STEP, WEAK, Question
from holdfast.caches.search.word_terms import all_terms, raw_words, word_terms
from holdfast.code.analysis.facts import compact
from holdfast.core.record import NamedTuple
from holdfast.core.unicode_text import is_unicode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE_NAME = ".context.yaml"
_LONGEST = 240  # characters of a claim in an answer
_KEPT = 32  # contexts that are remembered, with their bytes: more than the directories of one answer


class Claim(NamedTuple):
    """A decision or a constraint as an answer gives it, and the terms of its words."""

    text: str
    terms: frozenset[str]


@lru_cache(_KEPT)
def read_claims(data: bytes, folder: str) -> tuple[Claim, ...]:
    """The decisions, then the constraints of a `.context.yaml`; none where the file cannot be used."""
    if b"decisions" not in data and b"constraints" not in data:
        return ()
    from holdfast.core.yaml_text import YamlError, parse  # few directories have one

    try:
        context = parse(data)
    except YamlError:
        return ()
    fields = context if isinstance(context, dict) else {}
    items = {name: fields[name] if isinstance(fields.get(name), list) else [] for name in ("decisions", "constraints")}
    decided = [(each.get("what"), each.get("why")) for each in items["decisions"] if isinstance(each, dict)]
    return (
        *_claims(f"decision of {folder}", decided),
        *_claims(f"constraint of {folder}", [(each,) for each in items["constraints"]]),
    )


def _claims(kind: str, claimed: Iterable[tuple[object, ...]]) -> list[Claim]:
    found = []
    for parts in claimed:
        texts = [part for part in parts if isinstance(part, str) and is_unicode(part)]
        if len(texts) == len(parts):
            terms = frozenset([term for text in texts for word in raw_words(text) for term in all_terms(word)])
            found.append(Claim(compact(f"{kind}: {' — '.join(texts)}", _LONGEST), terms))
    return found


def claim_about(claims: Iterable[Claim], question: Question) -> str:
    """The claim whose words weigh most in a question; empty where not even that one answers well.

    A word that no section contains weighs as much as the heaviest.
    """
    best, found = 0, ""
    absent = [term for word, _ in question.absent for term in word_terms(word)[0]]
    weights = {**question.weights, **dict.fromkeys(absent, max(question.expected, default=0))}
    for claim in claims:
        score = sum([weight for term, weight in weights.items() if term in claim.terms])
        if score > best:
            best, found = score, claim.text
    return found if question.strength(GOOD_STEP * best) >= WEAK else ""
