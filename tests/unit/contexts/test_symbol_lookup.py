"""One name: its definitions and uses, apart where several symbols have it, and never silently nothing."""

from __future__ import annotations

import pytest

from holdfast.contexts.symbol_lookup import Looked, as_text, look, nearest_names, parts_of, symbol_answer
from holdfast.core.errors import BudgetTooSmall
from holdfast.core.token_estimate import estimate_tokens

STORE = b'''"""close is no use here."""
from base import close


class Store:
    def close(self):
        """Give the file back."""
        close("close")  # close


class Other:
    def close(self): ...


def leave(store):
    store.close()
    closed = 1
'''


def found(name: str, source: bytes = STORE, path: str = "src/store.py", *, is_test: bool = False) -> Looked:
    return Looked(path, is_test, look(path, source, parts_of(name)))


def test_definitions_of_one_name_are_apart_and_uses_stand_with_their_symbol_and_imports_first() -> None:
    value = symbol_answer("close", [found("close")], [], 500)
    assert as_text(value).split("\n")[1:] == [
        "src/store.py#L6-L8  fn Store.close(self)",
        "  Give the file back.",
        "src/store.py#L12-L12  fn Other.close(self)",
        "Several symbols have this name; a grammar cannot tell which one a use means.",
        "used in",
        "src/store.py: import 2 · Store.close 8 · leave 16",
    ]
    assert value["tokens_used"] == estimate_tokens(as_text(value) + "\n")


def test_a_class_before_the_name_chooses_and_a_single_short_definition_comes_with_its_body() -> None:
    text = as_text(symbol_answer("Other.close", [found("Other.close")], [], 500))
    assert "src/store.py#L12-L12  fn Other.close\n    def close(self): ...\nused in" in text
    assert "Store.close(" not in text


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_of_other_systems_change_nothing(end: bytes) -> None:
    assert found("Other.close", STORE.replace(b"\n", end)) == found("Other.close")


def test_tests_come_after_what_they_test_and_what_does_not_fit_is_counted() -> None:
    using = [found("leave", b"leave(1)\n", f"src/u{at}.py") for at in range(40)]
    test = found("leave", b"leave(1)\nleave(2)\n", "tests/test_leave.py", is_test=True)
    whole = as_text(symbol_answer("leave", [found("leave"), test, *using], [], 2000))
    assert whole.endswith("src/u9.py: 1\nused in tests\ntests/test_leave.py: 1 2")
    short = symbol_answer("leave", [found("leave"), test, *using], [], 200)
    assert (short["tokens_used"] <= 200, short["use_count"], short["using_file_count"]) == (True, 42, 41)
    assert as_text(short).endswith(f"… {41 - len(short['uses'])} more files use it: raise budget")
    with pytest.raises(BudgetTooSmall):
        symbol_answer("leave", [found("leave")], [], 5)


def test_a_name_that_nothing_has_is_answered_with_the_nearest() -> None:
    names = ["make_response", "Flask.make_response", "run", "TcpStream", "tcp_listen"]
    assert nearest_names("make_responze", names)[:2] == ["make_response", "Flask.make_response"]
    assert nearest_names("stream of tcp", names) == ["TcpStream", "tcp_listen"]
    text = as_text(symbol_answer("clos", [], ["close"], 200))
    assert text.endswith("Nothing here defines 'clos'.\nNearest names: close")
    assert (parts_of("a::b.c"), parts_of("two words")) == (["a", "b", "c"], [])
