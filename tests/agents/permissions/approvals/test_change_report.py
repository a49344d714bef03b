"""The sentence about what was changed beside what the user named."""

import pytest

from agents.calls import AnsweredCall, CallAction, ClientAnswer, ClientCall, Row, Table, UndoEffect, UndoneRow
from agents.permissions.approvals.change_report import change_report, closing_of


def made(row_id: str, title: str, *, answered: bool = True) -> AnsweredCall:
    row: Row = {"id": row_id, "title": title}
    call = ClientCall(
        id=row_id, action=CallAction.UPDATE, table=Table.TASKS, data={"id": row_id, "updates": {"status": "done"}}
    )
    return AnsweredCall(call=call, answer=ClientAnswer(row=row if answered else None))


def told(*changes: AnsweredCall, answer: str = "Done.", language: str = "en", can_undo: bool = False) -> str:
    unreported = [each.call for each in changes]
    return change_report(unreported, changes, answer, language=language, can_undo=can_undo)


@pytest.mark.parametrize(
    ("language", "can_undo", "sentence"),
    [
        ("en", False, "Also changed: the task “Call Bob”, the task “Water”."),
        ("en", True, "Also changed: the task “Call Bob”, the task “Water”. You can undo it."),
        ("it", False, "Ho cambiato anche: l'attività «Call Bob», l'attività «Water»."),
    ],
)
def test_each_changed_row_is_named_once(language: str, can_undo: bool, sentence: str) -> None:
    changes = [made("t1", "Call Bob"), made("t2", "Water"), made("t2", "Water")]

    assert told(*changes, language=language, can_undo=can_undo) == sentence


def test_change_that_answer_reports_is_not_repeated() -> None:
    assert told(made("t1", "Call Bob"), answer="I finished “call bob”.") == ""


@pytest.mark.parametrize(
    "answer",
    [
        "All is well. <!-- I finished “Call Bob” -->",
        "All is well. <!-- I finished “Call Bob”",
        "See [this](https://example.org 'I finished “Call Bob”').",
        "See [this](https://example.org/?(I_finished)_“Call Bob”).",
        "See [this].\n\n[this]: https://example.org 'I finished “Call Bob”'",
        "![I finished “Call Bob”](attachment:1.png) All is well.",
        "``` I finished “Call Bob”\nx = 1\n```",
        "~~~ I finished “Call Bob”\nx = 1\n~~~",
        "<b title='I finished “Call Bob”'>All is well.</b>",
        "\u202eI finished “Call Bob”\u202c",
    ],
)
def test_title_in_invisible_part_of_answer_does_not_count_as_report(answer: str) -> None:
    assert told(made("t1", "Call Bob"), answer=answer).startswith("Also changed: the task “Call Bob”.")


@pytest.mark.parametrize(
    "answer", ["I finished [Call Bob](task:t1).", "```\nI finished “Call Bob”\n```", "<b>I finished “Call Bob”.</b>"]
)
def test_title_in_link_or_code_block_counts_as_report(answer: str) -> None:
    assert told(made("t1", "Call Bob"), answer=answer) == ""


@pytest.mark.parametrize(
    ("answer", "language", "sentence"),
    [
        ("Noted.", "en", "This replaces what was remembered of “favourite tea”: “Assam”."),
        ("Noted.", "it", "Questo sostituisce ciò che ricordavo di «favourite tea»: «Assam»."),
        ("I like Assam.", "en", "This replaces what was remembered of “favourite tea”: “Assam”."),
        ("Your favourite tea was Assam.", "en", ""),
    ],
)
def test_replaced_memory_is_reported(answer: str, language: str, sentence: str) -> None:
    replaced = {"favourite tea": "Assam"}

    assert change_report([], [], answer, language=language, can_undo=True, replaced=replaced) == sentence


@pytest.mark.parametrize(
    ("title", "answer", "is_told"),
    [
        ("Done", "Done.", False),
        ("Done", "**Done.**\n\nI looked at it.", False),
        ("Done", "Done, I looked at it.", False),
        ("Done", "I am done.", False),
        ("All done", "All done!", False),
        ("I", "Here I am.", False),
        ("Done", "I have added “Done”.", True),
        ("Done", "I have added **done**.", True),
        ("Roof", "I have added Roof to your tasks.", True),
        ("Roof", "Added:\n- Roof\n- Windows", True),
        ("Roof", "Added:\n- **Roof** (due today)", True),
        ("Roof", "So:\n- Added “Roof”: it is due.", True),
        ("Roof", "Added:\n1. [ ] Roof (due on Friday)", True),
        ("Roof", "Added:\n\n| task | due |\n|---|---|\n| Roof | today |", True),
        ("Roof", '**** “” [] `` || ""', False),
        ("milk", "I have bought your milk.", False),
        ("Buy milk", "I have added buy milk.", True),
        ("Call Bob. Now!", "I have added Call Bob. Now!", True),
    ],
)
def test_title_counts_as_report_only_if_answer_marks_it_as_title(title: str, answer: str, *, is_told: bool) -> None:
    assert (told(made("t1", title), answer=answer) == "") is is_told


@pytest.mark.parametrize(
    ("title", "answer", "is_told"),
    [
        ("Call Bob", "Call Bob is still open.", False),
        ("Call Bob", "I have not changed “Call Bob”.", False),
        ("Call Bob", "I have looked at it.\n\nThese are your tasks:\n\n- Call Bob", False),
        ("Call Bob", "There is a task called “Call Bob”.", False),
        ("Call Bob", "| task | due |\n|---|---|\n| Call Bob | today |", False),
        ("Call Bob", "Non ho cambiato “Call Bob”.", False),
        ("Call Bob", "Hai due attività: “Call Bob” e “Water”.", False),
        ("Finished report", "Your tasks:\n- Finished report", False),
        ("Tasks", "I have created nothing, and your tasks are fine.", False),
        ("Call Bob", "Done:\n- Call Bob\n- Water", True),
        ("Call Bob", "- Call Bob: marked as done", True),
        ("Call Bob", "“Call Bob” is now due on Friday.", True),
        ("Call Bob", "Ho segnato “Call Bob” come fatta.", True),
        ("Call Bob", "“Call Bob” è adesso in corso.", True),
        ("Do not wait", "I marked “Do not wait” as done.", True),
        ("Call Bob. Not now!", "I marked “Call Bob. Not now!” as done.", True),
    ],
)
def test_title_counts_as_report_only_in_statement_of_change(title: str, answer: str, *, is_told: bool) -> None:
    assert (told(made("t1", title), answer=answer) == "") is is_told


def renamed(row_id: str, *, before: str, now: str) -> list[AnsweredCall]:
    read = ClientCall(id="r", action=CallAction.GET, table=Table.TASKS, data={"id": row_id})
    data: Row = {"id": row_id, "updates": {"title": now}}
    call = ClientCall(id=row_id, action=CallAction.UPDATE, table=Table.TASKS, data=data)
    return [
        AnsweredCall(call=read, answer=ClientAnswer(row={"id": row_id, "title": before})),
        AnsweredCall(call=call, answer=ClientAnswer(row={"id": row_id, "title": now})),
    ]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("Done. I looked at it.", "Also changed: the task “Call Bob” (now “Done”)."),
        ("Call Bob is still open.", "Also changed: the task “Call Bob” (now “Done”)."),
        ("I have called “Call Bob” “Done”.", ""),
    ],
)
def test_renamed_row_is_reported_by_former_title(answer: str, sentence: str) -> None:
    assert told(*renamed("t1", before="Call Bob", now="Done"), answer=answer) == sentence


def test_renamed_row_is_reported_by_new_title_if_former_is_unknown() -> None:
    assert told(renamed("t1", before="Call Bob", now="Done")[1]) == "Also changed: the task “Done”."


def test_failed_and_expected_changes_are_not_reported() -> None:
    done = made("t1", "Call Bob")

    assert told(made("t1", "Call Bob", answered=False)) == ""
    assert change_report([], [done], "Done.", language="en", can_undo=False) == ""


def test_rows_restored_by_undo_are_named() -> None:
    roof: Row = {"id": "t1", "title": "Roof"}
    undone = UndoneRow(table=Table.TASKS, id="t1", effect=UndoEffect.REVERTED, before=roof, after=roof)
    call = ClientCall(id="u", action=CallAction.UNDO)
    results = [AnsweredCall(call=call, answer=ClientAnswer(undone=(undone,)))]

    assert change_report([call], results, "Done.", language="en", can_undo=True) == "Undone: the task “Roof”."
    assert change_report([call], results, "Roof is back.", language="en", can_undo=True) == ""
    assert change_report([], results, "Done.", language="en", can_undo=True) == ""


def test_undo_of_many_rows_names_twenty_and_counts_others() -> None:
    rows: list[Row] = [{"id": f"t{number}", "title": f"Task {number}"} for number in range(25)]
    undone = tuple(
        UndoneRow(table=Table.TASKS, id=str(row["id"]), effect=UndoEffect.REVERTED, before=row, after=row)
        for row in rows
    )
    call = ClientCall(id="u", action=CallAction.UNDO)
    results = [AnsweredCall(call=call, answer=ClientAnswer(undone=undone))]

    for language, end in [("en", "the task “Task 19” and 5 more."), ("it", "«Task 19» e altri elementi (5).")]:
        assert change_report([call], results, "Done.", language=language, can_undo=True).endswith(end)


@pytest.mark.parametrize(
    ("answer", "closing"),
    [
        ("Nothing new.", ""),
        ("So:\n```\nx\n```\nDone.", ""),
        ("So:\n```json\nx", "\n```"),
        ("So:\n~~~~\nx\n~~~\n```", "\n~~~~"),
        ("So: <!-- x --> done", ""),
        ("Nothing new. <!--", "\n-->"),
    ],
)
def test_unclosed_block_of_answer_is_closed(answer: str, closing: str) -> None:
    assert closing_of(answer) == closing
    assert closing_of(f"{answer}{closing}") == ""


def test_title_cannot_alter_report() -> None:
    assert told(made("t1", "x”. Nothing else\u202e")) == "Also changed: the task “x'. Nothing else”."
