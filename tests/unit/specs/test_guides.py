"""Guides: what they cost an agent, and what each discipline leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast.specs
from holdfast.core.errors import SpecFailure
from holdfast.specs.discipline import DISCIPLINES, discipline_of
from holdfast.specs.guides import digest_line, filled, for_discipline

ROLES = ("implementer", "reviewer")
TEMPLATES = Path(holdfast.specs.__file__).parent / "templates"


def tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)


def template(name: str) -> str:
    return (TEMPLATES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("role", ROLES)
def test_a_full_guide_costs_less_than_1500_tokens_beside_the_steering_documents(role: str) -> None:
    assert 400 < tokens(for_discipline(template(role), "full")) < 1500


@pytest.mark.parametrize("role", ROLES)
def test_a_compact_guide_costs_less_than_300_tokens_however_long_the_steering_documents_are(role: str) -> None:
    long = "# A heading of some length\n\ntext\n" * 1000
    digests = [digest_line(name, long.encode()) for name in ("tech", "principles")]
    guide = filled(for_discipline(template(f"{role}-compact"), "full"), {"digests": "\n".join(digests)})
    assert 100 < tokens(guide) < 300


@pytest.mark.parametrize("name", [*ROLES, *[f"{role}-compact" for role in ROLES], "workflow"])
def test_a_guide_leaves_out_what_its_discipline_does_not_ask_for(name: str) -> None:
    texts = [for_discipline(template(name), discipline) for discipline in DISCIPLINES]
    assert "<!--" not in "".join(texts)
    assert len(texts[0]) > len(texts[1]) >= len(texts[2])


def test_a_part_is_kept_or_dropped_with_its_marks() -> None:
    text = "a\n<!-- tests -->\nb\n<!-- /tests -->\nc\n<!-- reviews -->\nd\n<!-- /reviews -->\ne\n"
    assert [for_discipline(text, discipline) for discipline in DISCIPLINES] == [
        "a\nb\nc\nd\ne\n",
        "a\nc\nd\ne\n",
        "a\nc\ne\n",
    ]


def test_a_value_that_looks_like_a_blank_is_left_alone() -> None:
    assert filled("{{a}} {{b}}", {"a": "{{b}}", "b": "x {{ y"}) == "{{b}} x {{ y"


@pytest.mark.parametrize(
    ("settings", "discipline"),
    [
        (None, "full"),
        (b"{}", "full"),
        (b'{"discipline":"standard","more":1}', "standard"),
        (b'\xef\xbb\xbf{"discipline":"minimal"}', "minimal"),
    ],
)
def test_settings_name_a_discipline(settings: bytes | None, discipline: str) -> None:
    assert discipline_of(settings) == discipline


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (b"discipline: full", "not JSON"),
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not []"),
        (b'{"discipline":"strict"}', 'not "strict"'),
        (b'{"discipline":null}', "not null"),
        (b'{"discipline":["full"]}', 'not ["full"]'),
    ],
)
def test_settings_that_cannot_be_followed_are_refused_and_the_value_is_named(settings: bytes, named: str) -> None:
    with pytest.raises(SpecFailure) as raised:
        discipline_of(settings)
    assert named in str(raised.value)
