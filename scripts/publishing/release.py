"""Makes the files of a release and tries them; uploads nothing. Run by ./scripts/release."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .installation import MINORS, Unusable, check_installed, find_python, install
from .judges import (
    Refused,
    build_container,
    judge_bundle,
    judge_containerfile,
    judge_entry,
    judge_licences,
    judge_vulnerabilities,
    make_sbom,
    run_bundle,
    whose_name,
)
from .project_facts import ROOT, Facts, read_facts
from .registry_entry import PublishedBundle, entry_text, registry_entry
from .reproducible_build import NotReproducible, build_twice, sha256


class NotReady(Exception):
    """The tree is not one that a release may be made of."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./scripts/release", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="any commit will do, and the files are thrown away")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files go (default: dist)")
    parser.add_argument("--bundle-url", help="where the .mcpb bundle will be had, for server.json")
    given = parser.parse_args(arguments)
    try:
        facts = read_facts()
        if not given.dry_run:
            check_ready(facts.version)
        with tempfile.TemporaryDirectory() as work:
            is_free, seen = whose_name(facts, Path(work) / "name")
            tell("name", seen)
            if not is_free and not given.dry_run:
                raise NotReady("a release under this name would send people elsewhere")
            files = make_release(Path(work), facts, given.bundle_url)
            if given.dry_run:
                print("== a dry run: nothing is kept")
            else:
                given.out.mkdir(parents=True, exist_ok=True)
                for file in files:
                    shutil.copy(file, given.out / file.name)
                print(f"== {len(files)} files in {given.out}; nothing was uploaded")
    except (NotReady, NotReproducible, Refused, Unusable, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def check_ready(version: str) -> None:
    """Refuse a tree with changes, a commit without the version's tag, and a changelog without the version."""
    if git("status", "--porcelain"):
        raise NotReady("there are changes that are not committed; --dry-run tries the last commit")
    if f"v{version}" not in git("tag", "--points-at", "HEAD").splitlines():
        raise NotReady(f"this commit has no tag v{version}, the version in src/holdfast/version.py")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)}\b", changelog, re.MULTILINE):
        raise NotReady(f"CHANGELOG.md has no heading '## {version}'")


def make_release(work: Path, facts: Facts, bundle_url: str | None) -> list[Path]:
    """Every file of a release of the last commit, each tried; what was seen is printed."""
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct"))
    tell("built twice", f"SOURCE_DATE_EPOCH={epoch}")
    wheel, sdist, bundle = build_twice(work / "build", put_commit, epoch=epoch)
    for file in (wheel, sdist, bundle):
        tell("the same twice", f"{sha256(file)}  {file.name}")

    out = work / "release"
    out.mkdir()
    files = [Path(shutil.copy(file, out)) for file in (wheel, sdist, bundle)]
    entry = out / "server.json"
    published = PublishedBundle(bundle_url, sha256(bundle)) if bundle_url else None
    entry.write_text(entry_text(registry_entry(facts, published)), encoding="utf-8")
    tell("server.json", judge_entry(entry, work / "entry"))
    tell("bundle", judge_bundle(bundle, work / "mcpb"))
    tell("bundle", run_bundle(bundle, work / "run"))
    tell("container", judge_containerfile(ROOT / "Containerfile"))
    tell("container", build_container(ROOT))

    newest = try_everywhere(work / "installed", out / wheel.name, facts)
    sbom = out / f"holdfast-{facts.version}.cdx.json"
    tell("sbom", make_sbom(sbom, newest, ROOT, epoch=epoch))
    tell("licences", judge_licences(sbom))
    tell("vulnerabilities", judge_vulnerabilities(newest))
    return [*files, entry, sbom, write_checksums(out)]


def try_everywhere(work: Path, wheel: Path, facts: Facts) -> Path:
    """Install the wheel with every extra under every Python there is, and bare under one; the newest one's Python."""
    newest = None
    for minor in MINORS:
        python = find_python(minor)
        if python is None:
            tell(f"python 3.{minor}", "not tried: it is not installed here")
            continue
        own = install(python, work / f"3.{minor}", wheel, facts.extras)
        tell(
            f"python 3.{minor}",
            f"with {', '.join(facts.extras)}: {check_installed(own, facts.version, work / f'w{minor}')}",
        )
        newest = own
    if newest is None:
        raise Unusable("none of the Pythons it is for is installed here")
    bare = install(str(newest), work / "bare", wheel, [])
    tell("no extra", check_installed(bare, facts.version, work / "w"))
    return newest


def write_checksums(folder: Path) -> Path:
    """SHA256SUMS of every file there, as `sha256sum --check` reads it, and read by it."""
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{sha256(file)}  {file.name}\n" for file in sorted(folder.iterdir())))
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", sums.name], cwd=folder, check=True)
    tell("checksums", f"{len(sums.read_text().splitlines())} files in SHA256SUMS")
    return sums


def put_commit(target: Path) -> None:
    """The files of the last commit, and nothing that lies about in the tree."""
    target.mkdir()
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", target], input=packed, check=True)


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def tell(what: str, seen: str) -> None:
    print(f"== {what}: {seen}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
