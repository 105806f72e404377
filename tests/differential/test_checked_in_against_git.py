"""A file as git would check it in: compared with the ids that git itself gives."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from holdfast.contexts.checked_in import checked_in, object_id
from holdfast.contexts.git_attributes import Attributes
from support.projects import git

CONTENTS = {
    "unix": b"a\nb\n",
    "windows": b"a\r\nb\r\n",
    "mixed": b"a\r\nb\nc\r\n",
    "lone": b"a\rb\r\n",
    "binary": b"a\0b\r\n",
    "controls": b"\x01\x02\x03\x04 some text\r\n",
    "mostly text": b"\x01" + b"text " * 100 + b"\r\n",
    "ident": b"$Id: 0123 $ and $Id$ and $Id: open\r\n",
    "dos end": b"text\r\n\x1a",
    "wide": "a\r\n\u00e4".encode("utf-16-le"),
}
ATTRIBUTES = [
    "",
    "* text",
    "* text=auto",
    "* -text",
    "* eol=crlf",
    "* text=auto eol=lf",
    "* crlf",
    "* -crlf",
    "* crlf=input",
    "* binary",
    "* ident",
    "* text ident",
    "* text=auto\n*.txt -text\n*.txt !text",
    "[attr]plain text -ident\n* plain",
    '"*.t\\170t" text',
    "*.txt text\nsub/*.txt -text\n!*.txt -text",
    "* working-tree-encoding=UTF-16LE text",
    "# * text\n  *.txt   text   eol=lf  ",
]


@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
def test_every_content_under_every_attribute_is_what_git_would_check_in(tmp_path: Path, autocrlf: str) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", autocrlf)
    git(tmp_path, "config", "core.safecrlf", "false")
    (tmp_path / "sub").mkdir()
    wrong = []
    for text, (name, data) in product(ATTRIBUTES, CONTENTS.items()):
        if ("UTF-16" in text) != (name == "wide"):
            continue  # git refuses to check in what is not in its encoding
        (tmp_path / ".gitattributes").write_text(text + "\n")
        for path in ("a.txt", "sub/a.txt"):
            command = ["git", "-C", str(tmp_path), "hash-object", "--stdin", "--path", path]
            expected = subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()
            known = Attributes().within(b"", text.encode()).of(path.encode())
            found = checked_in(data, known, bytes(20), lambda: autocrlf != "false")
            if object_id(found, 20).hex() != expected:
                wrong.append((text, name, path, found))
    assert wrong == []


def test_an_inner_file_decides_before_an_outer_one_and_the_repositorys_own_before_both(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "sub").mkdir()
    texts = {".gitattributes": "*.txt text\n*.bin text\n", "sub/.gitattributes": "*.txt -text\nb.bin text=auto\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / ".git" / "info" / "attributes").write_text("c.bin -text\n")
    attributes = Attributes().overridden(b"c.bin -text\n")
    attributes = attributes.within(b"", texts[".gitattributes"].encode())
    attributes = attributes.within(b"sub", texts["sub/.gitattributes"].encode())
    states = {True: "set", False: "unset", b"auto": "auto", None: "unspecified"}
    for path in ("a.txt", "sub/a.txt", "sub/a.bin", "sub/b.bin", "sub/c.bin", "c.bin", "other"):
        told = git(tmp_path, "check-attr", "text", "--", path).strip().rpartition(": ")[2]
        assert (path, states[attributes.of(path.encode()).get(b"text")]) == (path, told)


def test_what_was_checked_in_with_windows_line_ends_stays_so_until_it_is_changed() -> None:
    data = b"a\r\n"

    assert checked_in(data, {b"text": True}, object_id(data, 20), lambda: True) == data
    assert checked_in(data, {}, object_id(b"a\n", 20), lambda: False) == b"a\n"
    assert len(sha256(data).digest()) == len(object_id(data, 32))
