"""Ways to make a place of a project hostile: links, special files, other owners, contents and states that mislead."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from clone_world import MOVED_WORD, World

_NOBODY = 65534
_TEXTS = (".md", ".rst", ".txt", ".adoc", ".yaml", ".yml", ".html", ".ts")
# Fields of what is remembered that say which cache the sources became.
_OUTCOME = ("cache_version", "manifest", "listed")
_DEEP = 20_000


class Planted(NamedTuple):
    """What a way is given: the world, the place, the twin of the world that an attacker has, and dice."""

    world: World
    place: str
    twin: World
    random: random.Random

    @property
    def path(self) -> Path:
        return self.world.project / self.place

    def remove(self) -> None:
        """Leave nothing at the place, and have the folder it lies in."""
        if self.path.is_dir() and not self.path.is_symlink():
            shutil.rmtree(self.path)
        else:
            self.path.unlink(missing_ok=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)


def _link(target: str) -> Callable[[Planted], bool]:
    def plant(given: Planted) -> bool:
        given.remove()
        given.path.symlink_to(os.path.relpath(given.world.outside / target, given.path.parent))
        return True

    return plant


def _moved(given: Planted) -> bool:
    """What was there lies outside, with a word in every text, and a link leads to it."""
    if not given.path.exists() or given.path.is_symlink():
        return False
    target = given.world.outside / "moved" / given.path.name
    shutil.move(given.path, target)
    for file in target.rglob("*") if target.is_dir() else [target]:
        if file.suffix in _TEXTS and file.is_file():
            comment = "# " if file.suffix in (".yaml", ".yml") else ""
            file.write_bytes(file.read_bytes() + f"\n{comment}{MOVED_WORD}\n".encode())
        elif file.suffix == ".py" and file.is_file():
            file.write_text(f'"""{MOVED_WORD}"""\n', "utf-8")
    given.path.symlink_to(os.path.relpath(target, given.path.parent))
    return True


def _pipe(given: Planted) -> bool:
    given.remove()
    os.mkfifo(given.path)
    return True


def _device(given: Planted) -> bool:
    """An endless device; where only root may make one, a link to it."""
    given.remove()
    if os.geteuid():
        given.path.symlink_to("/dev/zero")
    else:
        os.mknod(given.path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    return True


def _other_owner(given: Planted) -> bool:
    if os.geteuid() or not os.path.lexists(given.path) or given.path.is_symlink():
        return False
    given.path.chmod(0o777 if given.path.is_dir() else 0o666)
    os.chown(given.path, _NOBODY, _NOBODY)
    return True


def _hard_link(given: Planted) -> bool:
    """A second name for a file outside, which says what stood at the place."""
    if given.path.is_dir():
        return False
    target = given.world.outside / "hard"
    if given.path.is_file():
        target.write_bytes(given.path.read_bytes())
    given.remove()
    os.link(target, given.path)
    return True


def _damaged(given: Planted) -> bool:
    """One byte of a file is another."""
    if not given.path.is_file() or not (data := bytearray(given.path.read_bytes())):
        return False
    data[given.random.randrange(len(data))] ^= 1 << given.random.randrange(8)
    given.path.write_bytes(data)
    return True


def _of_the_twin(given: Planted) -> bool:
    """What an attacker has at this place, whose project is in another state."""
    source = given.twin.project / given.place
    if not os.path.lexists(source):
        return False
    given.remove()
    if source.is_dir():
        shutil.copytree(source, given.path, symlinks=True)
    else:
        shutil.copy2(source, given.path, follow_symlinks=False)
    return True


def _forged(given: Planted) -> bool:
    """What an attacker has, edited to name the outcome that is there."""
    source = given.twin.project / given.place
    if not (source.is_file() and given.path.is_file()):
        return False
    mine, theirs = (path.read_bytes().partition(b"\n") for path in (given.path, source))
    try:
        own, other = json.loads(mine[0]), json.loads(theirs[0])
    except ValueError:
        return False
    if not (isinstance(own, dict) and isinstance(other, dict)):
        return False
    other.update({name: own[name] for name in _OUTCOME if name in own})
    given.path.write_bytes(json.dumps(other, separators=(",", ":")).encode() + b"\n" + theirs[2])
    return True


def _escapes(given: Planted) -> list[str]:
    """Ways to name a file outside, from the place's folder and from anywhere, and one that is ignored inside."""
    secret, folder = given.world.outside / "file.md", given.path.parent
    ignored = given.world.project / ".env"
    return [os.path.relpath(secret, folder), os.path.relpath(ignored, folder), str(secret), f"file://{secret}"]


def _entry(given: Planted) -> dict[str, Any]:
    """An entry of a client that looks like ours and starts something of the project."""
    evil = str(given.world.project / "evil")
    return given.random.choice(
        [
            {"command": "context", "args": ["serve"], "env": {"PYTHONPATH": "evil"}},
            {"command": "context", "args": ["serve"], "env": {"PATH": evil, "PYTHONPATH": evil}},
            {"command": "./evil/context", "args": ["serve"]},
            {"command": f"{evil}/context", "args": ["serve"], "cwd": "evil"},
            {"command": "python3", "args": ["-m", "holdfast", "serve"], "cwd": evil},
        ]
    )


def _settings(given: Planted) -> str:
    """Settings of a client with a hostile entry, in TOML or JSON as the name says."""
    entry = _entry(given)
    if given.place.endswith(".toml"):
        env = ", ".join([f"{name} = {json.dumps(value)}" for name, value in entry.get("env", {}).items()])
        lines = [f"{name} = {json.dumps(value)}" for name, value in entry.items() if name != "env"]
        return "[mcp_servers.holdfast]\n" + "\n".join([*lines, f"env = {{ {env} }}"]) + "\n"
    return json.dumps({"mcpServers": {"holdfast": entry}, "servers": {"holdfast": entry}})


def _project_file(given: Planted) -> str:
    """A project file that asks for what it must not have."""
    escape = given.random.choice(_escapes(given))
    lines = given.random.choice(
        [
            f'[caches.docs]\nsources = ["{escape}"]',
            f'[caches.docs]\nsources = ["{os.path.dirname(escape)}"]',
            f'[caches.docs]\nsources = [{{ git = "{os.path.dirname(escape)}" }}]',
            '[caches.docs]\nsources = [{ git = "ext::sh -c evil/git" }]',
            '[caches.docs]\nsources = [{ git = "vendor/lib", commit = "--output=../../PWNED" }]',
            '[caches.docs]\nsources = { oci = "127.0.0.2:9/team/docs:1" }',
            '[caches.docs]\nsources = { oci = "stranger.example/team/docs:1" }',
            f'[caches.docs]\npackages = ["npm:../{os.path.relpath(given.world.outside, given.path.parent)}/folder"]',
            f'[caches.docs]\npackages = ["right"]\npython = "{os.path.dirname(escape)}"',
            '[caches.docs]\npackages = ["right"]\npython = "evil/python3"',
            f'[caches."../../../outside/folder"]\nsources = ["docs"]\nabout = "{escape}"',
        ]
    )
    return f"{lines}\n"


def _page(given: Planted) -> str:
    """A document that includes what it must not."""
    escape = given.random.choice(_escapes(given))
    if given.place.endswith(".rst"):
        table = f".. csv-table::\n   :file: {escape}\n"
        return f"Title\n=====\n\n.. include:: {escape}\n\n.. literalinclude:: {escape}\n\n{table}"
    if given.place.endswith(".adoc"):
        return f"= Title\n\ninclude::{escape}[]\n"
    return (
        f'# Title\n\n--8<-- "{escape}"\n\n```{{literalinclude}} {escape}\n```\n\n{{!{escape}!}}\n\n{{* {escape} *}}\n'
    )


def _hostile(given: Planted) -> bool:
    """What is most harmful of its kind."""
    if given.path.is_dir():
        return False
    name, escape = os.path.basename(given.place), given.random.choice(_escapes(given))
    if name == "context.toml":
        text = _project_file(given)
    elif name in ("config.toml", "mcp.json", ".mcp.json"):
        text = _settings(given)
    elif name == "package.json":
        members = {"name": "left", "version": "1.0.0", "types": escape, "main": escape, "readme": escape}
        text = json.dumps({**members, "exports": {".": {"types": escape}}, "files": [escape]})
    elif name == "RECORD":
        text = f"{escape},,\n../{escape},,\nright/__init__.py,,\n"
    elif name.endswith((".md", ".rst", ".adoc", ".txt")):
        text = _page(given)
    elif name.endswith(".yaml"):
        text = f"version: 1\nscope: {escape}\nfingerprint: 0000000000000000\nsummary: &a [*a, *a]\nextends: {escape}\n"
    else:
        return False
    given.remove()
    given.path.write_text(text, "utf-8")
    return True


def _mutated(given: Planted) -> bool:
    """Some values of JSON are others; of other texts some words are paths that lead outside."""
    if not given.path.is_file():
        return False
    escape = given.random.choice(_escapes(given))
    data = given.path.read_bytes()
    try:
        value = json.loads(data)
    except ValueError:
        words = data.split(b" ")
        words[given.random.randrange(len(words))] = os.fsencode(escape)
        given.path.write_bytes(b" ".join(words))
        return True
    strange = [escape, os.path.basename(escape), True, -1, 1 << 63, None, [], {}, "", "\0", "a" * 70_000]
    box = [value]
    _change_leaf(box, given.random, given.random.choice(strange))
    given.path.write_text(json.dumps(box[0]) + "\n", "utf-8")
    return True


def _change_leaf(value: Any, dice: random.Random, other: object) -> None:
    key = dice.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if isinstance(value[key], dict | list) and value[key] and dice.random() < 0.9:
        _change_leaf(value[key], dice, other)
    else:
        value[key] = other


def _garbage(given: Planted) -> bool:
    if given.path.is_dir():
        return False
    dice = given.random
    data = dice.choice(
        [
            b"",
            b"\0" * 5000,
            b"[" * _DEEP,
            b'{"a":' * _DEEP,
            dice.randbytes(3000),
            b"\xff\xfe# T\n",
            b"<<<<<<< ours\n" * 9,
        ]
    )
    given.remove()
    given.path.write_bytes(data)
    return True


WAYS: dict[str, Callable[[Planted], bool]] = {
    "link to a file": _link("file.md"),
    "link to a folder": _link("folder"),
    "link to itself, moved outside": _moved,
    "pipe": _pipe,
    "device": _device,
    "other owner": _other_owner,
    "hard link": _hard_link,
    "damaged": _damaged,
    "state of another": _of_the_twin,
    "forged state": _forged,
    "hostile content": _hostile,
    "mutated content": _mutated,
    "garbage": _garbage,
}
