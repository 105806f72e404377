"""What several caches are called together, what stands before a name, and what is told of them."""

from __future__ import annotations

from hashlib import sha256

import pytest
from rs_bpe.bpe import openai

from holdfast.caches.search.answer_cost import AnswerCost
from holdfast.caches.search.asked_caches import AskedCache, combined_version, order_of, without_prefix
from holdfast.caches.search.cache_overview import MOST_TOKENS, CacheToAsk, as_text, overview
from holdfast.caches.search.search_request import LeftOut
from holdfast.caches.search.under import documents_under
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.token_estimate import estimate_tokens


def test_the_combined_version_is_the_hash_of_names_and_versions_in_order_and_of_nothing_else() -> None:
    caches = [AskedCache("b", "sha256:2", "estimate-1"), AskedCache("a", "sha256:1", "bytes/4")]
    expected = "sha256:" + sha256(b"a:sha256:1\nb:sha256:2\n").hexdigest()
    assert combined_version(caches) == combined_version(caches[::-1]) == expected


def test_caches_are_in_the_order_that_their_documents_would_have_as_one() -> None:
    names = ["fast", "fast-api", "Zebra", "apple", "fast.api", "fasta"]
    ids = sorted([(name + ":x.md").lower().encode() for name in names])
    assert [(name + ":x.md").lower().encode() for name in sorted(names, key=order_of)] == ids


@pytest.mark.parametrize(
    ("text", "cache", "rest"),
    [
        ("fastapi:a.md", "fastapi", "a.md"),
        ("FastAPI:a.md", "fastapi", "a.md"),
        ("fastapi:", "fastapi", ""),
        ("fastapi2:a.md", "fastapi", None),
        ("fastapi", "fastapi", None),
        (":a.md", "", None),
    ],
)
def test_a_prefix_is_the_whole_name_and_a_colon_in_any_case(text: str, cache: str, rest: str | None) -> None:
    assert without_prefix(text, cache) == rest


def test_under_with_the_name_of_the_cache_means_the_folder_there_and_one_that_is_called_so() -> None:
    ids = ["fastapi:tutorial/a.md", "guide/b.md", "tutorial/c.md"]
    within = documents_under("fastapi:tutorial", "fastapi", len(ids), ids.__getitem__)
    assert [id_ for place, id_ in enumerate(ids) if within(place)] == [ids[0], ids[2]]
    elsewhere = documents_under("fastapi:tutorial", "other", len(ids), ids.__getitem__)
    assert [id_ for place, id_ in enumerate(ids) if elsewhere(place)] == [ids[0]]


@pytest.mark.parametrize(
    "name", ["tutorial/cors.md", "it's/a.md", "Überblick.md", "日本/語.md", "0.md", "_x/y.md", "a b.md"]
)
@pytest.mark.parametrize("prefix", ["fastapi:", "k8s-docs.v1:", "日本:", "X:", "it's:"])
def test_what_a_prefix_costs_is_never_too_little(name: str, prefix: str) -> None:
    count = openai.o200k_base().count
    for tail in ("#L1-L3@0", "#L1-L3@0 · A title › heading"):
        with_prefix = count(f"[0] {prefix}{name}{tail}\n")
        assert with_prefix <= count(f"[0] {name}{tail}\n") + AnswerCost("o200k_base").prefix(prefix, name)


def test_an_overview_says_as_much_of_each_cache_as_fits() -> None:
    caches = [CacheToAsk(f"cache-{number}", "what it is about, in words " * 7, number) for number in range(12)]
    value = overview(caches, [LeftOut("broken", "damaged")], 2000)
    assert estimate_tokens(as_text(value) + "\n") <= MOST_TOKENS
    assert (value["caches_more"], len({len(each["about"]) for each in value["caches"]})) == (0, 1)
    assert as_text(value).endswith("\nLeft out: broken (damaged).")
    few = overview(caches, [], 40)
    assert (estimate_tokens(as_text(few) + "\n") <= 40, few["caches_more"] > 0) == (True, True)
    with pytest.raises(BudgetTooSmall):
        overview(caches, [], 2)
