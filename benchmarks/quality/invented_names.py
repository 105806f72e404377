"""Names and options that no documentation has: how many does an answer confirm?

    python -m benchmarks.quality.invented_names NAME=FOLDER…

NAME is one of the trees below, FOLDER has the pages of that project's documentation. An agent that guesses an option
asks for it by name; an answer confirms the guess unless its first line says that the name is not here. Every name is
our own invention. The exit code is 1 where any is confirmed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import build_cache, open_cache

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast import Cache

# The name, and the question that it is asked in, `{}` being the name.
INVENTED: Mapping[str, Sequence[tuple[str, str]]] = {
    "react": (
        ("useQuokka", "{}"),
        ("useDelayedMemo", "when should I use {} instead of useMemo"),
        ("renderTwiceOnServer", "{} option of hydrateRoot"),
        ("onStateSettled", "{} callback of a component"),
        ("suspendUntilIdle", "how does {} work with Suspense"),
        ("React.createPortalGroup", "{} example"),
        ("effect_timeout", "set {} for an effect"),
        ("--strict-effects", "{} flag"),
        ("getQuokka", "{} in a server component"),
        ("keepAliveChildren", "{} prop to preserve state"),
    ),
    "fastapi": (
        ("quokka_timeout", "{}"),
        ("response_cache_seconds", "{} parameter of a path operation"),
        ("app.add_quota()", "limit requests with {}"),
        ("BackgroundPool", "run tasks in a {}"),
        ("retry_on_422", "{} in the router"),
        ("--reload-quokka", "{} option of uvicorn"),
        ("DependsLazy", "difference between Depends and {}"),
        ("max_body_megabytes", "{} of an upload"),
        ("wombatLimit", "{} for query parameters"),
        ("openapi_hide_tags", "{} setting"),
    ),
    "vite": (
        ("build.quokkaLimit", "{}"),
        ("server.retryPorts", "{} option"),
        ("optimizeDeps.freeze", "how to use {}"),
        ("--prebundle-only", "{} flag of the dev server"),
        ("transformLateModules", "{} hook of a plugin"),
        ("import.meta.quokka", "type of {}"),
        ("css.scopeDepth", "{} setting"),
        ("vite_cache_seconds", "{} in the config"),
        ("resolveOnce", "{} in the plugin API"),
        ("hmr-quiet-period", "change the {} of the server"),
    ),
    "python": (
        ("os.path.quokka", "{}"),
        ("asyncio.run_later", "{} or call_later"),
        ("json.loads_strict()", "parse with {}"),
        ("itertools.interleave_all", "{} of two iterables"),
        ("--frozen-bytecode", "{} of the interpreter"),
        ("PYTHONQUOKKA", "environment variable {}"),
        ("getWombat", "{}"),
        ("subprocess_retry", "{} argument of run"),
        ("contextlib.swallow", "{} exceptions"),
        ("dataclass_lock", "{} decorator"),
    ),
    "ray": (
        ("quokka_timeout_s", "{}"),
        ("max_actor_echoes", "{} of an actor"),
        ("ray.init_quietly()", "start with {}"),
        ("--head-standby", "{} of ray start"),
        ("serve.wombatLimit", "{}"),
        ("TuneQuokkaScheduler", "how to use {}"),
        ("placement_group_retry_ms", "{} for placement groups"),
        ("object_store_lease", "{} setting"),
        ("RayNapConfig", "{} for autoscaling"),
        ("num_lazy_cpus", "request {} for a task"),
    ),
    "mongo": (
        ("$quokkaMatch", "{} stage of a pipeline"),
        ("wombat_limit", "{}"),
        ("maxQuokkaTimeMS", "{} option of find"),
        ("db.collection.mergeQuietly()", "{} example"),
        ("retryReadsTwice", "connection string {}"),
        ("--shard-naptime", "{} of mongos"),
        ("indexFreezeSeconds", "{} of an index"),
        ("writeConcernFloor", "{} of a transaction"),
        ("getQuokka", "{}"),
        ("oplog-lease-hours", "set {}"),
    ),
}


def confirmed(cache: Cache, names: Sequence[tuple[str, str]]) -> list[str]:
    """The names that an answer does not report as absent in its first line."""
    found = []
    for name, question in names:
        first = cache.search(question.format(name)).text.partition("\n")[0]
        if name.strip("$()") not in first.partition("Not here: ")[2]:
            found.append(name)
    return found


def main(words: Sequence[str]) -> int:
    """Ask for every invented name of the trees that are given."""
    folders = dict([word.split("=", 1) for word in words if "=" in word])
    if not folders or not folders.keys() <= INVENTED.keys():
        print(f"name folders as NAME=FOLDER, NAME being one of {', '.join(INVENTED)}", file=sys.stderr)
        return 2
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for tree, folder in folders.items():
            build_cache(Path(folder), Path(temporary) / tree)
            with open_cache(Path(temporary) / tree) as cache:
                wrong = confirmed(cache, INVENTED[tree])
            failed += len(wrong)
            print(f"{tree}: {len(wrong)} of {len(INVENTED[tree])} confirmed{': ' if wrong else ''}{', '.join(wrong)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
