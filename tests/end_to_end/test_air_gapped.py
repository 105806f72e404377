"""The tutorial for machines without a network runs from its first to its last line in a namespace that has none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "air-gapped.md"
# What `holdfast-context[analysis,tokens]` needs, by the beginnings of names.
NEEDED = ("tree-sitter", "tree_sitter", "pyyaml", "rich", "markdown-it-py", "mdurl", "pygments", "splintr")
RUN_PAGE = """
import json, socket, sys
from pathlib import Path
from support.transcripts import playground, steps

assert [name for _, name in socket.if_nameindex()] == ["lo"]
page = Path(sys.argv[1]).read_text(encoding="utf-8")
with playground(page) as place:
    for name in ("pip", "python3"):
        words = "-m pip" if name == "pip" else ""
        (place.programs / name).write_text(f'#!/bin/sh\\nexec "{sys.executable}" {words} "$@"\\n')
        (place.programs / name).chmod(0o755)
    named = place.environment()
    place.environment = lambda: {**named, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": sys.argv[2]}
    for step in steps(page, with_excused=True):
        for command in step.commands:
            ran = place.run(command.shown)
            print(json.dumps([command.shown, ran.exit_code, *ran.printed]), flush=True)
"""


def has_namespaces() -> bool:
    program = shutil.which("unshare")
    return program is not None and subprocess.run([program, "-rn", "true"], capture_output=True).returncode == 0


def pack(one: Distribution, into: Path) -> None:
    """Write the wheel that an installed distribution came from."""
    about = dict(line.split(": ", 1) for line in (one.read_text("WHEEL") or "").splitlines() if ": " in line)
    name = one.metadata["Name"].replace("-", "_")
    with zipfile.ZipFile(into / f"{name}-{one.version}-{about['Tag']}.whl", "w") as wheel:
        for file in one.files or []:
            if ".." not in file.parts and file.suffix != ".pyc" and file.name not in ("INSTALLER", "REQUESTED"):
                wheel.write(str(file.locate()), str(file))


@pytest.mark.skipif(not has_namespaces(), reason="namespaces without a network cannot be made here (unshare -rn)")
def test_every_line_of_the_tutorial_succeeds_without_a_network(tmp_path: Path) -> None:
    wheels = tmp_path / "wheelhouse"
    wheels.mkdir()
    for one in distributions():
        if one.metadata["Name"].lower().startswith(NEEDED):
            pack(one, wheels)
    made = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet", "--wheel-dir", str(wheels)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *made, str(ROOT)], check=True, timeout=120)
    done = subprocess.run(
        ["unshare", "-rn", sys.executable, "-c", RUN_PAGE, str(PAGE), str(wheels)],
        capture_output=True,
        timeout=240,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
    )
    assert done.returncode == 0, done.stderr.decode()
    ran = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each for each in ran if each[1]] == []
    text = "\n".join([line for each in ran for line in each[2:]])
    assert len(ran) == PAGE.read_text(encoding="utf-8").count("\n$ ")
    for said in ("wheels\n", "Successfully installed", "Sound, nothing written", "exit 8", "On call", "1 changed"):
        assert said in text
