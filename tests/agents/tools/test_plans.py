"""Plans in the formats in which models write them."""

import json
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.tools.plans import MAX_CHECKPOINTS, MAX_TASKS, Kind, Plan, Suggestion, read_plan

ROME = ZoneInfo("Europe/Rome")
PLAN = {
    "tasks": [
        {"title": "Write copy", "description": "Two pages", "priority": "high", "dueDate": "2026-04-01"},
        {"title": "Order photos"},
    ],
    "checkpoints": [{"title": "Beta", "date": "2026-04-10T18:00"}],
}
WORDS = json.dumps(PLAN)


def read(words: str) -> Plan:
    return read_plan(words, ROME)


def titles(plan: Plan) -> list[tuple[str, str]]:
    return [(suggestion.kind.value, suggestion.title) for suggestion in plan.suggestions]


EXPECTED = [("task", "Write copy"), ("task", "Order photos"), ("checkpoint", "Beta")]


def test_plan_in_requested_format_is_read(milliseconds: Callable[[str], int]) -> None:
    assert read(WORDS) == Plan(
        suggestions=(
            Suggestion(
                kind=Kind.TASK,
                title="Write copy",
                description="Two pages",
                priority="high",
                date=milliseconds("2026-04-01"),
            ),
            Suggestion(kind=Kind.TASK, title="Order photos"),
            Suggestion(kind=Kind.CHECKPOINT, title="Beta", date=milliseconds("2026-04-10T18:00")),
        ),
    )


@pytest.mark.parametrize(
    "words",
    [
        f"Here is your plan:\n\n```json\n{json.dumps(PLAN, indent=2)}\n```\n\nLet me know!",
        f"<think>Maybe {{\"tasks\": [{{\"title\": \"Nothing\"}}]}}?</think>{WORDS}",
        f"I could start with {{copy}} [see above]. {WORDS} Good luck {{!}}",
        # A draft, and then the plan.
        f"{WORDS}\nOn reflection:\n{WORDS}",
        f"{json.dumps({'tasks': PLAN['tasks']})}\n{json.dumps({'checkpoints': PLAN['checkpoints']})}",
        json.dumps({"plan": {"title": "Launch", **PLAN}}),
        json.dumps({"title": "Launch", **PLAN}),
        json.dumps({"phases": [{"name": "One", "tasks": PLAN["tasks"]}, {"milestones": PLAN["checkpoints"]}]}),
        json.dumps([*PLAN["tasks"], *PLAN["checkpoints"]]),
        json.dumps({
            "Tasks": ["Write copy", {"name": "Order photos"}],
            "milestones": [{"name": "Beta", "due_date": "2026-04-10"}],
        }),
        json.dumps({"attività": [{"task": "Write copy"}, {"task": "Order photos"}], "traguardi": PLAN["checkpoints"]}),
        json.dumps({"items": [
            {"type": "task", "title": "Write copy"},
            {"type": "task", "title": "Order photos", "date": "2026-04-02"},
            {"type": "Checkpoint", "title": "Beta", "dueDate": "2026-04-10"},
        ]}),
        json.dumps({
            "tasks": {"1": {"title": "Write copy"}, "2": {"title": "Order photos"}},
            "checkpoints": {"a": PLAN["checkpoints"][0]},
        }),
        # Superfluous commas, and the end is missing.
        (
            '{"tasks": [{"title": "Write copy",}, {"title": "Write copy"}, {"title": "Order photos"},], '
            '"checkpoints": [{"title": "Beta", "due": "2026-04-10"}, {"title": "Gam'
        ),
    ],
)  # fmt: skip
def test_plan_in_other_format_is_read(words: str) -> None:
    assert titles(read(words)) == EXPECTED


@pytest.mark.parametrize("words", ["", "I cannot do that.", "{}", "[]", "null", '{"tasks": []}', '{"tasks": "none"}'])
def test_text_without_plan_is_an_empty_plan(words: str) -> None:
    assert read(words) == Plan()


@pytest.mark.parametrize(
    "date", ["soon", "2026-02-30", "31/12/2026", "0000-00-00", "1969-01-01", 1775059200000, True, ["2026-04-01"]]
)
def test_invalid_date_is_dropped_from_task_and_excludes_checkpoint(date: object) -> None:
    plan = read(json.dumps({"tasks": [{"title": "A", "dueDate": date}], "checkpoints": [{"title": "B", "date": date}]}))

    assert plan.suggestions == (Suggestion(kind=Kind.TASK, title="A"),)
    assert plan.remarks == (
        f'The due date of the task "A": {json.dumps(date)} is not a date.',
        f'The checkpoint "B": {json.dumps(date)} is not a date.',
    )


def test_untitled_and_duplicate_rows_are_left_out_with_remark() -> None:
    plan = read(
        json.dumps(
            {
                "tasks": [{"title": "A"}, {"title": " a "}, {"title": ""}, {"description": "?"}, 7, None],
                "checkpoints": [{"title": "B"}],
            }
        )
    )

    assert titles(plan) == [("task", "A")]
    assert plan.remarks == (
        "1 with the title of another one.",
        *["A task without a title."] * 4,
        'The checkpoint "B": it has no date.',
    )


def test_plan_is_limited_with_remark() -> None:
    plan = read(
        json.dumps(
            {
                "tasks": [
                    {"title": f"{n} {'x' * 250}", "description": "d" * (3_000 if n < 2 else 0)} for n in range(200)
                ],
                "checkpoints": [{"title": f"C{n}", "date": "2026-04-01"} for n in range(50)],
            }
        )
    )

    assert [suggestion.kind for suggestion in plan.suggestions] == [Kind.TASK] * MAX_TASKS + [
        Kind.CHECKPOINT
    ] * MAX_CHECKPOINTS
    assert {len(each.title) for each in plan.suggestions if each.kind is Kind.TASK} == {200}
    assert {len(each.description) for each in plan.suggestions if each.kind is Kind.TASK} == {2_000, 0}
    assert plan.remarks == (
        "180 more tasks: a plan has at most 20.",
        "40 more checkpoints: a plan has at most 10.",
    )


def test_truncated_plan_has_remark() -> None:
    plan = read('{"tasks": [{"title": "A"}, {"title": "B", "dueDate": "2026-')

    assert (titles(plan), plan.remarks) == ([("task", "A")], ("What was in the broken part of the model's JSON.",))


def test_assignees_and_labels_are_not_tasks() -> None:
    words = json.dumps(
        {"tasks": [{"title": "A", "assignees": ["Ann"], "labels": [{"name": "urgent"}], "subtasks": ["B"]}]}
    )
    assert titles(read(words)) == [("task", "A"), ("task", "B")]


@pytest.mark.parametrize(("written", "priority"), [("HIGH", "high"), ("low", "low"), ("alta", "medium"), (1, "medium")])
def test_unknown_priority_becomes_medium(written: object, priority: str) -> None:
    [task] = read(json.dumps({"tasks": [{"title": "A", "priority": written}]})).suggestions
    assert task.priority == priority


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda parts: (
        st.lists(parts, max_size=4)
        | st.dictionaries(
            st.sampled_from(["tasks", "checkpoints", "title", "date", "dueDate", "type", "x"]), parts, max_size=4
        )
    ),
    max_leaves=12,
)


@given(json_like, st.text(max_size=20), st.integers(0, 400))
def test_any_model_output_yields_storable_plan(value: object, before: str, cut: int) -> None:
    words = f"{before}{json.dumps(value)}"
    for said in (words, words[: len(words) - cut]):
        for suggestion in read(said).suggestions:
            assert suggestion.title.strip()
            suggestion.title.encode()
            suggestion.description.encode()
            assert suggestion.date is None or 0 < suggestion.date < 2**63
            assert suggestion.kind is Kind.TASK or suggestion.date is not None
