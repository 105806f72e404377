"""How often claims alarm: real commits replayed over contexts whose words are the repository's own.

python -m benchmarks.claims REPOSITORY... [--commits 60] [--alarms 10]

Each repository is cloned into a temporary directory and taken back some commits of its main line. Contexts are drafted
there and accepted; up to three sentences that the source says of its public symbols become constraints. Then each
commit is checked out, stale contexts are counted, and their claims recorded anew, as by a person who read them.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import defaultdict
from hashlib import sha256
from itertools import combinations
from pathlib import Path

from holdfast.code.analysis.facts import first_sentence
from holdfast.contexts.context_text import edited, quoted
from holdfast.contexts.description import public_exports
from holdfast.contexts.on_disk.directory_view import CONTEXT_FILE
from holdfast.contexts.on_disk.generation import generate, rehash_one
from holdfast.contexts.on_disk.listing import list_project
from holdfast.contexts.on_disk.project import Project
from holdfast.contexts.on_disk.source_facts import gather_facts
from holdfast.core.file_contents import RememberedFiles

NOW = "2026-01-01T00:00:00Z"
NEAR = 10  # commits that may be open at the same time


def git(root: Path, *words: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
    return done.stdout


def write_claims(root: Path) -> int:
    """Contexts as people would have them; how many."""
    contents = RememberedFiles()
    project = Project(contents, str(root))
    found = project.directories()
    facts = gather_facts(project, found).facts()
    generate(project, found, None, now=NOW, every=True)
    written = 0
    for item in Project(contents, str(root)).directories():
        file = root / item.place / CONTEXT_FILE
        if not item.kept or item.view is None or not file.exists():
            continue
        said = [
            f"`{export.owner}{'.' if export.owner else ''}{export.name}`: {sentence}"
            for _, export in public_exports(item.place, facts.get(item.place, ()))
            if export.doc and export.name and (sentence := first_sentence(export.doc))
        ]
        said.sort(key=lambda text: sha256(text.encode()).hexdigest())
        headline = item.view.headline()
        if not said and not headline.summary:
            file.unlink()
            continue
        changes = {"derived_fields": ["version", "scope", "fingerprint", "last_updated", "maintenance"]}
        text = edited(file.read_text(), changes)
        if said:
            text = text.replace(
                "maintenance:",
                "constraints:\n" + "".join([f"  - {quoted(one)}\n" for one in said[:3]]) + "maintenance:",
                1,
            )
        file.write_text(text)
        written += 1
    for item in Project(RememberedFiles(), str(root)).directories():
        if item.view is not None and item.view.has_context:
            rehash_one(Project(RememberedFiles(), str(root)), item)
    return written


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--alarms", type=int, default=10, help="how many alarms to print, spread over all")
    given = parser.parse_args()
    alarms: list[str] = []
    for repository in given.repositories:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / repository.name
            subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(repository), str(root)], check=True)
            commits = git(root, "rev-list", "--first-parent", "-n", str(given.commits + 1), "HEAD").split()[::-1]
            git(root, "checkout", "-q", commits[0])
            count = write_claims(root)
            contents = RememberedFiles()
            stale: dict[str, set[str]] = defaultdict(set)
            files: list[set[str]] = []
            for commit in commits[1:]:
                git(root, "checkout", "-q", commit)
                files.append(set(git(root, "diff", "--name-only", f"{commit}~1", commit).split("\n")) - {""})
                project = Project(contents, str(root))
                entries = [one for one in list_project(project).entries if one.state == "stale"]
                found = {item.place: item for item in project.directories()}
                for entry in entries:
                    stale[commit].add(entry.scope)
                    alarms += [f"{repository.name} {commit[:10]} {entry.scope} — {change}" for change in entry.changes]
                    rehash_one(project, found[entry.place])
            total = sum(map(len, stale.values()))
            rounds = len(commits) - 1
            near = [(a, b) for a, b in combinations(range(rounds), 2) if b - a <= NEAR and not files[a] & files[b]]
            clashes = sum([bool(stale[commits[a + 1]] & stale[commits[b + 1]]) for a, b in near])
            print(
                f"{repository.name}: {count} contexts, {rounds} commits; stale {total} times, "
                f"{100 * total / max(1, count * rounds):.2f} % of commits for a context; "
                f"{sum(map(bool, stale.values()))} commits with a stale context; "
                f"{100 * clashes / max(1, len(near)):.1f} % of {len(near)} near pairs renew the same context",
                flush=True,
            )
    step = max(1, len(alarms) // max(1, given.alarms))
    print("\n".join(alarms[::step][: given.alarms]))


if __name__ == "__main__":
    main()
