"""Guides made from templates, steering documents and settings, and remembered while those stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from holdfast.core.errors import SpecFailure
from holdfast.specs import guides
from holdfast.specs.discipline import discipline_of
from holdfast.specs.on_disk.spec_files import get_missing_steering_docs
from holdfast.specs.on_disk.workflow_folder import Project, phase_templates, template_path
from holdfast.specs.shapes import Discipline, Role

NAMESPACE = "guide"
_DIGITS = 16
_HEX = frozenset("0123456789abcdef")


class RoleGuide(NamedTuple):
    """A role's guide, both ways, and all that it depends on: two are equal if nothing changed between them."""

    discipline: Discipline
    full: str
    compact: str
    steering: dict[str, str]
    search: str

    @property
    def digest(self) -> str:
        """A digest of all of it: two guides with the same digest are equal."""
        texts = (self.discipline, self.full, self.compact, self.search, *self.steering, *self.steering.values())
        return sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


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

    SpecFailure when a steering document that it needs is missing.
    """
    layout = project.layout
    missing = get_missing_steering_docs(project, layout.required or layout.steering)
    wanted = [doc for doc in layout.required or layout.steering if doc not in missing]
    if (layout.required and missing) or (layout.some_required and not wanted):
        raise _missing_steering(project, missing)

    def make(*contents: bytes | None) -> RoleGuide:
        present = {doc: data for doc, data in zip(wanted, contents, strict=False) if data is not None}
        if layout.required and len(present) < len(wanted):  # gone since the look above
            raise _missing_steering(project, [doc for doc in wanted if doc not in present])
        full, compact, search = [(text or b"").decode() for text in contents[len(wanted) :]]
        documents_of = {phase: layout.document(phase) for phase in ("design", "tasks")}
        return _made(discipline, present, full, compact, search, documents_of)

    templates = [template_path(name) for name in (role, f"{role}-compact", "search-guidance")]
    paths = (*[project.steering(doc) for doc in wanted], *templates)
    variant = (discipline, layout.name, tuple(wanted))
    return project.file_contents.memo(_key(project, role, run), paths, make, namespace=NAMESPACE, variant=variant)


def cache_key(role: Role, run: str, guide: RoleGuide) -> str:
    """What an answer calls the guide it gave: its role, the run, and a digest of the guide."""
    return f"{role}:{run}:{guide.digest}"


def parsed_key(role: Role, run: str) -> tuple[str, str]:
    """The run and the digest that a key of this role holds; a run that is no such key, and no digest."""
    name, _, digest = run.removeprefix(f"{role}:").rpartition(":")
    if run.startswith(f"{role}:") and name and len(digest) == _DIGITS and _HEX.issuperset(digest):
        return name, digest
    return run, ""


def guide_of_run(project: Project, role: Role, run: str) -> RoleGuide | None:
    """The guide a run was given last, current or not."""
    guide = project.file_contents.recall(_key(project, role, run), namespace=NAMESPACE)
    return guide if isinstance(guide, RoleGuide) else None


def workflow_guide(project: Project, missing: Sequence[str], *, discipline: Discipline) -> WorkflowGuide:
    """The workflow guide as of now, with a template for each steering document that is missing."""
    layout = project.layout
    unwritten = [doc for doc in layout.written if doc in missing] if layout.writable else []
    found = phase_templates(project)

    def make(template: bytes, words: bytes, *contents: bytes | None) -> WorkflowGuide:
        texts = [(content or b"").decode("utf-8", "replace") for content in contents]
        templates = dict(zip(found, texts, strict=False))
        steering = dict(zip([layout.steering[doc] for doc in unwritten], texts[len(found) :], strict=True))
        parts = guides.parts_of(words.decode())
        values = {
            **parts,
            "finish": parts["finish"] and parts["finish"] + "\n",
            "files": layout.files,
            "steering": ", ".join([layout.steering[doc] for doc in layout.written]),
            "unwritten": guides.templates_to_fill(steering),
        }
        text = guides.for_discipline(template.decode(), discipline, left_out=() if unwritten else ("unwritten",))
        return WorkflowGuide(guides.filled(text, values), templates)

    texts = [template_path(name) for name in ("workflow", f"layout-{layout.words}")]
    return project.file_contents.memo(
        "workflow",
        [*texts, *found.values(), *[template_path(f"steering-{doc}") for doc in unwritten]],
        make,
        namespace=NAMESPACE,
        variant=(discipline, layout.name, tuple(unwritten), *found.values()),
    )


def _key(project: Project, role: Role, run: str) -> tuple[str, str, str]:
    # Whatever a caller names its run, remembering it takes no more than a digest.
    return role, project.root, run if len(run) < 64 else sha256(run.encode()).hexdigest()


def _missing_steering(project: Project, missing: Sequence[str]) -> SpecFailure:
    layout = project.layout
    wanted = [doc for doc in missing if doc in (layout.required or layout.written)]
    paths = " and ".join([layout.steering[doc] for doc in wanted])
    choice = "" if layout.required else ", at least one of them"
    return SpecFailure(
        f"Required steering docs missing: {', '.join([guides.file_name(doc) for doc in wanted])}",
        (
            f"Write {paths}{choice}: spec-workflow-guide has their templates",
            "`context spec init --steering` makes drafts to fill in",
        ),
        note=project.note,
    )


def _made(
    discipline: Discipline, steering: dict[str, bytes], full: str, compact: str, search: str, documents: dict[str, str]
) -> RoleGuide:
    texts = {doc: data.decode("utf-8", "replace") for doc, data in steering.items()}
    listed = "\n".join([guides.digest_line(doc, data) for doc, data in steering.items()])
    whole = guides.for_discipline(full, discipline)
    whole = guides.filled(
        whole, {**documents, "steering": guides.quoted(texts), "names": ", ".join(texts) or "none yet"}
    )
    short = guides.filled(guides.for_discipline(compact, discipline), {"digests": listed})
    return RoleGuide(discipline, whole, short, texts, search)
