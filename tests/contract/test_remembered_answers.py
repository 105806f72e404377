"""Tool results on remembered files: each acceptance criterion of the specification, quoted, and never a stale answer.

Names of functions in the quotes are those of the specification; here they are `get_steering_docs` and
`get_missing_steering_docs`.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdfast
from holdfast.catalog import tools
from holdfast.core.file_contents import RememberedFiles
from holdfast.specs import tasks
from holdfast.specs.on_disk import spec_files
from holdfast.specs.on_disk.spec_files import get_missing_steering_docs, get_steering_docs
from holdfast.specs.on_disk.workflow_folder import open_project
from holdfast.workspace import Workspace
from support.doors import Library
from support.file_systems import CountedFiles, pass_a_tick
from support.specs import SpecProject

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.core.file_contents import FileDigest

HIT = ["stat"]
LOAD = ["stat", "open", "fstat", "read", "fstat", "close"]


class Server(Library):
    """A warm process on a project, its system calls counted."""

    def __init__(self, root: Path) -> None:
        self.files = CountedFiles()
        self.remembered = RememberedFiles(self.files)
        self.workspace = Workspace(str(root), door="tool", file_contents=self.remembered)

    def data(self, tool: str, **arguments: str) -> Any:
        return json.loads(self.call(tool, arguments).text)["data"]

    def status(self) -> Any:
        return self.data("spec-status", specName="demo")

    def counts(self, namespace: str) -> tuple[int, ...]:
        return tuple(self.remembered.telemetry()[namespace].values())


@pytest.fixture
def project(tmp_path: Path) -> SpecProject:
    project = SpecProject(tmp_path)
    project.spec("demo")
    project.steering()
    return project


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


class Forgetful:
    """Stands in for what remembers files: the methods of FileContents, and no memory behind them."""

    def read(self, path: str, *, namespace: str, parent: int | None = None) -> bytes | None:
        return RememberedFiles().read(path, namespace=namespace, parent=parent)

    def text(self, path: str, *, namespace: str, parent: int | None = None) -> str | None:
        return RememberedFiles().text(path, namespace=namespace, parent=parent)

    def dated(
        self, key: Any, path: Any, make: Any, *, namespace: str, variant: object = None, parent: int | None = None
    ) -> Any:
        return RememberedFiles().dated(key, path, make, namespace=namespace, variant=variant, parent=parent)

    def digest(self, path: str, *, namespace: str) -> FileDigest | None:
        return RememberedFiles().digest(path, namespace=namespace)

    def memo(
        self, key: Any, paths: Any, make: Any, *, namespace: str, variant: object = None, parent: int | None = None
    ) -> Any:
        return make(*[self.read(path, namespace=namespace, parent=parent) for path in paths])

    def recall(self, key: Any, *, namespace: str) -> object | None:
        return None

    def telemetry(self) -> dict[str, dict[str, int]]:
        return {}


# Run without site packages: reads a file twice, and tells what was loaded for that and what was left on disk.
INLINE = """
import sys
sys.path.insert(0, sys.argv[1])
from holdfast.core.file_contents import RememberedFiles
remembered = RememberedFiles()
remembered.digest(sys.argv[2] + "/tech.md", namespace="x")
for _ in range(2):
    assert remembered.memo("key", [sys.argv[2] + "/tech.md"], len, namespace="x")
loaded = {name.partition(".")[0] for name in sys.modules} - {"holdfast", "__main__"}
import json, os
outside = sorted(loaded - set(sys.stdlib_module_names))
left = sorted(os.listdir(os.path.dirname(sys.argv[2])))
counts = remembered.telemetry()["x"]  # a file as young as this one is read again, and found equal
print(json.dumps({"remembered": counts["hits"] + counts["rereads"], "outside": outside, "left": left}))
"""


class TestRequirement1:
    """File-content cache with mtime and hash invalidation."""

    def test_1(self, project: SpecProject, server: Server) -> None:
        """WHEN a cached file is requested AND the file's mtime matches the cached entry THEN the cache SHALL return the
        cached content without reading the file."""
        path = str(project.folder / "steering" / "tech.md")
        calls = [(server.remembered.text(path, namespace="x"), server.files.taken()) for _ in range(2)]
        assert calls == [("# Tech\n\nRules of tech.\n", LOAD), ("# Tech\n\nRules of tech.\n", HIT)]

    def test_2(self, project: SpecProject, server: Server) -> None:
        """WHEN a cached file is requested AND the file's mtime has changed THEN the cache SHALL re-read the file,
        recompute the hash, and update the entry."""
        file = project.write("notes.md", "one")
        first = server.remembered.digest(str(file), namespace="x")
        file.write_text("two", encoding="utf-8")
        os.utime(file, ns=(10**18, 10**18))
        server.files.taken()
        second = server.remembered.digest(str(file), namespace="x")
        calls = server.files.taken()
        assert (first == second, calls, server.remembered.digest(str(file), namespace="x"), server.files.taken()) == (
            False,
            LOAD,
            second,
            HIT,
        )

    def test_3(self, tmp_path: Path, server: Server) -> None:
        """WHEN a cached file is requested AND the file does not exist THEN the cache SHALL return a miss (not an
        error)."""
        assert (server.remembered.read(str(tmp_path / "none"), namespace="x"), server.counts("x")) == (
            None,
            (0, 1, 0, 0),
        )

    def test_4(self, project: SpecProject) -> None:
        """The cache SHALL be an in-memory `Map` with no external dependencies."""
        before = sorted(os.listdir(project.folder))
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", INLINE, Path(holdfast.__file__).parents[1], project.folder / "steering"],
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout) == {"remembered": 1, "outside": [], "left": before}

    def test_5(self, project: SpecProject, server: Server) -> None:
        """The cache SHALL expose an interface (not a concrete class) so consumers depend on the abstraction."""
        forgetful = Library(project.root)
        forgetful.workspace = Workspace(str(project.root), door="tool", file_contents=Forgetful())
        asked: list[tuple[str, dict[str, Any]]] = [
            ("spec-status", {"specName": "demo"}),
            ("spec-workflow-guide", {}),
            ("get-implementer-guide", {}),
            ("get-reviewer-guide", {"runId": "r"}),
            ("list_contexts", {}),
        ]
        assert not issubclass(Forgetful, RememberedFiles)
        for tool, arguments in asked:
            assert forgetful.call(tool, arguments) == server.call(tool, arguments), tool


class TestRequirement2:
    """Steering document cache integration."""

    def test_1_and_2(self, project: SpecProject, server: Server) -> None:
        """WHEN `getSteeringDocs` is called THEN it SHALL read each document through the file-content cache. WHEN a
        steering document has not changed since last read THEN the cache SHALL return the previously read content."""
        opened = open_project(str(project.root), server.remembered)
        first = get_steering_docs(opened, ["tech", "principles"])
        calls = server.files.taken()
        second = get_steering_docs(opened, ["tech", "principles"])
        assert (calls, server.files.taken(), first == second, server.counts("steering")) == (
            LOAD + LOAD,
            HIT + HIT,
            True,
            (2, 2, 0, 0),
        )

    def test_3(self, project: SpecProject, server: Server) -> None:
        """WHEN a steering document is modified externally THEN the next call SHALL detect the mtime change and
        re-read."""
        opened = open_project(str(project.root), server.remembered)
        get_steering_docs(opened, ["tech"])
        file = project.write("steering/tech.md", "# New\n")
        os.utime(file, ns=(10**18, 10**18))
        assert get_steering_docs(opened, ["tech"]) == {"tech": "# New\n"}

    def test_4(self, project: SpecProject, server: Server) -> None:
        """The steering loader's public API (`getSteeringDocs`, `getMissingSteeringDocs`) SHALL remain unchanged."""
        (project.folder / "steering" / "tech.md").unlink()
        opened = open_project(str(project.root), server.remembered)
        assert (
            list(inspect.signature(get_steering_docs).parameters),
            list(inspect.signature(get_missing_steering_docs).parameters),
            get_steering_docs(opened, ["tech", "product"]),
            get_missing_steering_docs(opened, ["tech", "product"]),
        ) == (["project", "docs"], ["project", "required"], {"product": "# Product\n\nRules of product.\n"}, ["tech"])


class TestRequirement3:
    """Spec-status cache integration."""

    def test_1(self, project: SpecProject, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        """WHEN `spec-status` is called AND the tasks.md file has not changed (mtime+hash match) THEN the tool SHALL
        return the cached parse result."""
        first = server.status()
        server.files.taken()

        def must_not_run(text: str) -> None:
            raise AssertionError("parsed again")

        monkeypatch.setattr(tasks, "parse", must_not_run)
        second = server.status()
        assert (first == second, server.files.taken(), server.counts("spec-status")) == (True, HIT, (1, 1, 0, 0))

    def test_2(self, project: SpecProject, server: Server) -> None:
        """WHEN tasks.md is modified THEN the next `spec-status` call SHALL re-parse and update the cache."""
        before = server.status()["taskProgress"]
        pass_a_tick(project.folder / "specs" / "demo" / "tasks.md")
        project.write("specs/demo/tasks.md", "- [x] 1. a\n- [x] 2. b\n- [-] 3. c\n")
        after = [server.status()["taskProgress"] for _ in range(2)]
        assert (before, after, server.counts("spec-status")) == (
            {"total": 2, "completed": 1, "pending": 1},
            [{"total": 3, "completed": 2, "pending": 0}] * 2,
            (1, 2, 0, 0),
        )

    def test_3(self, project: SpecProject, server: Server) -> None:
        """WHEN spec directory structure changes (new/removed phase files) THEN the cache SHALL detect the change via
        directory mtime."""
        spec = project.folder / "specs" / "demo"
        phases = [server.status()["currentPhase"]]
        for name in ("tasks.md", "design.md", "requirements.md"):
            (spec / name).rename(project.root / name)
            phases.append(server.status()["currentPhase"])
        for name in ("requirements.md", "design.md", "tasks.md"):
            (project.root / name).rename(spec / name)
            phases.append(server.status()["currentPhase"])
        assert phases == [
            *("implementation", "tasks", "design", "requirements"),
            *("design", "tasks", "implementation"),
        ]

    def test_4(self, project: SpecProject, server: Server) -> None:
        """The spec-status tool's public response shape SHALL remain unchanged."""
        answer = json.loads(server.call("spec-status", {"specName": "demo"}).text)
        assert (list(answer), list(answer["data"])) == (
            ["success", "message", "data", "nextSteps", "projectContext"],
            [
                *("name", "description", "currentPhase", "overallStatus", "createdAt", "lastModified"),
                *("phases", "taskProgress"),
            ],
        )


class TestRequirement4:
    """Guide cache invalidation on steering changes."""

    @pytest.mark.parametrize("tool", ["get-implementer-guide", "get-reviewer-guide"])
    def test_1(self, project: SpecProject, server: Server, tool: str) -> None:
        """WHEN `get-implementer-guide` or `get-reviewer-guide` returns a cached guide AND the underlying steering docs
        have changed since the guide was cached THEN the guide cache SHALL be invalidated and the guide recompiled."""
        before = server.call(tool, {"runId": "r"}).text
        pass_a_tick(project.folder / "steering" / "principles.md")
        project.write("steering/principles.md", "# Other principles\n")
        after = server.call(tool, {"runId": "r"}).text
        assert ("Other principles" in before, "Other principles" in after) == (False, True)

    @pytest.mark.parametrize("tool", ["get-implementer-guide", "get-reviewer-guide"])
    def test_2(self, project: SpecProject, server: Server, tool: str) -> None:
        """WHEN steering docs have not changed THEN the existing per-run guide cache SHALL continue to serve cached
        entries."""
        first = server.call(tool, {"runId": "r"}).text
        before = server.counts("guide")
        server.files.taken()
        second = server.call(tool, {"runId": "r"}).text
        assert (first == second, set(server.files.taken())) == (True, {"stat"})
        assert (server.counts("guide")[0] - before[0], server.counts("guide")[1] - before[1]) == (2, 0)

    def test_3(self, project: SpecProject, server: Server) -> None:
        """The guide tools' public response shapes SHALL remain unchanged."""
        shapes = {tool.tool: list(server.data(tool.tool)) for tool in tools() if tool.tool.endswith("-guide")}
        guide = ["guide", "disciplineMode", "guideMode", "guideCacheKey", "searchGuidance"]
        assert shapes == {
            "spec-workflow-guide": ["guide", "steering", "templates", "disciplineMode"],
            "get-implementer-guide": ["guide", "steering", *guide[1:]],
            "get-reviewer-guide": guide,
        }


class TestRequirement5:
    """Cache telemetry."""

    def test_1_and_2(self, project: SpecProject, server: Server) -> None:
        """The cache SHALL track hit count and miss count per cache key namespace (steering, spec-status, guide). Cache
        telemetry SHALL be queryable (e.g., via a method or included in existing telemetry surfaces)."""
        for _ in range(3):
            server.status()
            server.data("get-implementer-guide", runId="r")
        assert server.workspace.file_contents.telemetry() == {
            "guide": {"hits": 4, "misses": 2, "uncached": 0, "rereads": 0},
            "spec-status": {"hits": 2, "misses": 1, "uncached": 0, "rereads": 0},
            "steering": {"hits": 4, "misses": 2, "uncached": 0, "rereads": 0},
        }

    def test_3(self) -> None:
        """Cache telemetry SHALL NOT add new MCP tools — expose through existing telemetry patterns."""
        assert [tool.tool for tool in tools(["specs"])] == [
            *("spec-status", "list-specs", "spec-workflow-guide", "get-implementer-guide", "get-reviewer-guide"),
        ]

    def test_nothing_of_it_is_ever_in_an_answer(self, project: SpecProject, server: Server) -> None:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("spec-status", {"specName": "demo"}),
            ("spec-workflow-guide", {}),
            ("get-implementer-guide", {}),
            ("get-reviewer-guide", {"runId": "r"}),
        ]
        cold = [Server(project.root).call(tool, arguments).text for tool, arguments in calls]
        warm = [[server.call(tool, arguments).text for _ in range(3)] for tool, arguments in calls]
        assert warm == [[text] * 3 for text in cold]


def test_requirement_6_every_criterion_above_has_its_test() -> None:
    """Unit tests SHALL cover cache hit, cache miss, mtime-triggered invalidation, and file-not-found scenarios; verify
    that steering loader returns cached content when files are unchanged; that spec-status returns cached results when
    tasks.md is unchanged; that guide caches invalidate when steering docs change."""
    found = {
        name: sorted(test for test in vars(group) if test.startswith("test_") and test[5].isdigit())
        for name, group in globals().items()
        if name.startswith("TestRequirement")
    }
    assert found == {
        "TestRequirement1": ["test_1", "test_2", "test_3", "test_4", "test_5"],
        "TestRequirement2": ["test_1_and_2", "test_3", "test_4"],
        "TestRequirement3": ["test_1", "test_2", "test_3", "test_4"],
        "TestRequirement4": ["test_1", "test_2", "test_3"],
        "TestRequirement5": ["test_1_and_2", "test_3"],
    }


def _rewrite(file: Path) -> None:
    file.write_bytes(b"- [x] 1. a\n- [x] 2. b\n")


def _restore_the_mtime(file: Path) -> None:
    status = file.stat()
    _rewrite(file)
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def _rename_over(file: Path) -> None:
    other = file.with_name("other")
    _rewrite(other)
    other.replace(file)


def _link_elsewhere(file: Path) -> None:
    other = file.parents[3] / "elsewhere.md"
    _rewrite(other)
    file.unlink()
    file.symlink_to(other)


def _recreate(file: Path) -> None:
    file.unlink()
    _rewrite(file)


@pytest.mark.parametrize("change", [_rewrite, _restore_the_mtime, _rename_over, _link_elsewhere, _recreate])
@pytest.mark.parametrize("at_rest", [True, False], ids=["at rest", "just written"])
def test_a_task_list_changed_in_any_way_is_never_stale(
    project: SpecProject, change: Callable[[Path], None], at_rest: bool
) -> None:
    server = Server(project.root)
    if not at_rest:
        server.files.ahead = 0
    file = project.folder / "specs" / "demo" / "tasks.md"
    before = [server.status()["taskProgress"]["completed"] for _ in range(2)]
    if at_rest:
        pass_a_tick(file)
    change(file)
    assert (before, server.status()["taskProgress"]["completed"]) == ([1, 1], 2)


def test_an_edit_of_requirements_in_place_shows_in_the_next_status(project: SpecProject, server: Server) -> None:
    file = project.folder / "specs" / "demo" / "requirements.md"
    seen = []
    for moment in (1_700_000_000_123_000_000, 1_700_000_001_123_000_000):
        file.write_bytes(b"# Edited\n")
        os.utime(file, ns=(moment, moment))
        seen.append(server.status()["phases"][0]["lastModified"])
    assert seen == ["2023-11-14T22:13:20.123Z", "2023-11-14T22:13:21.123Z"]


def test_consumers_keep_no_map_of_their_own() -> None:
    """No module of the family holds anything that could grow: every module-level value is a constant."""
    source = Path(spec_files.__file__).parent.parent
    for path in source.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Global | ast.Nonlocal), path.name
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("functools", "collections"), path.name
