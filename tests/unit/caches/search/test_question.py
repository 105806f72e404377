"""What a query asks: weights by hand, unknown words, pastes, and how far a section meets it."""

from __future__ import annotations

import pytest

from holdfast.caches.search.impacts import unit
from holdfast.caches.search.pasted_lines import is_error, is_number
from holdfast.caches.search.question import Question, ask

UNITS = {"us": 100, "effect": 300, "useeffect": 500, "render": 200, "list": 150, "item": 160, "422": 250}
UNITS |= {"os.path": 600, "os": 200, "path": 200, "fault-tolerance": 400, "fault": 300, "toleranc": 500}
UNITS |= {"c++": 450, "c": 120, "--reload": 700, "reload": 350, ".net": 500, "net": 300}
UNITS |= {"read": 210, "timeout": 420, "connect": 330, "th": 5, "to": 6, "get": 90}
SECTIONS = 1000


def weights(query: str) -> dict[str, int]:
    return ask(query, lambda term: UNITS.get(term, 0), SECTIONS).weights


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("render a list of items", {"render": 200, "list": 150, "item": 160}),
        ("lists of Lists", {"list": 150}),
        # A frame word has six sixteenths.
        ("get the list", {"get": 33, "list": 150}),
        # Stop words only when there is nothing else; one that no section holds has no weight.
        ("to the", {"to": 6, "th": 5}),
        ("to be", {"to": 6}),
        # Weak parts weigh together three tenths of the whole: 150, of which `us` has a quarter.
        ("useEffect", {"useeffect": 500, "us": 37, "effect": 112}),
        # Their sum where that is less: 3 * 600 // 10 = 180 < 400.
        ("os.path", {"os.path": 600, "os": 90, "path": 90}),
        # Strong parts weigh together as much as the whole: 400 of 800.
        ("fault-tolerance", {"fault-tolerance": 400, "fault": 150, "toleranc": 250}),
        ("C++", {"c++": 450, "c": 120}),
        ("--reload", {"--reload": 700, "reload": 350}),
        (".NET", {".net": 500, "net": 300}),
        # The parts of an unknown whole stand for it.
        ("renderList", {"render": 200, "list": 150}),
        ("render-list", {"render": 200, "list": 150}),
        # A term that is wanted twice has the larger weight.
        ("effect of useEffect", {"effect": 300, "useeffect": 500, "us": 37}),
        ("", {}),
        ("?!", {}),
        ("zzz", {}),
    ],
)
def test_weights_by_hand(query: str, expected: dict[str, int]) -> None:
    found = weights(query)
    assert found == expected
    assert list(found) == [term for term in found if term in expected]


def test_the_order_is_that_of_the_query() -> None:
    assert list(weights("list render useEffect")) == ["list", "render", "useeffect", "us", "effect"]


def test_a_name_too_long_to_be_a_word_is_asked_for_by_its_parts() -> None:
    assert weights("render." * 20 + "list") == {"render": 200, "list": 150}


def test_an_unknown_word_is_read_as_one_beside_it_and_told() -> None:
    question = ask("Rendre a lsit", lambda term: UNITS.get(term, 0), SECTIONS)
    assert question.weights == {"render": 200, "list": 150}
    assert question.read_as == [("Rendre", "render"), ("lsit", "list")]


def test_an_unknown_word_weighs_half_of_its_longest_known_beginning_and_stays_absent() -> None:
    question = ask("timeoutish rendered listless", lambda term: UNITS.get(term, 0), SECTIONS)
    # `list` is a half of `listless`; `rendered` is a form of a known word.
    assert question.weights == {"timeout": 210, "render": 200, "list": 75}
    assert [word for word, _ in question.absent] == ["timeoutish", "listless"]
    # A half of the word at least, four letters at least; names are met by no beginning.
    for query in ("listlessness", "thx", "render_lists2"):
        assert "list" not in ask(query, lambda term: UNITS.get(term, 0), SECTIONS).weights


def test_a_word_is_not_read_as_another_while_a_part_of_it_is_known() -> None:
    assert ask("renderLsit", lambda term: UNITS.get(term, 0), SECTIONS).read_as == []


def test_three_unknown_words_are_looked_at_and_no_more() -> None:
    asked: list[str] = []

    def unit_of(term: str) -> int:
        asked.append(term)
        return UNITS.get(term, 0)

    question = ask("xxxxxx yyyyyy zzzzzz lsit" + "".join(f" qqqqqq{n}" for n in range(100)), unit_of, SECTIONS)
    assert (question.weights, question.read_as) == ({}, [])
    assert len(asked) < 3 * 75 * 7 + 110 + 8 * 4


TRACE = """Traceback (most recent call last):
  File "/srv/app/reload.py", line 422, in render
    return self.list(422)
  File "/srv/app/reload.py", line 422, in render
    return self.list(422)
ConnectError: read timeout"""


def test_without_a_title_the_error_is_what_is_asked_and_the_stack_weighs_an_eighth_of_it() -> None:
    # connect 330, read 210, timeout 420: 960, an eighth of which render (200) and list (150) share.
    assert weights(TRACE) == {"connect": 330, "read": 210, "timeout": 420, "render": 68, "list": 51}


@pytest.mark.parametrize(
    ("below", "most"),
    [
        ("list list list", 157),  # plain lines: together a quarter of the title
        ("ValueError: list", 315),  # an error message: half
        ("at list (app.js:10:5)", 78),  # a frame: an eighth
        ("at app/list.js:10:5", 78),
        ("#0 0x1 in list", 78),
        ('File "list", line 3', 78),
        ("from list.rb:3:in x", 78),
        ("\tlist", 78),
    ],
)
def test_what_is_below_the_title_weighs_at_most_a_part_of_it(below: str, most: int) -> None:
    found = weights(f"read timeout\n{below}\n{below}\n{below}")
    assert (found["read"], found["timeout"]) == (210, 420)
    assert found["list"] == min(150, most)
    many = weights(f"read timeout\n{below} render items connect")
    assert sum(weights(f"read timeout\n{below}\n{below} render\n{below} item connect").values()) <= 630 + most
    assert many["list"] == 150


def test_only_the_first_sentence_of_a_paste_is_its_title() -> None:
    found = weights("Read timeout. The list\nitems\nrender\nconnect")
    assert (found["read"], found["timeout"]) == (210, 420)
    assert sum(found.values()) - 630 <= 630 // 4


@pytest.mark.parametrize("path", ["/srv/list/render.py", "~/list/render", "file:///srv/list", "C:\\list\\render.ts"])
def test_machine_paths_count_nothing(path: str) -> None:
    assert weights(f"read timeout\n({path})\n{path}:\n'{path}'") == {"read": 210, "timeout": 420}


def test_versions_times_and_addresses_are_numbers() -> None:
    assert [is_number(word) for word in ("422", "v18.12.0", "0x7f0012", "12:30", "200ms")] == [True] * 5
    assert [is_number(word) for word in ("utf-8", "s3", "k8s", "http2", "list")] == [False] * 5


@pytest.mark.parametrize("line", ["ValueError: x", "error TS2307: x", "Caused by: x", "fatal: x", "npm ERR! error: x"])
def test_a_line_that_names_an_error_and_says_what_it_is(line: str) -> None:
    assert is_error(line)


@pytest.mark.parametrize("line", ["an error", "Errors:", "note: x", 'File "error", line 3: x'])
def test_other_lines_are_no_errors(line: str) -> None:
    assert not is_error(line)


def test_only_the_title_of_a_paste_has_absent_words() -> None:
    asked = ask("read quokka_limit\nwombat_limit\nat x (y.js:1:2)\nlist", lambda term: UNITS.get(term, 0), SECTIONS)
    assert [absent.word for absent in asked.absent] == ["quokka_limit"]


def test_a_paste_without_plain_lines_counts_in_full() -> None:
    assert weights("  list\n  render\n  read\n  422") == {"list": 150, "render": 200, "read": 210}


def test_a_first_line_that_is_an_error_message_is_the_title() -> None:
    found = weights("Error: read timeout\nrender the list\nitems\nconnect")
    assert (found["read"], found["timeout"]) == (210, 420)
    assert sum(found.values()) - 630 <= 630 // 4


def test_lines_of_a_fence_count_as_those_of_a_stack_but_for_error_messages() -> None:
    fenced = weights("read timeout\n```\nrender list items\n```\nconnect")
    assert (fenced["connect"], sum([fenced[term] for term in ("render", "list", "item")])) == (157, 30 + 22 + 24)
    assert weights("read timeout\n```\nValueError: render\n```\n")["render"] == 200
    assert weights("```\nlist\n```\nread timeout\nrender")["read"] == 210


def test_bare_numbers_count_where_there_is_nothing_else_and_in_short_queries() -> None:
    assert weights("422\n422\n422\n422") == {"422": 250}
    assert weights("list 422") == {"list": 150, "422": 250}


def test_a_query_of_three_lines_is_no_paste() -> None:
    assert weights("read\n  list\n\n\r\n  422") == {"read": 210, "list": 150, "422": 250}


def asked(query: str) -> Question:
    return ask(query, lambda term: UNITS.get(term, 0), SECTIONS)


def test_strength_is_the_best_score_relative_to_what_the_words_could_contribute_the_heaviest_first() -> None:
    # `render` weighs 200, `list` 150 and counts 0.8 of that, a frame word (33 of 90) 0.64 of that.
    assert asked("render list").strength(128 * 320) == 100
    assert asked("list render").strength(128 * 160) == 50
    assert asked("get list render").strength(128 * (200 + 120 + 21)) == 100
    assert asked("").strength(1000) == 0


def test_a_word_that_no_section_contains_weighs_as_much_as_one_could() -> None:
    assert unit(SECTIONS, 0) == 760
    assert asked("qqqqqqq render").expected == [760, 200]


def test_an_unknown_name_is_not_met_by_its_parts() -> None:
    question = asked("renderList")
    assert (question.expected, question.absent) == ([760], [("renderList", True)])
    assert asked("useEffect").absent == []


def test_what_a_word_was_read_as_is_expected_as_the_word() -> None:
    assert (asked("lsit").expected, asked("lsit").absent) == ([760], [])


def test_grams_of_a_script_without_blanks_count_each_for_itself() -> None:
    question = ask("日本語", lambda term: {"日本": 300, "本語": 100}.get(term, 0), SECTIONS)
    assert question.weights == {"日本": 300, "本語": 100}
    assert question.expected == [300, 100]


def test_a_gram_that_no_section_contains_weighs_a_quarter_of_an_unknown_word_and_is_not_reported() -> None:
    question = ask("日本語", lambda term: {"日本": 190}.get(term, 0), SECTIONS)
    assert (question.expected, question.absent) == ([190, 190], [])


@pytest.mark.parametrize(
    ("query", "absent"),
    [
        ("quokka_timeout", [("quokka_timeout", True)]),
        ("app.quokka()", [("app.quokka", True)]),
        ("--quokka", [("--quokka", True)]),
        ("quokka-timeout", [("quokka-timeout", True)]),
        ("quokkatimeouts", [("quokkatimeouts", False)]),
        ("3.11 v2 Quokka-Timeout", []),
    ],
)
def test_words_that_no_section_contains_are_reported_as_they_are_written(
    query: str, absent: list[tuple[str, bool]]
) -> None:
    assert asked(query).absent == absent
