"""The shell that every page has: nothing from elsewhere, nothing that a name brings along, colours that can be read."""

from __future__ import annotations

import re

import pytest

from holdfast.core.packaged_text import packaged_text
from holdfast.core.page_shell import block, counted, folded, meter, page_policy, shown, stacked, whole_page

STYLE = packaged_text("page.css")
# What is written on what, and what is only drawn: WCAG 2.2 asks for 4.5 and 3.
WRITTEN = [
    (ink, ground) for ink in ("ink", "soft", "link", "good", "near", "bad") for ground in ("ground", "panel")
] + [("ground", "link"), ("ink", "mark")]
DRAWN = [(ink, ground) for ink in ("bar", "good", "near", "bad") for ground in ("ground", "panel", "track")] + [
    ("edge", "ground"),
    ("edge", "panel"),
]


def palettes() -> dict[str, dict[str, str]]:
    """The colours by name, in the light and in the dark."""
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    return {name: dict(re.findall(r"--(\w+): (#\w{6})", text)) for name, text in (("light", light), ("dark", dark))}


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def test_the_measure_of_contrast_is_the_one_of_the_standard() -> None:
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#767676", "#ffffff"), 2) == 4.54


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_whatever_is_written_or_drawn_can_be_told_from_its_ground(scheme: str) -> None:
    colours = palettes()[scheme]
    weak = [(pair, 4.5) for pair in WRITTEN if contrast(*[colours[name] for name in pair]) < 4.5]
    weak += [(pair, 3) for pair in DRAWN if contrast(*[colours[name] for name in pair]) < 3]
    assert weak == []


def test_both_schemes_name_the_same_colours_and_no_colour_stands_elsewhere() -> None:
    light, dark = palettes().values()
    assert light.keys() == dark.keys()
    assert len(re.findall(r"#[0-9a-f]{3,8}\b", STYLE)) == 2 * len(light)


def test_the_style_asks_for_nothing_from_elsewhere() -> None:
    assert not [mark for mark in ("url(", "@import", "http") if mark in STYLE]


def test_a_page_allows_its_own_style_and_script_by_hash_and_nothing_else() -> None:
    assert page_policy("a{}") == (
        "default-src 'none'; style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='; base-uri 'none'; "
        "form-action 'none'"
    )
    page = whole_page("a{}", "<T> & \x1b", "<p>said</p>", top="<p>above</p>", script="1")
    assert "script-src 'sha256-" in page
    assert "connect-src 'self'; form-action 'self'" in page
    assert "unsafe" not in page
    assert "<title>&lt;T&gt; &amp; ␛</title>" in page
    assert page.index('href="#main"') < page.index("<p>above</p>") < page.index('<main id="main"')


def test_text_from_elsewhere_stays_text() -> None:
    assert shown("<b>\n\u202e") == "<bdi>&lt;b&gt;␊\ufffd</bdi>"
    assert block("<b>\nx") == '<pre dir="auto" tabindex="0">&lt;b&gt;\nx</pre>'
    assert 'id="a&quot;b"' in folded("s", "c", mark='a"b')
    assert 'aria-label="&lt;x&gt;"' in meter(1, 2, "<x>")


def test_charts_say_in_words_what_they_draw() -> None:
    assert 'aria-label="3 of 4"><rect class="track" width="100" height="4"/>' in meter(3, 4, "3 of 4")
    assert 'width="75.00"' in meter(3, 4, "")
    assert 'width="0.00"' in meter(0, 0, "")
    assert 'width="100.00"' in meter(9, 4, "")
    drawn = stacked([("fresh", 3, "good"), ("stale", 1, "near")])
    assert 'aria-label="3 fresh, 1 stale"' in drawn
    assert '<rect class="near" x="75.00" width="25.00" height="4"/>' in drawn


def test_a_number_goes_with_its_noun() -> None:
    assert [counted(1, "token"), counted(2000, "token"), counted(2, "has", "have")] == [
        "1 token",
        "2,000 tokens",
        "2 have",
    ]
