"""Other people's tools, asked whether what we publish is what they expect. Each says why it could not be asked."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .installation import list_tools

if TYPE_CHECKING:
    from .project_facts import Facts

BIN = Path(sys.executable).parent
IMAGE = "holdfast-release"
MCPB = "@anthropic-ai/mcpb@2.1.2"
# How the licences begin, or what their classifiers contain, that dependencies may have.
READ_BY_HAND = {"protobuf": "BSD-3-Clause"}  # whose wheel states none where SBOM tools look
PERMISSIVE = ("MIT", "Apache", "BSD", "PSF", "Python", "ISC", "MPL", "Mozilla Public", "Unlicense", "CNRI")


class Refused(Exception):
    """A judge did not accept a file."""


def judge_entry(entry: Path, work: Path) -> str:
    """server.json by the registry's published schema and its rules for publishers, both as skillsaw carries them."""
    rules = ("--rule", "mcp-registry-server-json-valid", "--rule", "mcp-registry-version-semver")
    lint = [BIN / "skillsaw", "lint", "--strict", "--format", "json", *rules]
    for name in ("ours", "spoilt"):
        (work / name).mkdir(parents=True)
    shutil.copy(entry, work / "ours" / "server.json")
    said = json.loads(_ask([*lint, work / "ours"]))
    spoilt = {**json.loads(entry.read_bytes()), "description": "too long " * 20}
    (work / "spoilt" / "server.json").write_text(json.dumps(spoilt))
    try:
        _ask([*lint, work / "spoilt"])
    except Refused:
        return f"skillsaw {said['version']}: conforms to the registry's schema"
    raise Refused("skillsaw accepts what the schema forbids, so it says nothing of server.json")


def whose_name(facts: Facts, work: Path) -> tuple[bool, str]:
    """Whether the project may have its name in the index that pip is set to, and what was seen there."""
    work.mkdir()
    pip = [sys.executable, "-m", "pip"]
    asked = [*pip, "index", "versions", "--ignore-requires-python", "--pre", facts.name]
    found = subprocess.run(asked, capture_output=True, text=True)
    if found.returncode != 0:
        is_free = "No matching distribution" in found.stderr
        seen = "is free in the index" if is_free else f"could not be asked for: {found.stderr.strip()[-200:]}"
        return is_free, f"{facts.name} {seen}"
    # A wheel only: to learn what an sdist is, its code would be run.
    options = ("--quiet", "--no-deps", "--ignore-requires-python", "--pre", "--only-binary=:all:", "--dest", work)
    subprocess.run([*pip, "download", *options, facts.name], capture_output=True)
    for wheel in work.glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
            if f"mcp-name: {facts.registry_name}" in packed.read(name).decode():
                return True, f"{facts.name} is ours in the index"
    return False, f"{facts.name} in the index is another project's: choose another name in pyproject.toml"


def judge_bundle(bundle: Path, work: Path) -> str:
    """The bundle by the tool of its format: it is valid, can be read, and unpacks to the same files."""
    npm = shutil.which("npm")
    if npm is None:
        return "mcpb: not asked, there is no npm here"
    work.mkdir()
    _ask([npm, "install", "--prefix", work, "--no-save", "--no-audit", "--no-fund", "--loglevel=error", MCPB])
    mcpb = work / "node_modules" / ".bin" / "mcpb"
    _ask([mcpb, "unpack", bundle, work / "unpacked"])
    _ask([mcpb, "validate", work / "unpacked" / "manifest.json"])
    _ask([mcpb, "info", bundle])
    with zipfile.ZipFile(bundle) as packed:
        for name in packed.namelist():
            if (work / "unpacked" / name).read_bytes() != packed.read(name):
                raise Refused(f"mcpb unpacks another {name}")
    return "mcpb: valid, and unpacks to the same files"


def run_bundle(bundle: Path, work: Path) -> str:
    """Start the server as a client does that has unpacked the bundle, with uv, and have it list its tools."""
    with zipfile.ZipFile(bundle) as packed:
        packed.extractall(work / "bundle")
        shown = json.loads(packed.read("manifest.json"))
    project = work / "project"
    project.mkdir()
    started = shown["server"]["mcp_config"]
    places = {"${__dirname}": str(work / "bundle"), "${user_config.project}": str(project)}
    words = [places.get(word, word) for word in started["args"]]
    declared = [tool["name"] for tool in shown["tools"]]
    for arguments in (words, words[: words.index(shown["server"]["entry_point"]) + 1]):
        listed = list_tools([str(BIN / started["command"]), *arguments], project)
        if listed != declared:
            raise Refused(f"the bundle declares {declared} and its server lists {listed}")
    return f"uv: starts the bundle's server, which lists the {len(declared)} tools it declares"


def judge_containerfile(file: Path) -> str:
    """The Containerfile by hadolint, which knows what goes wrong in such files."""
    _ask([BIN / "hadolint", "--failure-threshold", "info", file])
    return "hadolint: nothing to say about the Containerfile"


def build_container(root: Path) -> str:
    """The image, built and started once, where a container engine runs."""
    for engine in filter(None, map(shutil.which, ("podman", "docker"))):
        if subprocess.run([engine, "info"], capture_output=True).returncode:
            continue
        _ask([engine, "build", "--file", root / "Containerfile", "--tag", IMAGE, root])
        try:
            version = _ask([engine, "run", "--rm", "--network", "none", "--entrypoint", "context", IMAGE, "--version"])
        finally:
            subprocess.run([engine, "rmi", IMAGE], capture_output=True)
        return f"{Path(engine).name}: built, and says {version.strip()}"
    return "not built: no container engine runs here"


def make_sbom(target: Path, environment: Path, root: Path, *, epoch: int) -> str:
    """What was installed with every extra, as CycloneDX, checked against its schema; the same for the same packages."""
    made = _ask(
        [
            *(BIN / "cyclonedx-py", "environment", "--pyproject", root / "pyproject.toml", "--mc-type", "application"),
            *("--output-reproducible", "--validate", "--of", "JSON", "--sv", "1.6", "-o", target, environment),
        ],
        SOURCE_DATE_EPOCH=str(epoch),
    )
    text = target.read_text(encoding="utf-8")
    if "file://" in text or str(environment) in text:
        raise Refused(f"the SBOM names places of this machine: {made}")
    return f"cyclonedx: {len(json.loads(text)['components'])} components, valid by the schema of 1.6"


def judge_licences(sbom: Path) -> str:
    """Everything that is installed along is under a licence that asks for no more than to be named."""
    components = json.loads(sbom.read_text(encoding="utf-8"))["components"]
    stated = {each["name"]: _licences(each) for each in components}
    # Of several statements one will do: classifiers repeat the licence in other words, and state more than licences.
    refused = {name: licences for name, licences in stated.items() if not any(map(_is_agreed, licences))}
    if refused:
        raise Refused(f"these licences were not agreed to: {refused}")
    return f"{len(components)} components, each under one of {', '.join(PERMISSIVE)}"


def _licences(component: dict[str, Any]) -> list[str]:
    """The licences of a component as it states them, or as they were read in its repository."""
    stated = component.get("licenses") or [{"expression": READ_BY_HAND.get(component["name"], "none is stated")}]
    return [each.get("expression") or each["license"].get("id") or each["license"]["name"] for each in stated]


def _is_agreed(stated: str) -> bool:
    """Whether a licence, all of several, or one of those to choose from, is among the permissive ones."""
    return all(any(word in part for word in PERMISSIVE) for part in stated.split(" AND "))


def judge_vulnerabilities(python: Path) -> str:
    """What an environment has installed, by pip-audit and the database that it asks, where that can be reached."""
    place = _ask([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    options = ("--vulnerability-service", "osv", "--progress-spinner", "off", "--format", "json", "--path", place)
    done = subprocess.run([str(BIN / "pip-audit"), *options], capture_output=True, text=True, timeout=600)
    try:
        asked = json.loads(done.stdout)["dependencies"]
    except ValueError:
        return f"not asked: {(done.stderr.strip().splitlines() or ['pip-audit says nothing'])[-1][:120]}"
    found = {each["name"]: [one["id"] for one in each["vulns"]] for each in asked if each.get("vulns")}
    if found:
        raise Refused(f"known vulnerabilities: {found}")
    return f"pip-audit: none is known of {len(asked)} packages"


def _ask(command: list[object], **environment: str) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **environment}, timeout=600)
    if done.returncode != 0:
        raise Refused(f"{Path(words[0]).name} {words[1]}: {done.stdout}{done.stderr}")
    return done.stdout
