"""No regular expression takes longer than its input is long.

Every pattern of the source is found by its syntax tree: it has a name at the top of its module, or it is a text in the
table of languages. Each has an entry here with what is meanest to it, and is run over that and over texts that are mean
to patterns in general, in a process that the system ends if it computes for ever: of half a million characters, a
pattern whose time grows with the square of the input does not see the end.
"""

from __future__ import annotations

import ast
import importlib
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import holdfast
from holdfast.code.languages import LANGUAGES

SOURCE = Path(holdfast.__file__).parent
CPU_SECONDS = 40  # all of it takes less than a tenth; one pattern whose time grows with the square takes more

# module:NAME -> texts that are repeated, or texts that stand before "|" once and are repeated after it
HOSTILE: dict[str, tuple[str, ...]] = {
    "caches/readers/asciidoc_inline.py:_ATTRIBUTE": ("{", "{a", "{|a", "{a}"),
    "caches/readers/asciidoc_inline.py:_BRACKETS": (
        *(
            "[",
            "[[",
            "[a",
            "[[a",
            "[|a",
            "a",
            "a(",
            "a[",
            "a[|b",
            "a[[b]",
            "]",
            "`",
            "`a",
            "[[a,",
            "[[a,|b",
            "a [",
            "([",
        ),
    ),
    "caches/readers/asciidoc_inline.py:_REFERENCE": ("<<", "<<a", "<<|a", "<<a,", "<<a,|b", "<", "`", "`a", "<<a,b>"),
    "caches/readers/asciidoc_inline.py:_ROLE": ("[", "[a", "[|a", "[a]#", "[a]#|b"),
    "caches/readers/asciidoc_inline.py:_UNKNOWN": ("{", "{a", "{|a", "{a}"),
    "caches/readers/asciidoc_lines.py:_COMPARISON": ("a", "=", "<", "a ="),
    "caches/readers/asciidoc_lines.py:_OPTION": ("a", " ", "a=", 'a="', 'a="|b', "a=b,", ",", '"'),
    "caches/readers/asciidoc_reader.py:_ITEM": ("a", "a::", "a: ", ":", "* [", "-| ", "<1", ":| "),
    "caches/readers/asciidoc_reader.py:_LANGUAGE": ("a", "#"),
    "caches/readers/asciidoc_reader.py:_SET": (":a", ":|a", ":a:| ", ":!a"),
    "caches/readers/doc_comments.py:_LINK": ("{@link", "{@link ", "{@link |a", "{"),
    "caches/readers/docstrings.py:_DIRECTIVE": (".. a", ".. a|-", ".. a::| ", ".. "),
    "caches/readers/docstrings.py:_FIELD": (":a", ":a ", ":a |b", ":"),
    "caches/readers/docstrings.py:_GOOGLE_ITEM": ("a", "a ", "a (", "a|)", "*", "a,|*"),
    "caches/readers/docstrings.py:_LITERAL": ("`", "``a", "``|a", "`a"),
    "caches/readers/docstrings.py:_ROLE": (":a", ":a:`", ":a:`|b", ":|a", ":a:"),
    "caches/readers/dts_reader.py:_EXPORTED": ("export ", "export {", "export {|a", "export *|a", "export * from '|a"),
    "caches/readers/dts_reader.py:_IMPORTED": (
        "import ",
        "import {",
        "import {|a",
        "import a|b",
        "import a, {} from './",
    ),
    "caches/readers/dts_reader.py:_LIST": ("export", "export {", "export| ", "export type "),
    "caches/readers/dts_reader.py:_REFERENCE": ("/", "/// <reference path='", "///| ", "/// <reference |p"),
    "caches/readers/jsx_prose.py:_EMPTY_LINK": ("[", "[| ", "[](", "[](|a", "[]"),
    "caches/readers/jsx_prose.py:_NAME": ("{", "{a", "{|a", "{a|.a", "{a| ", "{| "),
    "caches/readers/jsx_prose.py:_REFERENCE": ("&", "&#|1", "&#x|a", "&|a", "&a;"),
    "caches/readers/jsx_prose.py:_STATEMENT": ("import ", "import|a", "import {|a", "import| ", "export "),
    "caches/readers/jsx_prose.py:_STOPS": ("a", "`", "<"),
    "caches/readers/jsx_prose.py:_STRING": ("{'", "{'|a", "{| ", "{'a'| ", "{"),
    "caches/readers/jsx_prose.py:_WORD": ("a", "-", "a|-"),
    "caches/readers/jsx_prose.py:_BEGINNING": ("<", "<a", "<|a", "</|a", "<a:"),
    "caches/readers/jsx_prose.py:_IN_BRACES": ("{", "a", "/", "/*"),
    "caches/readers/jsx_prose.py:_PART": ("a", "-", "'", "a|-"),
    "caches/readers/markdown_blocks.py:_ALERT": ("> ", ">", ">| ", "> [!", "> [!|a", "> [!a]| "),
    "caches/readers/markdown_blocks.py:_ATTRIBUTES": ("{:", "{:|a", "{ ", "{| ", "{#", "{#|a", '{a="', '{a="|b', "{|a"),
    "caches/readers/markdown_blocks.py:_BRACKETS": ("[", "[|a", "[]"),
    "caches/readers/markdown_blocks.py:_CONTAINER": (":::", ":::| ", "|:", ":::|a", "> ", ":::{|a"),
    "caches/readers/markdown_blocks.py:_DIRECTIVE": ("```{", "|`", "```{|a", "```{a}| ", "> "),
    "caches/readers/markdown_blocks.py:_ICON": (":fa-", ":fa-|a", ":fa-a:{", ":fa-a:{|a", ":"),
    "caches/readers/markdown_blocks.py:_INDENTED": ("!!! ", "!!!| ", "???", "=== |a", " "),
    "caches/readers/markdown_blocks.py:_LABEL": ("[a]: ", "[a", "[|a", "[a]:| ", "[a]: |b", "[a]: <|b"),
    "caches/readers/markdown_blocks.py:_LINK": ("{@link ", "{@link |a", "{@link| ", "{@link a|b"),
    "caches/readers/markdown_blocks.py:_QUOTED": ('"', '"|a', '"a'),
    "caches/readers/markdown_blocks.py:_REFERENCE": ("[", "]", "[a", "[|a", "`", "[`|a", "[a][", "[a]", "][", "][|a"),
    "caches/readers/markdown_blocks.py:_ROLE": ("{a", "{|a", "{a}", "{a:|b"),
    "caches/readers/markdown_blocks.py:_SLASHES": ("///", "/// ", "///|a", "///| ", "/// a| "),
    "caches/readers/markdown_blocks.py:_WIKI": ("[[", "[[a", "[[|a", "[[a||b"),
    "caches/readers/markdown_includes.py:_MARKER": (
        *("{*", "{* |a", "{*| ", "{!|a", "{! a| ", '--8<-- "|a', "|-", "-|8<", "<<<|a", "<<<| ", "|;"),
        *(
            "{{#include ",
            "{{#include| ",
            "{{#include |a",
            "{{#include a|}",
            "{{% code |f",
            "{{% code |file=",
            "{{% code a='",
        ),
        *("{{% code file='|a", "{{% code |file='a'", "{{% code file='|/"),
    ),
    "caches/readers/markdown_reader.py:_ANCHOR": (
        "<a ",
        "<a |a",
        "<a href='",
        "<a href='a'>",
        "<a href='a'>|<",
        "<a |href='",
    ),
    "caches/readers/markdown_reader.py:_NO_TABLE": ("<", "\n", "\n| ", "\n|1", "`", "<pr"),
    "caches/readers/markdown_reader.py:_DESCRIPTION": ("description", "description| ", "intro| "),
    "caches/readers/markdown_reader.py:_IMPORT": (
        "import ",
        "import| ",
        "import |a",
        "import a| ",
        "import a from '|b",
    ),
    "caches/readers/markdown_reader.py:_USE": ("<", "<a", "<|a", "<a| ", "<a>{|b", "<Snippet file='|a", "| "),
    "caches/readers/page_text.py:_MARK": ("-", "`", "- ", "a"),
    "caches/readers/page_text.py:_NUMBER": ("1", "1.", "1. "),
    "caches/readers/page_text.py:_TICKS": ("`", "a`"),
    "caches/readers/python_exports.py:_CONTINUED": ("\\\n", "\\\n ", "\\", "\\\n" * 99 + "a", " "),
    "caches/readers/rst_inline.py:_NAMED": ("[", "[a", "[a]", "a", "a_", "|a", "_"),
    "caches/readers/rst_inline.py:_ROLE": (":", ":a", "|:", ":|a"),
    "caches/readers/rst_reader.py:_MARKER": ("-", "#", "1", "1."),
    "caches/readers/rst_reader.py:_OPTION": (":", " ", ":a", ":|a", "| "),
    "caches/readers/site_values.py:_SUMMARY": ("[", "[a", "[|a", "[a](", "[a](|b", "[a](b|.md", "[a](.md"),
    "caches/readers/template_tags.py:_ARGUMENT": ("a", "a=", "a=|'", "a| ", '"', '"|a', 'a="b', "-=", "a =| "),
    "caches/readers/template_tags.py:_PATH": ("a", "a.", "a[", "a[|b", "a|[]", "a[a]"),
    "caches/readers/template_tags.py:_STRING": ("'", "'|a", "'a"),
    "caches/readers/template_tags.py:_TAG": (
        "{%",
        "{%|a",
        "{%|%",
        "{{",
        "{{|a",
        "{{<",
        "{{<|a",
        "{{<|>",
        "{%|{",
        "{{a}",
        "{{%|%",
    ),
    "caches/readers/template_tags.py:_TITLED_LINK": ("[AUTOTITLE](", "[AUTOTITLE](|a", "[AUTOTITLE]"),
    "caches/readers/template_tags.py:_VERSION": ("/", "en/", "enterprise|a", "free|-", "free@|a", "free@a/"),
    "caches/readers/template_tags.py:_WORD": ("a", "-", "a|-"),
    "caches/readers/lined_values.py:_TOKEN": ('"', '"|a', '"|\\\\', "{", "a", '"\\', ":a"),
    "caches/readers/notebook_reader.py:_STEERED": ("\x1b[", "[", "[1", "[1;", "\x1b[|1", "\x1b[1m"),
    "caches/readers/openapi_reader.py:_IN_JSON": ('"openapi"', '"openapi"| ', '"openapi":| ', '"'),
    "caches/readers/openapi_reader.py:_IN_YAML": ("openapi", "openapi| ", "openapi:| ", "\nopenapi:"),
    "caches/readers/html_reader.py:_PAGE": ("<", "<a", "<!doctype", "<pre"),
    "caches/readers/html_reader.py:_CHARSET": ("charset", "charset| ", 'charset=|"', "charset =|a"),
    "caches/readers/html_tokens.py:_ATTRIBUTE": ("a", "a=", 'a="', "a='|b", "=", "a |=", "/", "a| "),
    "caches/readers/html_tokens.py:_COMMENT_END": ("-", "--", "--!", "-|!"),
    "caches/readers/html_tokens.py:_END": ("</", "</a", "</|a", "<"),
    "caches/readers/html_tokens.py:_HUGE": ("&#", "&#x", "&#|9", "&#x|f", "&#9"),
    "caches/readers/html_tokens.py:_TAG": ("<a", "<a|/", "<a| b", "<a |b=", '<a b="|c', "<a b='c' |d='", "<a|\n", "</"),
    "caches/registry/challenges.py:_ESCAPED": ("\\", "\\a", "a"),
    "caches/registry/challenges.py:_TOKEN": ("a", '"', '"a', '"|\\', '"\\', '"|a', "=", " ", ",", 'a="b",'),
    "caches/registry/docker_credentials.py:_HELPER": ("a", ".", "-"),
    "caches/oci_reference.py:_DIGEST": ("sha256:", "sha256:|0", "0"),
    "caches/oci_reference.py:_HOST": ("a", "a.", "-", "[", "[|:", "a:|0", "a-"),
    "caches/oci_reference.py:_REPOSITORY": ("a", "a/", "a_", "a|-", "a__", "a-", "a.a"),
    "caches/oci_reference.py:_TAG": ("a", ".", "_"),
    "caches/search/link_texts.py:_DEFINITION": ("[", "[a", "[|a", "[a]", "[a]:", "[a]:|b", " ", "\n ", "\n["),
    "caches/search/link_texts.py:_INLINE": ("[", "[a", "[|a", "[a[b]", "[a[|b", "[a[b]|c", "[a](", "!["),
    "caches/search/link_texts.py:_MYST_LABEL": ("(", "(a", "(|a", "(a)=", "(|)=", "\n(a)=", ")="),
    "caches/search/link_texts.py:_REFERENCE": ("[", "[a", "[|a", "[a]", "[a][", "[a][|b", "[a][b]", "]["),
    "caches/search/link_texts.py:_ROLE": ("`", "`a", "`|a", "`<", "`a<", "`|<", "`a<|b", "`a<b>", "`a<b>`", "<"),
    "caches/search/link_texts.py:_RST_LABEL": (".. _", ".. _a", "\n.. _", "\n.. _|a", " .. _"),
    "code/code_sections.py:_DECLARATION": (
        " ",
        "export ",
        "export|\t",
        "export def a|b",
        "def |a",
        "def a|.",
        "fn a|{",
    ),
    "code/code_sections.py:_NAME_END": ("a", "a(", "a| "),
    "code/code_sections.py:_TYPE_END": ("a", "a<", "a[|("),
    "code/analysis/analyser.py:_GENERATED": ("auto", "@generated", "auto-", "code generate", "automatically "),
    "code/analysis/analyser.py:_IS_CPP": ("\n ", "class a", "template", "using ", "namespace"),
    "code/analysis/c_family.py:_CONDITION": ("#", "\n#if \\", "#if \\\n", "# ", "\n "),
    "code/analysis/c_family.py:_MACRO": ("A", "A_", "_A", "A_|a"),
    "code/analysis/references.py:_JOINTS": ("a", " ", ". ", "a.", "a. ", "::", "a-"),
    "code/analysis/references.py:_WORDS": ("a", "1", "\x80"),
    "contexts/bindings.py:_WORDS": ("a", ".", "$"),
    "code/analysis/facts.py:_MARKERS": ("*", "/*|*", " \t", "\n ", "#", "-", ";", "<!-", "* /"),
    "code/analysis/facts.py:_NOT_ABOUT": ("copyrigh", "licen", "coding", "frozen_strin", "\u017f", "\u212a"),
    "code/analysis/facts.py:_PARAGRAPH_END": (" ", "\n| ", "\n --", "\n\t", "\n|-= "),
    "code/analysis/facts.py:_SENTENCE_END": (".", ". a", ".|  ", "! ", "?."),
    "code/analysis/javascript.py:_REQUIRED": (
        "require(",
        "require('",
        "require(| ",
        "import('a'| ",
        "\u00e9require(",
    ),
    "contexts/context_text.py:_LISTS": (
        *(
            'exports:\n  - "a"\n',
            'exports:\n|  - "a"\n',
            "exports:\n|#\n",
            'files:\n|  - name: "a"\n    purpose: "a"\n',
        ),
        *('interfaces:\n  - name: "a"\n    description: "a"\n', 'exports:\n  - "|a', 'exports:\n  - "|\\"'),
    ),
    "contexts/context_text.py:_PLAIN_KEY": ("a", "a|-", "-"),
    "code/analysis/php.py:_INCLUDED": (
        "require",
        "require| ",
        "include_once(| ",
        "require __DIR__| ",
        "require '|a",
    ),
    "contexts/context_text.py:_REST": (
        "#\n",
        "  ",
        "- ",
        'a: "a"\n',
        "a: 1\n",
        "a: []\n",
        'a: "|\\"',
        '- "a"\n',
        "  - a:\n",
    ),
    "contexts/context_text.py:_ROWS": ("a", "\r", "\r\n", "a\x85", "\u2028"),
    "contexts/context_text.py:_SURROGATE": ("\ud800", "a"),
    "contexts/context_text.py:_UNPRINTABLE": ("\x7f", "\ufeffa"),
    "contexts/checked_in.py:_IDENT": ("$", "$Id", "$Id:", "$Id:|a", "$Id: \n"),
    "contexts/git_attributes.py:_ESCAPE": ("\\", '\\"', "\\12", "\\|1"),
    "contexts/on_disk/changed_files.py:_IMPORT": (" ", "#", "# ", "pub ", "require"),
    "contexts/on_disk/changed_files.py:_WORD": ("a", ".", "$"),
    "contexts/claims.py:_ESCAPE": ("%", "%A", "%|A"),
    "contexts/claims.py:_ESCAPED": (" ", "%", "a"),
    "contexts/claims.py:_NAME": ("a", "A", "a_", "a.", "a|:", "(", "_"),
    "contexts/claims.py:_QUOTED": ("`", "`a", "`|a", "``"),
    "contexts/claims.py:_WORD": ("a", "(", "a(", "a|(", "."),
    "contexts/manifests.py:_MIX_APP": ("app:", "app:| ", "app: :|a"),
    "contexts/manifests.py:_MIX_DESCRIPTION": ("description:", "description:| ", 'description: "|a'),
    "contexts/on_disk/agents_file.py:_INCLUDES": ("\n", " ", "- ", "-| ", "@AGENTS.md", "@AGENTS.md| ", "@./"),
    "code/on_disk/repository.py:_AUTOCRLF": (
        "\n",
        "\n ",
        " ",
        "autocrlf",
        "autocrlf| ",
        "autocrlf=| ",
        "autocrlf=on| ",
    ),
    "code/on_disk/repository.py:_SHA256": (
        "\n",
        "\n ",
        " ",
        "objectformat| ",
        "objectformat=| ",
        "objectformat=sha256| ",
    ),
    "contexts/manifests.py:_BLANK_LINES": ("\n", "\n| ", " \n", "\na"),
    "contexts/manifests.py:_MODULE": ("module", "module|\n", "module| ", "\nmodule "),
    "code/analysis/elixir.py:_QUALIFIED": ("A", "A.", "a.A", "A.A|."),
    "contexts/commands.py:_CHECKING": ("-", "--check", " -c"),
    "contexts/commands.py:_CONTINUED": ("\\", " ", "\\\n", "\\\n "),
    "contexts/commands.py:_REWRITES": ("-", "--fi", "go ", " -w", "black"),
    "contexts/commands.py:_SENDS": ("push", "gh ", "semantic-", "a"),
    "contexts/commands.py:_NAME_PARTS": ("a", "-", "a-"),
    "contexts/commands.py:_TARGET": ("a", "a ", "a:", "a b ", "\na", "a| "),
    "contexts/manifests.py:_COMMENT_OR_TEXT": ('"', "//", "/*", "/*|*", '"|\\\\', '"|a', "/"),
    "contexts/manifests.py:_FENCE": ("```", "```\n", "~~~|\na", "```|\n`", "\n"),
    "contexts/manifests.py:_HTML_COMMENT": ("<!--", "<!--|-", "<!--|--", "<!"),
    "contexts/manifests.py:_NO_PROSE": (" ", "[", "[!", " \t[", "``", "[|a", ":|a", "1"),
    "contexts/description.py:_INLINE_TAG": ("{@", "{@link ", "{@link |a", "{@link |{"),
    "contexts/manifests.py:_NAME_ALONE": ("the ", "the a", "a |a", "a a |m"),
    "contexts/manifests.py:_UNDERLINED_TITLE": ("a\n===", "a\n==", "a\n===| ", "=\n"),
    "contexts/manifests.py:_SECOND_HEADING": ("#", "## ", "a", "a\n", "a\n--", "a\n|-"),
    "contexts/manifests.py:_TRAILING_COMMA": (",", ",| ", ", ", ",|\n"),
    "contexts/on_disk/validation.py:_TYPE_ARGUMENTS": ("<", "<a", ">", "<|a", "<<>"),
    "contexts/symbol_lookup.py:_AFTER_NAME": (" ", " =", "(", "<"),
    "contexts/symbol_lookup.py:_IMPORT": (" ", "#", "# ", "pub ", "require"),
    "caches/search/code_record.py:_PARTS": ("A", "Aa", "a", "1", "AA|a"),
    "contexts/symbol_lookup.py:_PARTS": ("a", ".", "$"),
    "contexts/symbol_lookup.py:_WORDS": ("A", "Aa", "a", "1", "AA|a"),
    "contexts/symbol_lookup.py:look": (),
    "contexts/symbol_ranks.py:_NAME": ("a", "a|?", "$", "?"),
    "core/yaml_text.py:_HAS_NO_BREAK": ("a", "\x85"),
    "core/yaml_text.py:_PAIR": ("\\", "\\u", "\\ud83d", "\\ud83d\\ud", "a|\\", "\\\\|\\u"),
    "core/yaml_text.py:_FLOAT": ("1", "1.", ".1", "1e", "+|1", "1|e1"),
    "core/yaml_text.py:_HEXADECIMAL": ("0x", "0x|f", "0x|fg"),
    "core/yaml_text.py:_INFINITY": (".inf", "+.in", "+"),
    "core/yaml_text.py:_INTEGER": ("1", "-", "+|1", "1|+"),
    "core/yaml_text.py:_OCTAL": ("0o", "0o|7", "0o|78"),
    "specs/checkbox_lines.py:_BOX": (" ", "- ", "-| ", " -| ", "- [|x"),
    "specs/checkbox_lines.py:_LIKE_A_BOX": (" ", "1", "1.", "-| ", "1.| ", "- [|]", "- []|a"),
    "specs/checkbox_lines.py:_NUMBER": ("1", "1.", "1|.1", "."),
    "specs/checkbox_lines.py:_NUMBER_OR_CODE": ("a", "1", "a1"),
    "specs/names.py:_BETWEEN": (" ", "-", "a"),
    "specs/project_facts.py:_OPEN_TARGETS": ("%", "$", "%|a", "%:", "\n%", "-include"),
    "specs/project_facts.py:_REQUIRED": ("require ", "\n", "a/b", "a/|b", "go ", "go |a"),
    "specs/project_facts.py:_REQUIREMENT": ("a", "a[", "a[|b", "a| ", "a |b"),
    "specs/project_facts.py:_TARGET": ("a", "a ", "a.", "\na", "a:="),
    "specs/requirement_references.py:_DASHES": (" to", " ", "~"),
    "specs/requirement_references.py:_NUMBERED": ("a", "1", "1.", "a1-", "1-", "a1|-1", "1a"),
    "specs/requirement_references.py:_REMARKS": ("(", "(|a", "(a", "()", "（"),
    "specs/requirement_references.py:_SEPARATORS": (" and", " ", ","),
    "specs/requirement_references.py:whole_words": ("shall", "shall-", "a", "-"),
    "specs/steering_claims.py:_BRANCH": ("│", "| ", "├─", "├|─", "├| "),
    "specs/steering_claims.py:_ENDS": (",", ".", ".x", "*"),
    "specs/steering_claims.py:_ITEM": (" ", "- ", "1", "-| ", "1.| "),
    "specs/steering_claims.py:_NAME": ("a", ".", "..", "@a", "a/"),
    "specs/steering_claims.py:_NAMED_VERSION": ("a", "a ", "@a", "a 1", "a 1.", "a 1|.1", "a|.", "a.a "),
    "specs/steering_claims.py:_NO_CLAIM": ("migrat", "upgrad", "upgrad|a", "no ", "anti-pattern"),
    "specs/steering_claims.py:_PATH": ("a", "a/", "./", "a/|b"),
    "specs/steering_claims.py:_PLACEHOLDER": ("app", "app-", "my_", "fo", "your"),
    "specs/steering_claims.py:_RUN": ("npm ", "npm run ", "make ", "make |a", "npm run |a:", "npm run a*"),
    "specs/steering_claims.py:_SPAN": ("`", "`a", "`|a"),
    "specs/steering_claims.py:_VERSION": ("1", "1.", "1|.1"),
    "specs/task_prompt.py:_BREAK": ("file", "files", "file:", "purpose"),
    "specs/task_prompt.py:_OPENING_KEY": ("role", "role:", "rolerole:", "task", "a:"),
    "specs/tasks.py:ANY_NUMBER": ("1", "1.", "1|.1", "."),
    "specs/tasks.py:_BETWEEN_WORDS": (" ", "a ", "（"),
    "specs/tasks.py:_CODE": ("1", "1.", "T1", "T|1", "1|.1", "1-|A", "1a-"),
    "specs/tasks.py:_FLAG": ("[", "[a]", "[|a", "[]| "),
    "specs/tasks.py:_NUMBERED": (" ", "\\", ".", " .", " \\.| ", ". |a"),
    "specs/visible_lines.py:_MARKER": (" ", "1", " 1", "- ", "1.| "),
    # The texts of the table of languages, and where they are compiled.
    "code/analysis/syntax.py:imports": (),
    "language:C#": ("using ", "using a", "using a| ", "using a = ", "using |a.", "using"),
    "language:Java": ("import ", "import| ", "import static ", "import |a."),
    "language:Kotlin": ("import ", "import| ", "import |a."),
    "language:Ruby": ("require ", "require| ", "require_relative(| ", "require '|a"),
    "language:Scala": ("import ", "import| ", "import a{|b", "import |a.", "import {"),
    "language:Swift": ("import ", "import| ", "import class| ", "import |a"),
}
IN_GENERAL = (
    *("[", "]", "(", ")", "<a", "<", ">", " ", "\n", "\n ", "a ", "a", "_", "'", '"', "@a(", "[[a ", "pub(", "\\", "-"),
    *(".", ". ", "*", "#", ":", ";", "=", "1", "\u00e9", "\u2028", "\r\n", "{", "{}"),
)
_CALLS = {"compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "template"}


def _patterns(path: str, tree: ast.Module) -> Iterator[str]:
    """The key of each place in a module that makes a pattern."""
    named = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = statement.value.value if isinstance(statement.value, ast.Attribute) else statement.value
            named[id(value)] = statement.targets[0].id
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.module != "re", f"{path}: name `re` where it is used, so that this test finds it"
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr in _CALLS:
            inside = [] if id(node) in named else [one.name for one in functions if node in ast.walk(one)]
            yield f"{path}:{named[id(node)] if id(node) in named else inside[-1]}"


def test_every_pattern_has_an_adversary() -> None:
    found = {
        key
        for file in sorted(SOURCE.rglob("*.py"))
        for key in _patterns(file.relative_to(SOURCE).as_posix(), ast.parse(file.read_bytes()))
    }
    texts = {f"language:{one.name}" for one in LANGUAGES.values() if one.grammar.imports}
    assert found | texts == set(HOSTILE)


def test_no_pattern_takes_longer_than_its_input_is_long() -> None:
    def limit_cpu() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))

    subprocess.run([sys.executable, __file__], check=True, preexec_fn=limit_cpu)


def _uses(key: str) -> list[Callable[[str], object]]:
    """What the source does with a pattern: of one that is kept as its method `match`, that alone."""
    place, _, name = key.partition(":")
    if place == "language":
        return [re.compile(LANGUAGES[name].grammar.imports).finditer]
    if not name.isupper():
        return []  # made from the texts of the table
    found = getattr(importlib.import_module("holdfast." + place.removesuffix(".py").replace("/", ".")), name)
    if isinstance(found, re.Pattern) and isinstance(found.pattern, bytes):
        return [lambda text: found.match(text.encode()), lambda text: found.sub(b"", text.encode())]
    return [found.match, partial(found.sub, "")] if isinstance(found, re.Pattern) else [found]


def main() -> None:
    for key, units in HOSTILE.items():
        for use in _uses(key):
            for size, some in ((250_000, units), (20_000, IN_GENERAL)):
                for unit in some:
                    start, bar, repeated = unit.partition("|")
                    repeated = repeated if bar else start
                    text = (start if bar else "") + repeated * (size // len(repeated))
                    use(text)
                    use(text + "\x01")


if __name__ == "__main__":
    main()
