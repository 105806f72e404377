"""Guides compiled from templates, steering documents and settings, and remembered while those stay the same."""

from __future__ import annotations

from hashlib import sha256

from holdfast.core.record import NamedTuple
from holdfast.specs import guides
from holdfast.specs.guides import REQUIRED_STEERING
from holdfast.specs.on_disk import get_missing_steering_docs, template_path
from holdfast.specs.phases import PHASES
from holdfast.specs.settings import SettingsError, discipline_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.specs.on_disk import Project

NAMESPACE = "guide"
FIRST_STEP = {
    "implementer": "Read the task and the requirements it names, then follow the guide",
    "reviewer": "Read the task and the requirements it names, then the whole diff",
}


class Problem(NamedTuple):
    """Why there is no guide, and what to do about it."""

    message: str
    next_steps: tuple[str, ...]


class Guide(NamedTuple):
    """A role's guide, both ways."""

    full: str
    compact: str
    steering: dict[str, str]
    search: str


class Workflow(NamedTuple):
    """The workflow guide and the templates it speaks of."""

    guide: str
    templates: dict[str, str]


_MEND_SETTINGS = ("Correct settings.json in the workflow folder, or remove it for full discipline",)
NO_REVIEWS = Problem(
    "Reviews are not part of minimal discipline",
    ("Verify the change yourself", "Or set discipline to standard or full in settings.json"),
)


def discipline(project: Project) -> str | Problem:
    """How much discipline the project's settings ask for."""

    def make(settings: bytes | None) -> str | Problem:
        try:
            return discipline_of(settings)
        except SettingsError as error:
            return Problem(str(error), _MEND_SETTINGS)

    return project.file_contents.memo(
        "discipline", (project.settings,), make, namespace=NAMESPACE, variant=project.root
    )


def role_guide(project: Project, role: str, run: str = "", *, discipline: str) -> Guide | Problem:
    """The guide of a role as of now; asked for a run, it is also remembered as what that run was given."""
    if missing := get_missing_steering_docs(project, REQUIRED_STEERING):
        return _missing_steering(missing)

    def make(*contents: bytes | None) -> Guide | Problem:
        documents = dict(zip(REQUIRED_STEERING, contents, strict=False))
        present = {doc: data for doc, data in documents.items() if data is not None}
        if len(present) < len(documents):  # gone since the look above
            return _missing_steering([doc for doc in documents if doc not in present])
        full, compact, search = [(text or b"").decode() for text in contents[len(documents) :]]
        return _compile(role, discipline, present, full, compact, search)

    templates = [template_path(name) for name in (role, f"{role}-compact", "search-guidance")]
    paths = (*[project.steering(doc) for doc in REQUIRED_STEERING], *templates)
    key = _place(project, role, run)
    return project.file_contents.memo(key, paths, make, namespace=NAMESPACE, variant=discipline)


def _place(project: Project, role: str, run: str) -> tuple[str, str, str]:
    # Whatever a caller names its run, remembering it takes no more than a digest.
    return role, project.root, run if len(run) < 64 else sha256(run.encode()).hexdigest()


def guide_of_run(project: Project, role: str, run: str) -> Guide | None:
    """The guide a run was given last, current or not."""
    guide = project.file_contents.recall(_place(project, role, run), namespace=NAMESPACE)
    return guide if isinstance(guide, Guide) else None


def workflow_guide(project: Project, *, discipline: str) -> Workflow:
    """The workflow guide as of now."""

    def make(template: bytes, *contents: bytes) -> Workflow:
        templates = dict(zip(PHASES, [content.decode() for content in contents], strict=True))
        return Workflow(guides.for_discipline(template.decode(), discipline), templates)

    paths = (template_path("workflow"), *[template_path(f"spec-{phase}") for phase in PHASES])
    return project.file_contents.memo("workflow", paths, make, namespace=NAMESPACE, variant=discipline)


def _missing_steering(missing: list[str]) -> Problem:
    return Problem(
        f"Required steering docs missing: {', '.join([f'{doc}.md' for doc in missing])}",
        ("Write them in the workflow folder's steering/", "`context steering init` makes drafts to fill in"),
    )


def _compile(role: str, discipline: str, steering: dict[str, bytes], full: str, compact: str, search: str) -> Guide:
    texts = {doc: data.decode("utf-8", "replace") for doc, data in steering.items()}
    digests = [guides.digest_of(doc, texts[doc], sha256(data).hexdigest(), len(data)) for doc, data in steering.items()]
    listed = "\n".join([guides.digest_line(digest) for digest in digests])
    whole = guides.for_discipline(full, discipline)
    if role == "reviewer":
        whole = guides.filled(whole, {"steering": guides.quoted(texts)})
    short = guides.filled(guides.for_discipline(compact, discipline), {"digests": listed})
    return Guide(whole, short, texts, search)
