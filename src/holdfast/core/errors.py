"""Every failure a user can meet, each knowing its own names. Help texts and pages are written from the table FAILURES.

    ContextError
    ├── UsageError               1   the command line or the arguments cannot be understood
    │   ├── UnknownName              a command, flag, tool or argument that does not exist
    │   ├── OfferError               a resource or prompt that does not exist, or was asked for wrongly
    │   ├── InvalidReceipt           a receipt that was altered, cut short or made by another release
    │   ├── InvalidCitation          what was to be read is no citation, or names two places
    │   │   └── InvalidKnown             the same code, of what a caller says it holds
    │   ├── HostNotAgreed            a host that the lock does not name yet, and that nobody agreed to contact
    │   └── SpecFailure              a spec command could not do what was asked
    ├── InvalidQuery             2   invalid_query
    ├── ScopeOutside             2   a scope that leaves its project
    ├── InvalidBudget            3   invalid_budget
    │   ├── InvalidLimit             the same code, said of --limit
    │   └── BudgetTooSmall           the same code, where not even the shortest answer fits
    ├── CacheMissing             4   cache_missing
    ├── ContextMissing           4   no .context.yaml at a scope
    ├── CacheInvalid             5   cache_invalid
    │   ├── BuildFailed              the same code, of sources that cannot become a cache
    │   │   └── NothingToBuild       of sources without a document
    │   └── SignatureRefused         a cache without a signature by a key that the project trusts
    ├── ContextCorrupt           5   a .context.yaml that breaks a rule of its format
    ├── UnsupportedVersion       5   a .context.yaml of another version
    ├── SettingsInvalid          5   a settings file that cannot be used
    ├── IoError                  6   io_error
    │   ├── ListingFailed            a project that cannot be scanned
    │   ├── UnsafePath               a link, or another user's file, where Holdfast would write or remove
    │   └── RegistryFailed           a registry that refuses, is not there, or sends what was not asked for
    │       └── TransferBroken           a connection that broke: the next pull goes on from there
    ├── InternalError            7   internal_error
    ├── OutOfDate                8   a check found what is not in order
    │   ├── CacheStale               cache_stale, where a frozen cache is behind its sources
    │   └── CacheBuilding            cache_building, a first build that takes longer than a client waits
    ├── Differs                  9   a replay or a citation that is not the same any more
    │   └── CitationStale            citation_stale, where the cited text was asked for
    └── Interrupted            130   the person at the terminal stopped it

`message` is canonical: the same words every time, without paths, so it may travel to an agent.
`reason` is for the person at the terminal and may name paths; our own tools give it for a wrong argument only.
The tools of contexts and specs say a failure in the shape of their answers, with words of their own. OutOfDate and
Differs are never raised: an answer says what was found, and only its exit code and names are taken from here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class ContextError(Exception):
    """A failure with a code for programs, an exit code for shells and a stable sentence for people.

    `meaning` explains the exit code in the list of exit codes. `headline` is what a person at the terminal
    reads first: `message`, unless the one who raises knows better. `note` is for that person as well, and is said
    beside the failure, as the note of an answer is. `remedy` says what to run where the reason names no command;
    without one, the first example of the command is shown if its arguments are what failed, and nothing otherwise.
    """

    code = "internal_error"
    exit_code = 7
    message = "Internal error"
    meaning = "internal error"
    remedy = ""

    def __init__(self, reason: str = "", *, headline: str = "", remedy: str | None = None) -> None:
        super().__init__(reason or headline or self.message)
        self.reason = reason
        self.headline = headline or self.message
        self.remedy = self.remedy if remedy is None else remedy
        self.note = ""


class UsageError(ContextError):
    """The request itself cannot be understood; nothing was touched."""

    code = "usage"
    exit_code = 1
    message = "Usage error"
    meaning = "usage"


class UnknownName(UsageError):
    """A command, flag, tool or argument that does not exist; `nearest` is the best guess at what was meant."""

    meaning = ""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"unknown {kind} '{name}'")
        self.name = name
        self.known = known

    @property
    def nearest(self) -> str | None:
        from holdfast.core.close_match import close_match  # only a typo pays for this import

        return close_match(self.name, self.known, cutoff=0.5) or None


class OfferError(UsageError):
    """A resource, prompt or completion that is not there, or was asked for wrongly; the reason names it.

    `uri` is an address that was to be read and leads nowhere.
    """

    meaning = ""

    def __init__(self, reason: str, *, uri: str | None = None) -> None:
        super().__init__(reason)
        self.uri = uri


class InvalidReceipt(UsageError):
    """A receipt that was altered, cut short, or made by a release with another format or ranking."""

    code = "invalid_receipt"
    message = "Receipt is invalid"
    meaning = "invalid receipt"
    remedy = "'context replay --receipts DIR' names the receipts in a folder that cannot be read"


class InvalidCitation(UsageError):
    """What is to be read is no citation, or not one place."""

    code = "invalid_citation"
    message = "Citation is invalid"
    meaning = "invalid citation"


class InvalidKnown(InvalidCitation):
    """What a caller says it holds is no citation, is too long, or is too much."""

    message = (
        "Citation in known is invalid: give citations as answers have them, name#Lfirst-Llast@hash, at most 1,000 of "
        "8 KiB, and leave the others out"
    )
    meaning = ""


class HostNotAgreed(UsageError):
    """A command would contact a host that the lock does not name yet, and nobody agreed to it; nothing was sent."""

    code = "host_not_agreed"
    message = "A host that context.lock does not name is not contacted"
    meaning = "a host that was not agreed to"
    remedy = "'context sync --yes' agrees to it"


class SpecFailure(UsageError):
    """A spec, a guide or a steering document cannot be given as asked; the answer says why and what to do."""

    code = "spec_failure"
    message = "The spec workflow cannot do this"
    meaning = "a spec or guide cannot be given as asked"
    remedy = "'context spec list' names the specs"

    def __init__(self, reason: str, next_steps: Sequence[str], *, note: str = "") -> None:
        super().__init__(reason)
        self.next_steps = next_steps
        self.note = note


class InvalidQuery(ContextError):
    """Query cannot be processed as specified."""

    code = "invalid_query"
    exit_code = 2
    message = "Query is invalid"
    meaning = "invalid query"


class ScopeOutside(ContextError):
    """A scope that leads out of its project."""

    code = "scope_outside"
    exit_code = 2
    message = "Invalid scope: path traversal detected"
    meaning = "a scope outside the project"
    remedy = "'context status' lists the scopes there are"


class InvalidBudget(ContextError):
    """Budget is negative, too large or not an integer."""

    code = "invalid_budget"
    exit_code = 3
    message = "Budget is invalid"
    meaning = "invalid budget"


class InvalidLimit(InvalidBudget):
    """Limit is negative, too large or not an integer."""

    message = "Limit is invalid"
    meaning = "invalid limit"


class BudgetTooSmall(InvalidBudget):
    """Not even the shortest answer fits the budget; the message says what would."""

    message = "Budget is too small for this answer"
    meaning = ""

    def __init__(self, needed: int, what: str) -> None:
        super().__init__(f"{what}: {needed:,} tokens are needed")
        self.message = f"{type(self).message}: {needed:,} tokens are needed"


class CacheMissing(ContextError):
    """There is no such cache, or its name leads outside the cache root.

    `nearest` is the name of the one that was meant, as far as one can guess; `next_step` says, without paths, which
    there are and what to run.
    """

    code = "cache_missing"
    exit_code = 4
    message = "Cache does not exist"
    meaning = "no such cache"
    remedy = "'context list' names the caches there are"

    def __init__(self, reason: str = "", *, headline: str = "", nearest: str = "", next_step: str = "") -> None:
        super().__init__(f"{reason}: did you mean '{nearest}'?" if nearest else reason, headline=headline)
        self.nearest = nearest
        self.next_step = ""
        if next_step:
            self.add_next_step(next_step)

    def add_next_step(self, step: str) -> None:
        """Add it to what a person reads."""
        self.next_step = step
        self.reason = f"{self.reason}: {step}" if self.reason else step


class ContextMissing(ContextError):
    """There is no `.context.yaml` at the scope."""

    code = "context_missing"
    exit_code = 4
    message = "Context does not exist"
    meaning = "no context there"
    remedy = "'context init' writes the contexts that are missing"


class CacheInvalid(ContextError):
    """Something is there, and it breaks a rule of the format."""

    code = "cache_invalid"
    exit_code = 5
    message = "Cache exists but is invalid"
    meaning = "invalid cache"
    remedy = "'context verify CACHE' names each problem, 'context sync' builds declared caches again"


class BuildFailed(CacheInvalid):
    """The sources cannot become a cache; what stood at the target is as it was."""

    message = "Cache was not built"
    meaning = "failed build"
    remedy = "correct what the reason names, then run the command again; 'context doctor' looks at the rest"


class NothingToBuild(BuildFailed):
    """The sources hold no document."""

    meaning = ""


class SignatureRefused(CacheInvalid):
    """A cache that no key which the project trusts has signed as it is."""

    code = "signature_refused"
    message = "The signature is refused"
    meaning = "a signature is refused"
    remedy = "'context sign CACHE --check' tells which key signed it"


class ContextCorrupt(ContextError):
    """There is a `.context.yaml`, and it breaks a rule of its format; the reason says which."""

    code = "context_corrupt"
    exit_code = 5
    message = "Context is invalid or corrupt"
    meaning = "invalid context"
    remedy = "'context validate' names each problem with its line"


class UnsupportedVersion(ContextError):
    """The `.context.yaml` is of a version this release does not know; `version` says which."""

    code = "unsupported_version"
    exit_code = 5
    message = "Context is of an unsupported version"
    meaning = "a context of another version"
    remedy = "'context regen --all' writes contexts of this version"

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


class SettingsInvalid(ContextError):
    """A settings file that cannot be read, or not be changed here."""

    code = "settings_invalid"
    exit_code = 5
    message = "The settings cannot be used"
    meaning = "invalid settings"
    remedy = "correct the file that the reason names; 'context doctor' checks it"


class IoError(ContextError):
    """The system refused: permissions, a full disk, a failing device, a closed output."""

    code = "io_error"
    exit_code = 6
    message = "I/O error occurred"
    meaning = "input or output failed"
    remedy = "check that the path exists and may be read and written; 'context doctor' looks at the whole project"


class ListingFailed(IoError):
    """The project cannot be scanned; nothing can be said of its directories."""

    message = "Failed to scan the project"
    meaning = ""


class UnsafePath(IoError):
    """A place where Holdfast writes or removes is a symbolic link, belongs to another user or is of another kind.

    Nothing was followed, written or removed.
    """

    message = "A path is not safe to write to"
    meaning = ""
    remedy = "remove or replace what the reason names; 'context doctor' looks at the whole project"


class RegistryFailed(IoError):
    """A registry refused, was not there, or sent what was not asked for; nothing of it is visible."""

    code = "registry_failed"
    message = "The registry cannot be used"
    meaning = "a registry failed"
    remedy = "check the address and the credentials, then run the command again; 'context help registry' says more"


class TransferBroken(RegistryFailed):
    """The connection to a registry broke; what arrived of a pull is kept, and the next pull goes on from there."""

    meaning = ""
    remedy = "run the command again: 'context pull' goes on from there"


class InternalError(ContextError):
    """Holdfast broke one of its own promises."""

    remedy = "run it again with HOLDFAST_DEBUG=1; 'context doctor' looks at the project"


class OutOfDate(ContextError):
    """A check found a context, cache, lock, saved query or spec that is not in order.

    `status` finds a context that is stale or missing, `diff` a saved query whose answer changes, `sync`
    a cache or lock that is behind its sources, `spec check`, `spec approve` and `spec merge` a spec with findings,
    without approval or not merged, `doctor` anything that needs doing.
    """

    code = "out_of_date"
    exit_code = 8
    message = "Not up to date"
    meaning = (
        "a context is stale or missing, a cache or the lock is behind, a saved query changes its answer, "
        "a spec has findings or no approval, the doctor found what needs doing"
    )
    remedy = "'context doctor' says what to run"


class CacheStale(OutOfDate):
    """A search or read that is frozen found a cache that is not what the lock names, or behind its sources."""

    code = "cache_stale"
    message = "Cache is behind its sources: run 'context sync', or ask without --frozen"
    meaning = ""
    remedy = "'context sync' builds it"


class CacheBuilding(OutOfDate):
    """A cache is being built for the first time, which takes longer than a client waits; the build goes on."""

    code = "cache_building"
    message = "Cache is being built"
    meaning = ""
    remedy = "'context list' tells when it is there"

    def __init__(self, cache: str, progress: str) -> None:
        super().__init__(f"{cache}: {progress}")
        self.message = (
            f"{type(self).message} ({progress or 'just begun'}): ask again in a minute; until then read the project's "
            "files themselves"
        )


class Differs(ContextError):
    """A search gave another answer than recorded, or a citation does not hold."""

    code = "differs"
    exit_code = 9
    message = "Not the same any more"
    meaning = "not the same any more"
    remedy = "'context sync --check' tells which sources changed"


class CitationStale(Differs):
    """The cited text does not stand there: it changed, or its lines or its document are gone."""

    code = "citation_stale"
    message = "Citation does not hold"
    meaning = ""
    remedy = "'context search QUERY' finds where it is said now"


class Interrupted(ContextError):
    """The person at the terminal stopped the command."""

    code = "interrupted"
    exit_code = 130
    message = "Interrupted"
    meaning = "interrupted"
    remedy = "run the command again: what is built stays; 'context doctor' looks at the project"


# Every failure, by exit code. What a test, a page or a help text says of failures is read from here.
FAILURES: tuple[type[ContextError], ...] = tuple(
    [each for each in globals().values() if isinstance(each, type) and issubclass(each, ContextError)][1:]
)


def exit_codes() -> dict[int, str]:
    """What each exit code means, in ascending order."""
    meanings: dict[int, list[str]] = {0: ["done"]}
    for failure in FAILURES:
        if failure.meaning:
            meanings.setdefault(failure.exit_code, []).append(failure.meaning)
    return {code: ", ".join(meaning) for code, meaning in meanings.items()}
