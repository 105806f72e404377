"""What the kernel refuses to a process after `restrict_to`: tried for real, each right where this kernel knows it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from holdfast.core.landlock import LandlockUnavailable, kernel_abi
from support.doors import StdioServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

try:
    ABI = kernel_abi()
except LandlockUnavailable:
    pytest.skip("this kernel has no Landlock", allow_module_level=True)

NEWEST = 10

# Run as a process of its own: gives up everything, then tries each line of Python and tells how it went.
TRIAL = """
import errno, fcntl, json, os, socket, sys, termios
from holdfast.core.landlock import restrict_to
world = json.loads(sys.argv[1])
inside, outside, written = world["inside"], world["outside"], world["written"]
restrict_to([inside, "/dev/zero"], written=[written, outside + "/link", outside + "/none"], abi=world["abi"])
def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as one:
        one.settimeout(10)
        one.connect(address)
def bind(kind):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.sendto(b"x", ("127.0.0.1", world["udp"]))
def control():
    with open("/dev/zero", "rb") as device:
        try:
            fcntl.ioctl(device, termios.TCGETS)
        except OSError as error:
            if error.errno != errno.ENOTTY:
                raise
told = {}
for name, source in world["attempts"].items():
    try:
        eval(source)
    except OSError as error:
        told[name] = "refused" if error.errno in (errno.EACCES, errno.EPERM, errno.EXDEV) else repr(error)
    else:
        told[name] = "allowed"
print(json.dumps(told))
"""
# What is tried, and the ABI from which on it is refused.
ATTEMPTS: dict[str, tuple[str, int]] = {
    "reading a file inside": ("open(inside + '/file').close()", NEWEST + 1),
    "listing a folder inside": ("os.listdir(inside)", NEWEST + 1),
    "a signal to itself": ("os.kill(os.getpid(), 0)", NEWEST + 1),
    "making a file where it may write": ("open(written + '/new', 'x').close()", NEWEST + 1),
    "listing a folder where it may write": ("os.listdir(written)", NEWEST + 1),
    "renaming a file where it may write": ("os.rename(written + '/file', written + '/other')", NEWEST + 1),
    "removing a file where it may write": ("os.unlink(written + '/other')", NEWEST + 1),
    "reading a file where it may write": ("open(written + '/kept').close()", 1),
    "making a folder where it may write": ("os.mkdir(written + '/folder')", 1),
    "making a link where it may write": ("os.symlink('x', written + '/link')", 1),
    "making a pipe where it may write": ("os.mkfifo(written + '/fifo')", 1),
    "removing a folder where it may write": ("os.rmdir(written + '/sub')", 1),
    "moving a file out of where it may write": ("os.rename(written + '/kept', inside + '/kept')", 1),
    "linking a file into where it may write": ("os.link(inside + '/file', written + '/linked')", 1),
    "making a file where a link leads": ("open(outside + '/real/new', 'x').close()", 1),
    "truncating a file where it may write": ("os.truncate(written + '/kept', 0)", 3),
    "reading a file outside": ("open(outside + '/file').close()", 1),
    "listing a folder outside": ("os.listdir(outside)", 1),
    "writing a file inside": ("open(inside + '/file', 'r+').close()", 1),
    "making a file inside": ("open(inside + '/new', 'x').close()", 1),
    "making a folder inside": ("os.mkdir(inside + '/folder')", 1),
    "removing a file inside": ("os.unlink(inside + '/file')", 1),
    "removing a file outside": ("os.unlink(outside + '/file')", 1),
    "renaming a file inside": ("os.rename(inside + '/file', inside + '/new')", 1),
    "moving a file to another folder inside": ("os.rename(inside + '/file', inside + '/sub/file')", 1),
    "linking a file into another folder inside": ("os.link(inside + '/file', inside + '/sub/file')", 1),
    "executing": ("os.execv(sys.executable, ['python', '-c', ''])", 1),
    "truncating a file inside": ("os.truncate(inside + '/file', 0)", 3),
    "truncating a file outside": ("os.truncate(outside + '/file', 0)", 3),
    "connecting by TCP": ("connect(socket.AF_INET, ('127.0.0.1', world['tcp']))", 4),
    "binding a TCP port": ("bind(socket.SOCK_STREAM)", 4),
    "controlling a device": ("control()", 5),
    "a signal to the parent": ("os.kill(os.getppid(), 0)", 6),
    "connecting to an abstract socket": ("connect(socket.AF_UNIX, '\\0' + world['abstract'])", 6),
    "connecting to a socket outside": ("connect(socket.AF_UNIX, outside + '/socket')", 9),
    "connecting to a socket inside": ("connect(socket.AF_UNIX, inside + '/socket')", 9),
    "binding a UDP port": ("bind(socket.SOCK_DGRAM)", 10),
    "sending by UDP": ("send()", 10),
}


def told_after_giving_up(folder: Path, abi: int) -> dict[str, str]:
    """How each attempt went in a process that gave up what an ABI knows."""
    world = {"inside": str(folder / "inside"), "outside": str(folder / "outside"), "abi": abi}
    world["written"] = str(folder / "written")
    (folder / "inside" / "sub").mkdir(parents=True)
    (folder / "outside" / "real").mkdir(parents=True)
    (folder / "outside" / "link").symlink_to("real")
    (folder / "written" / "sub").mkdir(parents=True)
    for name in ("file", "kept"):
        (folder / "written" / name).write_text("what stands there", encoding="utf-8")
    abstract = f"holdfast-{os.getpid()}-{abi}"
    addresses: dict[str, tuple[int, int, Any]] = {
        "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
        "inside": (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "inside" / "socket")),
        "outside": (socket.AF_UNIX, socket.SOCK_STREAM, str(folder / "outside" / "socket")),
    }
    listening = {}
    for name, (family, kind, address) in addresses.items():
        one = listening[name] = socket.socket(family, kind)
        one.bind(address)
        if kind == socket.SOCK_STREAM:
            one.listen()
    for place in ("inside", "outside"):
        (folder / place / "file").write_text("what stands there", encoding="utf-8")
    attempts = {name: source for name, (source, _) in ATTEMPTS.items()}
    ports = {name: listening[name].getsockname()[1] for name in ("tcp", "udp")}
    given = json.dumps({**world, **ports, "abstract": abstract, "attempts": attempts})
    try:
        done = subprocess.run([sys.executable, "-c", TRIAL, given], capture_output=True, check=False)
    finally:
        for one in listening.values():
            one.close()
    assert done.returncode == 0, done.stderr
    told: dict[str, str] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return told_after_giving_up(tmp_path_factory.mktemp("trial"), min(ABI, NEWEST))


@pytest.mark.parametrize("name", [name for name, (_, since) in ATTEMPTS.items() if since <= ABI])
def test_what_this_kernel_can_refuse_is_refused(name: str, told: dict[str, str]) -> None:
    assert told[name] == "refused"


def test_what_this_kernel_cannot_refuse_is_told_by_its_abi(told: dict[str, str]) -> None:
    assert {how for name, how in told.items() if ATTEMPTS[name][1] > ABI} == {"allowed"}


def test_reading_inside_files_where_it_may_write_and_signals_within_the_process_stay_allowed(
    told: dict[str, str],
) -> None:
    assert {name: told[name] for name, (_, since) in ATTEMPTS.items() if since > NEWEST} == {
        "reading a file inside": "allowed",
        "listing a folder inside": "allowed",
        "a signal to itself": "allowed",
        "making a file where it may write": "allowed",
        "listing a folder where it may write": "allowed",
        "renaming a file where it may write": "allowed",
        "removing a file where it may write": "allowed",
    }


def test_a_kernel_with_an_older_abi_is_asked_for_no_more_than_it_knows(tmp_path: Path) -> None:
    """This kernel stands in for an older one: what that one does not know is not refused, and nothing fails."""
    for abi in {1, 2, 3, 4, 5, 6} & set(range(1, ABI)):
        told = told_after_giving_up(tmp_path / str(abi), abi)
        allowed = {name for name, how in told.items() if how == "allowed"}
        assert allowed == {name for name, (_, since) in ATTEMPTS.items() if since > abi}, abi
        assert set(told.values()) == {"allowed", "refused"}, abi


@pytest.fixture
def confined(tmp_path: Path) -> Iterator[StdioServer]:
    (tmp_path / "caches").mkdir()
    with StdioServer(tmp_path, "--confine", cache_root=None) as server:
        yield server


def test_a_confined_server_still_ends_on_a_signal(confined: StdioServer) -> None:
    confined.request("tools/list", {})
    confined.process.send_signal(signal.SIGTERM)
    assert confined.process.wait(60) == 0
