"""How long until the first answer: the server's `initialize`, and `context resolve` on ten documents.

python -m benchmarks.startup [ROUNDS]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import SCRIPT, bare_python, interleaved, report, run_process, user_environment
from holdfast import build_cache

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    b'"clientInfo":{"name":"benchmark","version":"0"}}}\n'
)


def first_answer(folder: Path) -> float:
    """Seconds from spawn to the answer to `initialize`."""
    started = time.perf_counter()
    with subprocess.Popen(
        [SCRIPT, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=user_environment()
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(INITIALIZE)
        server.stdin.flush()
        answer = server.stdout.readline()
        seconds = time.perf_counter() - started
        server.stdin.close()
        server.wait()
    assert b'"serverInfo"' in answer
    return seconds


def main(rounds: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "docs").mkdir()
        for number in range(10):
            text = f"# Page {number}\n\n" + f"word{number} and some more text about deploying. " * 50
            (folder / "docs" / f"{number}.md").write_text(text, encoding="utf-8")
        build_cache(folder / "docs", folder / "cache")
        resolve: list[str | Path] = [
            SCRIPT,
            "resolve",
            "--cache",
            "cache",
            "--query",
            "deploying word3",
            "--budget",
            "4000",
        ]
        seconds = interleaved(
            {
                "python -c pass": bare_python,
                "spawn to the answer to initialize": lambda: first_answer(folder),
                "context resolve, ten documents": lambda: run_process(*resolve, cwd=folder),
            },
            rounds,
        )
    targets = {"spawn to the answer to initialize": 3.0, "context resolve, ten documents": 4.0}
    return 0 if report(seconds, "python -c pass", targets) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
