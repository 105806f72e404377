"""What a file needs without importing it: its own package elsewhere, a namespace around it, a module named in full."""

from __future__ import annotations

from holdfast.code.analysis.analyser import analyse_with_references
from holdfast.contexts.dependencies import dependencies, dependents
from holdfast.contexts.project_index import Index, declared_packages


def project(sources: dict[str, str]) -> tuple[dict, dict, Index]:  # type: ignore[type-arg]  # for the three below
    facts: dict[str, list[object]] = {}
    used = {}
    for path, text in sources.items():
        place, _, name = path.rpartition("/")
        one, uses = analyse_with_references(name, text.encode())
        facts.setdefault(place, []).append(one)
        used[place, name] = uses
    files = {place: [one.name for one in some] for place, some in facts.items()}  # type: ignore[attr-defined]
    return facts, used, Index(files, packages=declared_packages(facts))  # type: ignore[arg-type]


def test_one_java_package_over_two_trees_is_one() -> None:
    facts, used, index = project(
        {
            "main/x/Owner.java": "package x;\npublic class Owner {}\n",
            "test/x/OwnerTests.java": "package x;\nclass OwnerTests { Owner o; }\n",
            "test/x/Other.java": "package x;\nclass Other { }\n",
        }
    )
    assert dependents("main/x", facts, index, used) == ["test/x"]
    assert dependencies("main/x", facts["main/x"], index, used).internal == []


def test_a_namespace_of_csharp_sees_those_around_it() -> None:
    facts, used, index = project(
        {
            "src/Store.cs": "namespace App;\npublic class Store {}\n",
            "tests/StoreTests.cs": "namespace App.Tests;\nclass StoreTests { Store s; }\n",
        }
    )
    assert dependents("src", facts, index, used) == ["tests"]
    uses = project({"src/A.cs": "using Microsoft.EntityFrameworkCore;\nusing System.Linq;\nclass A {}\n"})
    assert dependencies("src", uses[0]["src"], uses[2]).external == ["Microsoft.EntityFrameworkCore"]


def test_modules_of_elixir_that_are_named_in_full_need_no_alias_and_prose_names_none() -> None:
    facts, used, index = project(
        {
            "lib/reloader/server.ex": "defmodule App.Reloader.Server do\nend\n",
            "lib/reloader.ex": 'defmodule App.Reloader do\n @doc "App.Other"\n def f, do: App.Reloader.Server.g\nend\n',
            "other/other.ex": "defmodule App.Other do\nend\n",
        }
    )
    assert dependents("lib/reloader", facts, index, used) == ["lib"]
    assert dependents("other", facts, index, used) == []


def test_a_target_of_swift_is_a_directory_below_sources() -> None:
    facts, used, index = project(
        {
            "Sources/Plugin/Plugin.swift": "public struct Plugin {}\n",
            "Tests/PluginTests/PluginTests.swift": "import Plugin\nimport XCTest\n",
        }
    )
    assert dependents("Sources/Plugin", facts, index, used) == ["Tests/PluginTests"]
