"""What a reader is: something that makes Markdown of one kind of source. Types and values only."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from holdfast.caches.line_map import LineMap


class SourceFiles(Protocol):
    """The other files of the sources, which a text may include; nothing outside them can be had.

    `site` is the site that the page belongs to. How far outside the folder of the sources `..` may lead is the
    builder's to say: up to the top of the project or of the git checkout that holds the folder, and never into what
    is ignored there.
    """

    @property
    def site(self) -> Site: ...

    def text(self, path: str) -> str | None:
        """The text of a file by its path below the sources' top, normalised: forward slashes, `..` only in front.

        None where there is none, where it may not be read or is larger than a page may be, or is not UTF-8.
        """
        ...

    def missing(self, what: str) -> None:
        """Report what a page needs and cannot be found: the path of an include, the name of a variable."""
        ...


class Site(NamedTuple):
    """The site of a documentation generator that a page belongs to, if any.

    `reader` is the reader that its pages have, `folder` the folder of the generator's own file, seen from the sources'
    top: it may climb.
    """

    reader: str = ""
    folder: str = ""


class Page(NamedTuple):
    """A source as Markdown, without front matter and comments; the lines that its lines stand for; and its title.

    The title is empty where the first heading of the text says it.
    """

    text: str
    title: str
    lines: LineMap


class Unreadable(Exception):
    """Why a source cannot be read, in words that follow its name: "is not UTF-8 (byte 12)"."""


class SourceReader(NamedTuple):
    """One kind of source.

    `name` is in documents and in the lock: it changes whenever what the reader gives does. `read` names the code,
    `module:function`, which is loaded when it is first used.
    `recognises` names what tells by a source's bytes whether it is of this kind at all, where its name does not say it:
    of the files that end in `.json` few describe an API. A kind without extensions is never found by a name; who finds
    such sources (the modules of a package) names it.
    """

    name: str
    extensions: tuple[str, ...]
    read: str
    recognises: str = ""
