"""Words, terms and questions: laws that hold for any text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.caches.cache_format import make_document
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.question import ask, ask_source
from holdfast.caches.search.word_terms import LONGEST, all_terms, is_stop_word, raw_words, word_terms

SIGNS = st.text("aZ9._-+#\\ ใ本é", max_size=12)
TEXTS = st.one_of(st.text(max_size=40), SIGNS)
WORDS = st.sampled_from(
    [
        "alpha",
        "beta",
        "useEffect",
        "os.path",
        "C++",
        ".NET",
        "--reload",
        "fault-tolerance",
        "gammas",
        "日本語",
        "ภาษาไทย",
    ]
)


def unit_of(term: str) -> int:
    """A unit that depends on the term alone; a third of all terms are unknown."""
    return sum(term.encode("utf-8", "surrogatepass")) % 900 if len(term) % 3 else 0


class TestWords:
    """A raw word is found wherever it stands; a term is counted once, in the highest group that it is in."""

    @given(TEXTS)
    @example("a\\ _b")
    def test_a_text_has_the_words_of_its_parts_one_after_another(self, text: str) -> None:
        assert raw_words(text) == [word for part in text.split() for word in raw_words(part)]

    @given(TEXTS)
    def test_no_term_is_in_two_groups_or_twice_or_empty_or_endless(self, text: str) -> None:
        for word in raw_words(text):
            terms = all_terms(word)
            assert len(set(terms)) == len(terms)
            assert all(0 < len(term) <= 3 * LONGEST for term in terms)  # lower case may take up to three characters
            assert is_stop_word(word) in (True, False)

    @given(TEXTS)
    def test_case_never_matters_to_the_whole(self, text: str) -> None:
        for word in raw_words(text):
            if word.isascii():
                assert word_terms(word)[0] == word_terms(word.lower())[0]


class TestQuestions:
    """What a query asks depends on its words and on what the cache knows, on nothing else."""

    @given(TEXTS, st.integers(0, 10**6))
    def test_only_known_terms_have_a_weight_and_each_has_one(self, query: str, sections: int) -> None:
        question = ask(query, unit_of, sections)
        for term, weight in question.weights.items():
            assert 1 <= weight <= max(unit_of(term), 1)
        assert len(question.read_as) <= 3

    @given(TEXTS)
    def test_strength_grows_with_the_best_score_and_is_nothing_without_one(self, query: str) -> None:
        question = ask(query, unit_of, 100)
        strengths = [question.strength(best) for best in range(0, 100_000, 9_999)]
        assert strengths == sorted(strengths)
        assert strengths[0] == 0
        # What is reported as absent counts for no section.
        assert not {word for word, _ in question.absent} & {word for word, _ in question.read_as}

    @given(st.lists(WORDS, min_size=1, max_size=5), st.lists(WORDS, max_size=5))
    def test_words_that_are_repeated_change_nothing(self, words: list[str], more: list[str]) -> None:
        again = [word for word in more if word in words]
        assert ask(" ".join(words), unit_of, 100) == ask(" ".join([*words, *again]), unit_of, 100)

    @given(
        st.sampled_from(["useEffect", "os.path", "React.useState", "fault-tolerance", "--reload", "C++"]),
        st.dictionaries(
            st.sampled_from(["us", "effect", "os", "path", "react", "fault", "toleranc", "reload", "c"]),
            st.integers(1, 900),
        ),
        st.integers(1, 900),
    )
    def test_the_parts_of_a_known_name_never_outweigh_it(self, name: str, parts: dict[str, int], whole: int) -> None:
        wholes, strong, weak = word_terms(name)
        units = {**parts, wholes[0]: whole}
        weights = ask(name, lambda term: units.get(term, 0), 1000).weights
        assert weights[wholes[0]] == whole
        # Each weighs at least 1.
        assert sum([weights.get(term, 0) for term in strong]) <= max(whole, len(strong))
        assert sum([weights.get(term, 0) for term in weak]) <= max(3 * whole // 10, len(weak))


@given(
    corpus=st.dictionaries(
        st.sampled_from(["alpha", "Beta/useEffect", "os.path", "c"]),
        st.lists(st.one_of(WORDS, WORDS.map(lambda word: f"\n# {word}\n")), max_size=20).map(" ".join),
        max_size=4,
    ),
    words=st.lists(WORDS, min_size=1, max_size=3),
    more=st.lists(WORDS, max_size=2),
)
def test_a_query_that_says_more_is_never_worth_less(corpus: dict[str, str], words: list[str], more: list[str]) -> None:
    documents = sorted([make_document(f"{path}.md", text.encode()) for path, text in corpus.items()])
    links = [["alpha"] for _ in documents]
    scanned = DocumentSource(documents, "", "estimate-1", links)
    few, many = [scanned.impacts(ask_source(" ".join(asked), scanned).terms) for asked in (words, words + more)]
    for number, impacts in few.items():
        assert sum(impacts.values()) <= sum(many[number].values())
