"""The commands of a project: how to build, test, lint and run it, as its own files say."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from holdfast.core.canonical_json import JsonError, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Found = Iterator[tuple[str, str]]  # what a command is for, and the command

KINDS = ("build", "test", "lint", "run", "ci")
_MOST = 12  # of each kind
_LONGEST = 200
# What a target or script is for, by the words in its name; the first that fits.
_WORDS = (
    ("test", ("test", "tests", "check", "spec", "e2e", "coverage", "bench")),
    ("lint", ("lint", "fmt", "format", "vet", "typecheck", "types", "style", "tsc", "mypy", "ruff", "clippy")),
    ("build", ("build", "compile", "dist", "package", "bundle", "all", "install", "release")),
    ("run", ("run", "start", "dev", "serve", "server", "watch", "preview")),
)
_NAME_PARTS = re.compile(r"[A-Za-z0-9]++")


def kind_of(name: str) -> str:
    """What a target or script is for, by its name; nothing when that does not say."""
    parts = [part.lower() if part.isascii() else part for part in _NAME_PARTS.findall(name)]
    return next((kind for kind, words in _WORDS if any(part in words for part in parts)), "")


def commands(texts: Mapping[str, str], ci: Mapping[str, Any]) -> dict[str, list[str]]:
    """The commands by what they are for, from the manifests of a directory and the parsed files of its CI."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for name, read in _READERS.items():
        if name in texts:
            for kind, command in read(texts[name], texts):
                if kind and command not in found[kind]:
                    found[kind].append(command)
    for name in sorted(ci):
        for command in _steps(ci[name]):
            if command not in found["ci"]:
                found["ci"].append(command)
    return {kind: listed[:_MOST] for kind, listed in found.items() if listed}


_TARGET = re.compile(r"^([A-Za-z0-9][A-Za-z0-9_.-]*+)(?:[ \t]++[A-Za-z0-9_.-]++)*+[ \t]*+:(?![=:])", re.MULTILINE)


def _makefile(text: str, _texts: Mapping[str, str]) -> Found:
    for found in _TARGET.finditer(text):
        yield kind_of(found[1]), f"make {found[1]}"


def _justfile(text: str, _texts: Mapping[str, str]) -> Found:
    for found in _TARGET.finditer(text):
        yield kind_of(found[1]), f"just {found[1]}"


def _json(text: str) -> dict[str, Any]:
    try:
        value = decode(text)
    except JsonError:
        return {}
    return value if isinstance(value, dict) else {}


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _scripts(text: str, key: str) -> list[str]:
    scripts = _json(text).get(key)
    return [name for name in scripts if isinstance(name, str)] if isinstance(scripts, dict) else []


_LOCKS = (("pnpm-lock.yaml", "pnpm run"), ("yarn.lock", "yarn"), ("bun.lockb", "bun run"), ("bun.lock", "bun run"))


def _package_json(text: str, texts: Mapping[str, str]) -> Found:
    runner = next((command for lock, command in _LOCKS if lock in texts), "npm run")
    for name in _scripts(text, "scripts"):
        yield kind_of(name), f"{runner} {name}"


def _composer(text: str, _texts: Mapping[str, str]) -> Found:
    for name in _scripts(text, "scripts"):
        yield kind_of(name), f"composer {name}"


def _pyproject(text: str, _texts: Mapping[str, str]) -> Found:
    data = _toml(text)
    tools = data.get("tool")
    if "build-system" in data:
        yield "build", "python -m build"
    for tool, kind, command in _PYTHON_TOOLS:
        if isinstance(tools, dict) and tool in tools:
            yield kind, command
    project = data.get("project")
    scripts = project.get("scripts") if isinstance(project, dict) else None
    for name in scripts if isinstance(scripts, dict) else ():
        yield "run", name


_PYTHON_TOOLS = (
    ("pytest", "test", "pytest"),
    ("tox", "test", "tox"),
    ("ruff", "lint", "ruff check ."),
    ("mypy", "lint", "mypy"),
    ("pyright", "lint", "pyright"),
    ("black", "lint", "black --check ."),
)


def _cargo(text: str, _texts: Mapping[str, str]) -> Found:
    data = _toml(text)
    yield from (("build", "cargo build"), ("test", "cargo test"), ("lint", "cargo clippy"))
    if "bin" in data:
        yield "run", "cargo run"


def _fixed(*found: tuple[str, str]) -> Callable[[str, Mapping[str, str]], Found]:
    return lambda _text, _texts: iter(found)


def _gradle(_text: str, texts: Mapping[str, str]) -> Found:
    program = "./gradlew" if "gradlew" in texts else "gradle"
    yield from (("build", f"{program} build"), ("test", f"{program} test"))


_READERS: Mapping[str, Callable[[str, Mapping[str, str]], Found]] = {
    "Makefile": _makefile,
    "makefile": _makefile,
    "GNUmakefile": _makefile,
    "Justfile": _justfile,
    "justfile": _justfile,
    "package.json": _package_json,
    "pyproject.toml": _pyproject,
    "tox.ini": _fixed(("test", "tox")),
    "noxfile.py": _fixed(("test", "nox")),
    "Cargo.toml": _cargo,
    "go.mod": _fixed(("build", "go build ./..."), ("test", "go test ./..."), ("lint", "go vet ./...")),
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "pom.xml": _fixed(("build", "mvn package"), ("test", "mvn test")),
    "composer.json": _composer,
    "mix.exs": _fixed(("build", "mix compile"), ("test", "mix test")),
    "build.zig": _fixed(("build", "zig build"), ("test", "zig build test")),
}
# The files that commands are read from; of some it matters only that they are there.
COMMAND_FILES = frozenset([*_READERS, *[lock for lock, _ in _LOCKS], "gradlew"])
_PROGRAMS = frozenset(
    "pytest tox nox npm npx pnpm yarn bun make just go cargo mvn gradle ruff mypy eslint golangci-lint composer mix "
    "zig dotnet swift bundle rake phpunit python python3 uv poetry hatch pre-commit".split()
)


def _steps(value: Any, depth: int = 0) -> Iterator[str]:
    """The commands that steps of a CI file run, those of programs that build, test, lint or run."""
    if depth > 12:
        return
    if isinstance(value, dict):
        for key, part in value.items():
            if key in ("run", "script") and isinstance(part, str | list):
                for line in part.splitlines() if isinstance(part, str) else part:
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
