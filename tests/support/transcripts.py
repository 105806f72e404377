"""The commands that a page of the documentation shows: read, run, and compared with what the page says they print.

A page's blocks are run from top to bottom, in a folder of the page's own:

    In an empty folder with a copy of `examples/handbook` …   what a reader copies there
    ```toml title="context.toml"         from here on there is a file with this text
    ```console                           commands after `$ `, continued after `> `, each with what it prints
    <!-- not run: REASON -->             before a block of commands that cannot be run here

Commands print on a terminal of 80 columns. A line `…` of an output stands for any lines. A command must succeed; one
that is meant to fail says so by `; echo "exit $?"`.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from support.terminal import ESCAPES, RUN, terminal

ROOT = Path(__file__).parents[2]
COLUMNS = 80
ANYTHING = "…"
FENCE = re.compile(
    r"^(?P<fence>```+)(?P<kind>[\w-]*)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=fence) *$", re.MULTILINE | re.DOTALL
)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n)+")
INDENTED_FENCE = re.compile(r"^ +```+(?:console|sh|bash|shell|shell-session|zsh)\b", re.MULTILINE)
FOLDER = re.compile(r"\bIn an empty folder(?: `project`)? with a copy of `(\S+)`")
TITLE = re.compile(r'title="([^"]+)"')
NOT_RUN = re.compile(r"<!-- not run: (\S[^>]*) -->\n+$")
SHELLS = ("console", "sh", "bash", "shell", "shell-session", "zsh")
# What the first line of a block of commands begins with, where its kind does not say that it is one.
PROMPT = re.compile(r"^\s*(\$ |context [a-z]|\./scripts/|python |pip |pipx |uv |claude )")


def documented() -> list[Path]:
    """Every page that people read."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


class Command(NamedTuple):
    """A command as it is shown, without its prompts, and the lines it printed."""

    shown: str
    printed: tuple[str, ...]


class Step(NamedTuple):
    """A block that is carried out: a file to write, or commands; `at` is where its text stands in the page."""

    at: slice
    file: str
    text: str
    commands: tuple[Command, ...]


class Ran(NamedTuple):
    """What became of a command: what it wrote with its colours, the lines without, and its exit code."""

    written: str
    printed: tuple[str, ...]
    exit_code: int


def steps(page: str, *, with_excused: bool = False) -> list[Step]:
    """Everything on a page that is carried out, in order; `with_excused`, what another test carries out, too."""
    found = []
    for block in FENCE.finditer(page):
        at, text = slice(*block.span("text")), block["text"]
        title = TITLE.search(block["rest"])
        if is_excused(page, block.start()) and not with_excused:
            continue
        if block["kind"] == "console":
            found.append(Step(at, "", text, tuple(_commands(text))))
        elif title:
            found.append(Step(at, title[1], text, ()))
    return found


def is_excused(page: str, at: int) -> bool:
    """Whether the block that begins there says why it is not run."""
    return NOT_RUN.search(page, 0, at) is not None


def unchecked(page: str) -> list[str]:
    """The first line of each block of commands that is neither run nor says why not."""
    without_fences = FENCE.sub(lambda block: "-\n" * block[0].count("\n"), page)
    blocks = [(block.start(), block[0]) for block in INDENTED.finditer(without_fences) if PROMPT.match(block[0])]
    text = page
    for block in FENCE.finditer(page):
        shell = block["kind"] in SHELLS
        if block["kind"] != "console" and (shell or re.search(r"^\$ ", block["text"], re.MULTILINE)):
            blocks.append((block.start(), block["text"]))
        if block["kind"] == "console" and not block["text"].startswith("$ "):
            blocks.append((block.start(), block["text"]))
    blocks += [(block.start(), block[0]) for block in INDENTED_FENCE.finditer(without_fences)]
    indented = {start for start, _ in blocks if not page.startswith("```", start)}
    return [
        block.strip().partition("\n")[0]
        for start, block in sorted(blocks)
        if not is_excused(without_fences if start in indented else text, start)
    ]


def _commands(text: str) -> Iterator[Command]:
    shown, printed = "", list[str]()
    for line in text.splitlines():
        if line.startswith("$ "):
            if shown:
                yield Command(shown, _trimmed(printed))
            shown, printed = line[2:], []
        elif line.startswith("> ") and not printed:
            shown += "\n" + line[2:]
        else:
            printed.append(line)
    if shown:
        yield Command(shown, _trimmed(printed))


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    stripped = [line.rstrip() for line in lines]
    while stripped and not stripped[-1]:
        stripped.pop()
    return tuple(stripped)


def is_as_printed(expected: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether the lines are those, `…` standing for any."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == ANYTHING else re.escape(line) + r"\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


class Playground:
    """The folder that a page's commands run in, and a shell's memory of where it is."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.here = scratch / "you" / "project"
        self.programs = scratch / "bin"
        for folder in (self.here, self.programs):
            folder.mkdir(parents=True)
        for name, words in (("context", f'-c "{RUN}" "$@"'), ("python", '"$@"')):
            program = self.programs / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}\n')
            program.chmod(0o755)

    def environment(self) -> dict[str, str]:
        """A person's, with nothing of this machine's or this moment's."""
        who = {"NAME": "You", "EMAIL": "you@example.org", "DATE": "2026-01-01T00:00:00Z"}
        git = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in who.items()}
        return {
            "PATH": os.pathsep.join([str(self.programs), os.environ.get("PATH", os.defpath)]),
            "HOME": str(self.scratch / "you"),
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "TZ": "UTC",
            "COLUMNS": str(COLUMNS),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "init.defaultBranch",
            "GIT_CONFIG_VALUE_0": "main",
            **git,
        }

    def run(self, shown: str) -> Ran:
        """Run a command on a terminal, where the last one left the shell."""
        place = self.scratch / "place"
        script = f"trap 'pwd > {place}' EXIT\n{shown}\n"
        command = ["bash", "--noprofile", "--norc", "-c", script]
        written, code = terminal(command, cwd=self.here, columns=COLUMNS, environment=self.environment())
        self.here = Path(place.read_text().removesuffix("\n"))
        written = written.replace("\r\n", "\n").replace(f"{self.scratch}/you", "/home/you")
        written = re.sub(r"(\bin |\()\d+\.\d+ s\b", r"\g<1>0.0 s", written)
        return Ran(written, _trimmed(ESCAPES.sub("", written).splitlines()), code)

    def write(self, name: str, text: str) -> None:
        """Put a file there that the page shows."""
        file = self.here / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@contextmanager
def playground(page: str) -> Iterator[Playground]:
    """A folder for a page, with what the page asks for in it."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Playground(Path(scratch).resolve())
        for name in FOLDER.findall(page):
            shutil.copytree(ROOT / name, place.here / Path(name).name)
        yield place


def renewed(page: str, *, at_command: Callable[[Command, Ran], None] = lambda _command, _ran: None) -> str:
    """The page with what its commands print now; an output that still fits stays as it is."""
    pieces, end = [], 0
    with playground(page) as place:
        for step in steps(page):
            if step.file:
                place.write(step.file, step.text)
                continue
            blocks = []
            for command in step.commands:
                ran = place.run(command.shown)
                at_command(command, ran)
                if ran.exit_code:
                    raise CommandFailed(f"exit {ran.exit_code}: {command.shown}\n" + "\n".join(ran.printed))
                fits = is_as_printed(command.printed, ran.printed)
                blocks.append(_shown(command.shown, command.printed if fits else ran.printed))
            pieces += [page[end : step.at.start], "".join(blocks).rstrip("\n") + "\n"]
            end = step.at.stop
    return "".join(pieces) + page[end:]


class CommandFailed(Exception):
    """A command of a page did not succeed."""


def _shown(shown: str, printed: tuple[str, ...]) -> str:
    """A command and its output as a page shows them, with an empty line after an output."""
    first, *more = shown.split("\n")
    lines = [f"$ {first}", *(f"> {line}" for line in more), *printed]
    return "".join(f"{line}\n" for line in lines) + ("\n" if printed else "")
