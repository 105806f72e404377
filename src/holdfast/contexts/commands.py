"""The commands of a project: how to build, test, lint and run it, as its own files say."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from holdfast.contexts.manifests import json_table, toml_table

Found = Iterator[tuple[str, str, str]]  # what a command is for, the command, and the text that says so

KINDS = ("build", "test", "lint", "run", "ci")
_MOST = 12  # of each kind
_LONGEST = 1000
# What a target or script is for, by the words in its name; the first that fits.
_WORDS = (
    ("test", ("test", "tests", "spec", "e2e", "coverage", "bench")),
    (
        "lint",
        ("lint", "fmt", "format", "vet", "typecheck", "types", "style", "tsc", "mypy", "ruff", "clippy", "misspell"),
    ),
    ("test", ("check",)),
    ("build", ("build", "compile", "dist", "package", "bundle", "all")),
    ("run", ("run", "start", "dev", "serve", "server", "watch", "preview")),
)
_NAME_PARTS = re.compile(r"[A-Za-z0-9]++")
# What sends something away is no command to try; by the words of its name, or what it does.
_SENDING = frozenset("release publish deploy push upload ship".split())
_SENDS = re.compile(
    r"(?a)\b(?:publish|push|upload|deploy)(?![a-z])|\bgh release\b|semantic-release|lerna version|scripts/release"
)
# What rewrites files: by the words of its name, or what it does.
_REWRITING = frozenset("fix write update fmt format tidy".split())
_REWRITES = re.compile(
    r"(?a)--(?:fix|write|update|in-place|unsafe-fixes|updateSnapshot)\b"
    r"|(?<!\S)(?<!python )(?<!python3 )(?<!npm )-(?:w|i|u)(?!\S)"
    r"|\b(?:go|cargo|dotnet|mix|zig) (?:fmt|format)\b|\b(?:ruff format|black|isort|prettier)\b"
)
_CHECKING = re.compile(r"(?a)--check|--diff|--list-different|--verify-no-changes|--test\b|(?<!\S)-[cld](?!\S)")


def kind_of(name: str, text: str = "") -> str:
    """What a target or script is for, by its name and text; nothing when neither says, or it is nothing to try."""
    parts = {part.lower() if part.isascii() else part for part in _NAME_PARTS.findall(name)}
    kind = next((kind for kind, words in _WORDS if not parts.isdisjoint(words)), "")
    if _sends(parts, text):
        return ""
    return "" if kind in ("lint", "test") and _rewrites(parts, text) else kind


def _sends(parts: Collection[str], text: str) -> bool:
    """Whether a command sends something away, by the words of its name and what it does."""
    return not _SENDING.isdisjoint(parts) or _SENDS.search(text) is not None


def _rewrites(parts: Collection[str], text: str) -> bool:
    """Whether a command rewrites files, by the words of its name and what it does."""
    if "check" in parts or _CHECKING.search(text):
        return False
    return not _REWRITING.isdisjoint(parts) or _REWRITES.search(text) is not None


def commands(texts: Mapping[str, str], ci: Mapping[str, tuple[Any, str]]) -> dict[str, list[str]]:
    """The commands by what they are for, from the manifests of a directory and the files of its CI, parsed and as text.

    Each names its file and line behind a `#`, which a shell leaves alone. Nothing that publishes or rewrites is listed.
    """
    found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for pattern, read in _READERS.items():
        for name in sorted(texts) if pattern.startswith("*") else [pattern]:
            if name in texts and name.endswith(pattern.lstrip("*")):
                for kind, command, said in read(texts[name], {**texts, "": name}):
                    if kind:
                        found[kind].setdefault(command, f"{name}:{_line(texts[name], said)}")
    for name in sorted(ci):
        value, text = ci[name]
        for command in _steps(value):
            # Names are among the words that are no options and no paths: `run format`, `fmt`, `mod tidy`.
            names = [word for word in command.split() if word[0] != "-" and "/" not in word and "." not in word]
            parts = _NAME_PARTS.findall(" ".join(names))
            if not _sends(parts, command) and not _rewrites(parts, command):
                found["ci"].setdefault(command, f"{name.lstrip('/')}:{_line(text, command.partition(' ')[0], command)}")
    return {
        kind: [f"{command}  # {where}" for command, where in list(listed.items())[:_MOST]]
        for kind, listed in found.items()
        if listed
    }


def _line(text: str, said: str, command: str = "") -> int:
    """The line on which a text says something; of a command the line that begins as it does, else the first."""
    lines = text.split("\n")
    if command:
        best = (0, 0)
        for number, line in enumerate(lines, 1):
            bare = line.strip().removeprefix("- ").removeprefix("run:").strip().rstrip("\\").strip(" '\"")
            if bare.startswith(said) and command.startswith(bare):
                best = max(best, (len(bare), -number))
        if best[0]:
            return -best[1]
    at = text.find(said) if said else -1
    return text.count("\n", 0, at) + 1 + said.startswith("\n") if at >= 0 else 1


_TARGET = re.compile(r"^([A-Za-z0-9][A-Za-z0-9_.-]*+)(?:[ \t]++[A-Za-z0-9_.-]++)*+[ \t]*+:(?![=:])", re.MULTILINE)


def _targets(program: str) -> Callable[[str, Mapping[str, str]], Found]:
    """The targets of a file, each with what is indented below it."""

    def read(text: str, _texts: Mapping[str, str]) -> Found:
        found = list(_TARGET.finditer(text))
        for at, one in enumerate(found):
            end = found[at + 1].start() if at + 1 < len(found) else len(text)
            yield kind_of(one[1], text[one.end() : end]), f"{program} {one[1]}", one[0]

    return read


def _scripts(text: str, runner: str) -> Found:
    scripts = json_table(text).get("scripts")
    for name, script in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(name, str):
            script = "\n".join(map(str, script)) if isinstance(script, list) else str(script)
            yield kind_of(name, script), f"{runner} {name}", f'"{name}"'


_LOCKS = (("pnpm-lock.yaml", "pnpm run"), ("yarn.lock", "yarn"), ("bun.lockb", "bun run"), ("bun.lock", "bun run"))


def _package_json(text: str, texts: Mapping[str, str]) -> Found:
    runner = next((command for lock, command in _LOCKS if lock in texts), "npm run")
    return _scripts(text, runner)


def _composer(text: str, _texts: Mapping[str, str]) -> Found:
    return _scripts(text, "composer")


def _pyproject(text: str, _texts: Mapping[str, str]) -> Found:
    data = toml_table(text)
    tools = data.get("tool")
    if "build-system" in data:
        yield "build", "python -m build", "[build-system"
    for tool, kind, command in _PYTHON_TOOLS:
        if isinstance(tools, dict) and tool in tools:
            yield kind, command, f"[tool.{tool}"
    project = data.get("project")
    scripts = project.get("scripts") if isinstance(project, dict) else None
    for name in scripts if isinstance(scripts, dict) else ():
        yield "run", name, f"\n{name}"


_PYTHON_TOOLS = (
    ("pytest", "test", "pytest"),
    ("tox", "test", "tox"),
    ("ruff", "lint", "ruff check ."),
    ("mypy", "lint", "mypy"),
    ("pyright", "lint", "pyright"),
    ("black", "lint", "black --check ."),
)


def _fixed(*found: tuple[str, str] | tuple[str, str, str]) -> Callable[[str, Mapping[str, str]], Found]:
    """Commands that a file means by being there, or by holding a text."""

    def read(text: str, _texts: Mapping[str, str]) -> Found:
        for kind, command, *said in found:
            if not said or said[0] in text:
                yield kind, command, said[0] if said else ""

    return read


def _gradle(_text: str, texts: Mapping[str, str]) -> Found:
    program = "./gradlew" if "gradlew" in texts else "gradle"
    yield from (("build", f"{program} build", ""), ("test", f"{program} test", ""))


def _dotnet(text: str, texts: Mapping[str, str]) -> Found:
    """A solution, or a project where it lies in the same directory as no solution."""
    name = texts[""]
    if not name.endswith("proj"):
        yield from (("build", f"dotnet build {name}", ""), ("test", f"dotnet test {name}", ""))
    elif not any(other.endswith((".sln", ".slnx")) for other in texts):
        yield "build", f"dotnet build {name}", ""
        if "Microsoft.NET.Test.Sdk" in text:
            yield "test", f"dotnet test {name}", "Microsoft.NET.Test.Sdk"


_JUST = _targets("just")
_MAKE = _targets("make")
_READERS: Mapping[str, Callable[[str, Mapping[str, str]], Found]] = {
    "Makefile": _MAKE,
    "makefile": _MAKE,
    "GNUmakefile": _MAKE,
    "Justfile": _JUST,
    "justfile": _JUST,
    "pyproject.toml": _pyproject,
    "tox.ini": _fixed(("test", "tox")),
    "noxfile.py": _fixed(("test", "nox")),
    "Cargo.toml": _fixed(
        ("build", "cargo build"), ("test", "cargo test"), ("lint", "cargo clippy"), ("run", "cargo run", "[[bin]]")
    ),
    "go.mod": _fixed(("build", "go build ./..."), ("test", "go test ./..."), ("lint", "go vet ./...")),
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "settings.gradle": _gradle,
    "settings.gradle.kts": _gradle,
    "pom.xml": _fixed(("build", "mvn package"), ("test", "mvn test")),
    "mix.exs": _fixed(("build", "mix compile"), ("test", "mix test")),
    "Package.swift": _fixed(
        ("build", "swift build"), ("test", "swift test", ".testTarget("), ("run", "swift run", ".executableTarget(")
    ),
    "CMakeLists.txt": _fixed(
        ("build", "cmake -S . -B build && cmake --build build", "project("),
        ("test", "ctest --test-dir build", "enable_testing("),
        ("test", "ctest --test-dir build", "include(CTest)"),
    ),
    "*.sln": _dotnet,
    "*.slnx": _dotnet,
    "*proj": _dotnet,
    "build.zig": _fixed(("build", "zig build"), ("test", "zig build test")),
    "package.json": _package_json,
    "composer.json": _composer,
}
_NAMED = frozenset([*_READERS, *[lock for lock, _ in _LOCKS], "gradlew"])


def is_command_file(name: str) -> bool:
    """Whether commands are read from a file; of some it matters only that they are there."""
    return name in _NAMED or name.endswith((".sln", ".slnx", ".csproj", ".fsproj", ".vbproj"))


_PROGRAMS = frozenset(
    "pytest tox nox npm npx pnpm yarn bun make just go cargo mvn gradle ruff mypy eslint golangci-lint composer mix "
    "zig dotnet swift bundle rake phpunit cmake ctest "
    "python python3 uv poetry hatch pre-commit".split()
)


_CONTINUED = re.compile(r"(?<![ \t])[ \t]*+\\\r?\n[ \t]*+")


def _steps(value: Any, depth: int = 0) -> Iterator[str]:
    """The commands that steps of a CI file run, those of programs that build, test, lint or run."""
    if depth > 12:
        return
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("run", "script") and isinstance(part, str | list):
                for line in _CONTINUED.sub(" ", part).splitlines() if isinstance(part, str) else part:
                    if isinstance(line, str) and _is_command(line):
                        yield line.strip()
            else:
                yield from _steps(part, depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from _steps(part, depth + 1)


def _is_command(line: str) -> bool:
    words = line.split()
    program = words[0].rpartition("/")[2] if words else ""
    is_setup = len(words) > 1 and words[1] in ("install", "ci", "-m") and "test" not in line
    return program in {*_PROGRAMS, "gradlew"} and not is_setup and len(line) <= _LONGEST and "${{" not in line
