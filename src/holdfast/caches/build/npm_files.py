"""The `.d.ts` files that the types of an npm package lead to, within its own folder."""

from __future__ import annotations

import posixpath

from holdfast.caches.build.guarded_files import FOLDER, NOTHING, Guard, led_to
from holdfast.caches.readers.dts_reader import exported_modules

_MOST = 5000  # files of one package
_LARGEST = 10 << 20
_DEEPEST = 12  # conditions within conditions of `exports`


def declaration_files(folder: Guard, manifest: object) -> list[str]:
    """Paths below the folder, sorted: the entries that package.json names, and what these export from in turn.

    One that the guard refuses is among them: reading it reports why.
    """
    if not isinstance(manifest, dict):
        return []
    waiting = [one for one in _entries(manifest) if _is_inside(one)]
    found: set[str] = set()
    while waiting and len(found) < _MOST:
        path = _existing(folder, waiting.pop())
        if path is None or path in found:
            continue
        found.add(path)
        for module in exported_modules(_bytes(folder, path)):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
            if _is_inside(target):
                waiting.append(target)
    return sorted(found)


def _entries(manifest: dict[str, object]) -> list[str]:
    """The declarations that package.json names; without any, those beside its main file or at its top."""
    entries = _types_of(manifest.get("exports"), 0)
    if not entries:
        entries = [value for key in ("types", "typings") if isinstance(value := manifest.get(key), str)]
    if not entries:
        main = manifest.get("main")
        entries = [main if isinstance(main, str) else "index.js", "index.d.ts"]
    return [posixpath.normpath(one) for one in dict.fromkeys(entries) if "*" not in one]


def _types_of(exports: object, depth: int) -> list[str]:
    if isinstance(exports, str):
        return [exports] if exports.endswith((".d.ts", ".d.mts", ".d.cts")) else []
    if not isinstance(exports, dict) or depth > _DEEPEST:
        return []
    if "types" in exports:
        return _types_of(exports["types"], depth + 1) or (
            [exports["types"]] if isinstance(exports["types"], str) else []
        )
    found: list[str] = []
    for key, value in exports.items():
        # One of the forms that a package has for import and require is enough: they declare the same.
        if not (key == "require" and found):
            found += _types_of(value, depth + 1)
    return found


def _existing(folder: Guard, path: str) -> str | None:
    """The file of declarations that a path means: itself, beside a script, or the index of a folder."""
    stem = path
    for ending in (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"):
        if path.endswith(ending) and not path.endswith((".d.ts", ".d.mts", ".d.cts")):
            stem = path.removesuffix(ending)
    tries = [path] if path.endswith((".d.ts", ".d.mts", ".d.cts")) else []
    tries += [f"{stem}{ending}" for ending in (".d.ts", ".d.mts", ".d.cts", "/index.d.ts", "/index.d.mts")]
    kinds = [(one, led_to(posixpath.join(folder.boundary, one), folder.boundary).kind) for one in tries]
    return next((one for one, kind in kinds if kind not in (NOTHING, FOLDER)), None)


def _is_inside(path: str) -> bool:
    return not path.startswith(("/", "../")) and path != ".." and "\\" not in path and "\x00" not in path


def _bytes(folder: Guard, path: str) -> bytes:
    try:
        return folder.read(path, _LARGEST)
    except OSError:
        return b""
