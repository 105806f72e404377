"""Whether a build works with arrays: where numpy is installed, which the extra `fast` brings, and the work is worth it.

The bytes are the same with and without.
"""

from __future__ import annotations

import os

# For fewer documents in one process, numpy takes longer to load than it saves.
LEAST_DOCUMENTS = 500
# numpy starts a thread a core for algebra that nothing here asks for.
_THREADS = "OPENBLAS_NUM_THREADS"


def is_worth_arrays(documents: int) -> bool:
    """Whether one process does better with arrays for so many documents; numpy is loaded then."""
    return documents >= LEAST_DOCUMENTS and _is_loaded()


def _is_loaded() -> bool:
    told = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        import numpy  # noqa: F401  # loaded now, while one thread is asked for
    except ImportError:
        return False
    finally:
        if told is None:
            del os.environ[_THREADS]
    return True
