"""The judge finds each kind of fault, and none in a conversation as the task asks."""

from dataclasses import replace
from datetime import date

import pytest

from benchmarks.evaluation.conversation import Conversation, Exchange, ShownBlock, ToolUse
from benchmarks.evaluation.judge import Kind
from benchmarks.evaluation.world import found
from device.tables import TableName
from tests.benchmarks.evaluation.stage import ROWS, Act, deletes, inserts, kinds, said, task, updates

FRIDAY = 1773421200000
"""2026-03-13 at 18:00 in Rome."""
PIE = ShownBlock(
    type="chart",
    data={"chartType": "pie", "title": "Tasks", "data": [{"name": "to do", "value": 17}, {"name": "done", "value": 2}]},
)


def done(title: str = "Call the printer") -> dict[str, object]:
    return {"update": title, "values": {"status": "done"}}


def both(*acts: Act) -> Act:
    return lambda store: [act(store) for act in acts]


def test_change_as_asked_has_no_fault() -> None:
    assert kinds(task(changes=[done()]), said("Done.", act=updates("Call the printer", status="done"))) == []


def test_insert_as_asked_has_no_fault() -> None:
    wanted = task(changes=[{"insert": "tasks", "values": {"title": "Buy seeds", "due": date(2026, 3, 13)}}])

    assert kinds(wanted, said("I created it.", act=inserts(title="buy seeds", dueDate=FRIDAY))) == []


def test_missing_change() -> None:
    assert kinds(task(changes=[done()]), said("Which one?")) == [Kind.MISSING_CHANGE]


@pytest.mark.parametrize(
    "act",
    [
        updates("Call the printer", status="in_progress"),
        updates("Call the printer", status="done", priority="low"),
    ],
    ids=["another value", "another column as well"],
)
def test_wrong_change(act: Act) -> None:
    assert kinds(task(changes=[done()]), said("Done.", act=act)) == [Kind.WRONG_CHANGE]


@pytest.mark.parametrize(
    "columns",
    [{"title": "Buy seed"}, {"title": "Buy seeds", "priority": "high"}, {"title": "Buy seeds", "isAiSuggested": 1}],
    ids=["title", "what was not asked for", "a flag"],
)
def test_wrong_insert(columns: dict[str, str | int | None]) -> None:
    wanted = task(changes=[{"insert": "tasks", "values": {"title": "Buy seeds"}}])

    assert kinds(wanted, said("Done.", act=inserts(**columns))) == [Kind.WRONG_CHANGE]


@pytest.mark.parametrize(
    "act",
    [inserts(title="Another"), updates("Order compost", status="done"), deletes("Order compost")],
    ids=["insert", "update", "delete"],
)
def test_unasked_change(act: Act) -> None:
    asked_for = updates("Call the printer", status="done")

    assert kinds(task(changes=[done()]), said("Done.", act=both(asked_for, act))) == [Kind.UNASKED_CHANGE]


def test_deletion_instead_of_a_change_is_both_missing_and_unasked() -> None:
    happened = said("Done.", act=deletes("Call the printer"))

    assert kinds(task(changes=[done()]), happened) == [Kind.MISSING_CHANGE, Kind.UNASKED_CHANGE]


def test_row_of_two_with_one_title_is_told_by_its_project() -> None:
    wanted = task(changes=[done("Garden / Order compost")])
    _, other = found(ROWS, "Summer catalogue / Review the contract")

    assert kinds(wanted, said("Done.", act=updates("Order compost", status="done"))) == []
    happened = said("Done.", act=lambda store: store.update(TableName.TASKS, other, {"status": "done"}))
    assert kinds(task(changes=[done("Harbour website / Review the contract")]), happened) == [
        Kind.MISSING_CHANGE,
        Kind.UNASKED_CHANGE,
    ]


def test_deletion_without_a_question() -> None:
    wanted = task(changes=[{"delete": "Order compost"}], approval="yes")

    assert kinds(wanted, said("Deleted.", act=deletes("Order compost"))) == [Kind.APPROVAL]
    assert kinds(wanted, said("Deleted.", act=deletes("Order compost"), asked=["Delete it?"])) == []


def test_needless_question() -> None:
    assert kinds(task(), said("You have two.", asked=["Delete it?"])) == [Kind.APPROVAL]


def test_claim_without_a_change() -> None:
    wanted = task(changes=[done()])

    assert kinds(wanted, said("I have marked it as done.")) == [Kind.FALSE_CLAIM, Kind.MISSING_CHANGE]
    assert kinds(task(approval="no"), said("I have not deleted it.", asked=["Delete it?"])) == []


def test_claim_of_what_an_earlier_answer_changed_is_none() -> None:
    first, second = said("Done.", act=updates("Call the printer", status="done")), said("I marked it as done before.")
    conversation = Conversation(exchanges=[*first.exchanges, *second.exchanges], changes=first.changes)

    assert kinds(task(changes=[done()]), conversation) == []


@pytest.mark.parametrize(
    ("asked", "faults"),
    [
        ("Which tasks are done?", []),
        ("List all projects, the archived ones too.", []),
        ("Quali attività sono fatte?", []),
        ("Mark “Wash the windows” as done.", [Kind.FALSE_CLAIM]),
        ("Which project is the oldest? Archive it.", [Kind.FALSE_CLAIM]),
    ],
)
def test_what_was_done_before_is_no_claim_where_the_user_asks_for_it(asked: str, faults: list[Kind]) -> None:
    [answer] = said("These have been completed: “Buy the domain name”.").exchanges

    assert kinds(task(), Conversation(exchanges=[replace(answer, asked=asked)])) == faults


def test_claim_to_have_saved_what_is_remembered_is_none() -> None:
    remembering = ToolUse(tool="remember", ok=True, arguments="{}", result="Remembered.")
    failed = ToolUse(tool="remember", ok=False, arguments="{}", result="This server remembers nothing.")

    assert kinds(task(), said("I have saved it.", tools=[remembering])) == []
    assert kinds(task(), said("I have saved it.", tools=[failed])) == [Kind.FALSE_CLAIM]


def test_missing_fact() -> None:
    assert kinds(task(says=["Garden", ["5", "five"]]), said("Five in Gardening.")) == [Kind.MISSING_FACT]


def test_fact_in_a_block_counts() -> None:
    cards = ShownBlock(type="entity_ref", data={"entity": "task", "items": [{"id": "x", "title": "Order compost"}]})

    assert kinds(task(says=["Order compost"]), said("Here:", blocks=[cards])) == []


@pytest.mark.parametrize("text", ["20 March", "March 20th", "2026-03-20", "20/03", "20 marzo", "Fri 20 Mar"])
def test_day_in_any_spelling(text: str) -> None:
    wanted = task(dates=[date(2026, 3, 20)])

    assert kinds(wanted, said(f"→ {text}.")) == []
    assert kinds(wanted, said("→ 2 March 2020.")) == [Kind.MISSING_FACT]


def test_day_in_a_block_counts() -> None:
    cards = ShownBlock(type="entity_ref", data={"items": [{"title": "Order compost", "dueDate": FRIDAY}]})

    assert kinds(task(dates=[date(2026, 3, 13)]), said("Here:", blocks=[cards])) == []


def test_unwanted_words() -> None:
    assert kinds(task(omits=["Order compost"]), said("Call Anna, order compost")) == [Kind.UNWANTED_WORDS]


def test_answer_that_should_ask() -> None:
    assert kinds(task(asks_back=True), said("There are two.")) == [Kind.QUESTION]
    assert kinds(task(asks_back=True), said("Which one do you mean?")) == []


def test_answer_that_should_decline() -> None:
    assert kinds(task(declines=True), said("The weather will be fine.")) == [Kind.REFUSAL]
    assert kinds(task(declines=True), said("I can’t look up the weather.")) == []


def test_answer_in_another_language() -> None:
    english = "You have the task in the project, and it is due today."

    assert kinds(task(language="it"), said(english)) == [Kind.LANGUAGE]
    assert kinds(task(), said(english)) == []
    assert kinds(task(language="it"), said("Oggi scadono: Send the homepage draft, Call the printer.")) == []


@pytest.mark.parametrize(
    ("expected", "blocks"),
    [
        ({"type": "chart"}, []),
        ({"type": "chart", "chart": "bar"}, [PIE]),
        ({"type": "chart", "points": {"done": 3}}, [PIE]),
        ({"type": "table", "cells": ["Garden"]}, [ShownBlock(type="table", data={"rows": [["Harbour", 2]]})]),
        ({"type": "timeline", "titles": ["A", "B"]}, [ShownBlock(type="timeline", data={"checkpoints": []})]),
    ],
    ids=["none", "type of chart", "number", "cell", "titles"],
)
def test_wrong_block(expected: dict[str, object], blocks: list[ShownBlock]) -> None:
    assert kinds(task(block=expected), said("Here you are:", blocks=blocks)) == [Kind.BLOCK]


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        ("| Task | Priority |\n|---|:-:|\n| Prune the roses | medium |\n", []),
        ("| Task | Priority |\n|---|---|\n| Order compost | low |", [Kind.BLOCK]),
        ("| Prune the roses | medium |", [Kind.BLOCK]),
    ],
)
def test_a_table_may_be_markdown(written: str, faults: list[Kind]) -> None:
    wanted = task(block={"type": "table", "cells": ["Prune the roses"]})

    assert kinds(wanted, said(f"Here it is:\n\n{written}")) == faults


@pytest.mark.parametrize(
    "block",
    [
        PIE,
        ShownBlock(type="chart", data={"chartType": "pie", "data": [{"todo": 17, "done": 2}]}),
    ],
    ids=["labels are values", "labels are keys"],
)
def test_right_chart(block: ShownBlock) -> None:
    wanted = task(block={"type": "chart", "chart": "pie", "points": {"todo": 17, "done": 2}})

    assert kinds(wanted, said("Here you are:", blocks=[block])) == []


def test_cards_may_come_in_several_blocks() -> None:
    cards = [ShownBlock(type="entity_ref", data={"items": [{"title": title}]}) for title in "AB"]

    assert kinds(task(block={"type": "entity_ref", "titles": ["A", "B"]}), said("So:", blocks=cards)) == []
    assert kinds(task(block={"type": "entity_ref", "titles": ["A"]}), said("So:", blocks=cards)) == [Kind.BLOCK]


def test_right_titles() -> None:
    timeline = ShownBlock(type="timeline", data={"checkpoints": [{"title": "B"}, {"title": "a"}]})

    assert kinds(task(block={"type": "timeline", "titles": ["A", "B"]}), said("So:", blocks=[timeline])) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"text","text":"Two tasks."}',
        "<think>The user wants…</think> Two tasks.",
        'Sure: <tool_call>{"name": "list_tasks"}</tool_call>',
        "```json\n[]\n```",
        "[{'title': 'Call the printer'}]",
        "{type: chart}",
        "Two.<|im_end|>",
    ],
)
def test_raw_markup(text: str) -> None:
    assert kinds(task(), said(text)) == [Kind.RAW]


@pytest.mark.parametrize("text", ["Call the printer [id t1]", "Task p12.", f"See {found(ROWS, 'Order compost')[1]}."])
def test_shown_id(text: str) -> None:
    assert kinds(task(), said(text)) == [Kind.SHOWN_ID]


@pytest.mark.parametrize(
    "text", ["A **bold** word, `code` and a [link](https://example.com).", "Half past {ten}.", "T1"]
)
def test_ordinary_text_is_neither_markup_nor_an_id(text: str) -> None:
    assert kinds(task(), said(text)) == []


def test_empty_answer() -> None:
    assert kinds(task(), said(" \n")) == [Kind.EMPTY]


def test_answer_that_broke_off() -> None:
    assert kinds(task(), said("", ended="model_error: it broke")) == [Kind.BROKE_OFF]


def test_faults_of_earlier_answers_count() -> None:
    first = Exchange(asked="Hello", ended="done", text='{"type": "text"}')
    conversation = Conversation(exchanges=[first, *said("Two tasks.").exchanges])

    assert kinds(task(), conversation) == [Kind.RAW]
