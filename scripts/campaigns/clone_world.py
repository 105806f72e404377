"""A person's world with a clone in it: a home, files that are nobody else's business, a project, a registry.

The project is the one in which the examples of the help texts run, with more of what a command may read: packages,
a checkout, a cache in a registry, client settings, and programs that leave a mark when anything runs them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from campaign import EPOCH
from forked_command import run

from holdfast.command.examples import EXAMPLES, REGISTRY
from support.example_project import example_project
from support.projects import git

# No two files outside have the same word, and no answer, cache or other file may hold one.
SECRET_WORDS = ("wombatfile", "wombatfolder", "wombatmoved", "wombatignored")
FILE_WORD, FOLDER_WORD, MOVED_WORD, IGNORED_WORD = SECRET_WORDS
MARK = "EXECUTED"
IN_STEP, BEHIND = "in step", "behind"
_SITE = ".venv/lib/python3.11/site-packages"
_TOML = """
[caches.packages]
packages = ["npm:left", "right"]

[caches.checkout]
sources = [{{ git = "vendor/lib", path = "docs" }}]

[caches.shared]
sources = {{ oci = "{registry}/team/handbook:stable" }}
"""
_FILES = {
    "docs/pages.rst": "Pages\n=====\n\n.. include:: shared.txt\n\nWords of a page.\n",
    "docs/shared.txt": "Words of more than one page.\n",
    "docs/manual.adoc": "= Manual\n\nA page of a manual.\n",
    "node_modules/left/package.json": '{"name": "left", "version": "1.0.0", "types": "index.d.ts"}\n',
    "node_modules/left/README.md": "# Left\n\nPads.\n",
    "node_modules/left/index.d.ts": "/** Pads a text. */\nexport declare function left(text: string): string;\n",
    ".venv/pyvenv.cfg": "version = 3.11.0\n",
    f"{_SITE}/right-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: right\nVersion: 1.0\n\n# Right\n\nPads.\n",
    f"{_SITE}/right-1.0.dist-info/RECORD": "right/__init__.py,,\nright/more.py,,\nright-1.0.dist-info/METADATA,,\n",
    f"{_SITE}/right/__init__.py": '"""Pads on the other side."""\n',
    f"{_SITE}/right/more.py": '"""More of it."""\n\n\ndef right(text: str) -> str:\n    """Pad a text."""\n',
    "vendor/lib/docs/lib.md": "# Lib\n\nWhat the checkout says.\n",
    ".env": f"PASSWORD={IGNORED_WORD}\n",
    ".codex/config.toml": 'model = "x"\n\n[mcp_servers.other]\ncommand = "other"\n',
    ".cursor/mcp.json": '{\n  "mcpServers": {"other": {"command": "other"}}\n}\n',
    ".mcp.json": '{"mcpServers": {}}\n',
    "AGENTS.md": "# Agents\n\nBe kind.\n",
    "README.md": "# Deploys\n\nBrings releases to people.\n",
}
# A module that Python would load, or a program that a shell would find, if it looked in the project.
_MODULES = ("sitecustomize.py", "usercustomize.py", "json.py", "holdfast.py")
_PROGRAMS = ("context", "git", "python3", "npm")
_HOOKS = ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout")


class CommandLine(NamedTuple):
    """What a person types, and the state of the project it is typed in."""

    words: tuple[str, ...]
    state: str = BEHIND
    stdin: bytes = b""

    @property
    def name(self) -> str:
        return shlex.join(self.words) + (f" ({self.state})" if self.state != BEHIND else "")

    @property
    def is_gate(self) -> bool:
        return "--check" in self.words or self.words[0] == "doctor" or self.words[:2] == ("spec", "check")

    @property
    def may_connect(self) -> bool:
        return self.words[0] in ("sync", "pull", "push") and "--check" not in self.words


def command_lines(registry: str) -> list[CommandLine]:
    """Every example of every command, and what no example does: gates, set-up that writes, calls of a server."""
    lines = [
        CommandLine(tuple(shlex.split(example.words.replace(REGISTRY, registry))[1:]))
        for name, examples in EXAMPLES.items()
        for example in examples
        # A watch does not end by itself, and a page in a browser neither.
        if name != "watch" and example.words != "context explore" and (registry or REGISTRY not in example.words)
    ]
    more = [
        *(
            "init",
            "sync docs",
            "sync --strict",
            "sync --check --lock-only",
            "regen --all",
            "status --check --untracked",
        ),
        *("setup git", "setup ci", "setup codex cursor claude-code --project --yes", "outdated packages checkout"),
        *("setup codex cursor --project --undo --yes", "list --format pretty", "spec check", "steering init"),
        *("add more handbook", "add pads --package npm:left", "add pads --package right", "search pads words lib"),
    ]
    lines += [CommandLine(tuple(shlex.split(line))) for line in more]
    for line in ("sync", "sync --check", "sync --check --lock-only", "doctor", "search words", "add more handbook"):
        lines.append(CommandLine(tuple(line.split()), IN_STEP))
    if registry:
        lines.append(CommandLine(("push", "docs", f"oci://{registry}/team/docs:1.5"), IN_STEP))
        lines.append(CommandLine(("pull", "shared"), IN_STEP))
    lines.append(CommandLine(("serve",), stdin=_session()))
    return list(dict.fromkeys(lines))


def _session() -> bytes:
    """Lines to a server: every tool once."""
    from playground import offered_calls

    from holdfast.core.canonical_json import encode

    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "clone", "version": "0"}}
    asked = [
        ("initialize", opening),
        *[("tools/call", {"name": tool, "arguments": one}) for tool, one in offered_calls()],
    ]
    lines = [{"jsonrpc": "2.0", "id": at, "method": name, "params": given} for at, (name, given) in enumerate(asked)]
    return b"".join([encode(line).encode() + b"\n" for line in lines])


class World(NamedTuple):
    """A folder with `home`, `outside` and `home/project` in it."""

    top: Path

    @property
    def project(self) -> Path:
        return self.top / "home" / "project"

    @property
    def outside(self) -> Path:
        return self.top / "outside"

    def environment(self) -> dict[str, str]:
        """What a command finds: the home of this world, and the programs of the machine."""
        home = self.top / "home"
        programs = os.pathsep.join([os.path.dirname(sys.executable), "/usr/local/bin", "/usr/bin", "/bin"])
        folders = {"CACHE": ".cache", "STATE": ".local/state", "CONFIG": ".config"}
        return {
            "HOME": str(home),
            "PATH": programs,
            "LANG": "C.UTF-8",
            "SOURCE_DATE_EPOCH": EPOCH,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"XDG_{kind}_HOME": str(home / folder) for kind, folder in folders.items()},
        }

    def copy_to(self, top: Path) -> World:
        """The same at another place, as a tool that keeps times and links copies it."""
        subprocess.run(["rm", "-rf", str(top)], check=True)
        subprocess.run(["cp", "-a", str(self.top), str(top)], check=True)
        return World(top)

    def everything_outside(self) -> dict[str, tuple[object, ...]]:
        """What there is, the project and the product's own folders of the user aside."""
        found: dict[str, tuple[object, ...]] = {}
        own = (self.project, self.top / "home/.cache/holdfast", self.top / "home/.local/state/holdfast")
        for folder, folders, files in os.walk(self.top):
            folders[:] = [name for name in folders if Path(folder, name) not in own]
            for name in [*folders, *files]:
                path = os.path.join(folder, name)
                status = os.lstat(path)
                # A folder's time also changes by the product's own folder in it; its names are compared themselves.
                shown = (status.st_mode, status.st_uid, 0 if name in folders else status.st_mtime_ns)
                data: object = os.readlink(path) if os.path.islink(path) else b""
                if os.path.isfile(path) and not os.path.islink(path):
                    data = Path(path).read_bytes()
                found[os.path.relpath(path, self.top)] = (*shown, data)
        return found


Stamps = dict[str, tuple[int, ...]]


class Copy:
    """A copy of a world that is put right after each use: what was changed is copied again, and nothing else."""

    def __init__(self, template: World, top: Path) -> None:
        self._template = template
        self._world = World(top)
        self._stamps: Stamps = {}

    def fresh(self) -> World:
        """The world as its template is."""
        if not self._stamps:
            self._template.copy_to(self._world.top)
        else:
            self._restore()
        self._stamps = _every_stamp(self._world.top)
        return self._world

    def _restore(self) -> None:
        top, template = str(self._world.top), str(self._template.top)
        found = _every_stamp(self._world.top)
        changed = {path for path in {**found, **self._stamps} if found.get(path) != self._stamps.get(path)}
        touched = {os.path.dirname(path) for path in changed}
        for path in sorted(changed & found.keys(), reverse=True):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        for path in sorted(self._stamps):
            source = f"{template}{path.removeprefix(top)}"
            if os.path.lexists(path):
                continue
            if os.path.isdir(source) and not os.path.islink(source):
                os.mkdir(path)
                touched.add(path)
            else:
                shutil.copy2(source, path, follow_symlinks=False)
        for folder in sorted(touched & (self._stamps.keys() | {top}), reverse=True):
            shutil.copystat(f"{template}{folder.removeprefix(top)}", folder)


def _every_stamp(top: Path) -> Stamps:
    """By path what changes with every change: of a folder its kind and rights, of anything else also its times."""
    found: Stamps = {}
    folders = [str(top)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                    found[entry.path] = (status.st_mode, status.st_uid)
                else:
                    found[entry.path] = (status.st_mode, status.st_uid, status.st_ino, status.st_ctime_ns)
    return found


def lay_out(top: Path, registry: str) -> dict[str, World]:
    """Make the world in each of its states. Where there is a registry, it holds a cache for the project afterwards."""
    world = World(top / IN_STEP)
    for folder in (".cache", ".local/state", ".config"):
        (world.top / "home" / folder).mkdir(parents=True)
    (world.top / "home" / ".bashrc").write_text("# of a person\n")
    _outside(world.outside)
    project = world.project
    project.mkdir()
    for name, text in _FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, "utf-8")
    git(project / "vendor/lib", "init", "-q")
    git(project / "vendor/lib", "add", "-A")
    git(project / "vendor/lib", "commit", "-qm", "documentation")
    (project / "docs").rename(project / "kept")
    example_project(project)
    for file in (project / "kept").iterdir():
        file.rename(project / "docs" / file.name)
    (project / "kept").rmdir()
    (project / ".gitignore").write_text((project / ".gitignore").read_text() + ".env\nnode_modules/\n.venv/\n")
    environment = world.environment()
    declared = _TOML if registry else _TOML.partition("[caches.shared]")[0]
    with open(project / "context.toml", "a", encoding="utf-8") as settings:
        settings.write(declared.format(registry=registry))
    if registry:
        _done(world, environment, "push", ".context/older", f"oci://{registry}/team/handbook:stable")
        _done(world, environment, "pull", "shared")
    _done(world, environment, "sync")
    for hook in [*project.glob(".git/hooks/*"), *project.glob("vendor/lib/.git/hooks/*")]:
        hook.unlink()  # an example of git's own
    _plant_marks(world)
    _done(world, environment, "init", "--all", "--full")
    git(project, "add", "-A", ":!vendor")
    git(project, "commit", "-qm", "more of it")
    git(project, "gc", "-q")
    words: tuple[str, ...]
    for words in (("regen", "--all"), ("sync",)):
        _done(world, environment, *words)
    behind = world.copy_to(top / BEHIND)
    (behind.project / "docs/guide.md").write_text("# Deploying\n\nNever deploy on a Friday.\n", "utf-8")
    (behind.project / "src/undo.py").write_text('"""Takes two releases back."""\n', "utf-8")
    with open(behind.project / ".spec-context/specs/login/tasks.md", "a", encoding="utf-8") as tasks:
        tasks.write("- [ ] 2. Draw another\n  - _Requirements: 9.9_\n")
    shutil.rmtree(behind.project / ".context/caches/shared", ignore_errors=True)
    # What an attacker has: the same project as it is once it was brought in step.
    twin = behind.copy_to(top / "twin")
    _done(twin, twin.environment(), "sync")
    for words in (("sync", "--check"), ("sync", "--check", "--lock-only"), ("doctor",), ("spec", "check")):
        codes = [run(words, str(one.project), one.environment()).code for one in (world, behind)]
        if codes != [0, 8]:
            raise RuntimeError(f"{words} in step and behind: {codes}")
    return {IN_STEP: world, BEHIND: behind, "twin": twin}


def _outside(folder: Path) -> None:
    (folder / "folder").mkdir(parents=True)
    (folder / "moved").mkdir()
    (folder / "file.md").write_text(f"# Of a person\n\n{FILE_WORD} is nobody's business.\n")
    for name in ("README.md", "guide.md", "deploy.py", "notes.txt", "requirements.md"):
        (folder / "folder" / name).write_text(f'"""\n# Of a person\n\n{FOLDER_WORD} of {name}.\n"""\n')
    (folder / "hard").write_text("a file with a second name\n")


def _plant_marks(world: World) -> None:
    """Whatever runs one of these is seen: it makes a file outside the project."""
    mark, project = world_mark(world.project), world.project
    evil = project / "evil"
    evil.mkdir()
    for folder in (project, evil):
        for name in _MODULES:
            (folder / name).write_text(f"import os\nopen(os.environ.get('HOME', '') + '/{MARK}', 'w').close()\n")
    for folder, names in (
        (evil, _PROGRAMS),
        (project / ".git/hooks", _HOOKS),
        (project / "vendor/lib/.git/hooks", _HOOKS),
    ):
        folder.mkdir(exist_ok=True)
        for name in names:
            (folder / name).write_text(f'#!/bin/sh\n: > "$HOME/{MARK}"\n')
            (folder / name).chmod(0o755)
    assert not mark.exists()


def world_mark(project: Path) -> Path:
    """The file that something of the project leaves where it was run."""
    return project.parent / MARK


def _done(world: World, environment: dict[str, str], *words: str) -> None:
    ran = run(words, str(world.project), environment)
    if ran.code:
        raise RuntimeError(f"{words}: {ran.output.decode()}")
