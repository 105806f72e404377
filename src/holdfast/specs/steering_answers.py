"""Steering documents against the project: drafts of them from its files, and what in them no longer holds."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.operation import Outcome
from holdfast.specs.answers import check_writable, project_of, written
from holdfast.specs.arguments import InitArguments
from holdfast.specs.checks import Finding, with_levels
from holdfast.specs.on_disk import spec_files, workflow_folder
from holdfast.specs.on_disk.fact_files import generated, read_facts
from holdfast.specs.on_disk.workflow_folder import Project
from holdfast.specs.project_facts import drafts
from holdfast.specs.shapes import Success, WrittenData
from holdfast.specs.steering_claims import drifted
from holdfast.workspace import Workspace


def steering_init(workspace: Workspace, arguments: InitArguments) -> Outcome[Success[WrittenData]]:
    project = project_of(workspace, arguments.get("projectPath", ""))
    check_writable(project, project.layout.own_steering)
    templates = {doc: workflow_folder.template(project, f"steering-{doc}") for doc in project.layout.written}
    texts = drafts(read_facts(project.path), templates)
    files = {f"{doc}.md": text if text == templates[doc] else spec_files.marked(text) for doc, text in texts.items()}
    return written(project, "steering", files, "Fill in the drafts: the guides quote them word for word")


def steering_findings(project: Project, *, strict: bool, levels: Mapping[str, str]) -> tuple[list[Finding], list[str]]:
    """What steering documents say that no longer holds, and the paths of the documents that were read."""
    layout = workflow_folder.with_steering(project).layout
    documents = spec_files.get_steering_docs(project._replace(layout=layout), layout.steering)
    if not documents:
        return [], []
    facts = read_facts(project.path)
    found = [(layout.steering[doc], *each) for doc, text in documents.items() for each in drifted(text, facts)]
    kept = generated(project.path, [about for _, _, rule, about in found if rule == "steering-path-missing"])
    left = [each for each in found if each[3] not in kept]
    return with_levels(left, "error" if strict else "", levels), [layout.steering[doc] for doc in documents]
