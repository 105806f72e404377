"""The commands of a project: whole, with their places, and none that publishes or rewrites."""

from __future__ import annotations

import json

import pytest

from holdfast.contexts.commands import commands, is_command_file


def test_what_publishes_pushes_or_rewrites_is_not_listed() -> None:
    scripts = {
        "release": "node scripts/release.js",
        "build": "tsc",
        "build:site": "docs build && git push origin pages",
        "lint": "eslint .",
        "lint:fix": "eslint . --fix",
        "format": "prettier --write .",
        "format-check": "prettier --check .",
        "test": "vitest run",
        "test:update": "vitest run -u",
    }
    make = "fmt:\n\tgofmt -w .\nfmt-check:\n\tgofmt -d .\nvet:\n\tgo vet ./...\nlint:\n\truff check --fix .\n"
    found = commands({"package.json": json.dumps({"scripts": scripts}, indent=1), "Makefile": make}, {})
    assert found == {
        "build": ["npm run build  # package.json:4"],
        "test": ["npm run test  # package.json:10"],
        "lint": [
            "make fmt-check  # Makefile:3",
            "make vet  # Makefile:5",
            "npm run lint  # package.json:6",
            "npm run format-check  # package.json:9",
        ],
    }


def test_a_continued_line_of_ci_is_whole_and_names_its_line() -> None:
    text = "jobs:\n  a:\n    steps:\n    - run: |\n        cargo test \\\n          --workspace\n        npm publish\n"
    value = {"jobs": {"a": {"steps": [{"run": "cargo test \\\n  --workspace\nnpm publish\n"}]}}}
    assert commands({}, {"ci.yml": (value, text)}) == {"ci": ["cargo test --workspace  # ci.yml:5"]}


def test_ci_lists_nothing_that_publishes_or_rewrites() -> None:
    kept = [
        "pnpm run format-check",
        "ruff format --check",
        "python3 -u tests/all.py",
        "pnpm -w test",
        "cargo build --release",
    ]
    left = [
        "pnpm run format",
        "npm run lint --fix",
        "cargo fmt",
        "go mod tidy",
        "pnpm release",
        "gradle publishToMaven",
    ]
    value = {"run": "\n".join([*kept, *left])}
    assert commands({}, {"ci.yml": (value, "")}) == {"ci": [f"{command}  # ci.yml:1" for command in kept]}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "CMakeLists.txt",
            "project(a)\nenable_testing()\n",
            {"build": ["cmake -S . -B build && cmake --build build  # CMakeLists.txt:1"]}
            | {"test": ["ctest --test-dir build  # CMakeLists.txt:2"]},
        ),
        ("App.sln", "", {"build": ["dotnet build App.sln  # App.sln:1"], "test": ["dotnet test App.sln  # App.sln:1"]}),
        ("App.csproj", "<Project/>", {"build": ["dotnet build App.csproj  # App.csproj:1"]}),
        (
            "Package.swift",
            "\n.testTarget(name: 1)",
            {"build": ["swift build  # Package.swift:1"], "test": ["swift test  # Package.swift:2"]},
        ),
        (
            "settings.gradle.kts",
            "",
            {"build": ["gradle build  # settings.gradle.kts:1"], "test": ["gradle test  # settings.gradle.kts:1"]},
        ),
        ("mix.exs", "", {"build": ["mix compile  # mix.exs:1"], "test": ["mix test  # mix.exs:1"]}),
    ],
)
def test_a_build_system_is_known_by_its_file(name: str, text: str, found: dict[str, list[str]]) -> None:
    assert is_command_file(name)
    assert commands({name: text}, {}) == found
