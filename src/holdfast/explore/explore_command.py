"""`context explore`: serve until interrupted, or write everything to a file."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from errno import EACCES, EADDRINUSE
from secrets import token_urlsafe
from tempfile import mkdtemp
from threading import Thread

from holdfast.core.atomic_write import write_output_file
from holdfast.core.confined_paths import printable
from holdfast.core.errors import IoError, UsageError
from holdfast.core.standard_streams import write_error, write_output
from holdfast.explore.explorer import Explorer
from holdfast.explore.loopback import HOST, LoopbackServer
from holdfast.explore.project_look import ProjectLook
from holdfast.workspace import Workspace


def explore(
    workspace: Workspace, *, port: int, opens: bool, chosen: bool, out: str | None, receipts: str | None
) -> int:
    """Carry the command out; the exit code. `chosen`: the person said which browser."""
    if not os.path.isdir(workspace.project):
        raise UsageError(f"there is no directory '{printable(workspace.project)}'")
    explorer = Explorer(ProjectLook(workspace, receipts))
    if out is not None:
        write_output_file(workspace.written(out), explorer.snapshot(workspace.clock()).encode("utf-8", "replace"))
        write_output(f"{printable(out)}\n")
        return 0
    return _serve(explorer, port, opens=opens, chosen=chosen)


def _serve(explorer: Explorer, port: int, *, opens: bool, chosen: bool) -> int:
    way = _Way()
    try:
        server = LoopbackServer(port, explorer, token_urlsafe(32), way.remove)
    except OSError as error:
        if error.errno == EADDRINUSE:
            raise UsageError(f"port {port} is in use: choose another, or leave --port out for a free one") from None
        if error.errno == EACCES:
            raise UsageError(f"port {port} is for the system: choose one from 1024, or leave --port out") from None
        raise IoError(f"'{HOST}' cannot be listened at: {error.strerror}") from None
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        write_output(f"{server.address}\n")
        write_error("The address is yours alone: it has a token. Ctrl-C ends it.")
        if opens and (problem := way.open(server.address, chosen=chosen)):
            write_error(f"note: {problem}: open the address yourself")
        server.serve_forever()
    except KeyboardInterrupt:
        write_error("")
    finally:
        server.server_close()
        way.remove()
    return 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


class _Way:
    """Opens a browser without the address on any process's command line, which every user may read: the browser reads
    it from a private file that is removed after use."""

    def __init__(self) -> None:
        self._folder = ""

    def open(self, address: str, *, chosen: bool) -> str:
        """Open a browser; what is in the way, where something is."""
        import webbrowser

        try:
            browser = webbrowser.get()
        except webbrowser.Error:
            return "no browser was found"
        if type(browser) is webbrowser.GenericBrowser and not chosen:
            return "the browser here is one of the terminal"
        try:
            self._folder = mkdtemp(prefix="holdfast-explore-")
            path = os.path.join(self._folder, "open.html")
            with open(path, "w", encoding="utf-8", opener=_private) as file:
                file.write(
                    '<!doctype html><meta charset="utf-8"><title>context explore</title>'
                    f'<meta http-equiv="refresh" content="0; url={address}"><p><a href="{address}">Open it</a></p>'
                )
        except OSError as error:
            return f"no file can be made for the browser: {error.strerror}"
        Thread(target=_quietly, args=(lambda: browser.open(f"file://{path}"),), daemon=True).start()
        return ""

    def remove(self) -> None:
        """Take the file away."""
        folder, self._folder = self._folder, ""
        if folder:
            for remove, path in ((os.unlink, os.path.join(folder, "open.html")), (os.rmdir, folder)):
                try:
                    remove(path)
                except OSError:
                    pass  # gone already


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_EXCL, 0o600)


def _quietly(run: Callable[[], object]) -> None:
    try:
        run()
    except Exception:
        write_error("note: the browser did not open: open the address yourself")
