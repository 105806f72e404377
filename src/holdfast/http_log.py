"""What the libraries of a server over HTTP log: a failure of the server is told on stderr, what a client did is not.

Uvicorn and the SDK warn of every request that they refuse, in the words of who sent it, and show where a client went
away. Anybody who reaches the port could fill a disk with that; `/metrics` counts it.
"""

from __future__ import annotations

import logging

from starlette.requests import ClientDisconnect

from holdfast.core.standard_streams import write_error


class _Failures(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, ClientDisconnect):
            for line in self.format(record).rstrip("\n").split("\n"):
                write_error(line)


def log_failures_alone() -> None:
    """From now on this process tells what failed, and nothing less."""
    logging.getLogger().handlers = [_Failures(logging.ERROR)]
