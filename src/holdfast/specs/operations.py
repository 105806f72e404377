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


def _operation(
    command: str,
    summary: str,
    parameters: tuple[Parameter, ...],
    *,
    answer: str,
    view: str,
    tool: str = "",
    title: str = "",
    description: str = "",
    large_result: bool = False,
) -> Operation:
    return Operation(
        family="specs",
        command=tuple(command.split()),
        summary=summary,
        parameters=parameters,
        run=f"holdfast.specs.answers:{answer}",
        tool=tool,
        title=title,
        description=description,
        view=f"holdfast.specs.views:{view}",
        failure="holdfast.specs.answers:failure_of",
        failures_are_answers=True,
        large_result=large_result,
    )


OPERATIONS = (
    _operation(
        "spec status",
        "Tell which phase a spec is in and how far its tasks are.",
        (NAME, PROJECT_PATH),
        answer="spec_status",
        view="status",
        tool="spec-status",
        title="Spec status",
        description=(
            "Tell which phase a spec is in, which of its documents exist and how many tasks are done. Call it before "
            "working on a spec, and again after each task."
        ),
    ),
    _operation(
        "guide workflow",
        "Explain the spec workflow, with templates and steering documents.",
        (),
        answer="workflow_guide",
        view="guide",
        tool="spec-workflow-guide",
        title="Spec workflow guide",
        large_result=True,  # steering documents may be long
        description=(
            "Explain how a spec is written and carried out here: the workflow, the templates of its documents and the "
            "project's steering documents. Call it before creating a spec."
        ),
    ),
    _operation(
        "guide implementer",
        "Give the guide for carrying out a task.",
        (MODE, RUN),
        answer="implementer_guide",
        view="guide",
        tool="get-implementer-guide",
        title="Implementer's guide",
        large_result=True,  # steering documents may be long
        description=(
            "Give the rules for carrying out one task, with the project's steering documents. Pass a runId and ask for "
            "mode compact in later calls: it costs a fraction, and is the full guide again whenever something changed."
        ),
    ),
    _operation(
        "guide reviewer",
        "Give the guide for reviewing a change.",
        (MODE, RUN),
        answer="reviewer_guide",
        view="guide",
        tool="get-reviewer-guide",
        title="Reviewer's guide",
        large_result=True,  # steering documents may be long
        description=(
            "Give the rules for reviewing a change made for a task, quoting the project's steering documents. runId "
            "and mode work as in get-implementer-guide."
        ),
    ),
    _operation(
        "spec list",
        "List the specs of the project with phase and progress.",
        (PROJECT_PATH,),
        answer="spec_list",
        view="listing",
    ),
    _operation(
        "spec next", "Show the first open task of a spec.", (NAME, PROJECT_PATH), answer="spec_next", view="next_task"
    ),
    _operation("spec init", "Start a spec from templates.", (NAME, PROJECT_PATH), answer="spec_init", view="written"),
    _operation("steering", "Tell which steering documents exist.", (PROJECT_PATH,), answer="steering", view="steering"),
    _operation(
        "steering init",
        "Write drafts of the missing steering documents.",
        (PROJECT_PATH,),
        answer="steering_init",
        view="written",
    ),
)
