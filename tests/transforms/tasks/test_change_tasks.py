"""The rules of task memory hold whatever sequence of changes agents ask for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.tables.rows import TaskRow
from transforms.tasks import change_tasks as rules
from transforms.tasks.change_tasks import NewTask, TaskChange, TaskError
from transforms.tasks.find_tasks import describe_open_tasks, list_blocking, list_by_status, list_unfinished, search_tasks

AT = datetime(2026, 5, 17, 12, tzinfo=UTC)


def make_tasks(*titles: str) -> dict[str, TaskRow]:
    """Return open tasks of one project, a minute apart."""
    tasks: dict[str, TaskRow] = {}
    for number, title in enumerate(titles):
        task = rules.create_task(tasks, NewTask("/shop", title), AT + timedelta(minutes=number)).task
        tasks[task["task_id"]] = task
    return tasks


def keep(tasks: dict[str, TaskRow], change: TaskChange) -> TaskRow:
    """Store the task of a change and return it."""
    tasks[change.task["task_id"]] = change.task
    return change.task


def list_ready(tasks: dict[str, TaskRow]) -> list[TaskRow]:
    """Return the open tasks that nothing holds back, the most urgent first."""
    return [task for task in list_unfinished(tasks) if task["status"] == "open" and not list_blocking(tasks, task)]


def refuse(message: str) -> pytest.RaisesExc[TaskError]:
    """Expect a change to be refused with these words."""
    return pytest.raises(TaskError, match=message)


def test_a_blocked_task_waits_until_the_other_is_closed() -> None:
    """Blocked is computed, never stored."""
    tasks = make_tasks("Write the schema", "Write the reader")
    schema, reader = tasks
    keep(tasks, rules.set_dependency(tasks, reader, schema, AT))
    assert [task["task_id"] for task in list_ready(tasks)] == [schema]
    with refuse("blocked by open dependencies: " + schema):
        rules.claim_task(tasks, reader, "s1", "agent", AT)
    with refuse("would wait for each other"):
        rules.set_dependency(tasks, schema, reader, AT)
    keep(tasks, rules.close_task(tasks, schema, "completed", "Two tables", AT))
    assert [task["task_id"] for task in list_ready(tasks)] == [reader]
    assert keep(tasks, rules.claim_task(tasks, reader, "s1", "agent", AT))["status"] == "in_progress"
    assert list_ready(tasks) == []


def test_related_tasks_hold_nothing_back() -> None:
    """Only `blocks` does; a parent and a related task do not."""
    tasks = make_tasks("Epic", "Part")
    epic, part = tasks
    for kind in ("related", "parent-child"):
        keep(tasks, rules.set_dependency(tasks, part, epic, AT, kind))  # type: ignore[arg-type]
    assert len(list_ready(tasks)) == 2
    assert len(tasks[part]["dependencies"]) == 2
    assert keep(tasks, rules.set_dependency(tasks, part, epic, AT, "related", is_added=False))["dependencies"] == [
        {"depends_on_id": epic, "type": "parent-child"}
    ]


def test_a_claimed_task_belongs_to_its_session() -> None:
    """Another session is refused until it is released; a closed task stays closed."""
    tasks = make_tasks("Write the schema")
    [task_id] = tasks
    keep(tasks, rules.claim_task(tasks, task_id, "s1", "ada", AT))
    assert rules.claim_task(tasks, task_id, "s1", "ada", AT).event is None
    with refuse("Already claimed by session s1"):
        rules.claim_task(tasks, task_id, "s2", "bob", AT)
    keep(tasks, rules.release_task(tasks, task_id, AT))
    keep(tasks, rules.claim_task(tasks, task_id, "s2", "bob", AT))
    with refuse("needs a summary"):
        rules.close_task(tasks, task_id, "completed", "  ", AT)
    keep(tasks, rules.close_task(tasks, task_id, "completed", "Two tables", AT))
    assert rules.close_task(tasks, task_id, "completed", "Two  tables", AT).event is None
    for change in (rules.close_task, rules.claim_task):
        with refuse("closed"):
            change(tasks, task_id, "wontfix", "Never", AT)  # type: ignore[arg-type]


def test_a_known_title_with_other_fields_is_refused_and_none_of_them_is_dropped() -> None:
    """What was sent before is nothing new, and neither is a usual value."""
    tasks = make_tasks("Write the schema")
    [task_id] = tasks
    given = NewTask("/shop", "Plan the move", "to Postgres", priority=0, labels=("db",), depends_on=(task_id,))
    keep(tasks, rules.create_task(tasks, given, AT))
    assert rules.create_task(tasks, given, AT).event is None
    assert rules.create_task(tasks, NewTask("/shop", "plan the move"), AT).event is None
    with refuse("another description and priority"):
        rules.create_task(tasks, NewTask("/shop", "Plan the move", "to SQLite", priority=1), AT)
    for other in (NewTask("/shop", "Write the schema", labels=("db",)), NewTask("/shop", "Write the schema", type="bug")):
        with refuse("has this title"):
            rules.create_task(tasks, other, AT)


def test_a_message_is_linked_once_whatever_blanks_surround_it() -> None:
    tasks = make_tasks("Write the schema")
    [task_id] = tasks
    assert keep(tasks, rules.link_message(tasks, task_id, " s:e ", AT))["messages"] == ["s:e"]
    assert rules.link_message(tasks, task_id, " s:e ", AT).event is None


def test_ids_and_titles() -> None:
    """The same title is one task until it is closed; the beginning of an id is enough while it is the only one."""
    tasks = make_tasks("Write the schema")
    [task_id] = tasks
    again = rules.create_task(tasks, NewTask("/shop", " write  the SCHEMA "), AT)
    assert (again.event, again.task["task_id"]) == (None, task_id)
    assert rules.create_task(tasks, NewTask("/blog", "Write the schema"), AT).event == "created"
    keep(tasks, rules.close_task(tasks, task_id, "duplicate", "Done elsewhere", AT))
    second = keep(tasks, rules.create_task(tasks, NewTask("/shop", "Write the schema"), AT))
    assert second["task_id"] != task_id
    assert rules.get_task(tasks, task_id[:6])["task_id"] == task_id
    for wrong in ("t-", "nothing", ""):
        with pytest.raises(TaskError):
            rules.get_task(tasks, wrong)
    for new in (NewTask("/shop", " "), NewTask("/shop", "x" * 501), NewTask("/shop", "x", priority=5)):
        with pytest.raises(TaskError):
            rules.create_task(tasks, new, AT)
    with refuse("Task not found: t-none"):
        rules.create_task(tasks, NewTask("/shop", "x", depends_on=("t-none",)), AT)


def test_the_order_of_work_and_the_lines_of_a_briefing() -> None:
    """In progress first, then by priority and age; blocked ones last."""
    tasks = make_tasks("Old", "Urgent", "Blocked", "Begun")
    old, urgent, blocked, begun = tasks
    tasks[urgent]["priority"] = 0
    tasks[blocked]["priority"] = 0
    keep(tasks, rules.set_dependency(tasks, blocked, old, AT))
    keep(tasks, rules.claim_task(tasks, begun, "s1", "ada", AT))
    assert [task["title"] for task in list_unfinished(tasks)] == ["Begun", "Urgent", "Old", "Blocked"]
    assert describe_open_tasks(tasks)[0] == f"Begun (in progress, `{begun}`)"
    assert describe_open_tasks(tasks)[3] == f"Blocked (P0, waits for {old}, `{blocked}`)"
    keep(tasks, rules.close_task(tasks, old, "completed", "The reader streams", AT))
    assert [task["title"] for task in list_by_status(tasks, "closed")] == ["Old"]
    assert len(list_by_status(tasks, None)) == 4
    assert [task["title"] for task in search_tasks(tasks, "does the reader stream?")] == ["Old"]
    assert search_tasks(tasks, "weather") == []


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "claim", "release", "close", "dep", "free", "link"]), st.integers(0, 4), st.integers(0, 4)
    ),
    max_size=40,
)


@given(STEPS)
def test_no_sequence_breaks_the_rules(steps: list[tuple[str, int, int]]) -> None:
    """No circle of waiting tasks, no claim without a session, no outcome without words; a repeated change changes nothing."""
    tasks = make_tasks("A", "B", "C")
    for hour, (name, first, other) in enumerate(steps, 1):
        at = AT + timedelta(hours=hour)
        ids = list(tasks)
        task_id, second = ids[first % len(ids)], ids[other % len(ids)]
        changes = {
            "create": lambda at=at, first=first: rules.create_task(tasks, NewTask("/shop", "ABCDE"[first]), at),
            "claim": lambda at=at, task_id=task_id, other=other: rules.claim_task(tasks, task_id, f"s{other}", "agent", at),
            "release": lambda at=at, task_id=task_id: rules.release_task(tasks, task_id, at),
            "close": lambda at=at, task_id=task_id: rules.close_task(tasks, task_id, "completed", "Done", at),
            "dep": lambda at=at, task_id=task_id, second=second: rules.set_dependency(tasks, task_id, second, at),
            "free": lambda at=at, task_id=task_id, second=second: rules.set_dependency(
                tasks, task_id, second, at, is_added=False
            ),
            "link": lambda at=at, task_id=task_id, other=other: rules.link_message(tasks, task_id, f"s:e{other}", at),
        }
        try:
            change = changes[name]()
        except TaskError:
            continue
        keep(tasks, change)
        assert changes[name]().event is None
    for task_id, task in tasks.items():
        assert (task["status"] == "closed") == (task["summary"] is not None) == (task["closed_at"] is not None)
        assert task["status"] != "in_progress" or task["session_id"]
        assert task["updated_at"] >= task["created_at"]
        assert task_id == task["task_id"]
        assert not [edge for edge in task["dependencies"] if edge["depends_on_id"] == task_id]
    finished: set[str] = set()
    while ready := [key for key, task in tasks.items() if key not in finished
                    and all(edge["depends_on_id"] in finished for edge in task["dependencies"])]:  # fmt: skip
        finished |= set(ready)
    assert finished == set(tasks), "some tasks wait for each other"
