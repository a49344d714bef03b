"""The tasks of the project can be read and are about rows that there are; wrong ones are refused with their place."""

from pathlib import Path

import pytest

from benchmarks.evaluation.task import Approval, Task, UnreadableTask, chosen, read_tasks
from benchmarks.evaluation.world import NoSuchRow, World, found, seeded_rows
from device.places import read_place
from tests.benchmarks.evaluation.stage import ROWS, WORLD, kinds, said

TASKS = read_tasks()


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_task_is_about_rows_that_there_are(task: Task, tmp_path: Path) -> None:
    kinds(task, said("Nothing."))  # resolves every name

    for change in task.changes:
        assert [change.insert, change.update, change.delete].count(None) == 2
        assert bool(change.values) == (change.delete is None)
    assert any(change.delete for change in task.changes) <= (task.approval is Approval.YES)
    pages = [message.removeprefix("/page ") for message in task.ask if message.startswith("/page ")]
    store = WORLD.store(tmp_path / "device.sqlite3")
    assert [read_place(store, page).kind for page in pages] == [page.split(" ")[0] for page in pages]
    store.close()


def test_nothing_passes_a_task_that_asks_for_something() -> None:
    """An assistant that says nothing of use fails all tasks but those that only forbid."""
    passed = [task.id for task in TASKS if not kinds(task, said("Hm."))]

    assert passed == ["impossible/greeting", "memory/forgotten", "memory/remember-only"]


def test_usual_run_is_25_tasks_of_all_categories() -> None:
    usual = chosen(TASKS, [], everything=False)

    assert len(usual) == 25
    assert {task.category for task in usual} == {task.category for task in TASKS}
    assert chosen(TASKS, [], everything=True) == TASKS


def test_tasks_are_chosen_by_name_and_category() -> None:
    names = [task.id for task in chosen(TASKS, ["reads/overdue", "briefs"], everything=False)]

    assert names[-1] == "reads/overdue"
    assert len(names) == 1 + sum(task.category == "briefs" for task in TASKS)
    with pytest.raises(UnreadableTask, match=r"^There is no task or category reads/nothing\.$"):
        chosen(TASKS, ["reads/nothing"], everything=False)


def test_rows_are_the_same_each_time() -> None:
    assert seeded_rows(World.read()) == ROWS


def test_name_of_two_rows_is_no_name() -> None:
    with pytest.raises(NoSuchRow, match="2 rows are called"):
        found(ROWS, "Review the contract")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[task]", "cannot be read"),
        ("title = 'x'", "holds more than tasks"),
        ("[[task]]\nname = 'a'", "task a is wrong at ask: Field required"),
        ("[[task]]\nname = 'a'\nask = []", "task a is wrong at ask"),
        ("[[task]]\nname = 'a'\nask = 'b'\nsay = ['c']", "task a is wrong at say: Extra inputs"),
        ("[[task]]\nask = 'b'", "task number 1 is wrong at name"),
        ("[[task]]\nname = 'a'\nask = 'b'\n[[task]]\nname = 'a'\nask = 'b'", "Two tasks are called reads/a"),
    ],
)
def test_wrong_file_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "reads.toml").write_text(text)

    with pytest.raises(UnreadableTask, match=problem):
        read_tasks(tmp_path)
