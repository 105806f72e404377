"""`estimate-1` is its name: these numbers never change."""

from __future__ import annotations

import pytest

from holdfast.core import token_estimate
from holdfast.core.token_estimate import estimate_tokens
from holdfast.core.tokens import tokens_of_bytes

PROSE = "Middleware is a function that works with every request before it is processed.\n"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (PROSE, 18),
        (PROSE * 20, 308),
        ("", 0),
        ("a", 4),
        ("the", 4),
        ("\n", 2),
        ("  ", 3),
        ("kuberay", 4),
        ("useEffect", 5),
        ("HTTPServer2", 7),
        ("3.14159 0xDEADBEEF", 15),
        ('def f(x: int) -> str:\n    return x["a"]\n', 18),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", 19),
        ("Die Größe für Übergänge\r\n", 10),
        ("请求被处理之前", 7),
        ("リクエストを処理する", 10),
        ("요청을 처리하기 전에", 11),
        ("ทุกคำขอ", 6),
        ("ທຸກຄຳຂໍ", 16),
        ("គ្រប់សំណើ", 9),
        ("တောင်းဆိုမှု", 10),
        ("перед обработкой", 9),
        ("πριν από κάθε αίτημα", 11),
        ("قبل معالجة الطلب", 9),
        ("अनुरोध से पहले", 8),
        ("😀 — “quoted”… ©", 12),
    ],
)
def test_an_estimate_is_the_same_on_every_python(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_what_is_remembered_is_bounded_and_forgetting_changes_no_number() -> None:
    text = " ".join([f"word{number:x}" for number in range(1 << 17)])
    first = estimate_tokens(text)
    assert len(token_estimate._tokens) <= 1 << 16
    assert estimate_tokens(text) == first


def test_one_token_of_a_million_letters_is_counted_and_not_remembered() -> None:
    text = "ab" * 500_000
    assert estimate_tokens(text) > 100_000
    assert text.encode() not in token_estimate._tokens


def test_each_script_has_a_cost_of_its_own() -> None:
    assert estimate_tokens("ລາວ" * 100) > 3 * estimate_tokens("ไทย" * 100)
    assert estimate_tokens("的" * 100) < estimate_tokens("鑿" * 100)


@pytest.mark.parametrize(("size", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2)])
def test_bytes_count_a_quarter_rounded_up(size: int, tokens: int) -> None:
    assert tokens_of_bytes(size) == tokens
