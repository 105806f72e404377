"""What can be done with caches and their sections, declared for both doors."""

from __future__ import annotations

from holdfast.caches.audit_operations import REPLAY
from holdfast.core.errors import CacheMissing, InvalidBudget, InvalidCitation, InvalidKnown, InvalidLimit, InvalidQuery
from holdfast.operation import Operation, Parameter, Variant

MAX_BUDGET = 2**53 - 1

# The arguments of `context.resolve` are described in the words of its specification.
CACHE = Parameter(
    "cache",
    "path",
    "Path or identifier of a built context cache",
    required=True,
    metavar="CACHE",
    error=CacheMissing,
    check_order=3,
)
# Each document of an answer repeats the query's terms, so a long query would make an answer that no client takes.
QUERY = Parameter(
    "query",
    "text",
    "Natural-language query",
    required=True,
    metavar="TEXT",
    max_bytes=16 << 10,
    error=InvalidQuery,
    check_order=1,
)
SEARCH_QUERY = QUERY._replace(
    description="In the documentation's words",
    metavar="QUERY",
    max_bytes=64 << 10,
    positional=True,
    flag="--query",
)
BUDGET = Parameter(
    "budget",
    "integer",
    "Maximum token budget",
    required=True,
    metavar="N",
    maximum=MAX_BUDGET,
    error=InvalidBudget,
    check_order=2,
)
SEARCH_BUDGET = BUDGET._replace(
    required=False, description="Tokens to fill; unset, the answer stops when relevance falls off"
)
LIMIT = Parameter(
    "limit", "integer", "Most sections, e.g. 5", metavar="N", maximum=MAX_BUDGET, error=InvalidLimit, check_order=2
)
UNDER = Parameter("under", "text", "Folder, page or glob", metavar="GLOB", max_bytes=4 << 10, check_order=2)
KNOWN = Parameter(
    "known",
    "texts",
    "Citations you hold",
    metavar="CITATION",
    max_bytes=8 << 10,
    max_items=1000,
    error=InvalidKnown,
    check_order=2,
)
SEARCH_FORMAT = Parameter(
    "format",
    "text",
    "outline: citations and tokens alone",
    metavar="FORMAT",
    choices=("text", "json", "outline"),
)
EXPLAIN = Parameter("explain", "flag", "Say why each was chosen")
_AROUND = LIMIT._replace(error=InvalidCitation, check_order=1)
# Where it is all that is asked for, it may stand as it is.
_PLAIN_CACHE = CACHE._replace(positional=True, flag="--cache")
_OPTIONAL_CACHE = CACHE._replace(required=False, description="The cache (default: those of the project)")
_ALL_CACHES = _OPTIONAL_CACHE._replace(description="Keep to one cache")
FROZEN = Parameter(
    "frozen", "flag", "Answer from what context.lock names; fail where the sources changed since", only="command"
)

_CACHES = Parameter("names", "texts", "Caches (default: all)", metavar="CACHE", positional=True, flag="--cache")
_TOKENIZER = Parameter(
    "tokenizer",
    "text",
    "How the tokens of sections are counted (default: estimate-1; o200k_base needs the extra tokens)",
    metavar="NAME",
    choices=("estimate-1", "o200k_base", "bytes/4"),
)
_STRICT = Parameter("strict", "flag", "Fail when a source cannot be read")
_QUIET = Parameter("quiet", "flag", "Say nothing on stderr but errors")

OPERATIONS = (
    Operation(
        family="caches",
        command=("search",),
        tool="context.search",
        title="Search documentation",
        summary="Select the sections, of all caches or one, that answer a query, with citations and pointers to more.",
        description=(
            "Search this project's documentation and code. Use it before guessing or opening files; quote the "
            "citations. An empty query lists what there is."
        ),
        parameters=(
            SEARCH_QUERY,
            _ALL_CACHES,
            FROZEN,
            SEARCH_BUDGET,
            LIMIT,
            UNDER,
            KNOWN,
            Parameter("in", "text", "Default: both", metavar="PART", choices=("docs", "code")),
            SEARCH_FORMAT,
            EXPLAIN,
            Parameter("receipt", "path", "Write the record of the answer here", metavar="FILE", only="command"),
            Parameter("html", "path", "Write a page that explains the answer here", metavar="FILE", only="command"),
            Parameter(
                "considered",
                "integer",
                "Tell in JSON, too, what became of the best N that match, and why",
                metavar="N",
                maximum=2000,
                only="command",
            ),
        ),
        run="holdfast.caches.search_answers:search",
        text="holdfast.caches.search.cache_overview:as_text",
        view="holdfast.caches.search_views:search",
        failure="holdfast.caches.answers:hinted_failure",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="caches",
        command=("read",),
        tool="context.read",
        title="Read documentation",
        summary="Read a section by its citation or line, sections around it, or a document; exit 9 when it is gone.",
        description="Read project documentation or code. Use it after context.search.",
        parameters=(
            Parameter(
                "citation",
                "text",
                "A citation, or id#Lline",
                metavar="CITATION",
                max_bytes=8 << 10,
                error=InvalidCitation,
                check_order=1,
                positional=True,
            ),
            Parameter(
                "id",
                "text",
                "Or a document's id",
                metavar="ID",
                max_bytes=8 << 10,
                error=InvalidCitation,
                check_order=1,
            ),
            Parameter(
                "line",
                "integer",
                "A line of the section",
                metavar="N",
                maximum=MAX_BUDGET,
                error=InvalidCitation,
                check_order=1,
            ),
            Parameter(
                "places",
                "texts",
                "Or several of them",
                metavar="PLACE",
                max_bytes=8 << 10,
                max_items=100,
                error=InvalidCitation,
                check_order=1,
            ),
            _AROUND._replace(name="before", description="Sections before"),
            _AROUND._replace(name="after", description="Sections after"),
            SEARCH_BUDGET._replace(description="With id: tokens to read on"),
            _ALL_CACHES,
            FROZEN,
            KNOWN,
            Parameter("format", "text", "Default: text", metavar="FORMAT", choices=("text", "json"), is_plain=True),
        ),
        run="holdfast.caches.search_answers:read",
        text="holdfast.caches.search.passage_text:as_text",
        view="holdfast.caches.search_views:passage",
        failure="holdfast.caches.answers:hinted_failure",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="caches",
        command=("list",),
        tool="context.list_caches",
        title="List documentation caches",
        summary="List the caches under a directory.",
        description="List this project's documentation caches. Use it when naming a `cache`.",
        parameters=(
            Parameter(
                "root",
                "path",
                "Default: the cache root",
                metavar="DIR",
                error=CacheMissing,
                only="tool",
            ),
        ),
        run="holdfast.caches.answers:list_caches",
        view="holdfast.caches.views:listing",
        always_load=True,
    ),
    Operation(
        family="caches",
        command=("resolve",),
        tool="context.resolve",
        title="Get whole documents",
        summary="Select the documents of a cache that answer a query within a token budget.",
        description=(
            "Get whole documentation pages. Use it when context.search is not enough; the answer costs "
            "1.3 to 1.6 times the budget."
        ),
        parameters=(CACHE, QUERY._replace(metavar="QUERY", positional=True, flag="--query"), BUDGET),
        run="holdfast.caches.answers:resolve",
        view="holdfast.caches.views:resolve",
        always_load=True,
        large_result=True,
    ),
    Operation(
        family="caches",
        command=("inspect",),
        tool="context.inspect_cache",
        title="Inspect a cache",
        summary="Describe a cache: its version, size and whether it is valid; what documents hold is not read.",
        description=("Tell version, size and validity of a documentation cache. Use it when one fails."),
        parameters=(_PLAIN_CACHE,),
        run="holdfast.caches.answers:inspect",
        view="holdfast.caches.views:inspection",
    ),
    Operation(
        family="caches",
        command=("build",),
        summary="Compile a folder of Markdown into a cache, or index a cache that another builder wrote.",
        parameters=(
            _PLAIN_CACHE._replace(description="Where the cache is written; it must not exist yet"),
            Parameter(
                "sources",
                "path",
                "Folder whose *.md files become documents",
                required=True,
                metavar="PATH",
                positional=True,
                flag="--sources",
            ),
            Parameter("force", "flag", "Replace the cache that is there, once the new one is complete"),
            _TOKENIZER,
            Parameter("index", "flag", "Give CACHE, which another builder wrote, its index; the rest of it stays"),
        ),
        run="holdfast.caches.answers:build",
        view="holdfast.caches.views:built",
        variants=(
            Variant(
                "index",
                "holdfast.caches.project_answers:index",
                "holdfast.caches.project_views:indexed",
                takes=("cache", "tokenizer"),
                needs=("cache",),
            ),
        ),
    ),
    Operation(
        family="caches",
        command=("verify",),
        summary="Check every byte of a cache, or every citation in a text; exit 9 when a citation does not hold.",
        parameters=(
            _PLAIN_CACHE,
            Parameter("citations", "path", "Check the citations in this text; CACHE may be left out", metavar="FILE"),
        ),
        run="holdfast.caches.answers:verify",
        view="holdfast.caches.views:verification",
        variants=(
            Variant(
                "citations",
                "holdfast.caches.search_answers:verify_citations",
                "holdfast.caches.search_views:citations",
                takes=("cache",),
            ),
        ),
    ),
    REPLAY,
    Operation(
        family="caches",
        command=("diff",),
        summary="Compare two caches, or now with a commit: documents, sections, and saved queries that change.",
        parameters=(
            Parameter("before", "path", "A cache", metavar="CACHE_A", positional=True, error=CacheMissing),
            Parameter("after", "path", "Another", metavar="CACHE_B", positional=True, error=CacheMissing),
            Parameter(
                "since",
                "text",
                "Compare with context.lock at this commit instead: all caches, or CACHE_A",
                metavar="GITREF",
            ),
            Parameter("queries", "path", "Saved queries, one a line: text, or JSON as a tool takes it", metavar="FILE"),
            Parameter("check", "flag", "Exit with 8 when a saved query changes its answer"),
        ),
        run="holdfast.caches.answers:diff",
        view="holdfast.caches.search_views:differences",
    ),
    Operation(
        family="caches",
        command=("add",),
        summary="Declare a cache in context.toml and build it: folders and files, or installed packages.",
        parameters=(
            Parameter(
                "name",
                "text",
                "What the cache is called",
                metavar="CACHE",
                max_bytes=400,
                positional=True,
                flag="--cache",
            ),
            Parameter("paths", "texts", "Folders or files to read", metavar="PATH", positional=True),
            Parameter("about", "text", "What it is about, in a sentence; shown to agents", metavar="TEXT"),
            Parameter("include", "texts", "Read only what matches, as in .gitignore", metavar="GLOB"),
            Parameter("exclude", "texts", "Leave out what matches, as in .gitignore", metavar="GLOB"),
            Parameter(
                "package", "texts", "An installed package; without CACHE the cache is 'dependencies'", metavar="PACKAGE"
            ),
            Parameter("python", "text", "The environment of packages (default: .venv)", metavar="DIR"),
            Parameter(
                "user", "flag", "Declare it for this user, for every project that names it; PATH may lie anywhere"
            ),
            _STRICT,
            _QUIET,
        ),
        run="holdfast.caches.project_answers:add",
        view="holdfast.caches.project_views:added",
    ),
    Operation(
        family="caches",
        command=("sync",),
        summary="Build what changed of the caches in context.toml and write context.lock.",
        parameters=(
            _CACHES,
            Parameter("check", "flag", "Write nothing; exit with 8 and say why when a cache or the lock is behind"),
            Parameter("lock_only", "flag", "With --check: the lock alone; caches need not be built here"),
            Parameter("yes", "flag", "Contact registries that context.lock does not name yet, without asking"),
            _STRICT,
            _QUIET,
        ),
        run="holdfast.caches.project_answers:sync",
        view="holdfast.caches.project_views:synced",
    ),
    Operation(
        family="caches",
        command=("push",),
        summary="Send a cache to an OCI registry under a tag; what the registry holds already is not sent.",
        parameters=(
            _PLAIN_CACHE._replace(description="Name or path of a built cache"),
            Parameter("reference", "text", "oci://HOST/REPOSITORY:TAG", True, "REFERENCE", positional=True),
            _QUIET,
        ),
        run="holdfast.caches.registry_answers:push",
        view="holdfast.caches.views:pushed",
    ),
    Operation(
        family="caches",
        command=("pull",),
        summary="Fetch a cache from an OCI registry, prove every byte, and put it in place in one step.",
        parameters=(
            Parameter(
                "name",
                "text",
                "What the cache is called here",
                required=True,
                metavar="CACHE",
                max_bytes=400,
                positional=True,
                flag="--cache",
            ),
            Parameter(
                "reference",
                "text",
                "oci://HOST/REPOSITORY:TAG (default: what context.toml says; context.lock is written)",
                metavar="REFERENCE",
                positional=True,
            ),
            Parameter(
                "max_bytes",
                "integer",
                "Most bytes to take (default: twice what context.lock says, else 16 GiB)",
                metavar="BYTES",
                maximum=(1 << 53) - 1,
            ),
            _QUIET,
        ),
        run="holdfast.caches.registry_answers:pull",
        view="holdfast.caches.views:pulled",
    ),
    Operation(
        family="caches",
        command=("bundle",),
        summary="Write caches, lock and signatures into one file, for a machine without a network.",
        parameters=(
            Parameter("file", "path", "The file to write, a tar", required=True, metavar="FILE", positional=True),
            Parameter("wheels", "path", "Add the wheels of this folder, as 'pip wheel' writes it", metavar="DIR"),
        ),
        run="holdfast.caches.registry_answers:bundle",
        view="holdfast.caches.views:bundled",
    ),
    Operation(
        family="caches",
        command=("unbundle",),
        summary="Prove every cache of a bundle by its lock, without the sources, and put all in place.",
        parameters=(
            Parameter("file", "path", "A file that 'bundle' wrote", required=True, metavar="FILE", positional=True),
            Parameter("check", "flag", "Write nothing; exit 8 when the bundle differs from the lock here"),
            Parameter("force", "flag", "Replace a context.toml that differs from the bundle's"),
        ),
        run="holdfast.caches.registry_answers:unbundle",
        view="holdfast.caches.views:bundled",
    ),
    Operation(
        family="caches",
        command=("sign",),
        summary="Sign a cache with an Ed25519 key, in the format of minisign; the signature lies beside it.",
        parameters=(
            _PLAIN_CACHE._replace(required=False, description="Name or path of a built cache"),
            Parameter("key", "path", "The secret key to sign with", metavar="FILE"),
            Parameter("password_file", "path", "Holds the password of the key, if it has one", metavar="FILE"),
            Parameter("check", "flag", "Check the signature with the keys of context.toml instead"),
            Parameter("new_key", "path", "Make a key: FILE and FILE.pub", metavar="FILE"),
        ),
        run="holdfast.caches.registry_answers:sign",
        view="holdfast.caches.views:signed",
    ),
)
