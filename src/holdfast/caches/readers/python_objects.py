"""Objects of Python that a page of documentation only names: what their docstrings and signatures say. Pure.

The package has to be among the files that a page may include; nothing is imported.
"""

from __future__ import annotations

from collections.abc import Container

from holdfast.caches.readers.included_text import IncludedText
from holdfast.caches.readers.page_text import PageText
from holdfast.caches.readers.python_declarations import declarations
from holdfast.caches.readers.python_exports import imports_of, python_parser
from holdfast.caches.readers.python_reader import write_module, write_object

# Where a package may lie, seen from a folder above the page.
_BELOW = ("", "src", "lib", "python")
_FILES = ("/__init__.py", ".py", "/__init__.pyi", ".pyi")
_MOST_HOPS, _MOST_PARTS = 3, 12


class PythonObjects:
    """The objects that a page may document; `lacks` has the names of those that cannot be found."""

    def __init__(self, included: IncludedText) -> None:
        self._included = included
        self._texts: dict[str, str | None] = {}
        self.lacks: list[str] = []

    def lines(self, name: str, only: Container[str] | None = None) -> list[str]:
        """Markdown of a module, class, function or value by its dotted name, headings from level 2 on.

        `only` are the names that are wanted of a module. What cannot be found is reported as missing.
        """
        page = PageText()
        if not self._write(page, name.split("."), name, only, _MOST_HOPS):
            self.lacks.append(name)
            self._included.missing(name)
        return [text for text, _ in page.rows()]

    def _write(self, page: PageText, parts: list[str], shown: str, only: Container[str] | None, hops: int) -> bool:
        if not all(parts) or len(parts) > _MOST_PARTS or self._module(parts[:1]) is None:
            return False
        for count in range(len(parts), 0, -1):
            text = self._module(parts[:count])
            if text is None:
                continue
            rest, module = parts[count:], ".".join(parts[:count])
            if not rest:
                write_module(page, text.encode(), module, self._read, only)
                return True
            wanted = tuple(declarations(python_parser().parse(text.encode()).root_node))
            for place, part in enumerate(rest):
                one = next((each for each in wanted if each.name == part), None)
                if one is None:
                    break
                if place == len(rest) - 1:
                    write_object(page, one, shown)
                    return True
                wanted = one.members
            imports = imports_of(text, module) if hops else ()
            named = [[*each.module.split("."), each.name] for each in imports if each.as_name == rest[0]]
            every = [[*each.module.split("."), rest[0]] for each in imports if each.name == "*"]
            return any(self._write(page, [*path, *rest[1:]], shown, only, hops - 1) for path in [*named, *every])
        return False

    def _module(self, parts: list[str]) -> str | None:
        return next((text for end in _FILES if (text := self._read("/".join(parts) + end)) is not None), None)

    def _read(self, path: str) -> str | None:
        if path not in self._texts:
            lines = self._included.lines(path, _BELOW)
            self._texts[path] = None if lines is None else "\n".join(lines) + "\n"
        return self._texts[path]
