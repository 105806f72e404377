"""A small project in which every example of the help texts runs: documentation, sources, specs, receipts, a history."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from support.doors import run_context
from support.projects import git
from support.specs import SpecProject

if TYPE_CHECKING:
    from pathlib import Path

CAN_SIGN = find_spec("cryptography") is not None
GUIDE = """# Deploying

How we bring a release to people.

## Deploy

Push to `main`; the pipeline does the rest.

## Roll back

To roll back a deploy, run `deploy --to PREVIOUS`.
Then tell the others.
"""
CODE = '''"""Brings releases to people."""


def deploy(version: str) -> str:
    """Bring one version."""
    return version
'''
CONTEXT = "version: 1\nscope: src\nfingerprint: 0000000000000000\nsummary: Deploys.\n"
LIVING = "# accounts\n\n## Requirements\n\n### Requirement: Log in\nIt SHALL let people in.\n"
ADDED = "## ADDED Requirements\n\n### Requirement: Log out\nIt SHALL let people out.\n"
REQUIREMENTS = """# Requirements

### Requirement 1: Log in

**User Story:** As a reader, I want to log in, so that I see my notes.

#### Acceptance Criteria

1. WHEN the password is right THEN the system SHALL let the reader in.
"""
DESIGN = "# Design\n\nOne form, one table.\n\n_Requirements: 1.1_\n"


def example_project(root: Path) -> None:
    """Write everything, as a person would have it after a week."""
    (root / "docs" / "api").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text(GUIDE, "utf-8")
    (root / "docs" / "api" / "deploy.md").write_text("# deploy\n\nTakes a version.\n", "utf-8")
    (root / "handbook").mkdir()
    (root / "handbook" / "start.md").write_text("# Start\n\nSay hello.\n", "utf-8")
    (root / "src").mkdir()
    (root / "src" / "deploy.py").write_text(CODE, "utf-8")
    (root / ".context.config.yaml").write_text("min_tokens: 0\n", "utf-8")
    (root / ".gitignore").write_text(".context/caches/\n.context/receipts/\n*.key\n*.key.pub\n*.tar\n", "utf-8")
    for name in ("base", "ours", "theirs"):
        (root / f"{name}.yaml").write_text(CONTEXT, "utf-8")
    _specs(SpecProject(root))
    _done(root, "add", "docs", "docs")
    _done(root, "bundle", "docs.tar")
    _done(root, "build", "--sources", "handbook", "--cache", ".context/older")
    if CAN_SIGN:
        _done(root, "sign", "--new-key", "team.key")
    _done(root, "init", "--full", "--no-agents")
    _done(root, "spec", "approve", "login", "requirements", "--by", "ada")
    (root / "src" / "undo.py").write_text('"""Takes a release back."""\n', "utf-8")
    (root / ".context" / "receipts").mkdir()
    _done(root, "search", "roll back", "--receipt", "receipt.json")
    cited = _done(root, "search", "roll back", "--format", "outline").partition("guide.md#L")
    citation = "".join(cited[1:]).split()[0]
    (root / "answer.md").write_text(f"Run deploy with the version before ({citation}).\n", "utf-8")
    (root / "invented.md").write_text("Ask nicely (guide.md#L1-L3@0123456789ab).\n", "utf-8")
    (root / "queries.txt").write_text("roll back\n", "utf-8")
    telemetry = '{"calls":{},"file_contents":{},"answers":{"context.read":{"given":2,"failed":0,"bytes":900}}}\n'
    (root / "telemetry.log").write_text(telemetry, "utf-8")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a week of it")


def _specs(specs: SpecProject) -> None:
    for name, tasks in (("login", "- [ ] 1. Draw the form"), ("finished", "- [x] 1. Draw the form")):
        specs.write(f"specs/{name}/requirements.md", REQUIREMENTS)
        specs.write(f"specs/{name}/design.md", DESIGN)
        specs.write(f"specs/{name}/tasks.md", f"# Tasks\n\n{tasks}\n  - _Requirements: 1.1_\n")
    specs.write("living/accounts.md", LIVING)
    specs.write("specs/login/delta/accounts.md", ADDED)
    specs.steering()


def _done(root: Path, *words: str) -> str:
    done = run_context(*words, cwd=root)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout.decode()
