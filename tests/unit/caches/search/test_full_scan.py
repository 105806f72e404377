"""What sections are worth to a query, by hand; the index is held to the same in tests/differential."""

from __future__ import annotations

from holdfast.caches.cache_format import make_document
from holdfast.caches.search.full_scan import Scanned, scan

Impacts = dict[tuple[str, str], int]

SHORT = {"x.md": "red two\n", "y.md": "red three\n"}


def scanned(query: str, corpus: dict[str, str], links: dict[str, list[str]] | None = None) -> Scanned:
    documents = sorted([make_document(path, text.encode()) for path, text in corpus.items()])
    return scan(query, documents, [(links or {}).get(document.source, []) for document in documents], "estimate-1")


def impacts(query: str, corpus: dict[str, str], links: dict[str, list[str]] | None = None) -> dict[int, Impacts]:
    return scanned(query, corpus, links).impacts


def test_a_word_counts_its_field_and_what_the_whole_document_says() -> None:
    # unit: 100 ln(6 / 5) = 18; body of average length: 64; evidence of the document: 3 * 64 // 10 = 19.
    assert impacts("red", SHORT) == {0: {("red", "section"): 18 * 83}, 1: {("red", "section"): 18 * 83}}
    # unit: 100 ln(6 / 3) = 69
    assert impacts("two", SHORT) == {0: {("two", "section"): 69 * 83}}


def test_a_document_is_found_by_its_path_in_its_first_section() -> None:
    assert impacts("x", SHORT) == {0: {("x", "section"): 69, ("x", "document"): 69 * 64}}


def test_what_others_call_a_document_counts_where_another_word_matches_and_alone_finds_nothing() -> None:
    links = {"y.md": ["two", "four"]}
    # links: 64 * 0.7 * 2.2 / (1 + 0.72 + 0.48 * 2), the average being one word a section
    assert impacts("two", SHORT, links) == {0: {("two", "section"): 69 * 83}}
    assert impacts("red two", SHORT, links)[1] == {("red", "section"): 18 * 83, ("two", "document"): 69 * 37}
    assert scanned("four", SHORT, links).question.weights == {}


def test_a_word_thrice_in_a_document_speaks_for_all_of_its_sections() -> None:
    corpus = {"a.md": "# p\n\nbeta beta\n\n# q\n\nbeta beta\n\n# r\n\ngamma delta\n"}
    found = impacts("beta gamma", corpus)
    # beta is in two of three sections: 100 ln(8 / 5) = 47. Twice in a body of average length: 64 * 4.4 / 3.2 = 88.
    # Four times in all bodies: 64 * 8.8 / 5.2 = 108, and 3 * 108 // 10 = 32.
    assert found[0] == {("beta", "section"): 47 * 88, ("beta", "document"): 47 * 32}
    # gamma is in one: 100 ln(8 / 3) = 98; once: 64 + 19.
    assert found[2] == {("beta", "document"): 47 * 32, ("gamma", "section"): 98 * 83}
    assert list(found) == [0, 1, 2]


def test_fields_count_the_best_and_four_tenths_of_the_others() -> None:
    corpus = {"setup.md": "# Setup\n\nhow to setup it\n", "other.md": "# Other\n\nhow to other it\n"}
    # unit 69. Title, path and headings have their average length: 64 each. The body has `#`, two of the word, six words
    # in all: 88, and the same in the whole document: 88 * 3 // 10 = 26. named: 64 + 4 * 64 // 10 = 89.
    # All fields: 88 + 4 * 192 // 10 = 164, of which the document's list has 89.
    assert impacts("setup", corpus) == {
        1: {("setup", "section"): 69 * (164 - 89 + 26), ("setup", "document"): 69 * 89},
    }


def test_parts_of_a_name_count_a_quarter_in_a_text() -> None:
    corpus = {"x.md": "useEffect two\n", "y.md": "one effect\n"}
    found = impacts("effect", corpus)
    # 64 * 0.55 / 1.45 = 24, and 3 * 24 // 10 = 7, against 64 and 19; unit 18
    assert found == {0: {("effect", "section"): 18 * 31}, 1: {("effect", "section"): 18 * 83}}


def test_the_whole_name_ranks_before_its_parts() -> None:
    corpus = {
        "x.md": "call useEffect here\n",
        "y.md": "use an effect here, use effect, use effect\n",
        "z.md": "something else is written here\n",
    }
    found = {number: sum(each.values()) for number, each in impacts("useEffect", corpus).items()}
    assert found[0] > found[1]


def test_empty_documents_and_empty_caches_have_nothing() -> None:
    assert impacts("red", {}) == {}
    assert impacts("a", {"a.md": ""}) == {}
    assert scanned("red", {"a.md": "", **SHORT}).places == [1, 2]


def test_equal_sections_have_equal_scores_whatever_the_query_repeats() -> None:
    once, often = scanned("red two", SHORT), scanned("red red two RED Two", SHORT)
    assert once.impacts == often.impacts
