"""Guides made from templates, steering documents and settings, and remembered while those stay the same."""

from __future__ import annotations

from hashlib import sha256

from holdfast.core.errors import SpecFailure
from holdfast.core.record import NamedTuple
from holdfast.specs import guides
from holdfast.specs.discipline import discipline_of
from holdfast.specs.guides import REQUIRED_STEERING
from holdfast.specs.on_disk import get_missing_steering_docs, template_path
from holdfast.specs.phases import PHASES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.specs.on_disk import Project
    from holdfast.specs.shapes import Discipline, Role

NAMESPACE = "guide"


class RoleGuide(NamedTuple):
    """A role's guide, both ways, and all that it depends on: two are equal if nothing changed between them."""

    discipline: Discipline
    full: str
    compact: str
    steering: dict[str, str]
    search: str


class WorkflowGuide(NamedTuple):
    """The workflow guide and the templates it speaks of."""

    guide: str
    templates: dict[str, str]


def discipline(project: Project) -> Discipline:
    """How much discipline the project's settings ask for; SpecFailure when they cannot be followed."""
    try:
        return project.file_contents.memo(
            "discipline", (project.settings,), discipline_of, namespace=NAMESPACE, variant=project.root
        )
    except SpecFailure as failure:
        failure.note = project.note
        raise


def role_guide(project: Project, role: Role, run: str = "", *, discipline: Discipline) -> RoleGuide:
    """The guide of a role as of now; asked for a run, it is also remembered as what that run was given.

    SpecFailure when a steering document that it quotes is missing.
    """
    if missing := get_missing_steering_docs(project, REQUIRED_STEERING):
        raise _missing_steering(project, missing)

    def make(*contents: bytes | None) -> RoleGuide:
        documents = dict(zip(REQUIRED_STEERING, contents, strict=False))
        present = {doc: data for doc, data in documents.items() if data is not None}
        if len(present) < len(documents):  # gone since the look above
            raise _missing_steering(project, [doc for doc in documents if doc not in present])
        full, compact, search = [(text or b"").decode() for text in contents[len(documents) :]]
        return _made(role, discipline, present, full, compact, search)

    templates = [template_path(name) for name in (role, f"{role}-compact", "search-guidance")]
    paths = (*[project.steering(doc) for doc in REQUIRED_STEERING], *templates)
    return project.file_contents.memo(_key(project, role, run), paths, make, namespace=NAMESPACE, variant=discipline)


def guide_of_run(project: Project, role: Role, run: str) -> RoleGuide | None:
    """The guide a run was given last, current or not."""
    guide = project.file_contents.recall(_key(project, role, run), namespace=NAMESPACE)
    return guide if isinstance(guide, RoleGuide) else None


def workflow_guide(project: Project, *, discipline: Discipline) -> WorkflowGuide:
    """The workflow guide as of now."""

    def make(template: bytes, *contents: bytes) -> WorkflowGuide:
        templates = dict(zip(PHASES, [content.decode() for content in contents], strict=True))
        return WorkflowGuide(guides.for_discipline(template.decode(), discipline), templates)

    paths = (template_path("workflow"), *[template_path(f"spec-{phase}") for phase in PHASES])
    return project.file_contents.memo("workflow", paths, make, namespace=NAMESPACE, variant=discipline)


def _key(project: Project, role: Role, run: str) -> tuple[str, str, str]:
    # Whatever a caller names its run, remembering it takes no more than a digest.
    return role, project.root, run if len(run) < 64 else sha256(run.encode()).hexdigest()


def _missing_steering(project: Project, missing: list[str]) -> SpecFailure:
    return SpecFailure(
        f"Required steering docs missing: {', '.join([f'{doc}.md' for doc in missing])}",
        ("Write them in the workflow folder's steering/", "`context steering init` makes drafts to fill in"),
        note=project.note,
    )


def _made(
    role: Role, discipline: Discipline, steering: dict[str, bytes], full: str, compact: str, search: str
) -> RoleGuide:
    texts = {doc: data.decode("utf-8", "replace") for doc, data in steering.items()}
    digests = [guides.digest_of(doc, texts[doc], sha256(data).hexdigest(), len(data)) for doc, data in steering.items()]
    listed = "\n".join([guides.digest_line(digest) for digest in digests])
    whole = guides.for_discipline(full, discipline)
    if role == "reviewer":
        whole = guides.filled(whole, {"steering": guides.quoted(texts)})
    short = guides.filled(guides.for_discipline(compact, discipline), {"digests": listed})
    return RoleGuide(discipline, whole, short, texts, search)
