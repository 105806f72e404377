"""What sections are worth to a query, by hand; the index is held to the same in tests/differential."""

from __future__ import annotations

from holdfast.caches.cache_format import make_document
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.impacts import LINKED
from holdfast.caches.search.question import Question, ask_source

Impacts = dict[tuple[str, str], int]

SHORT = {"x.md": "red two\n", "y.md": "red three\n"}


def scanned(corpus: dict[str, str], links: dict[str, list[str]] | None = None) -> DocumentSource:
    documents = sorted([make_document(path, text.encode()) for path, text in corpus.items()])
    given = [(links or {}).get(document.source, []) for document in documents]
    return DocumentSource(documents, "", "estimate-1", given)


def asked(query: str, corpus: dict[str, str], links: dict[str, list[str]] | None = None) -> Question:
    return ask_source(query, scanned(corpus, links))


def impacts(query: str, corpus: dict[str, str], links: dict[str, list[str]] | None = None) -> dict[int, Impacts]:
    return scanned(corpus, links).impacts(asked(query, corpus, links).terms)


def test_a_word_counts_its_field_and_what_the_whole_document_says() -> None:
    # unit: 100 ln(6 / 5) = 18; a body of 2 words where 90 are usual: 64 * 2.2 / (1 + 0.3 + 0.9 * 2 / 90) = 107;
    # evidence of a document of 2 where 1,000 are: 3 * 108 // 10 = 32.
    assert impacts("red", SHORT) == {0: {("red", "section"): 18 * 139}, 1: {("red", "section"): 18 * 139}}
    # unit: 100 ln(6 / 3) = 69
    assert impacts("two", SHORT) == {0: {("two", "section"): 69 * 139}}


def test_a_document_is_found_by_its_path_in_its_first_section() -> None:
    # a path of 1 word where 3 are usual: 64 * 2.2 / (1 + 0.3 + 0.9 / 3) = 88
    assert impacts("x", SHORT) == {0: {("x", "section"): 69, ("x", "document"): 69 * 88}}


def test_what_others_call_a_document_counts_where_another_word_matches_and_alone_finds_nothing() -> None:
    links = {"y.md": ["two", "four"]}
    # links: 64 * 0.7 * 2.2 / (1 + 0.72 + 0.48 * 2 / 16) = 55
    assert impacts("two", SHORT, links) == {0: {("two", "section"): 69 * 139}}
    # Links of 2 words are worth 128 * 2 // 34 = 7 to a document; they weigh 5 * (18 + 69) // 100 = 4.
    assert impacts("red two", SHORT, links)[1] == {
        ("red", "section"): 18 * 139,
        ("two", "document"): 69 * 55,
        (LINKED, "document"): 4 * 7,
    }
    assert asked("four", SHORT, links).weights == {}


def test_a_word_thrice_in_a_document_speaks_for_all_of_its_sections() -> None:
    corpus = {"a.md": "# p\n\nbeta beta\n\n# q\n\nbeta beta\n\n# r\n\ngamma delta\n"}
    found = impacts("beta gamma", corpus)
    # beta is in two of three sections: 100 ln(8 / 5) = 47. Twice in a body of 4 words:
    # 64 * 4.4 / (2.3 + 0.9 * 4 / 90) = 120. Four times in all bodies: 131, and 3 * 131 // 10 = 39.
    assert found[0] == {("beta", "section"): 47 * 120, ("beta", "document"): 47 * 39}
    # gamma is in one: 100 ln(8 / 3) = 98; once: 105 + 3 * 108 // 10.
    assert found[2] == {("beta", "document"): 47 * 39, ("gamma", "section"): 98 * 137}
    assert list(found) == [0, 1, 2]


def test_fields_count_the_best_and_four_tenths_of_the_others() -> None:
    corpus = {"setup.md": "# Setup\n\nhow to setup it\n", "other.md": "# Other\n\nhow to other it\n"}
    # unit 69. Title 92, path 88 and headings 99, of one word each. The body has `#`, two of the word, six words in all:
    # 119; the whole document the same: 3 * 122 // 10 = 36. named: 92 + 4 * 88 // 10 = 127.
    # All fields: 119 + 4 * 279 // 10 = 230, of which the document's list has 127.
    assert impacts("setup", corpus) == {
        1: {("setup", "section"): 69 * (230 - 127 + 36), ("setup", "document"): 69 * 127},
    }


def test_parts_of_a_name_count_a_quarter_in_a_text() -> None:
    corpus = {"x.md": "useEffect two\n", "y.md": "one effect\n"}
    found = impacts("effect", corpus)
    # 64 * 0.55 / (0.55 + 0.9 * 2 / 90) = 62, and 3 * 64 // 10 = 19, against 107 and 32; unit 18
    assert found == {0: {("effect", "section"): 18 * 81}, 1: {("effect", "section"): 18 * 139}}


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
    assert scanned({"a.md": "", **SHORT}).places == [1, 2]


def test_equal_sections_have_equal_scores_whatever_the_query_repeats() -> None:
    assert impacts("red two", SHORT) == impacts("red red two RED Two", SHORT)
