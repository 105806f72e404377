"""What steering claims of a project is compared with its files and manifests, and only what is sure is reported."""

from __future__ import annotations

import json
import time

import pytest

from holdfast.specs.project_facts import Facts, drafts, facts_of
from holdfast.specs.steering_claims import drifted

PACKAGE = json.dumps(
    {
        "scripts": {"dev": "vite", "test:unit": "vitest"},
        "dependencies": {"react": "^19.1.0", "@scope/ui": "workspace:*"},
        "devDependencies": {"vite": "6.0.1"},
        "packageManager": "pnpm@10.2.0",
    }
)
PYPROJECT = '[project]\nrequires-python = ">=3.12"\ndependencies = ["fastapi[all]>=0.110", "rich"]\n'
FILES = ("package.json", "api/pyproject.toml", "Makefile", "src/app/main.ts", "src/util/text.ts", "docs/guide.md")


def facts(makefile: str = "all: build\nbuild:\n\tgo\n") -> Facts:
    return facts_of(FILES, {"package.json": PACKAGE, "api/pyproject.toml": PYPROJECT, "Makefile": makefile})


def found(text: str, given: Facts | None = None) -> list[tuple[int, str, str]]:
    return drifted(text, given or facts())


@pytest.mark.parametrize(
    ("text", "rule", "about"),
    [
        ("Parts are in `src/old/`.", "path-missing", "src/old/"),
        ("See `src/app/gone.ts:12` first.", "path-missing", "src/app/gone.ts"),
        ("- `legacy_api/`: the server", "path-missing", "legacy_api/"),
        ("Start it with `npm run start`.", "command-unknown", "npm run start"),
        ("```bash\npnpm run lint  # all\n```", "command-unknown", "pnpm run lint"),
        ("```\n$ make deploy\n```", "command-unknown", "make deploy"),
        ("- **React 18**: the pages", "version-differs", "react 18, the manifest has ^19.1.0"),
        ("`vite@5.4.2` builds", "version-differs", "vite 5.4.2, the manifest has 6.0.1"),
        ("Python 3.11+", "version-differs", "python 3.11, the manifest has >=3.12"),
        ("```\nsrc/\n├── app/\n│   └── gone.ts\n└── util/\n```", "path-missing", "src/app/gone.ts"),
    ],
)
def test_what_the_project_contradicts_is_found(text: str, rule: str, about: str) -> None:
    assert [(each, what) for _, each, what in found(text)] == [(f"steering-{rule}", about)]


@pytest.mark.parametrize(
    "text",
    [
        "In `src/app/`, `app/main.ts` and `./docs/guide.md`; run `npm run dev`, `pnpm run test:unit` and `make build`.",
        "React 19, react 19.2.0, Vite 6+, pnpm 10, Python 3.12 and 3.13, fastapi 0.115, rich 13, @scope/ui 4",
        "React Router 6, 18 React components, React 18/19, Python 548+ tests, vite 5件",
        "`src/old/` was removed; `npm run lint` is planned; do not use React 17.",
        "## File naming\n\n- `components/`: as `src/components/Button.ts`\n",
        "<!-- `src/old/` -->",
        "`text/html`, `feature/login`, `src/*.ts`, `src/<name>.ts`, `@/lib/x.ts`, `/etc/x.conf`, `~/x/y.md`",
        "Use `static/app_name/` as it is; make sure that it works; npm run it.",
        "```ts\nimport x from '../src/gone.ts'\nnpm run nothing\n```",
        "```\napp/\n├── Header\n│   └── Menu\n└── Footer\n```",
        "```\nother/\n├── lib/\n├── bin/\n└── x.py\n```",
        "```\nsrc/\n├── app/\n│   ├── main.ts\n│   └── extra.ts  # if needed\n├── [id]/\n│   └── page.ts\n└── …\n```",
    ],
)
def test_what_is_true_unsure_or_no_claim_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_missing_folder_of_a_tree_is_one_finding_on_its_line() -> None:
    tree = "# S\n\n```\nproject/\n├── src/\n│   │\n│   ├── gone/\n│   │   └── a.ts\n│   └── app/\n└── docs/\n```\n"
    assert found(tree) == [(6, "steering-path-missing", "src/gone")]


@pytest.mark.parametrize("makefile", ["include more.mk\n", "%.o: %.c\n\tcc\n", "$(NAMES): all\n"])
def test_targets_are_not_judged_where_a_makefile_may_have_others(makefile: str) -> None:
    assert found("`make deploy`", facts(makefile)) == []


def test_a_manifest_that_cannot_be_read_or_is_not_there_judges_nothing() -> None:
    for manifests in ({}, {"package.json": ""}, {"package.json": "[" * 100_000}):
        assert found("`npm run lint` with React 18", facts_of(FILES, manifests)) == []


def test_other_manifests_name_packages_too() -> None:
    cargo = '[workspace.dependencies]\ntokio = { version = "1.35" }\n[dependencies]\naxum = "0.7"\n'
    go = "module x\n\ngo 1.22\n\nrequire (\n\texample.com/a v1.2.0\n)\n"
    given = facts_of(("Cargo.toml", "go.mod"), {"Cargo.toml": cargo, "go.mod": go})
    assert [what for *_, what in found("axum 0.6, tokio 1.20, Go 1.21, tokio 2", given)] == [
        "axum 0.6, the manifest has 0.7",
        "go 1.21, the manifest has 1.22",
        "tokio 2, the manifest has 1.35",
    ]


def test_a_draft_names_languages_packages_commands_and_folders() -> None:
    templates = {
        "product": "# P\n",
        "tech": "# T\n\n## Built with\n\nWhat.\n\n## Commands\n\n- Run:\n",
        "structure": "# S\n\n## Where things are\n\n- x\n",
    }
    made = drafts(facts(), templates)
    assert made["product"] == templates["product"]
    assert "- `package.json`: " in made["tech"]
    assert "- `package.json`: react ^19.1.0, @scope/ui workspace:*, vite 6.0.1, pnpm 10.2.0\n" in made["tech"]
    assert "- `package.json`: `npm run dev`, `npm run test:unit`\n" in made["tech"]
    assert made["structure"].startswith(
        "# S\n\n## Where things are\n\n- `api/`: 1 file\n- `docs/`: 1 file\n- `src/`: 2"
    )


def test_a_project_without_files_gets_the_templates() -> None:
    templates = {"tech": "## Built with\n", "structure": "## Where things are\n"}
    assert drafts(facts_of((), {}), templates) == templates


def test_a_draft_has_no_drift() -> None:
    text = drafts(facts(), {"tech": "## Built with\n\n## Commands\n"})["tech"]
    assert found(text) == []


@pytest.mark.parametrize("part", ["a", "a ", "a-1 ", "`a/", "├", "src/", "- `x` ", "React 1"])
def test_time_grows_with_the_length_of_a_line(part: str) -> None:
    texts = (part * 20_000, f"```\n{part * 20_000}\n```\n")
    given, start = facts(), time.process_time()
    for text in texts:
        found(text, given)
    assert time.process_time() - start < 2
