"""The folders that specs live in: one value for each tool, in the order they are looked for."""

from __future__ import annotations

from holdfast.core.record import NamedTuple

PHASES = ("requirements", "design", "tasks")
STEERING = ("product", "tech", "structure", "principles")
# Folders among the specs that hold finished ones.
ARCHIVES = ("archive", "_archived")


_TEMPLATES = {phase: ("", f"spec-{phase}") for phase in PHASES}
_OPENSPEC = "openspec/schemas/spec-driven/templates"


class TaskForm(NamedTuple):
    """How a tool writes a task. The numbered checkbox item of the contract is the default."""

    example: str = "- [ ] 1.2 Text"
    reference: str = "`_Requirements: 1.2_` below a task"  # how a task names a requirement
    queued: bool = False  # `[~]` is a box
    optional: bool = False  # `*` after the box or the number marks a task that may be skipped
    codes: bool = False  # ids such as `T003`, `12a` and `T055-MIN`, in bold as well, with flags such as `[P] [US1]`
    any_box: bool = False  # every checkbox item is a task, with a number or without


NUMBERED = TaskForm()
KIRO_TASKS = TaskForm(queued=True, optional=True)
CODED = TaskForm("- [ ] T003 [US1] Text", "`[US1]` after a task's id", codes=True)
ANY_BOX = TaskForm(any_box=True)


class Layout(NamedTuple):
    """Where a tool keeps specs, what it calls their documents, and how it writes a task. Paths are the project's."""

    name: str
    root: str  # the folder that shows which tool it is
    specs: str  # the folder that has a folder for each spec
    documents: dict[str, tuple[str, ...]]  # by phase, the file names it may have; a new one gets the first
    steering: dict[str, str]  # the documents that hold for every spec
    written: tuple[str, ...]  # those of them that its tool writes
    steering_folder: str = ""  # where its tool reads every document, those that it does not write too
    required: tuple[str, ...] = ()  # those without which there is no guide
    some_required: bool = False  # whether one of them has to be there
    optional: tuple[str, ...] = ()  # the phases that a spec may skip
    tasks: TaskForm = NUMBERED
    writable: bool = True  # whether this package writes there; else it only reads
    living: str = ""  # the folder of the requirements that hold now, a file for each capability
    delta: str = ""  # the folder of changes to them, in a spec's folder
    capability: str = "{}.md"  # the file of a capability, in either folder
    delta_is_required: bool = False  # whether the requirements of a spec are its deltas
    archive: str = ""  # where finished specs go
    archived_as: str = "{name}"
    living_start: str = "# {capability}\n\n## Requirements\n"  # a file of living requirements before the first of them
    shown_by: tuple[str, ...] = ()  # one of them has to be there, where `root` alone says too little
    numbered: str = ""  # the document whose presence in a folder such as `specs/001-name` shows the tool without `root`
    own_command: str = ""  # how a spec is started in a project that is only read
    own_steering: str = ""  # how its steering is written, likewise
    check: str = "`context spec check {name}`"  # how a document is checked
    words: str = "own"  # whose words the workflow guide uses
    # By document its template: where the project has its own, else the one of this package.
    templates: dict[str, tuple[str, str]] = _TEMPLATES

    def document(self, phase: str) -> str:
        """What a new document of a phase is called."""
        return self.documents[phase][0]

    @property
    def files(self) -> str:
        """Where the documents of a spec belong, in words."""
        names = [self.document(phase) + " (optional)" * (phase in self.optional) for phase in PHASES]
        return f"{self.specs}/NAME/ with {', '.join(names[:-1])} and {names[-1]}"


def _own(name: str, root: str, **more: object) -> Layout:
    values: dict[str, object] = {
        "steering": {doc: f"{root}/steering/{doc}.md" for doc in STEERING},
        "written": STEERING[:3],
        "documents": {phase: (f"{phase}.md",) for phase in PHASES},
        "living": f"{root}/living",
        "delta": "delta",
        "archive": f"{root}/archive",
        **more,
    }
    return Layout(name, root, f"{root}/specs", **values)  # type: ignore[arg-type]  # each by its name, as above


LAYOUTS = (
    _own("spec-context", ".spec-context", written=STEERING, required=("tech", "principles")),
    _own("spec-workflow", ".spec-workflow", some_required=True),
    _own(
        "kiro",
        ".kiro",
        some_required=True,
        steering_folder=".kiro/steering",
        tasks=KIRO_TASKS,
        documents={"requirements": ("requirements.md", "bugfix.md"), "design": ("design.md",), "tasks": ("tasks.md",)},
    ),
    Layout(
        "spec-kit",
        ".specify",
        "specs",
        {"requirements": ("spec.md",), "design": ("plan.md",), "tasks": ("tasks.md",)},
        {"constitution": ".specify/memory/constitution.md"},
        ("constitution",),
        tasks=CODED,
        writable=False,
        numbered="spec.md",
        own_command="/speckit.specify",
        own_steering="Its steering is the constitution, principles that people agree on: write it with "
        "/speckit.constitution",
        words="spec-kit",
        templates={
            "requirements": (".specify/templates/spec-template.md", "spec-kit-requirements"),
            "design": (".specify/templates/plan-template.md", "spec-design"),
            "tasks": (".specify/templates/tasks-template.md", "spec-kit-tasks"),
        },
    ),
    Layout(
        "openspec",
        "openspec",
        "openspec/changes",
        {"requirements": ("proposal.md",), "design": ("design.md",), "tasks": ("tasks.md",)},
        {"project": "openspec/project.md", "config.yaml": "openspec/config.yaml"},
        ("project",),
        optional=("design",),
        tasks=ANY_BOX,
        writable=False,
        living="openspec/specs",
        delta="specs",
        capability="{}/spec.md",
        delta_is_required=True,
        archive="openspec/changes/archive",
        archived_as="{date}-{name}",
        living_start="# {capability} Specification\n\n## Purpose\n\n{purpose}\n\n## Requirements\n",
        shown_by=("openspec/changes", "openspec/specs", "openspec/project.md", "openspec/config.yaml"),
        own_command="/opsx:propose",
        own_steering="Its steering is the text below `context:` in openspec/config.yaml: write the "
        "project's languages, commands and folders there",
        check="`openspec validate {name} --strict` and `context spec check {name}`",
        words="openspec",
        templates={
            "requirements": (f"{_OPENSPEC}/proposal.md", "openspec-requirements"),
            "delta": (f"{_OPENSPEC}/spec.md", "openspec-delta"),
            "design": (f"{_OPENSPEC}/design.md", "spec-design"),
            "tasks": (f"{_OPENSPEC}/tasks.md", "openspec-tasks"),
        },
    ),
)
NEW = LAYOUTS[0]  # what a project without any gets
