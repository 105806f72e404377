"""Operations over all families at once, declared for the command line."""

from __future__ import annotations

from holdfast.operation import Operation, Parameter

OPERATIONS = (
    Operation(
        family="survey",
        command=("savings",),
        summary="Tell what answers cost in tokens and what they stood for: documents, directories, repeats not sent.",
        parameters=(
            Parameter(
                "receipts",
                "path",
                "Directory that 'context serve --receipts' wrote to (default: .context/receipts)",
                metavar="DIR",
            ),
            Parameter(
                "telemetry",
                "path",
                "What 'context serve --telemetry' wrote to stderr, of one server or several",
                metavar="FILE",
            ),
            Parameter("limit", "integer", "Most receipts to look at, the latest first (default: 1000)", metavar="N"),
        ),
        run="holdfast.survey.answers:savings",
        view="holdfast.survey.views:savings",
    ),
    Operation(
        family="survey",
        command=("doctor",),
        summary="Look at everything: what is stale or wrong, and what to run next; exit 8 when something needs doing.",
        parameters=(
            Parameter("path", "path", "The project (default: the one the current directory is in)", metavar="DIR"),
            Parameter("untracked", "flag", "Count files that git does not track, too"),
        ),
        run="holdfast.survey.answers:doctor",
        view="holdfast.survey.views:doctor",
    ),
)
