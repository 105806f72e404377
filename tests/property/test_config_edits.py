"""A configuration that was set up and undone is the same bytes, and what is in between says what it should.

Texts are made of the things people write (comments, odd indentation, trailing commas, CRLF), not of the editors' own
output. What a text says is judged by other parsers than the editors use, where there is one.
"""

from __future__ import annotations

import json
import tomllib

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.clients.client_table import CLIENTS, Client
from holdfast.clients.config_edit import document, found_in, with_entry, without_entry
from holdfast.clients.server_entry import new_entry
from holdfast.core.edit_errors import BrokenText, OddText
from support.examples import examples

BY_FORMAT = {kind: [client for client in CLIENTS if client.target.format == kind] for kind in ("json", "toml", "yaml")}
BLANKS = str.maketrans("", "", " \t\r\n")
WORDS = st.text("abcxyz-_", min_size=1, max_size=5)
COMMENT_WORDS = st.text("abc \"{}[],:#='", max_size=8)
VARIABLES = st.sampled_from([{}, {"CONTEXT_CACHE_ROOT": '/é/"x"'}])
COMMANDS = st.sampled_from([["context", "serve"], ["/opt/a b/context", "serve", "--path", "/p'q\\r"]])


@st.composite
def json_texts(draw: st.DrawFn, container: str) -> str:
    """An object as a person may have written it, with or without the container."""
    comments = draw(st.booleans())
    newline = draw(st.sampled_from(["\n", "\r\n"]))

    def gap() -> str:
        parts = draw(st.lists(st.sampled_from([" ", "  ", "\t", newline]), max_size=3))
        if comments and draw(st.booleans()):
            word = draw(COMMENT_WORDS).replace("*/", "")
            parts.append(draw(st.sampled_from([f"/* {word} */", f"// {word}{newline}"])))
        return "".join(parts)

    def value(depth: int) -> str:
        kind = draw(st.sampled_from(["object", "list", "scalar"] if depth < 3 else ["scalar"]))
        if kind == "scalar":
            return draw(st.sampled_from(["1", "-2.5e3", "true", "null", '"a // b"', '"}\\",{"', '"é"']))
        names = draw(st.lists(WORDS, max_size=3, unique=True))
        if kind == "list":
            return listed("[", [value(depth + 1) for _ in names], "]")
        return listed("{", [f'"{name}"{gap()}:{gap()}{value(depth + 1)}' for name in names], "}")

    def listed(opening: str, items: list[str], closing: str) -> str:
        body = ",".join(f"{gap()}{item}{gap()}" for item in items)
        trailing = "," + gap() if items and comments and draw(st.booleans()) else gap() if not items else ""
        return f"{opening}{body}{trailing}{closing}"

    names = draw(st.lists(WORDS, max_size=3, unique=True))
    members = [f'"{name}"{gap()}:{gap()}{value(1)}' for name in names]
    if draw(st.booleans()):
        servers = draw(st.lists(WORDS, max_size=3, unique=True))
        inner = listed("{", [f'"{name}":{gap()}{value(2)}' for name in servers], "}")
        members.insert(draw(st.integers(0, len(members))), f'"{container}":{gap()}{inner}')
    if draw(st.booleans()):  # one a line, as programs write it
        margin = draw(st.sampled_from(["  ", "\t", "    "]))
        body = f",{newline}{margin}".join(members)
        return "{" + newline + (margin + body + newline if members else "") + "}" + draw(st.sampled_from(["", newline]))
    return gap() + listed("{", members, "}") + gap()


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Keys, tables and comments, with or without other servers."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    values = st.sampled_from(
        ["1", "'it # is'", '"a \\" ]"', "[1, 2]", "[\n  1, # ]\n  [2],\n]", "{ a = 1 }", '"""\n[x]\n"""', "'''q\n'''"]
    )

    def keys() -> list[str]:
        names = draw(st.lists(WORDS, max_size=3, unique=True))
        return [
            f"{draw(st.sampled_from(['', '  ']))}{name} = {draw(values)}{draw(st.sampled_from(['', ' # c [x]']))}"
            for name in names
        ]

    rows = keys()
    tables = draw(st.lists(st.sampled_from(["t1", "t2.u", "mcp_servers.other", '"quo.ted"', "t3 . v"]), unique=True))
    for table in tables:
        rows += [*draw(st.lists(st.sampled_from(["", "# note", "   "]), max_size=2)), f"[{table}]", *keys()]
    text = "\n".join(rows) + draw(st.sampled_from(["", "\n", "\n\n", "\n# end\n"]))
    return text.replace("\n", newline)


@st.composite
def yaml_texts(draw: st.DrawFn) -> str:
    """Settings with or without extensions, in block and in flow."""
    rows = [f"{name}: 1" for name in draw(st.lists(WORDS, max_size=2, unique=True))]
    form = draw(st.sampled_from(["none", "null", "flow", "empty", "block"]))
    comment = draw(st.sampled_from(["", " # c"]))
    if form == "null":
        rows.append(f"extensions:{comment}")
    elif form == "empty":
        rows.append(f"extensions: {{}}{comment}")
    elif form == "flow":
        rows.append("extensions: {a: {b: [1]}, c: {}}")
    elif form == "block":
        margin = draw(st.sampled_from(["  ", "    "]))
        rows.append(f"extensions:{comment}")
        for name in draw(st.lists(WORDS, min_size=1, max_size=3, unique=True)):
            rows += [
                f"{margin}# about {name}",
                f"{margin}{name}:",
                f"{margin}  args: [1, 2]",
                f"{margin}  text: |",
                f"{margin}    x",
            ]
    rows += draw(st.lists(st.sampled_from(["# end", "zz: 'x'", ""]), max_size=2, unique=True))
    return "\n".join(rows) + draw(st.sampled_from(["", "\n"]))


def entry_for(client: Client, words: list[str], variables: dict[str, str]) -> dict[str, object]:
    return new_entry(client.target.shape, words, variables)


def check(client: Client, text: str, words: list[str], variables: dict[str, str]) -> str:
    """Set up, again, and undone; the text in between."""
    entry = entry_for(client, words, variables)
    edited = with_entry(client.target, text, entry)
    assert found_in(client.target, document(client.target, edited)) == entry
    assert with_entry(client.target, edited, entry) == edited  # a second time changes nothing
    assert without_entry(client.target, edited, [text]) == text  # with what was kept: byte for byte
    alone = without_entry(client.target, edited)  # without it: all that was said, and every comment
    assert alone is not None
    left = document(client.target, alone)
    was = document(client.target, text)
    assert {k: v for k, v in left.items() if v} == {k: v for k, v in was.items() if v}
    if client.target.container in was:  # one that was made stays, empty: nobody knows whose it is
        assert sorted(alone.translate(BLANKS)) == sorted(text.translate(BLANKS))
    return edited


@settings(max_examples=examples(80), deadline=None)
@given(data=st.data(), words=COMMANDS, variables=VARIABLES)
def test_json_is_set_up_and_undone(data: st.DataObject, words: list[str], variables: dict[str, str]) -> None:
    client = data.draw(st.sampled_from(BY_FORMAT["json"]))
    text = data.draw(json_texts(client.target.container))
    edited = check(client, text, words, variables)
    if "//" not in text and "/*" not in text and ",}" not in text:
        try:
            was = json.loads(text)
        except ValueError:
            return  # a trailing comma: nothing but the editor reads it
        assert json.loads(edited)[client.target.container]["holdfast"] == entry_for(client, words, variables)
        assert {k: v for k, v in json.loads(edited).items() if k != client.target.container} == {
            k: v for k, v in was.items() if k != client.target.container
        }


@settings(max_examples=examples(80), deadline=None)
@given(text=toml_texts(), words=COMMANDS, variables=VARIABLES)
def test_toml_is_set_up_and_undone(text: str, words: list[str], variables: dict[str, str]) -> None:
    (codex,) = BY_FORMAT["toml"]
    edited = check(codex, text, words, variables)
    assert tomllib.loads(edited.replace("\r\n", "\n"))["tool_output_token_limit"] == 25_000


@settings(max_examples=examples(80), deadline=None)
@given(text=yaml_texts(), words=COMMANDS, variables=VARIABLES)
def test_yaml_is_set_up_and_undone(text: str, words: list[str], variables: dict[str, str]) -> None:
    (goose,) = BY_FORMAT["yaml"]
    edited = check(goose, text, words, variables)
    assert yaml.safe_load(edited)["extensions"]["holdfast"] == entry_for(goose, words, variables)


@settings(max_examples=examples(80), deadline=None)
@given(
    rows=st.lists(st.sampled_from(["# mine", "", "name: x", "models: []", "rules:\n  - a"]), max_size=3, unique=True),
    items=st.lists(st.sampled_from(["- name: other\n  url: x", "- url: y # z", "# more"]), max_size=3),
    margin=st.sampled_from(["", "  "]),
    end=st.sampled_from(["", "\n", "models: []\n"]),
)
def test_a_list_of_servers_is_set_up_and_undone(rows: list[str], items: list[str], margin: str, end: str) -> None:
    (client,) = [client for client in CLIENTS if client.target.format == "yaml list"]
    listed = [f"{margin}{line}" for item in items for line in item.split("\n")]
    rows = [row for row in rows if not end.startswith(row[:6])]
    text = "\n".join([*rows, *(["mcpServers:", *listed] if items else [])]) + ("\n" + end if end else "")
    entry = entry_for(client, ["context", "serve"], {})
    edited = with_entry(client.target, text, entry)
    found, *others = yaml.safe_load(edited)["mcpServers"]
    assert (found, with_entry(client.target, edited, entry)) == (entry, edited)
    assert len(others) == len([item for item in items if item[0] == "-"])
    assert without_entry(client.target, edited, [text]) == text
    assert all(line in edited.split("\n") for line in text.split("\n"))


@settings(max_examples=examples(80), deadline=None)
@given(text=st.text("{}[]\":,/*# \n=abc'\\", max_size=40), client=st.sampled_from(CLIENTS))
def test_whatever_a_file_holds_it_is_edited_or_refused_in_words(text: str, client: Client) -> None:
    try:
        edited = with_entry(client.target, text, entry_for(client, ["context", "serve"], {}))
    except (BrokenText, OddText):
        return
    assert found_in(client.target, document(client.target, edited)) is not None
