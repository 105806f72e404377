"""Which tasks of specs name a file."""

from __future__ import annotations

from holdfast.specs.tasks import parse
from holdfast.survey.spec_tasks import tasks_naming

TASKS = """\
- [x] 1. Keep orders
  - File: `./src/store.py`
- [ ] 2. Change src/front.py:12-20
- [-] 3. Move everything
  - Files: src/
- [ ] 4. Speak of the store
  - Leverage the words of `docs/store.md`
"""


def test_a_task_names_a_file_by_its_path_or_by_a_folder_above_it_and_tasks_at_work_come_first() -> None:
    found = tasks_naming({"b": parse(TASKS).tasks, "a": parse(TASKS).tasks}, ["src/front.py", "src/store.py"])

    assert [(one["spec"], one["id"], one["files"]) for one in found] == [
        ("a", "3", ["src/front.py", "src/store.py"]),
        ("b", "3", ["src/front.py", "src/store.py"]),
        ("a", "2", ["src/front.py"]),
        ("b", "2", ["src/front.py"]),
        ("a", "1", ["src/store.py"]),
        ("b", "1", ["src/store.py"]),
    ]
    assert tasks_naming({"a": parse(TASKS).tasks}, ["store.py", "lib/front.py"]) == []
