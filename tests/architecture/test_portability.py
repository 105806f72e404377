"""What only POSIX has lies behind one module, and without it the same questions get the same answers."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent.parent.parent / "src" / "holdfast"
POSIX_MODULES = {"fcntl", "resource", "grp", "pwd", "termios", "posix"}
POSIX_NAMES = {
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "fchmod", "fchdir", "geteuid", "getuid", "pread"),
    *("fork", "killpg", "setsid"),
}
# They run on Linux alone, or start processes where a command asks for several.
SYSTEMS_OWN = {"core/posix_calls", "core/landlock", "http/processes"}

# A process on a system like Windows: no descriptors of directories, no locks, no forks, no exchange of two names.
POORER = """
import ctypes, os, shutil, sys, types
import mcp.server.lowlevel, uvicorn  # the libraries have ways of their own for each system
shutil._use_fd_functions = False
sys.modules["fcntl"] = sys.modules["resource"] = None
names = "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_PATH fchmod fork forkpty geteuid getuid pread statvfs"
for name in [*names.split(), "sched_getaffinity"]:
    if hasattr(os, name):
        delattr(os, name)
os.supports_dir_fd, os.supports_fd = set(), set()
ctypes.CDLL = lambda *_, **__: types.SimpleNamespace()
def without_directories(call):
    def called(*values, **named):
        if any(named.pop(name, None) is not None for name in ("dir_fd", "src_dir_fd", "dst_dir_fd")):
            raise NotImplementedError(call.__name__)
        if call.__name__ in ("scandir", "listdir", "stat", "utime") and values and isinstance(values[0], int):
            raise TypeError(call.__name__)
        if call.__name__ == "open" and os.path.isdir(values[0]):
            raise PermissionError(13, "a directory", values[0])
        return call(*values, **named)
    return called
for name in "open stat scandir listdir mkdir rmdir unlink utime rename link".split():
    setattr(os, name, without_directories(getattr(os, name)))
"""
ASKED = """
import os, pkgutil, sys
from importlib import import_module
import holdfast
modules = [each.name for each in pkgutil.walk_packages(holdfast.__path__, "holdfast.") if "__main__" not in each.name]
for module in modules:
    import_module(module)
from holdfast.catalog import find_tool
from holdfast.cli import main
from holdfast.operation import answer
from holdfast.workspace import Workspace
environment = {"HOME": os.getcwd(), "PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": "1700000000"}
answers = {}
for words in ("add docs docs", "init", "regen src", "spec init login", "verify docs", "status --check"):
    answers[words] = main(words.split(), environment, progress=False)
for folder, folders, files in os.walk(".spec-context"):
    for name in ("", *files):
        os.utime(os.path.join(folder, name), (1_700_000_000, 1_700_000_000))
workspace = Workspace(".", door="tool", environment=environment)
for tool, arguments in (
    ("context.search", {"query": "roll back a deploy"}),
    ("context.resolve", {"cache": "docs", "query": "roll back", "budget": 500}),
    ("context.list_caches", {}),
    ("list_contexts", {}),
    ("query_context", {"scope": "src"}),
    ("spec-status", {"specName": "login"}),
):
    answers[tool] = answer(find_tool(tool), arguments, workspace).text
with open("docs/guide.md", "a") as file:
    file.write("\\n## Later\\n\\nA zebra rolls back nothing.\\n")
answers["edited"] = answer(find_tool("context.search"), {"query": "zebra"}, workspace).text
import json
print(json.dumps({"modules": len(modules), "answers": answers}))
"""


def _project(folder: Path) -> Path:
    (folder / "docs").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "docs" / "guide.md").write_text("# Guide\n\n## Rolling back\n\nA deploy is rolled back in a minute.\n")
    functions = [f'def deploy_{n}() -> None:\n    """Deploy the part {n} of the service."""\n\n\n' for n in range(600)]
    (folder / "src" / "deploy.py").write_text('"""Deploys."""\n\n\n' + "".join(functions))
    return folder


def _answers(folder: Path, *prelude: str) -> dict[str, object]:
    command = [sys.executable, "-c", "\n".join([*prelude, ASKED])]
    done = subprocess.run(command, cwd=_project(folder), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_without_what_only_posix_has_every_module_loads_and_answers_are_the_same(tmp_path: Path) -> None:
    poorer = _answers(tmp_path / "project", POORER)
    (tmp_path / "project").rename(tmp_path / "other")

    assert poorer == _answers(tmp_path / "project")
    assert all(word in str(poorer["answers"]) for word in ("zebra", "fresh", "requirements-needed"))


def test_one_module_uses_what_only_posix_has() -> None:
    users = {}
    for path in PACKAGE.rglob("*.py"):
        place = str(path.relative_to(PACKAGE).with_suffix(""))
        used = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                used |= POSIX_MODULES & {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                used |= POSIX_MODULES & {node.module}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
                used |= POSIX_NAMES & {node.attr}
        if used and place not in SYSTEMS_OWN:
            users[place] = sorted(used)

    assert users == {}
