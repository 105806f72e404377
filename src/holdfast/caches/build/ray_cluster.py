"""A Ray to work on: one that is started here and ended with the build, a cluster at an address, or the connection that
this program has already.

The only module that imports Ray. What Ray says of a failure becomes an `EngineFailed`; what a task says stays as it is.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from holdfast.core.errors import ContextError, EngineFailed, InternalError, UsageError
from holdfast.core.worker_pool import core_count
from holdfast.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    # The tasks of one step: a number, and what each gives, all at once.
    Submissions = Iterable[tuple[int, list[Any]]]

# Where `ray start --head` listens for clients.
CLIENT_PORT = 10001
# A task whose worker ended is begun so many times more.
RETRIES = 3
# Tasks a core that are begun or wait for one: what is read ahead of the workers is bounded by it.
_AHEAD = 2
# The sockets of a Ray lie in its folder, and the path of a socket has 103 bytes at most.
_LONGEST_FOLDER = 16
_START_SECONDS = 120  # that the head of a Ray has to come up, on a machine that others keep busy
_STARTS = 3  # times that a Ray is started, where it does not come up
_PATIENCE = 10  # seconds until a host that does not answer is given up
_EXTRA = "the engine 'ray' is not installed: pip install 'holdfast[ray]'"


class RayCluster:
    """Tasks in, results out. Nothing is started before `connect`; what was started is gone after `leave`."""

    def __init__(self, address: str, workers: int | None) -> None:
        self._host, self._port = _parsed(address) if address else ("", 0)
        if find_spec("ray") is None or (address and find_spec("grpc") is None):
            raise UsageError(_EXTRA)
        self._workers = workers
        self._ray: Any = None
        self._leave: list[Callable[[], None]] = []  # what is to be undone, the last first
        self._under_way: dict[Any, tuple[int, list[Any]]] = {}
        self.cores = 1

    def connect(self) -> None:
        """Connect to the cluster, or start one; EngineFailed where that cannot be done or this release cannot run."""
        if self._ray is not None:
            return
        if self._host:
            _check_listening(self._host, self._port)
            self._ray = self._joined(f"ray://{self._host}:{self._port}")
        elif "ray" in sys.modules and sys.modules["ray"].is_initialized():
            self._ray = sys.modules["ray"]  # whoever connected it keeps it
        else:
            self._ray = self._started()
        self.cores = max(1, round(self.ask(self._ray.cluster_resources).get("CPU", 1)))
        self._check_worker()

    def leave(self) -> None:
        """Cancel what is under way, and end what was started here and only that."""
        under_way, self._under_way = list(self._under_way), {}
        if self._ray is not None and not self._is_own:
            for task in under_way:
                try:
                    self._ray.cancel(task, force=True)
                except Exception:  # the cluster is gone, and its tasks with it
                    break
        self._ray = None
        while self._leave:
            self._leave.pop()()

    @property
    def _is_own(self) -> bool:
        return not self._host and bool(self._leave)

    def put(self, value: object) -> Any:
        """Keep a value in the cluster; what stands for it."""
        return self.ask(lambda: self._ray.put(value))

    def get(self, kept: Any) -> Any:
        """The value that was kept, or that a task gives; what a task met is raised as it was."""
        return self.ask(lambda: self._ray.get(kept))

    def begin(self, function: Callable[..., Any], *arguments: object, returns: int = 1) -> list[Any]:
        """Begin a task: what stands for each of so many results."""
        made = self._ray.remote(function).options(num_returns=returns, max_retries=RETRIES, retry_exceptions=False)
        given = self.ask(lambda: made.remote(*arguments))
        return given if returns > 1 else [given]

    def flow(self, submissions: Submissions) -> Iterator[tuple[int, list[Any]]]:
        """Begin tasks, so many at a time as the cluster has use for, and give each that is done, as it comes.

        The first are begun at once.
        """
        waiting = iter(submissions)
        self._fill(waiting)
        return self._done(waiting)

    def _fill(self, waiting: Iterator[tuple[int, list[Any]]]) -> None:
        while len(self._under_way) < _AHEAD * self.cores:
            begun = next(waiting, None)
            if begun is None:
                return
            self._under_way[begun[1][0]] = begun

    def _done(self, waiting: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
        while self._under_way:
            ready = self.ask(lambda: self._ray.wait(list(self._under_way), num_returns=1))[0]
            done = [self._under_way.pop(task) for task in ready]
            self._fill(waiting)
            yield from done

    def ask(self, question: Callable[[], Any]) -> Any:
        """What Ray answers; its failures as EngineFailed."""
        from ray.exceptions import RayError, RayTaskError

        try:
            return question()
        except RayTaskError as error:
            raise _of_task(error.cause) from None
        except ContextError:
            raise
        except (RayError, ConnectionError, RuntimeError) as error:
            raise EngineFailed(f"{_first_line(error)} (a task is begun {RETRIES + 1} times at most)") from None

    def _joined(self, address: str) -> Any:
        import ray

        try:
            context = ray.init(address, log_to_driver=False, configure_logging=False)
        except Exception as error:  # Ray, gRPC and both versions have errors of their own
            raise EngineFailed(f"the Ray cluster at {address} cannot be joined: {_first_line(error)}") from None
        self._leave.append(context.disconnect)
        return ray

    def _started(self) -> Any:
        from shutil import rmtree
        from tempfile import gettempdir, mkdtemp

        self._leave.append(_with_environment(_environment()))
        import ray

        usual = gettempdir()
        # A folder of its own, for its user alone, that nobody can name before it is there.
        folder = mkdtemp(prefix="hf-ray-", dir=usual if len(usual) <= _LONGEST_FOLDER else "/tmp")  # noqa: S108  # it is only where that folder is made
        self._leave.append(lambda: rmtree(folder, ignore_errors=True))
        self._leave.append(_keeping_signals())
        self._leave.append(_keeping_quiet())
        self._leave.append(lambda: _ended(ray))
        for left in reversed(range(_STARTS)):
            try:
                ray.init(
                    address="local",
                    num_cpus=self._workers or core_count(),
                    include_dashboard=False,
                    log_to_driver=False,
                    configure_logging=False,
                    _temp_dir=folder,
                )
                break
            except Exception as error:  # on a busy machine a part of it comes too late, or another takes its port
                if not left:
                    raise EngineFailed(f"Ray cannot be started here: {_first_line(error)}") from None
                _ended(ray)
        return ray

    def _check_worker(self) -> None:
        """Refuse a cluster that has no Holdfast, or another release; each task looks once more."""

        def look() -> tuple[str, str]:  # travels by value, being nobody's attribute
            try:
                from holdfast.version import __version__ as there
            except ImportError:
                there = ""
            return there, sys.byteorder

        there, order = self.get(self.begin(look)[0])
        if not there:
            raise EngineFailed(f"the workers of the cluster have no Holdfast: install holdfast=={__version__} there")
        if there != __version__:
            raise EngineFailed(
                f"the workers of the cluster have Holdfast {there}, and this is {__version__}: install the same release"
            )
        if order != sys.byteorder:
            raise EngineFailed("the workers of the cluster have another order of bytes in a number than this machine")


def _parsed(address: str) -> tuple[str, int]:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(f"ray://{address}")
        host, port = parts.hostname or "", parts.port
        is_plain = not (parts.path or parts.query or parts.fragment or "@" in parts.netloc)
    except ValueError:
        host, port, is_plain = "", None, False
    if not host or not is_plain or " " in host:
        raise UsageError(f"'ray://{address}' is no address of a Ray cluster: write ray://HOST or ray://HOST:PORT")
    return (f"[{host}]" if ":" in host else host), CLIENT_PORT if port is None else port


def _check_listening(host: str, port: int) -> None:
    """Ray itself waits half a minute before it says that nobody is there."""
    import socket

    try:
        socket.create_connection((host.removeprefix("[").removesuffix("]"), port), _PATIENCE).close()
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or "it does not answer"
        raise EngineFailed(
            f"no Ray cluster is at {host}:{port}: {why}; start one there with its client server (ray start --head), "
            "or build here with --engine ray"
        ) from None


def _environment() -> dict[str, str]:
    """What a Ray that is started here is told: nothing is sent to anybody, and nobody else gets in."""
    from secrets import token_hex

    told = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "RAY_task_oom_retries": str(RETRIES),
        "RAY_gcs_server_port_wait_time_s": str(_START_SECONDS),
        "RAY_IGNORE_UNHANDLED_ERRORS": "1",  # the first error is told by us, and the others are of the same build
    }
    if "ray" in sys.modules:  # which has looked who may come in when it was loaded
        return told
    return {**told, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token_hex(32)}


def _with_environment(values: dict[str, str]) -> Callable[[], None]:
    """Set variables that Ray reads and hands to the processes it starts; what puts back what was there."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)

    def put_back() -> None:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    return put_back


def _keeping_signals() -> Callable[[], None]:
    """What puts back the handler of SIGTERM, which Ray replaces."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    before = signal.getsignal(signal.SIGTERM)

    def put_back() -> None:
        signal.signal(signal.SIGTERM, before)

    return put_back


class _Quiet:
    """Standard output without what Ray's own threads print there of workers that ended."""

    def __init__(self, usual: Any) -> None:
        self._usual = usual

    def __getattr__(self, name: str) -> Any:
        return getattr(self._usual, name)

    def write(self, text: str) -> int:
        from threading import current_thread

        return len(text) if current_thread().name.startswith("ray_") else self._usual.write(text)


def _keeping_quiet() -> Callable[[], None]:
    """An answer stands alone on standard output: what puts it back as it was."""
    usual, sys.stdout = sys.stdout, _Quiet(sys.stdout)

    def put_back() -> None:
        sys.stdout = usual

    return put_back


def _ended(ray: Any) -> None:
    """End the Ray that was started here; what it has left to print goes nowhere."""
    from contextlib import redirect_stdout
    from io import StringIO

    with redirect_stdout(StringIO()):
        ray.shutdown()


def _of_task(cause: Any) -> Exception:
    """What a task met, as the build tells it."""
    if isinstance(cause, ContextError | OSError):
        return cause
    if isinstance(cause, ImportError) or "No module named 'holdfast" in str(cause):
        return EngineFailed(f"a worker of the cluster lacks a part of Holdfast: {_first_line(cause)}")
    return InternalError(f"{type(cause).__name__}: {cause}")


def _first_line(error: object) -> str:
    lines = [line for line in str(error).split("\n") if line]
    return lines[0] if lines else type(error).__name__
