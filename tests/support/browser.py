"""A real Chromium without a window, told what to do through a pipe: no port, no driver, no network."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome", "chrome") if (path := shutil.which(name))), None
)
NO_BROWSER = "no Chromium is installed here"
_OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--no-first-run", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--remote-debugging-pipe"),
)
# Becomes the browser, which hears at 3 and speaks at 4.
_PLACED = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_KEYS = {"Enter": 13, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, " ": 32}
_SECONDS = 30


class Browser:
    """One page of one browser."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        ours_out, ours_in = os.pipe(), os.pipe()
        told, tells = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in (ours_out[0], ours_in[1])]
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c", _PLACED, str(told), str(tells)),
                *(CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(told, tells),
        )
        for end in (told, tells, ours_out[0], ours_in[1]):
            os.close(end)
        self._out, self._in = ours_out[1], ours_in[0]
        self._rest, self._count, self._session = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.tell(f"{domain}.enable")

    def tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A command of the DevTools protocol; what it gives."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        while True:
            heard = self._hear()
            if heard.get("id") == self._count:
                assert "error" not in heard, (method, heard)
                result: dict[str, Any] = heard["result"]
                return result

    def _hear(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._in, 1 << 16)
            assert data, "the browser has ended"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        heard: dict[str, Any] = json.loads(line)
        if "id" not in heard:
            self.events.append(heard)
            if heard["method"] == "Page.javascriptDialogOpening":  # a page that runs a name would hang otherwise
                raise AssertionError(f"a dialog was opened: {heard['params']}")
        return heard

    def open(self, address: str) -> None:
        """Go to a page, and wait until it is there."""
        begun = len(self.events)
        self.tell("Page.navigate", url=address)
        self._until_loaded(begun)

    def _until_loaded(self, begun: int) -> None:
        while not any(event["method"] == "Page.loadEventFired" for event in self.events[begun:]):
            self._hear()

    def loads(self) -> _Loading:
        """What is done inside leads to another page, which is waited for."""
        return _Loading(self)

    def value(self, expression: str) -> Any:
        """What a script in the page gives; a promise is waited for."""
        told = self.tell("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until something holds in the page."""
        self.value(
            f"new Promise((done, fail) => {{ const look = () => ({expression}) ? done() : setTimeout(look, 25); look();"
            f" setTimeout(() => fail(new Error('waited in vain')), {1000 * _SECONDS}); }})"
        )

    def press(self, key: str) -> None:
        """A key, down and up."""
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": _KEYS[key]}
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        self.tell("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.tell("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text: str) -> None:
        """Text where the focus is."""
        self.tell("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """A click in the middle of the first element that a selector finds."""
        place = self.value(
            f"(() => {{ const each = document.querySelector({json.dumps(selector)}); each.scrollIntoView();"
            " const box = each.getBoundingClientRect(); return [box.x + Math.min(box.width / 2, 40),"
            " box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.tell("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def resize(self, width: int, height: int = 900) -> None:
        """Another size of the page."""
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name: str) -> None:
        """Light or dark."""
        self.tell("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def complaints(self) -> list[str]:
        """Errors of the console so far, and requests that failed."""
        told = []
        for event in self.events:
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                told.append(str(params["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                told.append(str(params["args"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                told.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        return told

    def asked(self) -> list[str]:
        """The address of every request so far."""
        return [
            event["params"]["request"]["url"] for event in self.events if event["method"] == "Network.requestWillBeSent"
        ]

    def close(self) -> None:
        """End it."""
        self._session = ""
        try:
            self.tell("Browser.close")
        except AssertionError:
            pass  # it ended before it could say so
        os.close(self._out)
        os.close(self._in)
        self.process.wait(timeout=_SECONDS)


class _Loading:
    def __init__(self, browser: Browser) -> None:
        self._browser = browser

    def __enter__(self) -> None:
        self._begun = len(self._browser.events)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._browser._until_loaded(self._begun)
