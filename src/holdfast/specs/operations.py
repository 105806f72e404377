"""What can be done with specs, declared for both doors. Every answer says whether it succeeded, and what to do next."""

from __future__ import annotations

from holdfast.operation import Operation, Parameter, Variant
from holdfast.specs.layouts import LAYOUTS, PHASES

NAME = Parameter("specName", "text", "The spec's folder", True, "NAME", positional=True)
PROJECT_PATH = Parameter("projectPath", "path", "Another project", metavar="DIR", flag="--path")
LAYOUT = Parameter(
    "layout",
    "text",
    "Which of several layouts of specs here (default: [specs] layout of context.toml, else the first that has specs)",
    metavar="NAME",
    choices=tuple([layout.name for layout in LAYOUTS]),
    only="command",
)
LIMIT = Parameter(
    "limit", "integer", "Most open specs to list, those changed last (default: 20)", metavar="N", only="command"
)
ABOUT = Parameter("about", "text", "Only specs named like this", metavar="TEXT")
NAMES = Parameter("specNames", "texts", "Specs to check (default: all)", metavar="NAME", positional=True)
STRICT = Parameter("strict", "flag", "Take every warning for an error")
LEVEL = Parameter("level", "text", "error: leave warnings out", metavar="LEVEL", choices=("error", "warning"))
SINCE = Parameter("since", "text", "Only what differs from this commit, branch or tag", metavar="REF")
BASELINE = Parameter("baseline", "path", "Leave out what an earlier answer has, in this file", metavar="FILE")
CHECK_FORMAT = Parameter(
    "format",
    "text",
    "json: one line, pretty: indented, sarif: for code hosts; on a terminal the default is a readable view",
    metavar="FORMAT",
    choices=("json", "sarif"),
)
PHASE = Parameter("phase", "text", "The document", True, "PHASE", PHASES, positional=True)
BY = Parameter("by", "text", "Who approves", True, "WHO")
NOTE = Parameter("note", "text", "A remark to keep", metavar="TEXT")
SIGN = Parameter("sign", "path", "Sign it with the secret key of minisign in this file", metavar="KEY")
PASSWORD = Parameter("password_file", "path", "Holds the password of the key, if it has one", metavar="FILE")
APPROVE_CHECK = Parameter("check", "flag", "Approve nothing: exit 8 unless every document is approved as it is")
CAPABILITY = Parameter(
    "capability", "text", "The file of requirements, without .md", True, "CAPABILITY", positional=True
)
TITLE = Parameter("title", "text", "The requirement's title", True, "TITLE", positional=True)
REMOVE = Parameter("remove", "flag", "Remove the requirement instead of changing it")
MERGE_CHECK = Parameter("check", "flag", "Write nothing: show the difference, exit 8 when there is one")
REVOKE = Parameter("revoke", "flag", "Take the approval of the document back")
TRACE = Parameter("trace", "flag", "Show which tasks, code and tests name each criterion of one spec")
ARCHIVE = Parameter("archive", "flag", "Also move the folder of the spec, which must be finished, away")
STEERING = Parameter("steering", "flag", "Write drafts of the missing steering documents instead; no NAME")
MODE = Parameter(
    "mode",
    "text",
    "compact: after a full guide",
    metavar="MODE",
    choices=("full", "compact"),
)
RUN = Parameter("runId", "text", "Any name for this work", metavar="ID", flag="--run")
_HERE = "holdfast.specs"


def _operation(
    command: str,
    run: str,
    view: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    *,
    tool: tuple[str, str, str] = ("", "", ""),  # its name, title and description
    variants: tuple[Variant, ...] = (),
) -> Operation:
    """An operation whose failures are answers; `run` and `view` are below this package."""
    return Operation(
        family="specs",
        command=tuple(command.split(" ")) if command else (),
        summary=summary,
        parameters=parameters,
        run=f"{_HERE}.{run}",
        view=f"{_HERE}.views:{view}" if view else "",
        failure=f"{_HERE}.answers:failure_of",
        failures_are_answers=True,
        tool=tool[0],
        title=tool[1],
        description=tool[2],
        variants=variants,
    )


def _variant(given: str, run: str, view: str, takes: tuple[str, ...], needs: tuple[str, ...] = ()) -> Variant:
    return Variant(given, f"{_HERE}.{run}", f"{_HERE}.views:{view}", takes, needs)


OPERATIONS = (
    _operation(
        "spec status",
        "answers:spec_status",
        "status",
        "Tell which phase a spec is in and how far its tasks are.",
        (NAME, PROJECT_PATH, LAYOUT),
        tool=(
            "spec-status",
            "Spec status",
            "Tell a spec's phase and progress. Use it before and after each task.",
        ),
    ),
    _operation(
        "spec list",
        "answers:spec_list",
        "listing",
        "List the open specs of the project with phase, progress and the next task; finished ones by name.",
        (ABOUT, PROJECT_PATH, LAYOUT, LIMIT),
        tool=(
            "list-specs",
            "List specs",
            "List this project's open specs with phase and next task. Use it before choosing one.",
        ),
    ),
    _operation(
        "guide workflow",
        "answers:workflow_guide",
        "guide",
        "Explain the spec workflow, with templates and steering documents.",
        (),
        tool=(
            "spec-workflow-guide",
            "Spec workflow guide",
            "Explain how to write a spec here, with templates. Use it before creating one.",
        ),
    ),
    _operation(
        "guide implementer",
        "answers:implementer_guide",
        "guide",
        "Give the guide for carrying out a task.",
        (MODE, RUN),
        tool=(
            "get-implementer-guide",
            "Implementer's guide",
            "Give the rules for a spec's task. Use it before starting one.",
        ),
    ),
    _operation(
        "guide reviewer",
        "answers:reviewer_guide",
        "guide",
        "Give the guide for reviewing a change.",
        (MODE, RUN),
        tool=(
            "get-reviewer-guide",
            "Reviewer's guide",
            "Give the rules for reviewing a spec's task. Use it before a review.",
        ),
    ),
    _operation(
        "spec next",
        "answers:spec_next",
        "next_task",
        "Show the first open task of a spec.",
        (NAME, PROJECT_PATH, LAYOUT),
    ),
    _operation(
        "spec check",
        "check_answers:spec_check",
        "check",
        "Find what is wrong with specs: by file, line and rule, with the coverage of criteria.",
        (NAMES, STRICT, LEVEL, SINCE, BASELINE, TRACE, PROJECT_PATH, LAYOUT, CHECK_FORMAT),
        variants=(_variant("trace", "check_answers:spec_trace", "trace", ("specNames", "projectPath")),),
    ),
    _operation(
        "spec approve",
        "approval_answers:spec_approve",
        "approval",
        "Record that a person approved a document of a spec as it is, or take that back.",
        (
            *[each._replace(required=False) for each in (NAME, PHASE, BY)],
            *(NOTE, SIGN, PASSWORD, APPROVE_CHECK, REVOKE, PROJECT_PATH),
        ),
        variants=(
            _variant(
                "revoke",
                "approval_answers:spec_revoke",
                "approval",
                ("specName", "phase", "by", "note", "projectPath"),
                ("specName", "phase", "by"),
            ),
        ),
    ),
    _operation(
        "spec delta",
        "merge_answers:spec_delta",
        "outcome",
        "Start a change of a requirement that holds now, with the hash of what it changes.",
        (NAME, CAPABILITY, TITLE, REMOVE, PROJECT_PATH),
    ),
    _operation(
        "spec merge",
        "merge_answers:spec_merge",
        "merge",
        "Apply a spec's changes to the requirements that hold now, all or none.",
        (NAME, MERGE_CHECK, ARCHIVE, PROJECT_PATH),
        variants=(
            _variant("archive", "merge_answers:spec_archive", "merge", ("specName", "projectPath"), ("specName",)),
        ),
    ),
    _operation(
        "spec init",
        "answers:spec_init",
        "written",
        "Start a spec from templates.",
        (NAME, STEERING, PROJECT_PATH),
        variants=(_variant("steering", "answers:steering_init", "written", ("projectPath",)),),
    ),
)
# What a page shows of all specs; no door offers it.
BOARD = _operation(
    "", "check_answers:spec_board", "", "Every spec with phase, progress, approvals and findings.", (PROJECT_PATH,)
)
