"""What can be done with specs, declared for both doors. Every answer says whether it succeeded, and what to do next."""

from __future__ import annotations

from holdfast.operation import Operation, Parameter

NAME = Parameter("specName", "text", "Name of the spec: its folder's name", True, "NAME", positional=True)
PROJECT_PATH = Parameter("projectPath", "path", "The project, when it is not this one", metavar="DIR", flag="--path")
MODE = Parameter(
    "mode",
    "text",
    "full, or compact once a full guide was given for this runId",
    metavar="MODE",
    choices=("full", "compact"),
)
RUN = Parameter(
    "runId", "text", "Any name for the work at hand; remembers that it got the full guide", metavar="ID", flag="--run"
)


FAILURE = "holdfast.specs.answers:failure_of"

OPERATIONS = (
    Operation(
        family="specs",
        command=("spec", "status"),
        summary="Tell which phase a spec is in and how far its tasks are.",
        parameters=(NAME, PROJECT_PATH),
        run="holdfast.specs.answers:spec_status",
        view="holdfast.specs.views:status",
        failure=FAILURE,
        failures_are_answers=True,
        tool="spec-status",
        title="Spec status",
        description=(
            "Tell which phase a spec is in, which of its documents exist and how many tasks are done. Call it before "
            "working on a spec, and again after each task."
        ),
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
        large_result=True,  # steering documents may be long
        description=(
            "Explain how a spec is written and carried out here: the workflow, the templates of its documents and the "
            "project's steering documents. Call it before creating a spec."
        ),
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
        large_result=True,  # steering documents may be long
        description=(
            "Give the rules for carrying out one task, with the project's steering documents. Pass a runId and ask for "
            "mode compact in later calls: it costs a fraction, and is the full guide again whenever something changed."
        ),
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
        large_result=True,  # steering documents may be long
        description=(
            "Give the rules for reviewing a change made for a task, quoting the project's steering documents. runId "
            "and mode work as in get-implementer-guide."
        ),
    ),
    Operation(
        family="specs",
        command=("spec", "list"),
        summary="List the specs of the project with phase and progress.",
        parameters=(PROJECT_PATH,),
        run="holdfast.specs.answers:spec_list",
        view="holdfast.specs.views:listing",
        failure=FAILURE,
        failures_are_answers=True,
    ),
    Operation(
        family="specs",
        command=("spec", "next"),
        summary="Show the first open task of a spec.",
        parameters=(NAME, PROJECT_PATH),
        run="holdfast.specs.answers:spec_next",
        view="holdfast.specs.views:next_task",
        failure=FAILURE,
        failures_are_answers=True,
    ),
    Operation(
        family="specs",
        command=("spec", "init"),
        summary="Start a spec from templates.",
        parameters=(NAME, PROJECT_PATH),
        run="holdfast.specs.answers:spec_init",
        view="holdfast.specs.views:written",
        failure=FAILURE,
        failures_are_answers=True,
    ),
    Operation(
        family="specs",
        command=("steering",),
        summary="Tell which steering documents exist.",
        parameters=(PROJECT_PATH,),
        run="holdfast.specs.answers:steering",
        view="holdfast.specs.views:steering",
        failure=FAILURE,
        failures_are_answers=True,
    ),
    Operation(
        family="specs",
        command=("steering", "init"),
        summary="Write drafts of the missing steering documents.",
        parameters=(PROJECT_PATH,),
        run="holdfast.specs.answers:steering_init",
        view="holdfast.specs.views:written",
        failure=FAILURE,
        failures_are_answers=True,
    ),
)
