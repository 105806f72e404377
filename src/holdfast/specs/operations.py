"""What can be done with specs, declared for both doors. Every answer says whether it succeeded, and what to do next."""

from __future__ import annotations

from holdfast.operation import Operation, Parameter, Variant
from holdfast.specs.layouts import LAYOUTS, PHASES

NAME = Parameter("specName", "text", "The spec's folder name", True, "NAME", positional=True)
PROJECT_PATH = Parameter("projectPath", "path", "Another project's root", metavar="DIR", flag="--path")
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


FAILURE = "holdfast.specs.answers:failure_of"

OPERATIONS = (
    Operation(
        family="specs",
        command=("spec", "status"),
        summary="Tell which phase a spec is in and how far its tasks are.",
        parameters=(NAME, PROJECT_PATH, LAYOUT),
        run="holdfast.specs.answers:spec_status",
        view="holdfast.specs.views:status",
        failure=FAILURE,
        failures_are_answers=True,
        tool="spec-status",
        title="Spec status",
        description="Tell a spec's phase and progress. Use it before working on a spec and after each task.",
    ),
    Operation(
        family="specs",
        command=("spec", "list"),
        summary="List the open specs of the project with phase, progress and the next task; finished ones by name.",
        parameters=(ABOUT, PROJECT_PATH, LAYOUT, LIMIT),
        run="holdfast.specs.answers:spec_list",
        view="holdfast.specs.views:listing",
        failure=FAILURE,
        failures_are_answers=True,
        tool="list-specs",
        title="List specs",
        description="List this project's open specs with phase and next task. Use it before choosing one.",
    ),
    Operation(
        family="specs",
        command=("guide", "workflow"),
        summary="Explain the spec workflow, with templates and steering documents.",
        parameters=(),
        run="holdfast.specs.answers:workflow_guide",
        view="holdfast.specs.views:guide",
        failure=FAILURE,
        failures_are_answers=True,
        tool="spec-workflow-guide",
        title="Spec workflow guide",
        description="Explain how a spec is written here, with templates and steering. Use it before creating one.",
    ),
    Operation(
        family="specs",
        command=("guide", "implementer"),
        summary="Give the guide for carrying out a task.",
        parameters=(MODE, RUN),
        run="holdfast.specs.answers:implementer_guide",
        view="holdfast.specs.views:guide",
        failure=FAILURE,
        failures_are_answers=True,
        tool="get-implementer-guide",
        title="Implementer's guide",
        description="Give the rules for carrying out a spec's task. Use it before starting one.",
    ),
    Operation(
        family="specs",
        command=("guide", "reviewer"),
        summary="Give the guide for reviewing a change.",
        parameters=(MODE, RUN),
        run="holdfast.specs.answers:reviewer_guide",
        view="holdfast.specs.views:guide",
        failure=FAILURE,
        failures_are_answers=True,
        tool="get-reviewer-guide",
        title="Reviewer's guide",
        description="Give the rules for reviewing a spec's task. Use it before a review.",
    ),
    Operation(
        family="specs",
        command=("spec", "next"),
        summary="Show the first open task of a spec.",
        parameters=(NAME, PROJECT_PATH, LAYOUT),
        run="holdfast.specs.answers:spec_next",
        view="holdfast.specs.views:next_task",
        failure=FAILURE,
        failures_are_answers=True,
    ),
    Operation(
        family="specs",
        command=("spec", "check"),
        summary="Find what is wrong with specs: by file, line and rule, with the coverage of criteria.",
        parameters=(NAMES, STRICT, LEVEL, SINCE, BASELINE, TRACE, PROJECT_PATH, LAYOUT, CHECK_FORMAT),
        run="holdfast.specs.check_answers:spec_check",
        view="holdfast.specs.views:check",
        failure=FAILURE,
        failures_are_answers=True,
        variants=(
            Variant(
                "trace",
                "holdfast.specs.check_answers:spec_trace",
                "holdfast.specs.views:trace",
                takes=("specNames", "projectPath"),
            ),
        ),
    ),
    Operation(
        family="specs",
        command=("spec", "approve"),
        summary="Record that a person approved a document of a spec as it is, or take that back.",
        parameters=(
            NAME._replace(required=False),
            PHASE._replace(required=False),
            BY._replace(required=False),
            NOTE,
            SIGN,
            PASSWORD,
            APPROVE_CHECK,
            REVOKE,
            PROJECT_PATH,
        ),
        run="holdfast.specs.approval_answers:spec_approve",
        view="holdfast.specs.views:approval",
        failure=FAILURE,
        failures_are_answers=True,
        variants=(
            Variant(
                "revoke",
                "holdfast.specs.approval_answers:spec_revoke",
                "holdfast.specs.views:approval",
                takes=("specName", "phase", "by", "note", "projectPath"),
                needs=("specName", "phase", "by"),
            ),
        ),
    ),
    Operation(
        family="specs",
        command=("spec", "delta"),
        summary="Start a change of a requirement that holds now, with the hash of what it changes.",
        parameters=(NAME, CAPABILITY, TITLE, REMOVE, PROJECT_PATH),
        run="holdfast.specs.merge_answers:spec_delta",
        view="holdfast.specs.views:outcome",
        failure=FAILURE,
        failures_are_answers=True,
    ),
    Operation(
        family="specs",
        command=("spec", "merge"),
        summary="Apply a spec's changes to the requirements that hold now, all or none.",
        parameters=(NAME, MERGE_CHECK, ARCHIVE, PROJECT_PATH),
        run="holdfast.specs.merge_answers:spec_merge",
        view="holdfast.specs.views:merge",
        failure=FAILURE,
        failures_are_answers=True,
        variants=(
            Variant(
                "archive",
                "holdfast.specs.merge_answers:spec_archive",
                "holdfast.specs.views:merge",
                takes=("specName", "projectPath"),
                needs=("specName",),
            ),
        ),
    ),
    Operation(
        family="specs",
        command=("spec", "init"),
        summary="Start a spec from templates.",
        parameters=(NAME, STEERING, PROJECT_PATH),
        run="holdfast.specs.answers:spec_init",
        view="holdfast.specs.views:written",
        failure=FAILURE,
        failures_are_answers=True,
        variants=(
            Variant(
                "steering",
                "holdfast.specs.steering_answers:steering_init",
                "holdfast.specs.views:written",
                takes=("projectPath",),
            ),
        ),
    ),
)
# What a page shows of all specs; no door offers it.
BOARD = Operation(
    family="specs",
    command=(),
    summary="Every spec with phase, progress, approvals and findings.",
    parameters=(PROJECT_PATH,),
    run="holdfast.specs.board_answers:spec_board",
    failure=FAILURE,
    failures_are_answers=True,
)
