"""What became of each section that matches: the true cause, and by how much it missed."""

from __future__ import annotations

from holdfast.caches.cache_format import make_document
from holdfast.caches.search.candidates import cause, find_candidates
from holdfast.caches.search.document_search import DocumentSource
from holdfast.caches.search.search_request import SearchRequest
from holdfast.caches.search.search_result import as_json, make_result
from holdfast.caches.search.why_page import why_page
from holdfast.caches.shapes import ConsideredSection

VERSION = "sha256:" + "0" * 64


def filler(number: int) -> str:
    return " ".join([f"w{number}x{each}" for each in range(60)])


def source(pages: dict[str, str]) -> DocumentSource:
    documents = [make_document(name, text.encode()) for name, text in sorted(pages.items())]
    return DocumentSource(documents, VERSION, "bytes/4")


def many(count: int) -> DocumentSource:
    """Pages of one section each, the earlier saying more of what is asked."""
    return source({f"p{n:02}.md": f"# T{n:02}\n\n{filler(n)} {'deploy ' * (40 - n)}\n" for n in range(count)})


def long_page() -> DocumentSource:
    parts = [f"## Part {n:02}\n\n{filler(n)} deploy {filler(n + 50)}\n" for n in range(30)]
    return source({"page.md": "# Page\n\n" + "\n".join(parts), "other.md": "# Other\n\nnothing\n"})


def found(pages: DocumentSource, request: SearchRequest) -> list[ConsideredSection]:
    return find_candidates(pages, request, 100)


def test_what_did_not_fit_is_given_once_the_budget_has_as_many_tokens_more() -> None:
    pages, request = many(4), SearchRequest("deploy", 600)
    missed = next(each for each in found(pages, request) if each["verdict"] == "long")
    lacking = int(missed["cause"].split(" ")[4])
    assert missed["cause"] == f"did not fit by {lacking} tokens"
    # Of a budget of this size a quarter is kept for pointers.
    more = make_result(pages, request._replace(budget=600 + -(-lacking * 4 // 3)))
    assert missed["id"] in [hit.id for hit in more.sections]


def test_what_is_not_looked_at_says_so_and_not_that_it_did_not_fit() -> None:
    verdicts = [each["verdict"] for each in found(many(30), SearchRequest("deploy", 300))]
    assert verdicts[0] == "given"
    assert verdicts.count("long") == 10
    last = found(many(30), SearchRequest("deploy", 300))[-1]
    assert last["cause"] == "not looked at: ten in a row before it did not fit"


def test_a_limit_is_the_cause_of_all_that_comes_after_it() -> None:
    causes = [each["cause"] for each in found(many(16), SearchRequest("deploy", 4000, limit=2))]
    named = ["named, not given: context.read gives it by its line"] * 12
    assert causes == ["given"] * 2 + named + ["beyond the limit that was asked for"] * 2


def test_a_later_section_of_one_page_says_which_it_is_and_what_it_counts() -> None:
    late = [each for each in found(long_page(), SearchRequest("deploy", 4000)) if each["verdict"] == "page"]
    assert late
    assert late[0]["turn"] > 10
    kept = f"{0.95 ** late[0]['turn']:.2f}"
    assert late[0]["cause"].startswith(
        f"the {late[0]['turn'] + 1}th section of one page: it counts {kept} of its score"
    )


def test_what_is_farther_than_the_best_does_not_blame_a_limit() -> None:
    asked = SearchRequest("deploy zebra quagga okapi gnu lynx")
    causes = [each["cause"] for each in found(many(16), asked)]
    assert causes[13:] == ["nothing here answers well: the best alone is given"] * 3


def test_what_is_after_the_stop_says_so() -> None:
    pages = {f"p{n:02}.md": f"# T{n:02}\n\ndeploy\n" for n in range(30)}
    weaker = {f"q{n:02}.md": f"# T{n:02}\n\n{filler(n)} {filler(n)} deploy\n" for n in range(30)}
    last = found(source({**pages, **weaker}), SearchRequest("deploy"))[-1]
    assert (last["verdict"], last["cause"]) == (
        "stopped",
        "below 0.75 of the best score, where an answer without a budget stops",
    )


def test_every_place_in_a_page_has_its_word() -> None:
    words = [cause("page", turn, 0).split(" ")[1] for turn in (1, 3, 9, 10, 11, 12, 20, 21, 22, 110)]
    assert words == ["second", "fourth", "tenth", "11th", "12th", "13th", "21st", "22nd", "23rd", "111th"]


def test_looking_for_causes_changes_no_answer() -> None:
    for budget in range(300, 1200, 50):
        request = SearchRequest("deploy", budget)
        given = {each["id"] for each in found(many(12), request) if each["verdict"] == "given"}
        assert given == {hit.id for hit in make_result(many(12), request).sections}


def test_the_page_gives_the_answer_first_its_reasons_folded_and_what_is_missing_by_cause() -> None:
    pages, request = many(12), SearchRequest("deploy <script>")
    answer = as_json(make_result(pages, request))
    answer["considered"] = found(pages, request)
    page = why_page("a{}", answer)
    marks = ["<h1", "<h2>The answer</h2>", "w0x0", "<summary>Why it ranked here", "What is missing, and why</h2>"]
    places = [page.index(mark) for mark in [*marks, "named, not given", "<h2>How it was made</h2>"]]
    assert places == sorted(places)
    assert "<details open" not in page
    assert "<script" not in page


def test_a_page_of_an_answer_without_sections_says_what_to_do() -> None:
    answer = as_json(make_result(many(1), SearchRequest("zebra", 600)))
    answer["considered"] = []
    assert "Nothing here matches: try other words." in why_page("", answer)
