"""Policies that need nothing but files: ripgrep as a sensible agent uses it, and whole files.

Both know for nothing what an agent has to find out: in which folder the documentation, the code and the specs are, and
how many files contain each word. So they are better than what an agent with these tools does.
"""

from __future__ import annotations

import re
import subprocess
from math import log
from typing import TYPE_CHECKING

from benchmarks.agents.runs import Call, Project
from benchmarks.agents.tasks import BREAKS, CODE, DOCUMENTATION, KINDS, NEXT_TASK, USES
from benchmarks.agents.words import names, paths, search_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.agents.tasks import Task

_WORDS = 4  # most selective words that lines are searched for
_NAMES, _FILES, _LINES, _USES = 30, 3, 12, 60  # most names listed, files together, lines of a file, lines of a name
_ROUNDS = 4
_WINDOW = 40
_TESTS = [
    part
    for name in ("test_*", "*_test.*", "*.test.*", "*.spec.*", "test", "tests", "__tests__")
    for part in ("-g", f"!{name}")
]


class Files:
    """What both policies know: the folders of a kind, and which files contain which words."""

    kinds: tuple[str, ...] = KINDS
    _project: Project

    def open(self, project: Project) -> None:
        self._project = project

    def tool_list(self) -> str:
        return ""

    def close(self) -> None:
        pass

    def _scope(self, kind: str) -> list[str]:
        repository = self._project.repository
        scopes = {DOCUMENTATION: repository.documentation, NEXT_TASK: [repository.specs]}
        return scopes.get(kind, repository.code)

    def _rg(self, *arguments: str) -> list[str]:
        done = subprocess.run(
            ["rg", "--no-config", "--sort", "path", *arguments],
            cwd=self._project.folder,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace").splitlines()

    def _files_with(self, word: str, kind: str) -> dict[str, int]:
        """file -> how many of its lines contain a word."""
        tests = _TESTS if kind in (CODE, USES, BREAKS) else []
        counted = self._rg("-ic", *tests, "-e", re.escape(word), *self._scope(kind))
        return {name: int(number) for name, _, number in [line.rpartition(":") for line in counted] if name}

    def _found(self, question: str, kind: str) -> dict[str, dict[str, int]]:
        """The most selective words of a question that any file contains, with those files."""
        by_word = {word: self._files_with(word, kind) for word in search_words(question)}
        known = sorted([word for word in by_word if by_word[word]], key=lambda word: (len(by_word[word]), word))
        return {word: by_word[word] for word in known[:_WORDS]}


def by_weight(found: dict[str, dict[str, int]]) -> list[str]:
    """Files by the sum of what their words tell, rare words more."""
    weights: dict[str, float] = {}
    total = len({name for files in found.values() for name in files}) + 1
    for files in found.values():
        for name in files:
            weights[name] = weights.get(name, 0.0) + log(1 + total / len(files))
    return sorted(weights, key=lambda name: (-weights[name], name))


class Ripgrep(Files):
    """Names of files that contain the two most selective words, then the lines of the best files, then 40 lines around
    the densest hits; then the next files. A name of code is searched for as a whole word, a path by its last part."""

    name = "ripgrep"

    def calls(self, task: Task, question: str) -> Iterator[Call]:
        scope = " ".join(self._scope(task.kind))
        if task.kind == NEXT_TASK:
            yield from self._next_task(question)
            return
        if task.kind == USES:
            word = names(question)[-1]
            yield Call(f"rg -nw '{word}' {scope}", self._shown(["-nw", word, *self._scope(task.kind)]))
        if task.kind == BREAKS:
            for path in paths(question):
                stem = path.rpartition("/")[2].partition(".")[0]
                yield Call(f"rg -n '{stem}' {scope}", self._shown(["-n", stem, *self._scope(task.kind)]))
        found = self._found(question, task.kind)
        if not found:
            return
        rarest = list(found)[:2]
        both = [name for name in found[rarest[0]] if name in found[rarest[-1]]] or list(found[rarest[0]])
        listing = f"rg -il '{rarest[0]}' {scope}" + "".join([f" | xargs rg -il '{word}'" for word in rarest[1:]])
        yield Call(f"{listing} | head -{_NAMES}", "\n".join(both[:_NAMES]))
        order = [name for name in by_weight(found) if name in both]
        order += [name for name in by_weight(found) if name not in both]
        pattern = "|".join(map(re.escape, found))
        for at in range(0, _ROUNDS * _FILES, _FILES):
            files = order[at : at + _FILES]
            if files:
                lines = self._rg("-in", "-m", str(_LINES), "-e", pattern, "--with-filename", *files)
                yield Call(f"rg -in -m {_LINES} '{pattern}' {' '.join(files)}", "\n".join(lines))
            for turn in range(2):
                for name in files:
                    yield from self._window(name, list(found), turn)

    def _shown(self, arguments: list[str]) -> str:
        return "\n".join(self._rg("-M", "300", *arguments)[:_USES])

    def _window(self, name: str, words: Sequence[str], turn: int) -> Iterator[Call]:
        """The lines around the densest hits of a file, or around the next densest ones."""
        lines = self._project.lines(name)
        hits = [{word for word in words if word.lower() in line.lower()} for line in lines]
        taken: list[int] = []
        for _ in range(turn + 1):
            worth = {
                start: len(set().union(*hits[start : start + _WINDOW]))
                for start in range(0, len(lines), _WINDOW // 4)
                if not any(abs(start - other) < _WINDOW for other in taken)
            }
            if not worth or not max(worth.values()):
                return
            taken.append(max(worth, key=lambda start: (worth[start], -start)))
        first = taken[-1]
        yield Call(f"sed -n {first + 1},{first + _WINDOW}p {name}", "\n".join(lines[first : first + _WINDOW]))

    def _next_task(self, question: str) -> Iterator[Call]:
        """The folder of specs, the one that shares most words with the question, and its open tasks."""
        specs = self._project.repository.specs
        folders = sorted([path.name for path in (self._project.folder / specs).iterdir() if path.is_dir()])
        named = [name for name in folders if name in question]
        if not named:
            yield Call(f"ls {specs}", "\n".join(folders))
            words = search_words(question)
            named = sorted(folders, key=lambda name: (-sum([word in name for word in words]), name))[:3]
        for name in named:
            path = f"{specs}/{name}/tasks.md"
            yield Call(f"rg -n -m 3 '^ *- \\[ \\]' {path}", "\n".join(self._rg("-n", "-m", "3", r"^ *- \[ \]", path)))


class WholeFiles(Files):
    """Names of files that contain the two most selective words, then whole files, best first."""

    name = "whole files"

    def calls(self, task: Task, question: str) -> Iterator[Call]:
        found = self._found(question, task.kind)
        if not found:
            return
        order = by_weight(found)
        yield Call(f"rg -il '{next(iter(found))}' {' '.join(self._scope(task.kind))}", "\n".join(order[:_NAMES]))
        for name in order:
            yield Call(f"cat {name}", "\n".join(self._project.lines(name)))
