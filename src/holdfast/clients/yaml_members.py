"""Members of YAML text put in and taken out, with every other byte as it was.

The parser says where each node begins and ends; what is put in are whole lines, so that a comment stays with its
lines. Scalars are written as JSON, which every YAML reader understands.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import yaml

from holdfast.core.edit_errors import BrokenText, OddText


def yaml_value(text: str) -> object:
    """What the text says; an empty one says `{}`. BrokenText where it says nothing."""
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise BrokenText(f"{where}{getattr(error, 'problem', None) or 'not YAML'}") from None
    except (RecursionError, ValueError):
        raise BrokenText("nested too deep, or a value that is none") from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise OddText("it is no mapping")
    return value


def with_yaml_member(text: str, path: Sequence[str], value: object) -> str:
    """The text with one more entry, the first of its mapping; the mapping is made, last, where it is missing."""
    container, name = path
    flow = f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
    return _put(text, container, yaml.MappingNode, lambda margin, end: _lines(name, value, margin, end), flow)


def with_yaml_item(text: str, path: Sequence[str], value: object) -> str:
    """The text with one more item, the first of its list; the list is made, last, where it is missing."""
    return _put(text, path[0], yaml.SequenceNode, lambda margin, end: _item(value, margin, end))


def _put(
    text: str, container: str, kind: type[yaml.CollectionNode], rows: Callable[[str, str], str], flow: str = ""
) -> str:
    """The text with rows, made for a margin and a line's end, at the top of a container; `flow` in one on a line."""
    yaml_value(text)
    end = "\r\n" if "\r\n" in text else "\n"
    key, node = _child(_root(text), container)
    if key is None:
        start = "" if not text or text.endswith("\n") else end
        return text + start + f"{container}:{end}" + rows("  ", end)
    margin = "  "
    if isinstance(node, kind) and not node.flow_style:
        margin = " " * node.start_mark.column
    elif isinstance(node, kind) and flow:
        opening = node.start_mark.index + 1
        return f"{text[:opening]}{flow}{', ' if node.value else ''}{text[opening:]}"
    elif not isinstance(node, yaml.ScalarNode) or node.value:
        raise OddText(f"{container} is no {'mapping' if flow else 'list with an item a line'}")
    line = text.find("\n", key.end_mark.index) + 1
    return text[:line] + rows(margin, end) + text[line:] if line else text + end + rows(margin, end)


def without_yaml_member(text: str, path: Sequence[str]) -> str:
    """The text without an entry, or without a mapping of its own, which must be there."""
    node: yaml.Node | None = _root(text)
    key: yaml.Node | None = None
    parent = node
    for part in path:
        parent = node
        key, node = _child(node, part)
    if key is None or node is None or not isinstance(parent, yaml.MappingNode):
        raise OddText(f"there is no {'.'.join(path)}")
    if parent.flow_style:
        start, stop = key.start_mark.index, node.end_mark.index
        if text.startswith(", ", stop):
            stop += 2
        return text[:start] + text[stop:]
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    stop = text.find("\n", max(_last_mark(node), key.end_mark.index)) + 1
    return text[:start] + (text[stop:] if stop else "")


def without_yaml_item(text: str, path: Sequence[str]) -> str:
    """The text without the item of a name, which must be there."""
    _, node = _child(_root(text), path[0])
    for item in node.value if isinstance(node, yaml.SequenceNode) and not node.flow_style else ():
        _, name = _child(item, "name")
        if isinstance(name, yaml.ScalarNode) and name.value == path[1]:
            start = text.rfind("\n", 0, item.start_mark.index) + 1
            stop = text.find("\n", _last_mark(item)) + 1
            return text[:start] + (text[stop:] if stop else "")
    raise OddText(f"there is no {'.'.join(path)}")


def _item(value: object, margin: str, end: str) -> str:
    rows = [f"{name}: {json.dumps(each, ensure_ascii=False)}" for name, each in dict(value).items()]  # type: ignore[call-overload]  # an entry
    return "".join([f"{margin}{'  ' if place else '- '}{row}{end}" for place, row in enumerate(rows)])


def _root(text: str) -> yaml.Node | None:
    try:
        root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        raise OddText("it holds more than one document") from None
    return root


def _child(node: yaml.Node | None, name: str) -> tuple[yaml.Node | None, yaml.Node | None]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value == name:
                return key, value
    return None, None


def _last_mark(node: yaml.Node) -> int:
    """Where the last thing in a node really ends: a block's own mark lies beyond the comments after it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_mark(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    return end - (isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"))


def _lines(name: str, value: object, margin: str, end: str) -> str:
    if not isinstance(value, dict) or not value:
        return f"{margin}{name}: {json.dumps(value, ensure_ascii=False)}{end}"
    rows = [_lines(str(key), each, margin + "  ", end) for key, each in value.items()]
    return f"{margin}{name}:{end}{''.join(rows)}"
