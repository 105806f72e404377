"""Whatever stands in a context, its settings, an ignore file or a package's manifest is read, or refused by name."""

from __future__ import annotations

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.contexts import schema
from holdfast.contexts.context_text import edited as edited_text
from holdfast.contexts.context_text import machine_fields, new_text, recorded_digests
from holdfast.contexts.manifests import about, readme_summary
from holdfast.contexts.settings import check as check_settings
from holdfast.contexts.settings import settings_of
from holdfast.core.canonical_json import encode
from holdfast.core.errors import UnsupportedVersion
from holdfast.core.globs import GlobList
from holdfast.core.yaml_text import MAX_BYTES, MAX_DEPTH, YamlError, parse, parse_document
from support.examples import examples
from support.mutants import ODD_VALUES, edited

EXAMPLES = settings(max_examples=examples(250), deadline=None)
CONTEXT = """\
# written by hand
version: 1
scope: code
fingerprint: 18fc6fc7
last_updated: "2026-01-02T03:04:05Z"
summary: |
  The gate, größe 😀.
maintenance: Keep it short.
decisions:
  - what: Tokens last an hour
    why: 'no one waits longer'
  - {what: yes, why: "0x10"}
derived_fields: [summary, "files"]
constraints: &texts [no, '1e3']  # a remark
current_state:
  working: *texts
""".encode()
YAML_TOKENS = st.lists(
    st.sampled_from(
        [
            *(
                "a",
                ": ",
                "- ",
                "\n",
                "\n  ",
                "\n    ",
                "? ",
                "[",
                "]",
                "{",
                "}",
                ",",
                "#",
                "&x ",
                "*x",
                "!!str ",
                "!x ",
            ),
            *("|", ">", "|2-", '"', "'", "\\u0041", "---\n", "...\n", "%YAML 1.2\n", "\t", "~", "0o17", ".inf", ".nan"),
            *("1e999", "9" * 450, "\u2028", "\x85", "\ufeff", "<<: ", "no", "2001-01-01", "-", "\r\n", "\0", "\x7f"),
        ]
    ),
    max_size=30,
).map(lambda tokens: "".join(tokens).encode())
yaml_bytes = st.one_of(edited(CONTEXT), YAML_TOKENS, st.binary(max_size=60))


class TestYaml:
    def test_what_the_mutants_come_from_is_valid(self) -> None:
        assert schema.check(parse(CONTEXT)) == []

    @EXAMPLES
    @given(yaml_bytes)
    @example(b"[" * (MAX_DEPTH + 1))
    @example(b"- " * 100_000)
    @example(b"{a: " * 100_000)
    @example(b"x" * (MAX_BYTES + 1))
    @example(b"a: &a [" + b"1," * 1000 + b"]\nb: &b [" + b"*a," * 100 + b"]\nc: [" + b"*b," * 100 + b"]\n")
    @example(b"a: &a [*a]")
    @example(b"<<: 1")
    def test_any_bytes_are_a_value_or_a_yaml_error(self, data: bytes) -> None:
        try:
            value = parse(data)
        except YamlError:
            return
        assert parse_document(data).value == value or _holds_nan(value)
        assert len(encode(value)) <= 8 * MAX_BYTES

    @EXAMPLES
    @given(st.one_of(yaml_bytes, ODD_VALUES.map(json.dumps).map(str.encode)))
    def test_any_value_is_a_context_or_its_problems_are_named(self, data: bytes) -> None:
        try:
            value = parse(data)
            problems = schema.check(value)
        except (YamlError, UnsupportedVersion):
            return
        assert all(problem.problem for problem in problems)
        if not problems:
            assert encode(schema.whole(value))
            assert schema.check(parse(new_text(schema.whole(value)).encode())) == []

    @EXAMPLES
    @given(yaml_bytes)
    def test_any_value_is_settings_or_its_problems_are_named(self, data: bytes) -> None:
        try:
            value = parse(data)
        except YamlError:
            return
        if not check_settings(value):
            assert settings_of(value)

    @EXAMPLES
    @given(edited(CONTEXT), st.text(max_size=20).filter(lambda text: text.isprintable()))
    def test_a_summary_set_in_a_valid_file_is_the_only_thing_that_changed(self, data: bytes, summary: str) -> None:
        try:
            before = parse(data)
            if schema.check(before):
                return
        except (YamlError, UnsupportedVersion):
            return
        text = data.decode("utf-8-sig")
        recorded_digests(text)
        machine_fields(before, text)
        assert parse(edited_text(text, {"summary": summary}).encode()) == {**before, "summary": summary}


def _holds_nan(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_nan, value.values()))
    if isinstance(value, list):
        return any(map(_holds_nan, value))
    return value != value


PYPROJECT = b'[project]\nname = "a"\ndescription = "b"\n[tool.x]\ny = [1, {z = 2}]\n'
PACKAGE = b'{"name": "a", "description": "b", "scripts": {"test": "c"}, "dependencies": {"d": "1"}}'
MANIFESTS = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod", "composer.json")


class TestProjectFiles:
    @EXAMPLES
    @given(st.one_of(edited(b"*.py\n!a/b\n/c/\n**/d[!a-z]\n\\#e\\ \n"), st.binary(max_size=40)))
    @example(b"[")
    @example(b"[]-a]")
    @example(b"[z-a]")
    @example(b"[[:alpha:]")
    @example(b"\\")
    def test_any_text_is_a_list_of_patterns(self, data: bytes) -> None:
        for patterns in (GlobList.parse(data), GlobList.parse(data.decode(errors="replace"))):
            assert patterns.decide("some/name", folder=False) in (True, False, None)

    @EXAMPLES
    @given(st.sampled_from(MANIFESTS), st.one_of(edited(PYPROJECT), edited(PACKAGE), ODD_VALUES.map(json.dumps)))
    @example("package.json", "[" * 100_000)
    @example("pyproject.toml", "a = " + "[" * 100_000)
    def test_any_text_is_a_manifest_or_says_nothing(self, name: str, data: bytes | str) -> None:
        text = data if isinstance(data, str) else data.decode(errors="replace")
        assert encode(list(about({name: text})))

    @EXAMPLES
    @given(st.text())
    def test_any_text_has_a_summary(self, text: str) -> None:
        assert isinstance(readme_summary(text), str)
