"""A cache that a person adds to `context.toml`: what they typed, as the file has to say it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from holdfast.caches.build.machine_state import forget_state
from holdfast.caches.build.project_directory import Project, write_named
from holdfast.caches.project.project_file import (
    DEPENDENCIES,
    FILE_NAME,
    DeclaredCache,
    DeclaredSource,
    ProjectFile,
    about_problem,
    name_problem,
    parse_project_file,
)
from holdfast.caches.project.toml_edit import with_cache, with_items
from holdfast.core.confined_paths import lies_inside, printable
from holdfast.core.errors import ContextError, UsageError
from holdfast.core.record import NamedTuple
from holdfast.core.staging import remove_beside


class Declaration(NamedTuple):
    """An edit of `context.toml` that is not written yet, and what it declares."""

    before: bytes | None
    after: bytes
    file: ProjectFile


def declare(project: Project, cache: DeclaredCache, paths: Sequence[str]) -> Declaration:
    """Add a cache, or what it lacks of a cache that is declared; `paths` are meant from where the person is."""
    if problem := name_problem(cache.name):
        raise UsageError(f"'{cache.name}' {problem}")
    if problem := about_problem(cache.about):
        raise UsageError(f"--about {problem}")
    before = project.text()
    declared = ProjectFile() if before is None else parse_project_file(before)
    text = "" if before is None else before.decode()
    places = [place_in(project, path) for path in paths]
    if any(each.name == cache.name for each in declared.code):
        raise UsageError(f"'{cache.name}' is declared as source code: use another name for documentation")
    known = declared.cache(cache.name)
    if known is None:
        after = with_cache(text, declared, cache._replace(sources=tuple([DeclaredSource(place) for place in places])))
    else:
        if cache.about or cache.include or cache.exclude or cache.python:
            raise UsageError(f"'{cache.name}' is declared already: edit {FILE_NAME}, then run 'context sync'")
        held = {source.path for source in known.sources if not source.is_git}
        new = [place for place in places if place not in held]
        after = with_items(text, declared, cache.name, "sources", [place or "." for place in new]) if new else text
        packages = [package for package in cache.packages if package not in known.packages]
        if packages:
            after = with_items(after, parse_project_file(after.encode()), cache.name, "packages", packages)
    return Declaration(before, after.encode(), parse_project_file(after.encode()))


def place_in(project: Project, path: str) -> str:
    """A path that was typed, from the top of the project; UsageError where it is outside, or nothing is there."""
    real = os.path.realpath(path)
    if not os.path.lexists(path):
        raise UsageError(f"there is no '{printable(path)}'")
    if not lies_inside(real, project.path):
        raise UsageError(
            f"'{printable(path)}' lies outside the project '{printable(project.path)}': check it out below it, as in "
            "vendor/, so that everybody who has the project reads the same"
        )
    return real[len(project.path) :].strip("/")


def write_declaration(project: Project, declaration: Declaration) -> bool:
    """Write `context.toml`, unless another process did meanwhile; returns whether it changed."""
    if declaration.after == declaration.before:
        return False
    if project.text() != declaration.before:
        raise UsageError(f"{FILE_NAME} was changed meanwhile: run the command again")
    write_named(project.file, declaration.after)
    return True


def remove_undeclared(project: Project, name: str) -> None:
    """Remove a cache that was built for a declaration that is not written, with what is beside it.

    A cache that another command declared meanwhile stays.
    """
    text = project.text()
    try:
        if text is not None and parse_project_file(text).cache(name):
            return
        remove_beside(project.cache(name), project.cache(name))
    except (ContextError, OSError):
        return  # 'context sync' names it
    forget_state(project, name)


def dependencies(name: str | None, packages: Sequence[str]) -> str:
    """The name of the cache that is added to."""
    if name is not None:
        return name
    if packages:
        return DEPENDENCIES
    raise UsageError("'add' needs NAME and PATH, or --package PACKAGE", headline="NAME is missing")


def named_by_path(name: str, paths: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The name and the paths that were meant: a folder alone is the path, and names the cache as far as it can."""
    if paths or not os.path.isdir(name):
        return name, paths
    letters = [letter if not name_problem(f"x{letter}") else "-" for letter in os.path.basename(os.path.realpath(name))]
    return "".join(letters).strip(".-")[:40] or "docs", [name]
