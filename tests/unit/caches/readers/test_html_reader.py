"""HTML: the main content of a page as Markdown, with the lines of the file people have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.caches.readers.source_reader import Unreadable
from support.pages import is_within, numbered, read

PAGE = """<!doctype html>
<html><head><title>Install — Widgets 2</title><style>p { color: red }</style></head>
<body>
<header><h1>Widgets</h1></header>
<nav><ul><li><a href="/">Home</a></li></ul></nav>
<main>
<h1>Install<a class="headerlink" href="#install">¶</a></h1>
<p>Use <code>pip install widgets</code> &amp; you are
<em>done</em>, see <a href="x.html">the guide</a>.
<p># not a heading
<ul>
<li>one<li>two
  <ol start="3"><li><p>deep</p></ol>
</ul>
<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span>def</span> f(x):

    return x &lt; 1
</pre></div></div>
<table><caption>Options</caption>
<tr><th>Name<th>Meaning</tr>
<tr><td><code>a|b</code></td><td>either
 one</td></tr></table>
<dl><dt class="sig">Widget.turn(speed)</dt><dd>Turn it.</dd></dl>
<aside>Advertisement</aside>
<aside class="starlight-aside--note">Mind the gap.</aside>
<blockquote><p>quoted<br>twice</blockquote>
<script>if (a < b) { "</p>" }</script>
</main>
<footer>Imprint</footer>
</body></html>
"""


def test_a_page_is_its_main_content_and_each_line_names_that_of_the_file() -> None:
    page = read(PAGE, "install.html")

    assert page.title == ""
    assert (
        numbered(page)
        == """7|# Install
7|
8|Use `pip install widgets` & you are
9|done, see the guide.
9|
10|\\# not a heading
11|
12|- one
12|
12|- two
12|
13|  3. deep
14|
15|```python
15|def f(x):
16|
17|    return x < 1
17|```
18|
19|Options
19|
20|| Name | Meaning |
20|| --- | --- |
21|| `a\\|b` | either one |
22|
23|## Widget.turn(speed)
23|
23|Turn it.
24|
25|Mind the gap.
25|
26|> quoted
26|> twice
"""
    )


def test_a_page_without_a_heading_of_its_own_has_the_title_of_its_head() -> None:
    page = read("<title>A &lt;b&gt;\n page</title><body><h2>Part</h2><p>Text", "a.htm")

    assert (page.title, page.text) == ("A <b> page", "## Part\n\nText\n")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<p>aside<article>a</article><article>b</article>", "a\n\nb\n"),
        ("<main><p>contents</p><article><h1>T</h1><p>x</article></main>", "# T\n\nx\n"),
        ("<p>around<div id=content><p>in</div>", "in\n"),
        ("<div role=main>in<div>deeper</div></div>out", "in\n\ndeeper\n"),
        ("<p>1 < 2 <3", "1 < 2 <3\n"),
        ("a<!-- b --!>c<!--> d", "ac d\n"),
        ("<pre class='language-js'>a\n\n```</pre>", "````js\na\n\n```\n````\n"),
        ("<pre>a<br>b</pre>", "```\na\nb\n```\n"),
        ("<p hidden>x</p><div hidden>y</div><i aria-hidden=true>z</i>w", "x\n\nw\n"),
        ("<p title='a > b'>x", "x\n"),
        ("<p>cut <a href='", "cut\n"),
        ("<p>&#99999999999999999999;&#x110000;&nosuch;&eacute", "\ufffd\ufffd&nosuch;é\n"),
        ("<textarea><b></textarea>", "\\<b>\n"),
        ("<li>1. x<li>- y", "- 1\\. x\n\n- \\- y\n"),
        ("<table role=presentation><tr><td>a<td>b</table>", "a\n\nb\n"),
        ("<table><tr><td>a<table><tr><td>b</table></table>", "| a b |\n| --- |\n"),
        ("", ""),
        ("<nav>only</nav>", ""),
    ],
)
def test_what_becomes_of(source: str, text: str) -> None:
    assert read(source, "a.html").text == text


def test_xhtml_closes_elements_within_their_tag() -> None:
    assert read('<?xml version="1.0"?><body><script src="a"/><div hidden=""/><p>x</p></body>', "a.xhtml").text == "x\n"


def test_a_page_in_an_older_encoding_says_so_itself() -> None:
    assert read("<meta charset=windows-1252><p>naïve".encode("cp1252"), "a.html").text == "naïve\n"
    assert read("<p>naïve".encode("utf-16"), "a.html").text == "naïve\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>naïve".encode("cp1252"), "is not UTF-8 (byte 5)"),
        ("<meta charset=shift_jis><p>日本".encode("shift_jis"), "is in the encoding shift_jis: save it as UTF-8"),
        (b"\xff\xfea", "is not UTF-16 (byte 2)"),
        (b"<p>{{ count }}</p>", "is a template, not a page"),
    ],
)
def test_a_page_whose_letters_are_not_known_or_to_be_filled_in_is_unreadable(source: bytes, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(source, "a.html")

    assert str(caught.value) == words


@pytest.mark.parametrize(
    "unit",
    [
        *("<div>", "<ul><li>x", "<blockquote>x\n", "<dl><dt class=sig>x<dd>", "<table><tr><td>x", "<", "<a b='x "),
        *("<code>x", "<div></ul>", "<ul>\n<li><div>", "<!--", "<!-- --!>", "<title>", "<article>x</article>", "<pre>x"),
        *("<p>", "</p>", "&#9", "<i>x</i> ", "<nav>", "<svg>", "<h1>", "<h1>x</h1>", "<td>", "<table>", "x\n"),
    ],
)
def test_nesting_and_repetition_cost_no_more_than_their_length(unit: str) -> None:
    source = (unit * 10_000).encode()

    page = read(source, "a.html")

    assert is_within(page, source)
    assert len(page.text) < 40 * len(source)


MARKUP = st.lists(
    st.sampled_from(
        "<main> </main> <article> </article> <p> </p> <ul> <ol> <li> </li> </ul> </ol> <pre> </pre> <code> </code> "
        "<table> <tr> <td> </td> </tr> </table> <h1> </h1> <h3> <dl> <dt> <dd> </dl> <blockquote> </blockquote> <nav> "
        "</nav> <header> </header> <br> <div> </div> <div\xa0class=language-x> <!-- --> < & &lt; ``` # - 1. a b "
        "\n \r\n \xa0 <textarea> </textarea> <script> </script> <a\xa0class=headerlink> </a>".split(" ")
    ).map(lambda text: text.replace("\xa0", " ")),
    max_size=60,
).map(lambda parts: "".join(parts).encode())


def test_code_after_a_paragraph_that_begins_in_it_names_its_own_line() -> None:
    assert numbered(read(b"<pre>one<p>two", "a.html")) == "1|```\n1|one\n1|two\n1|```\n"


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace")), MARKUP))
def test_whatever_is_given_there_is_a_page_or_a_reason(source: bytes) -> None:
    try:
        page = read(source, "a.html")
    except Unreadable:
        return

    assert is_within(page, source)
    numbers = [int(line.split("|")[0]) for line in numbered(page).split("\n")[:-1]]
    assert numbers == sorted(numbers)
