"""Every operation names code by `module:function`; a name that leads nowhere would fail only when it is called."""

from __future__ import annotations

import pytest

from holdfast.catalog import CATALOG
from holdfast.operation import Operation, load


@pytest.mark.parametrize("operation", CATALOG, ids=lambda operation: " ".join(operation.command))
def test_every_name_of_code_in_the_catalog_leads_to_a_function(operation: Operation) -> None:
    named = [name for name in (operation.run, operation.view, operation.text, operation.failure) if name]
    named += [name for variant in operation.variants for name in (variant.run, variant.view)]

    assert [name for name in named if not callable(load(name))] == []


@pytest.mark.parametrize("operation", CATALOG, ids=lambda operation: " ".join(operation.command))
def test_a_variant_takes_parameters_that_its_operation_declares(operation: Operation) -> None:
    declared = {parameter.name for parameter in operation.parameters}
    named = {name for each in operation.variants for name in (each.given, *each.takes, *each.needs)}

    assert (named - declared, {each.given for each in operation.variants if set(each.needs) - {*each.takes}}) == (
        set(),
        set(),
    )


def test_an_operation_lets_its_format_be_chosen_where_it_answers_in_text_and_only_there() -> None:
    chosen = {operation.tool: [p.choices for p in operation.parameters if p.name == "format"] for operation in CATALOG}

    assert {tool for tool, choices in chosen.items() if [told[:2] for told in choices] == [("text", "json")]} == {
        operation.tool for operation in CATALOG if operation.text
    }
