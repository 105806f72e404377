"""`context.toml`: the caches that a project declares, read strictly. docs/formats/project.md has the rules in full."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.caches.oci_reference import parse_reference
from holdfast.caches.tokenizers import TOKENIZERS, USUAL
from holdfast.core.close_match import close_match
from holdfast.core.errors import SettingsInvalid, UsageError
from holdfast.core.glob_pattern import parse_glob
from holdfast.core.globs import as_bytes
from holdfast.core.unicode_text import is_unicode, lower_case

Value = Any

FILE_NAME = "context.toml"
# The cache that `context add --package` adds to.
DEPENDENCIES = "dependencies"
MAX_FILE_BYTES = 1 << 20
# What is said of a cache to an agent has to share 300 tokens with what is said of the others.
MAX_ABOUT = 200
MAX_NAME = 80
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_HEX_DIGITS = frozenset("0123456789abcdef")

KEYS = {
    "caches": "the caches of this project, a table each",
    "search": "how answers are counted",
    "registry": "whose caches of a registry are believed",
    "specs": "which of several layouts of specs is used",
    "project": "how the project's caches are asked",
}
# What `shards` may be, which is read and ignored.
FEWEST_SHARDS, MOST_SHARDS = 2, 64
CACHE_KEYS = {
    "sources": 'folders, files, git checkouts as { git = "vendor/x", commit = "…", path = "docs" }, '
    'or the cache itself, built elsewhere, as { oci = "registry.example/team/docs:1.4" }',
    "include": "patterns of the files to read, as in .gitignore (default: every format there is)",
    "exclude": "patterns of the files to leave out, as in .gitignore",
    "about": f"what the documentation is about, in at most {MAX_ABOUT} characters; shown to agents",
    "packages": "installed packages, of the Python environment and of node_modules",
    "python": "the Python environment that packages are looked for in: its folder or interpreter (default: .venv)",
    "shards": "read and ignored: a cache of any size is one cache, whose index is in segments",
    "code": "folders and files of source code, searched as they are: a cache of its own, without other keys",
}
GIT_KEYS = {
    "git": "the folder of a git checkout",
    "commit": "the commit whose files are read (default: the files as checked out)",
    "path": "the folder or file in the checkout (default: all of it)",
}
OCI_KEYS = {"oci": "where the cache lies in a registry: HOST/REPOSITORY:TAG, or with @sha256:… for good"}
REGISTRY_KEYS = {"keys": "public keys of minisign; where there are any, a cache that none of them signed is refused"}
PROJECT_KEYS = {
    "frozen": "true: search and read answer from what context.lock names (default: false)",
    "user": "caches that a user of this machine declared by 'context add --user', by name",
}
SPECS_KEYS = {"layout": "spec-context, spec-workflow, kiro, spec-kit or openspec (default: the first that has specs)"}
SEARCH_KEYS = {"tokenizer": f"how the tokens of sections are counted (default: {USUAL})"}


class DeclaredSource(NamedTuple):
    """A folder or file of the project; with `is_git` a checkout, whose `folder` is read, at `commit` if it is named.

    Paths are from the top of the project, without `.` or `..`, empty for the top itself; `folder` is one from the top
    of the checkout.
    """

    path: str
    is_git: bool = False
    commit: str = ""
    folder: str = ""


class DeclaredCache(NamedTuple):
    """One table of `[caches]`."""

    name: str
    sources: tuple[DeclaredSource, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    about: str = ""
    packages: tuple[str, ...] = ()
    python: str = ""
    oci: str = ""  # the cache lies in a registry, and there are no sources
    shards: int = 0  # what earlier releases cut a cache into: ignored
    is_user: bool = False  # the user of the machine declared what it is made from, and where that lies


class DeclaredCode(NamedTuple):
    """A table of `[caches]` that names source code of the project, which is searched as it is and never built."""

    name: str
    places: tuple[str, ...]  # folders and files, from the top of the project; empty for the top itself

    def holds(self, path: str) -> bool:
        """Whether a source file is of it."""
        return any(not place or path == place or path.startswith(f"{place}/") for place in self.places)


class ProjectFile(NamedTuple):
    """All of `context.toml`, the caches by name, and source code by name."""

    caches: tuple[DeclaredCache, ...] = ()
    tokenizer: str = USUAL
    is_frozen: bool = False
    keys: tuple[str, ...] = ()  # who may sign what comes from a registry; anybody where none is named
    code: tuple[DeclaredCode, ...] = ()

    def cache(self, name: str) -> DeclaredCache | None:
        """The cache of this name, if it is declared."""
        return next((cache for cache in self.caches if cache.name == name), None)


def parse_project_file(data: bytes) -> ProjectFile:
    """What a file declares; SettingsInvalid says what is wrong where, and what to do."""
    try:
        tables = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise invalid(f"it is not UTF-8 (byte {error.start}): convert it") from None
    except tomllib.TOMLDecodeError as error:
        twice = "declare" in str(error) or "overwrite" in str(error)
        hint = ": each cache and each key is written once, so join the two" if twice else ""
        raise invalid(f"it is not TOML: {error}{hint}") from None
    except RecursionError:
        raise invalid("it is nested too deeply") from None
    _check_keys(tables, KEYS, "")
    caches = _table(tables.get("caches", {}), "caches")
    search = _table(tables.get("search", {}), "search")
    _check_keys(search, SEARCH_KEYS, "search")
    of_names = {name: _table(caches[name], f"caches.{name}") for name in sorted(caches)}
    declared = [_cache(name, table) for name, table in of_names.items() if "code" not in table]
    code = tuple([_code(name, table) for name, table in of_names.items() if "code" in table])
    _check_spellings(of_names)
    registry = _table(tables.get("registry", {}), "registry")
    _check_keys(registry, REGISTRY_KEYS, "registry")
    specs = _table(tables.get("specs", {}), "specs")  # the specs family reads it
    _check_keys(specs, SPECS_KEYS, "specs")
    _text(specs, "specs", "layout")
    keys = _texts(registry, "registry", "keys", 'public keys, such as keys = ["RWQ…"]')
    project = _table(tables.get("project", {}), "project")
    _check_keys(project, PROJECT_KEYS, "project")
    frozen = project.get("frozen", False)
    if type(frozen) is not bool:
        raise invalid("project.frozen must be true or false")
    users = _texts(project, "project", "user", 'names of caches, such as user = ["wiki"]')
    for name in users:
        if name_problem(name) or users.count(name) > 1 or name in caches:
            raise invalid(f"project.user: '{name}' is no name, or one that is declared twice")
    declared += [DeclaredCache(name, is_user=True) for name in users]
    _check_spellings([*of_names, *users])
    return ProjectFile(tuple(sorted(declared)), _tokenizer(search), frozen, keys, code)


def parse_user_file(data: bytes) -> dict[str, tuple[str, DeclaredCache]]:
    """The caches of a user's own file, by name: the folder that each is made from, and what of it is read.

    In such a file alone a cache has a `root`, an absolute path. SettingsInvalid says what is wrong where.
    """
    try:
        tables = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise invalid(f"the file of the user's caches is not TOML: {error}") from None
    found = {}
    for name, table in _table(tables.get("caches", {}), "caches").items():
        rest = dict(_table(table, f"caches.{name}"))
        root = rest.pop("root", "")
        if not isinstance(root, str) or not root.startswith("/") or "\0" in root:
            raise invalid(f"caches.{name}.root must be the absolute path of a folder")
        if "code" in rest:
            raise invalid(f"caches.{name}.code: source code is declared in the {FILE_NAME} of its project")
        found[name] = root, _cache(name, {"sources": ["."], **rest})
    return found


def invalid(reason: str) -> SettingsInvalid:
    """A `context.toml` that cannot be used."""
    return SettingsInvalid(reason, headline=f"{FILE_NAME} cannot be used")


def name_problem(name: str) -> str:
    """What is wrong with the name of a cache, in words that follow it; empty when nothing is."""
    if "/" in name or "\\" in name or name in (".", ".."):
        return "leads outside the cache root: a name is one word, such as 'guides'"
    if not name or not _NAME.issuperset(name) or name[0] in ".-" or len(name) > MAX_NAME:
        return f"is no name: use up to {MAX_NAME} letters, digits, '.', '_' and '-', a letter or digit first"
    return ""


def _check_spellings(names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(lower_case(name), name)
        if other != name:
            raise invalid(
                f"caches '{other}' and '{name}' differ in case alone, and some systems know no case: rename one"
            )


def _cache(name: str, table: Mapping[str, Value]) -> DeclaredCache:
    where = f"caches.{name}"
    if problem := name_problem(name):
        raise invalid(f"the cache '{name}' {problem}")
    _check_keys(table, CACHE_KEYS, where)
    sources = table.get("sources", [])
    if oci := _oci(sources, where):
        for key in table:
            if key not in ("sources", "about"):
                raise invalid(f"{where}.{key} is of no use with a cache of a registry, which is built already")
        return DeclaredCache(name, about=_about(table, where), oci=oci)
    if type(sources) is not list:
        raise invalid(f'{where}.sources must be a list: write sources = ["docs"]')
    packages = _texts(table, where, "packages", 'packages, such as packages = ["httpx"]')
    for package in packages:
        if _is_blank(package):
            raise invalid(f"{where}.packages names no package: '{package}'")
    if not sources and not packages:
        raise invalid(f'{where} has neither sources nor packages: write sources = ["docs"]')
    if "python" in table and not packages:
        raise invalid(f"{where}.python is of use with packages alone: remove it, or name packages")
    patterns = {key: _patterns(table, where, key) for key in ("include", "exclude")}
    return DeclaredCache(
        name,
        tuple([_source(source, f"{where}.sources") for source in sources]),
        patterns["include"],
        patterns["exclude"],
        _about(table, where),
        packages,
        _text(table, where, "python"),
        shards=_shards(table, where),
    )


def _code(name: str, table: Mapping[str, Value]) -> DeclaredCode:
    where = f"caches.{name}"
    if problem := name_problem(name):
        raise invalid(f"the cache '{name}' {problem}")
    _check_keys(table, CACHE_KEYS, where)
    if others := [key for key in table if key != "code"]:
        raise invalid(f"{where}.{others[0]} does not go with code, which is searched as it is: declare two caches")
    if not (places := _texts(table, where, "code", 'folders and files, such as code = ["src"]')):
        raise invalid(f'{where}.code names nothing: write code = ["src"]')
    return DeclaredCode(name, tuple([place(each, f"{where}.code") for each in places]))


def _oci(sources: Value, where: str) -> str:
    """Where a cache lies in a registry; empty where it is built from sources."""
    listed = sources if type(sources) is list else [sources]
    if not any(type(source) is dict and "oci" in source for source in listed):
        return ""
    if len(listed) != 1:
        raise invalid(f"{where}.sources: a cache of a registry is a cache of its own: declare two caches")
    _check_keys(listed[0], OCI_KEYS, f"{where}.sources")
    try:
        return parse_reference(_text(listed[0], f"{where}.sources", "oci")).name
    except UsageError as error:
        raise invalid(f"{where}.sources.oci: {error.reason}") from None


def _shards(table: Mapping[str, Value], where: str) -> int:
    value: int = table.get("shards", 0)
    if "shards" in table and (type(value) is not int or not FEWEST_SHARDS <= value <= MOST_SHARDS):
        raise invalid(f"{where}.shards must be a whole number from {FEWEST_SHARDS} to {MOST_SHARDS}: remove it")
    return value


def _source(value: Value, where: str) -> DeclaredSource:
    if isinstance(value, str):
        return DeclaredSource(place(value, where))
    if type(value) is not dict:
        raise invalid(f'{where} must hold paths, or git checkouts as {{ git = "vendor/x", path = "docs" }}')
    _check_keys(value, GIT_KEYS, where)
    if "git" not in value:
        raise invalid(f'{where} has a table without git: name the folder of the checkout, {{ git = "vendor/x" }}')
    commit = lower_case(_text(value, where, "commit"))
    if "commit" in value and not (7 <= len(commit) <= 64 and _HEX_DIGITS.issuperset(commit)):
        raise invalid(f"{where}.commit must be the hash of a commit, 7 to 64 hex digits, not a branch: branches move")
    folder = place(value["path"], f"{where}.path", "the checkout") if "path" in value else ""
    return DeclaredSource(place(value["git"], f"{where}.git"), is_git=True, commit=commit, folder=folder)


def place(path: Value, where: str, inside: str = "the project") -> str:
    """A path that stays inside, without `.` and doubled slashes; empty for the top."""
    if not isinstance(path, str) or not path or not is_unicode(path) or "\0" in path:
        raise invalid(f'{where} must be a path, such as "docs"')
    names = path.split("/")
    if path.startswith("/") or ".." in names:
        raise invalid(
            f"{where}: '{path}' leads outside {inside}: name a path inside, so that everybody who has it reads the "
            "same, and check out what lies elsewhere below it, as in vendor/"
        )
    return "/".join([name for name in names if name not in ("", ".")])


def _table(value: Value, where: str) -> Mapping[str, Value]:
    if type(value) is not dict:
        raise invalid(f"{where} must be a table: write [{where}]")
    return value


def _text(table: Mapping[str, Value], where: str, key: str) -> str:
    value = table.get(key, "")
    if not isinstance(value, str) or (key in table and (not value or not is_unicode(value) or "\0" in value)):
        raise invalid(f"{where}.{key} must be a text between quotation marks")
    return value


def _texts(table: Mapping[str, Value], where: str, key: str, such_as: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if type(value) is not list or not all(isinstance(item, str) and item and is_unicode(item) for item in value):
        raise invalid(f"{where}.{key} must be a list of {such_as}")
    return tuple(value)


def _patterns(table: Mapping[str, Value], where: str, key: str) -> tuple[str, ...]:
    patterns = _texts(table, where, key, f'patterns, such as {key} = ["**/*.md"]')
    for pattern in patterns:
        if "\n" in pattern or parse_glob(as_bytes(pattern)) is None:
            raise invalid(f"{where}.{key} has a pattern that matches nothing: '{pattern}'")
    return patterns


def _about(table: Mapping[str, Value], where: str) -> str:
    about = _text(table, where, "about")
    if problem := about_problem(about):
        raise invalid(f"{where}.about {problem}")
    return about


def about_problem(about: str) -> str:
    """What is wrong with a description, in words that follow its name; empty when nothing is."""
    if len(about) > MAX_ABOUT:
        return f"has {len(about)} characters: say it in {MAX_ABOUT}"
    if any(ord(character) < 32 or ord(character) == 127 for character in about):
        return "must be one line of text"
    return ""


def _tokenizer(search: Mapping[str, Value]) -> str:
    value = search.get("tokenizer", USUAL)
    if value not in TOKENIZERS:
        raise invalid(f"search.tokenizer must be one of: {', '.join(TOKENIZERS)}")
    return str(value)


def _is_blank(text: str) -> bool:
    return not text.strip(" \t") or "\n" in text


def _check_keys(table: Mapping[str, Value], known: Mapping[str, str], where: str) -> None:
    for key in table:
        if key not in known:
            near = close_match(key, known, cutoff=0.5)
            hint = f"did you mean '{near}'?" if near else f"known are {', '.join(known)}"
            raise invalid(f"there is no key '{where + '.' if where else ''}{key}': {hint}")
