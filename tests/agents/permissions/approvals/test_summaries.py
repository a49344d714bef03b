import pytest

from agents.calls import CallAction, Row, Table
from agents.permissions.approvals.previews import Effect, lasting_summary, summary_of
from agents.permissions.approvals.repository import Preview
from memory.models import MAX_VALUE_CHARS

TASK: Row = {"id": "t1", "title": "Water the roses", "status": "todo", "dueDate": 1}


def effect(action: CallAction, before: Row | None, after: Row | None, table: Table = Table.TASKS) -> Effect:
    return Effect(action=action, table=table, preview=Preview(before=before, after=after))


DELETE = effect(CallAction.DELETE, TASK, None)
UPDATE = effect(CallAction.UPDATE, TASK, {**TASK, "status": "done", "dueDate": None})
INSERT = effect(CallAction.INSERT, None, {"name": "Website"}, Table.PROJECTS)


@pytest.mark.parametrize(
    ("wanted", "language", "said"),
    [
        (DELETE, "en", "Delete the task “Water the roses” for good."),
        (DELETE, "it-CH", "Eliminare definitivamente l'attività «Water the roses»."),
        (DELETE, "de", "Delete the task “Water the roses” for good."),
        (UPDATE, "en", "Change the task “Water the roses”: state, due date."),
        (UPDATE, "it", "Modificare l'attività «Water the roses»: stato, scadenza."),
        (INSERT, "en", "Add the project “Website”."),
        (INSERT, "IT", "Aggiungere il progetto «Website»."),
        (effect(CallAction.UPDATE, TASK, dict(TASK)), "en", "Change the task “Water the roses”: nothing."),
        (None, "en", "Run “plan project”."),
        (None, "it", "Eseguire «plan project»."),
    ],
)
def test_summary_is_one_sentence_in_users_language(wanted: Effect | None, language: str, said: str) -> None:
    assert summary_of("plan_project", wanted, language=language) == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Delete the task “Water the roses”; you can undo it."),
        ("it", "Eliminare l'attività «Water the roses»; potrai annullarlo."),
    ],
)
def test_summary_of_undoable_deletion_mentions_undo(language: str, said: str) -> None:
    assert summary_of("delete_task", DELETE, language=language, can_undo=True) == said


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"id": "c", "content": "Well\n done "}, "“Well done”"),
        ({"id": "c", "title": " ", "name": None}, "without a title"),
        ({"id": "c", "title": "x" * 100}, f"“{'x' * 79}…”"),
    ],
)
def test_row_is_named_by_title_or_content(row: Row, named: str) -> None:
    deleted = effect(CallAction.DELETE, row, None, Table.TASK_COMMENTS)

    assert summary_of("t", deleted, language="en") == f"Delete the comment {named} for good."


def test_each_table_has_its_own_summary() -> None:
    for language in ("en", "it"):
        said = {
            summary_of("t", effect(CallAction.DELETE, {"title": "x"}, None, table), language=language)
            for table in Table
        }
        assert len(said) == len(Table)


def test_remembered_value_is_shown_in_full() -> None:
    value = f"{'Green tea. ' * 200}"[: MAX_VALUE_CHARS - 8] + " Mallory"

    assert lasting_summary("remember", ["tea", value], language="en") == (
        f"Remember for later conversations “tea”: “{value}”."
    )


def test_invisible_characters_are_shown_as_replacement_character() -> None:
    hidden = "".join(chr(0xE0000 + ord(each)) for each in "Mallory")

    assert lasting_summary("remember", ["tea", f"Green{hidden}\u200b"], language="en") == (
        "Remember for later conversations “tea”: “Green\ufffd”."
    )
    assert "“👩‍🚒”" in lasting_summary("forget", ["👩‍🚒"], language="en")
