"""The real selection against fifteen naive lines that only follow the contract's sentences."""

from __future__ import annotations

import math
import struct
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.caches.cache_format import make_document
from holdfast.caches.selection import as_json, select
from holdfast.core.canonical_json import decode, encode
from support.examples import examples

SPACES = "\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


def f32(number: float) -> float:
    value: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return value


def naive_words(text: str) -> list[str]:
    for space in SPACES:
        text = text.replace(space, " ")
    return [word for word in text.lower().split(" ") if word]


def naive(query: str, budget: int, corpus: dict[str, str]) -> dict[str, Any]:
    terms = naive_words(query)
    ranking = []
    for name, text in corpus.items():
        found = naive_words(text)
        matches = sum(1 for term in terms for word in found if word == term)
        score = f32(f32(matches) / f32(len(found))) if found else 0.0
        ranking.append((-score, name.encode(), math.ceil(len(text.encode()) / 4), matches, len(found)))
    used, chosen = 0, []
    for negative, encoded, tokens, matches, total in sorted(ranking):
        if used + tokens <= budget:
            used += tokens
            chosen.append((encoded.decode(), -negative, tokens, matches, total))
    return {"chosen": chosen, "used": used, "considered": len(ranking), "excluded": len(ranking) - len(chosen)}


LETTERS = st.text(st.sampled_from("ab AB\t\x1c\u2003éÉßİΣσ."), max_size=30)
NAMES = st.text(st.sampled_from("abcé/-"), min_size=1, max_size=4)


# More different terms than a query is counted by one by one; words that no query names stand among them.
MANY = st.lists(st.sampled_from([f"w{number}" for number in range(20)]), min_size=13, max_size=40).map(" ".join)
MANY_TERMS = " ".join(f"w{number}" for number in range(13))


@settings(max_examples=examples(500))
@given(st.dictionaries(NAMES, LETTERS, max_size=8), LETTERS, st.integers(0, 40))
def test_the_selection_is_what_the_naive_reading_of_the_contract_gives(
    corpus: dict[str, str], query: str, budget: int
) -> None:
    check(corpus, query, budget)


@settings(max_examples=examples(200))
@given(st.dictionaries(NAMES, MANY, max_size=8), MANY, st.integers(0, 200))
def test_so_it_is_for_a_query_of_many_different_terms(corpus: dict[str, str], query: str, budget: int) -> None:
    check(corpus, f"{MANY_TERMS} {query}", budget)


def check(corpus: dict[str, str], query: str, budget: int) -> None:
    documents = [make_document(name, text.encode()) for name, text in corpus.items()]
    value = decode(encode(as_json(select(query, budget, documents))))
    assert {
        "chosen": [
            (hit["id"], f32(hit["score"]), hit["tokens"], hit["why"]["term_matches"], hit["why"]["total_words"])
            for hit in value["documents"]
        ],
        "used": value["selection"]["tokens_used"],
        "considered": value["selection"]["documents_considered"],
        "excluded": value["selection"]["documents_excluded_by_budget"],
    } == naive(query, budget, corpus)
