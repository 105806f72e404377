"""A map as a model reads it: a line of counts, a line for each file, and what was cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.display_text import display_line

if TYPE_CHECKING:
    from holdfast.contexts.shapes import MapAnswer, MappedFile


def as_text(value: MapAnswer) -> str:
    """The text of a map, without its final newline.

    `path:41 name :70 Type{member member}`: the public symbols that a file defines and their lines, the most used first.
    """
    files = value["files"]
    symbols = value["symbols_shown"]
    out = value["left_out"]
    counts = [
        f"{len(files)} of {value['file_count']} files",
        f"{symbols} of {value['symbol_count']} public symbols, most used first",
        f"{value['tokens_used']:,} of {value['budget']:,} tokens",
    ]
    left = [
        f"{count} {what}"
        for count, what in (
            (out["tests"], "test files"),
            (out["generated"], "generated files"),
            (out["beyond_limit"], "files beyond the limit"),
        )
        if count
    ]
    if left:
        counts.append("left out: " + ", ".join(left))
    if value["not_read"]:
        counts.append(
            "not read: "
            + ", ".join([f"{count} {key.replace(':', ' files,')}" for key, count in value["not_read"].items()])
        )
    lines = ["# " + " · ".join(counts), *[_file_line(file) for file in files]]
    if symbols < value["symbol_count"]:
        more, hidden = value["symbol_count"] - symbols, value["file_count"] - len(files)
        lines.append(f"… {more} more symbols, {hidden} more files: raise budget or give scopes")
    return "\n".join([display_line(line) for line in lines])


def _file_line(file: MappedFile) -> str:
    parts = [
        f":{one['line']} {one['name']}" + (f"{{{' '.join(one['members'])}}}" if "members" in one else "")
        for one in file["symbols"]
    ]
    return file["path"] + " ".join(parts)
