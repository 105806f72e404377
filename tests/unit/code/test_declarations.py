"""What files declare, and what changes the digests of a name."""

from __future__ import annotations

import pytest

from holdfast.code.declarations import declarations

PYTHON = '''class Session(Base):
    """A session."""
    limit: int = 3

    def close(self, force, now):
        """Close it."""
        return self._end(force)  # at once

    def _end(self, force): ...


def go(a: int) -> int:
    return a
'''


def digests(text: str, name: str = "a.py") -> dict[str, tuple[str, str]]:
    found = declarations(name, text.encode())
    assert found is not None
    return {one.name: (one.signature, one.body) for one in found}


def changed(old: str, new: str, name: str = "a.py") -> dict[str, str]:
    """Which part of each name differs."""
    before, after = digests(old, name), digests(new, name)
    parts = {one: "".join("sb"[at] for at in (0, 1) if before[one][at] != after[one][at]) for one in before}
    return {one: part for one, part in parts.items() if part}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# at once", "# later"),
        ('"""Close it."""', '"""End it.\n\n        All of it.\n        """'),
        ("force, now)", "force,\n        now,\n    )"),
        ("return a\n", "return (\n        a\n    )\n".replace("(\n        a\n    )", "a")),
        ("limit: int", "limit:int"),
    ],
)
def test_comments_documentation_and_white_space_change_nothing(old: str, new: str) -> None:
    assert changed(PYTHON, PYTHON.replace(old, new)) == {}


def test_a_signature_and_a_body_are_told_apart() -> None:
    assert changed(PYTHON, PYTHON.replace("return a", "return a + 1")) == {"go": "b"}
    assert changed(PYTHON, PYTHON.replace("go(a: int)", "go(a: str)")) == {"go": "s"}


def test_the_body_of_a_type_is_the_signatures_of_its_members_that_are_not_private() -> None:
    assert changed(PYTHON, PYTHON.replace("_end(force)  #", "_end(not force)  #")) == {"Session.close": "b"}
    assert changed(PYTHON, PYTHON.replace("_end(self, force)", "_end(self)")) == {"Session._end": "s"}
    assert changed(PYTHON, PYTHON.replace("close(self, force,", "close(self, hard,")) == {
        "Session": "b",
        "Session.close": "s",
    }


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("a.go", "func (e *Engine) Run(a string) {}\ntype T struct { A int }\n", ["Engine.Run", "T", "T.A"]),
        ("a.rs", "cfg_net! { pub struct S { a: u8 } }\nimpl S { pub fn new() {} }\n", ["S", "S.a", "S", "S.new"]),
        ("a.ts", "export const f = (a: number) => a;\nclass A { run() {} }\n", ["f", "A", "A.run"]),
        ("A.java", "class A { private int x; void run() {} }\n", ["A", "A.x", "A.run"]),
        ("a.kt", "class A { fun c(): Int = 1 }\nval q = 3\n", ["A", "A.c", "q"]),
        ("a.ex", "defmodule A.B do\n  def run(a) when a, do: a\nend\n", ["A.B", "A.B.run"]),
        (
            "a.cpp",
            "namespace n { class A { int run(int a); }; int A::go() { return 1; } }",
            ["n", "n.A", "n.A.run", "n.A.go"],
        ),
    ],
)
def test_names_are_found_in_other_languages(name: str, text: str, names: list[str]) -> None:
    found = declarations(name, text.encode())
    assert found is not None
    assert [one.name for one in found] == names


def test_a_name_is_called_by_as_much_of_it_as_is_given() -> None:
    found = declarations("a.py", PYTHON.encode()) or []
    close = next(one for one in found if one.name == "Session.close")
    assert [
        close.is_called(name) for name in ("close", "Session.close", "Session::close", "close()", "Other.close")
    ] == [
        *[True] * 4,
        False,
    ]


def test_what_cannot_be_read_declares_nothing_and_says_so() -> None:
    assert declarations("notes.md", b"# a") is None
    assert declarations("a.py", b"(" * 100_000) in (None, [])
