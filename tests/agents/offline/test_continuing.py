"""Messages that only make sense after an earlier one."""

from datetime import date, time

import pytest

from agents.offline.commands import (
    ChangeRow,
    Command,
    CreateRow,
    DeleteRow,
    Field,
    Filter,
    Grouping,
    Incomplete,
    ListComments,
    ListRows,
    Priority,
    RowKind,
    Shape,
    ShowRow,
    Status,
    Talk,
)
from agents.offline.earlier import Earlier, SeenRow
from agents.offline.understanding import understand
from tests.agents.offline.expected import created, on

TODAY = date(2026, 3, 10)
ROWS = tuple(SeenRow(entity=RowKind.TASK, id=f"t{number}", title="Contract") for number in (1, 2))


def continued(before: str, message: str, language: str) -> Command:
    earlier = Earlier(messages=(before,), lists=(ROWS,))
    return understand(message, language=language, today=TODAY, earlier=earlier)[0]


@pytest.mark.parametrize(
    ("before", "message", "language", "expected"),
    [
        ("Tasks in the project Garden", "And in Harbour website?", "en", Filter(project="Harbour website")),
        ("Tasks in the project Garden", "what about the project House?", "en", Filter(project="House")),
        ("Attività nel progetto Orto", "E nel progetto Casa?", "it", Filter(project="Casa")),
        ("Tasks for Anna", "and for Marco?", "en", Filter(assignee="Marco")),
        ("High-priority tasks", "and low?", "en", Filter(priority=Priority.LOW)),
        ("Tasks in progress", "and the done ones?", "en", Filter(statuses=frozenset({Status.DONE}))),
        ("Tasks in the project Garden", "only the urgent ones", "en", Filter(project="Garden", priority=Priority.HIGH)),
        ("Attività nel progetto Orto", "solo le urgenti", "it", Filter(project="Orto", priority=Priority.HIGH)),
        ("Tasks assigned to Anna", "and Marco?", "en", Filter(assignee="Marco")),
        ("Tasks assigned to Anna", "and marco?", "en", Filter(assignee="marco")),
        ("Tasks in the project Garden", "which ones are overdue?", "en", Filter(project="Garden", overdue=True)),
        ("Attività nel progetto Orto", "quali sono in ritardo?", "it", Filter(project="Orto", overdue=True)),
        ("A cosa sta lavorando Anna?", "e quelle di Marco?", "it", Filter(assignee="Marco")),
        ("Tasks for Anna", "and those of Marco?", "en", Filter(about="Marco")),
        ("Which tasks are overdue?", "Which of these belong to a project?", "en", Filter(overdue=True, filed=True)),
        ("Cosa è scaduto?", "quali di queste hanno un progetto?", "it", Filter(overdue=True, filed=True)),
        ("Tasks in the project Garden", "which of them are overdue?", "en", Filter(project="Garden", overdue=True)),
        ("Attività nel progetto Orto", "quali di queste sono in ritardo?", "it", Filter(project="Orto", overdue=True)),
        (
            "Tasks in the project Garden",
            "which of these are for Anna?",
            "en",
            Filter(project="Garden", assignee="Anna"),
        ),
    ],
)
def test_follow_up_question_changes_filter(before: str, message: str, language: str, expected: Filter) -> None:
    command = continued(before, message, language)

    assert isinstance(command, ListRows)
    assert command.where == expected


@pytest.mark.parametrize(
    ("before", "message", "language", "day"),
    [
        ("Which tasks are due today?", "and tomorrow?", "en", date(2026, 3, 11)),
        ("Quali attività scadono oggi?", "e domani?", "it", date(2026, 3, 11)),
        ("Which tasks are overdue?", "what about next week?", "en", date(2026, 3, 16)),
    ],
)
def test_follow_up_question_changes_day(before: str, message: str, language: str, day: date) -> None:
    command = continued(before, message, language)

    assert isinstance(command, ListRows)
    assert command.where.due is not None
    assert (command.where.due.first, command.where.overdue) == (day, False)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (("High-priority tasks", "and low?", "and medium?"), Filter(priority=Priority.MEDIUM)),
        (("Tasks in the project Garden", "and the weather?", "and in House?"), Filter(project="House")),
        (("Tasks in the project Garden", "thanks", "only urgent"), Filter(project="Garden", priority=Priority.HIGH)),
    ],
)
def test_follow_ups_span_several_messages(messages: tuple[str, ...], expected: Filter) -> None:
    earlier = Earlier(messages=messages[:-1])
    command, _ = understand(messages[-1], language="en", today=TODAY, earlier=earlier)

    assert isinstance(command, ListRows)
    assert command.where == expected


@pytest.mark.parametrize(
    ("messages", "language", "chart_type"),
    [
        (("How many tasks do I have?", "by project?"), "en", "bar"),
        (("How many tasks do I have?", "by project?", "as a pie chart"), "en", "pie"),
        (("Quante attività ho?", "per progetto?", "come grafico a torta"), "it", "pie"),
    ],
)
def test_list_is_shown_in_another_form(messages: tuple[str, ...], language: str, chart_type: str) -> None:
    earlier = Earlier(messages=messages[:-1])
    command, _ = understand(messages[-1], language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, ListRows)
    assert (command.shape, command.grouping, command.chart_type) == (Shape.CHART, Grouping.PROJECT, chart_type)


@pytest.mark.parametrize(
    ("before", "message", "language", "expected"),
    [
        ("Create a task", "Call Bob", "en", CreateRow(entity=RowKind.TASK, title="Call Bob")),
        ("Crea un progetto", "Vacanze", "it", CreateRow(entity=RowKind.PROJECT, title="Vacanze")),
        ("Create a task", "I don't know", "en", Talk.NOT_UNDERSTOOD),
        ("Create a task", "what should I say?", "en", Talk.NOT_UNDERSTOOD),
        ("Create a task", "never mind", "en", Talk.DECLINED),
        ("Crea un'attività", "boh", "it", Talk.NOT_UNDERSTOOD),
    ],
)
def test_question_for_a_title_is_answered(before: str, message: str, language: str, expected: Command) -> None:
    assert continued(before, message, language) == expected


@pytest.mark.parametrize("between", ["never mind", "thanks", "what is the weather?"])
def test_later_message_does_not_answer_question_for_title(between: str) -> None:
    earlier = Earlier(messages=("Create a task", between))

    assert understand("Call Bob", language="en", today=TODAY, earlier=earlier)[0] is Talk.NOT_UNDERSTOOD


def test_details_are_kept_while_title_is_asked_for() -> None:
    command = continued("Create a task for tomorrow with high priority", "Call Bob", "en")

    assert isinstance(command, CreateRow)
    assert command.details.due is not None
    assert (command.details.priority, command.details.due.deadline) == (Priority.HIGH, date(2026, 3, 11))


@pytest.mark.parametrize(
    ("messages", "language"),
    [
        (("Create a checkpoint “Beta” on 24 April", "in Website"), "en"),
        (("Create a checkpoint “Beta” on 24 April", "Website"), "en"),
        (("Create a checkpoint “Beta” in project Website", "24 April"), "en"),
        (("Create a checkpoint “Beta”", "Website", "on 24 April"), "en"),
        (("Crea un checkpoint «Beta» il 24 aprile", "nel progetto Website"), "it"),
    ],
)
def test_checkpoint_gets_missing_details_from_answers(messages: tuple[str, ...], language: str) -> None:
    earlier = Earlier(messages=messages[:-1])
    command, _ = understand(messages[-1], language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, CreateRow)
    assert command.details.due is not None
    assert (command.title, command.details.project) == ("Beta", "Website")
    assert command.details.due.deadline == date(2026, 4, 24)


@pytest.mark.parametrize(
    ("message", "language"),
    [("for tomorrow", "en"), ("due tomorrow", "en"), ("per domani", "it"), ("entro domani", "it")],
)
def test_date_after_new_row_sets_its_due_date(message: str, language: str) -> None:
    earlier = Earlier(messages=("Create a task “Contract”",), lists=(ROWS[:1],))
    command, _ = understand(message, language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, ChangeRow)
    assert command.due is not None
    assert (command.target.id, command.due.deadline) == ("t1", date(2026, 3, 11))


@pytest.mark.parametrize("message", ["for tomorrow?", "what about tomorrow?", "tomorrow?", "tasks for tomorrow"])
def test_question_after_new_row_does_not_change_it(message: str) -> None:
    assert not isinstance(continued("Create a task “Contract”", message, "en"), ChangeRow | CreateRow)


@pytest.mark.parametrize(
    ("before", "message", "found"),
    [
        ("Mark “Contract” as done", "draft", "t1"),
        ("Delete “Contract”", "Contract, final", "t2"),
        ("Mark “Contract” as done", "contract", None),
        ("Mark “Contract” as done", "not the draft", None),
        # The assistant has not asked which of these rows is meant.
        ("Mark “Tables” as done", "draft", None),
    ],
)
def test_one_of_several_is_chosen_by_its_title(before: str, message: str, found: str | None) -> None:
    rows = tuple(
        SeenRow(entity=RowKind.TASK, id=row_id, title=title)
        for row_id, title in (("t1", "Contract, draft"), ("t2", "Contract, final"))
    )
    earlier = Earlier(messages=(before,), lists=(rows,))
    command, _ = understand(message, language="en", today=TODAY, earlier=earlier)

    assert (command.target.id if isinstance(command, ChangeRow | DeleteRow) else None) == found


@pytest.mark.parametrize("message", ["Why?", "Marco is ill", "Cool", "Thanks Adiuva"])
def test_remark_does_not_continue_list(message: str) -> None:
    assert isinstance(continued("Tasks for Anna", message, "en"), Talk)


@pytest.mark.parametrize(
    ("message", "language"), [("read the second", "en"), ("show it", "en"), ("leggi la seconda", "it")]
)
def test_shown_row_is_read(message: str, language: str) -> None:
    rows = ROWS if "it" not in message else ROWS[1:]
    command, _ = understand(message, language=language, today=TODAY, earlier=Earlier(lists=(rows,)))

    assert isinstance(command, ShowRow)
    assert command.target.id == "t2"


@pytest.mark.parametrize(("message", "status"), [("è fatta", Status.DONE), ("è fatta?", None), ("quando scade?", None)])
def test_sentence_without_subject_refers_to_shown_row(message: str, status: Status | None) -> None:
    command, _ = understand(message, language="it", today=TODAY, earlier=Earlier(lists=(ROWS[:1],)))

    assert isinstance(command, ChangeRow | ShowRow)
    assert command.target.id == "t1"
    assert (command.status if isinstance(command, ChangeRow) else None) is status


@pytest.mark.parametrize(
    ("message", "language"),
    [("add a task Foo in this project", "en"), ("aggiungi un'attività Foo in questo progetto", "it")],
)
def test_new_row_is_put_into_shown_project(message: str, language: str) -> None:
    garden = SeenRow(entity=RowKind.PROJECT, id="p1", title="Garden")
    command, _ = understand(message, language=language, today=TODAY, earlier=Earlier(lists=((garden,), ROWS)))

    assert isinstance(command, CreateRow)
    assert (command.title, command.details.project) == ("Foo", "Garden")


@pytest.mark.parametrize(
    ("message", "language"),
    [("The same for “Tables”.", "en"), ("another one called “Tables”", "en"), ("Lo stesso per «Tables».", "it")],
)
def test_another_row_gets_details_of_previous_one(message: str, language: str) -> None:
    command = continued("Create a task “Chairs” for Friday with high priority.", message, language)

    assert isinstance(command, CreateRow)
    assert (command.title, command.details.priority) == ("Tables", Priority.HIGH)
    assert command.details.due is not None


@pytest.mark.parametrize(
    ("before", "message", "language", "kind"),
    [
        ("Mark “Contract” as done.", "The one of the project Garden.", "en", ChangeRow),
        ("Delete the task “Contract”", "the one in Garden", "en", DeleteRow),
        ("Segna «Contract» come fatta.", "quella del progetto Garden", "it", ChangeRow),
    ],
)
def test_one_of_several_is_chosen_by_its_project(
    before: str, message: str, language: str, kind: type[ChangeRow | DeleteRow]
) -> None:
    command = continued(before, message, language)

    assert isinstance(command, kind)
    assert (command.target.name, command.target.project) == ("Contract", "Garden")


@pytest.mark.parametrize(("message", "language"), [("the second", "en"), ("la seconda", "it")])
def test_one_of_several_is_chosen_by_its_position(message: str, language: str) -> None:
    command = continued("Mark “Contract” as done.", message, language)

    assert isinstance(command, ChangeRow)
    assert (command.target.id, command.status) == ("t2", Status.DONE)


@pytest.mark.parametrize(
    ("before", "kind"), [("Show the task “Contract”", ShowRow), ("Comments of the task “Contract”", ListComments)]
)
def test_one_of_several_is_chosen_to_be_read(before: str, kind: type[ShowRow | ListComments]) -> None:
    command = continued(before, "the second", "en")

    assert isinstance(command, kind)
    assert command.target.id == "t2"


def test_new_row_gets_another_date_priority_or_assignee() -> None:
    earlier = Earlier(messages=("Create a task “Contract”.",), lists=(ROWS[:1],))
    due, low, assigned = (
        understand(message, language="en", today=TODAY, earlier=earlier)[0]
        for message in ("no, tomorrow", "no, low is enough", "no, for Marco")
    )

    assert isinstance(due, ChangeRow)
    assert due.due is not None
    assert (due.target.id, due.due.deadline) == ("t1", date(2026, 3, 11))
    assert isinstance(low, ChangeRow)
    assert low.priority is Priority.LOW
    assert isinstance(assigned, ChangeRow)
    assert assigned.assignees == ("Marco",)


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("Create a task “Chairs”.", "no, on 31 February", Talk.NO_SUCH_DATE),
        ("Which tasks are due today?", "and on 31 February?", Talk.NO_SUCH_DATE),
        ("Which tasks are due today?", "and the weather?", Talk.NOT_UNDERSTOOD),
        ("Hello", "and bananas?", Talk.NOT_UNDERSTOOD),
        ("Projects", "and the urgent ones?", Talk.NOT_UNDERSTOOD),
    ],
)
def test_message_that_continues_nothing_is_not_understood(before: str, message: str, expected: Talk) -> None:
    assert continued(before, message, "en") is expected


@pytest.mark.parametrize(
    ("before", "message", "language", "expected"),
    [
        ("Add a task call Bob for tomorrow at 6pm", "no, at 7", "en", {"at": time(19)}),
        ("Add a task call Bob for tomorrow at 6pm", "no, at 7am", "en", {"at": time(7)}),
        ("Add a task call Bob for tomorrow at 9am", "no, at 7", "en", {"at": time(7)}),
        ("Crea un'attività «Bob» per domani alle 15", "no, alle 9", "it", {"at": time(9)}),
        ("Add a task call Bob for tomorrow at 6pm", "make it 4pm", "en", {"at": time(16)}),
        ("Crea un'attività «Bob» per domani alle 15", "anzi no, alle 16:30", "it", {"at": time(16, 30)}),
        ("Add a task call Bob", "actually make it high", "en", {"priority": Priority.HIGH}),
        ("Assign Contract to Anna", "no, Marco", "en", {"assignees": ("Marco",)}),
        ("Assegna Contract ad Anna", "scusa, Marco", "it", {"assignees": ("Marco",)}),
        ("Mark Contract as done", "sorry, it isn't done", "en", {"status": Status.TODO, "reopens": True}),
        ("Segna Contract come fatta", "no scusa, non è finita", "it", {"status": Status.TODO, "reopens": True}),
        ("Create a task “Contract”", "remove the due date", "en", {"clears": Field.DUE}),
        ("Crea un'attività «Contract»", "togli la scadenza", "it", {"clears": Field.DUE}),
    ],
)
def test_change_is_corrected(before: str, message: str, language: str, expected: dict[str, object]) -> None:
    earlier = Earlier(messages=(before,), lists=(ROWS[:1],))
    command, _ = understand(message, language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, ChangeRow)
    assert {name: getattr(command, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("add eggs", "a task", CreateRow(entity=RowKind.TASK, title="eggs")),
        ("aggiungi uova", "una nota", CreateRow(entity=RowKind.NOTE, title="uova")),
        ("add eggs", "never mind", Talk.DECLINED),
        ("add eggs", "by tomorrow", created(title="eggs", due=on("2026-03-11"))),
    ],
)
def test_question_for_a_kind_is_answered(before: str, message: str, expected: Command) -> None:
    assert continued(before, message, "en") == expected


def test_question_which_row_is_meant_names_shown_rows() -> None:
    rows = tuple(SeenRow(entity=RowKind.TASK, id=title, title=title) for title in ("Eggs", "Flour", "Salt"))
    asked = Earlier(messages=("my tasks",), lists=(rows,))
    mentioned = Earlier(messages=("my tasks", "open Eggs"), lists=(rows, rows[:1]))

    assert _choices("delete it", asked) == ("Eggs", "Flour", "Salt")
    assert _choices("delete the other one", mentioned) == ("Flour", "Salt")
    assert _choices("delete it", Earlier()) == ()


def _choices(message: str, earlier: Earlier) -> tuple[str, ...]:
    command, _ = understand(message, language="en", today=TODAY, earlier=earlier)
    assert isinstance(command, Incomplete)
    return command.choices


@pytest.mark.parametrize("message", ["Flour", "the second one"])
def test_question_which_row_is_meant_is_answered(message: str) -> None:
    rows = tuple(SeenRow(entity=RowKind.TASK, id=title, title=title) for title in ("Eggs", "Flour", "Salt"))
    earlier = Earlier(messages=("my tasks", "mark it as done"), lists=(rows,))
    command, _ = understand(message, language="en", today=TODAY, earlier=earlier)

    assert isinstance(command, ChangeRow)
    assert (command.target.id, command.status) == ("Flour", Status.DONE)


def test_rows_that_cannot_have_date_are_not_moved() -> None:
    rows = tuple(SeenRow(entity=kind, id=kind, title="Visit") for kind in (RowKind.TASK, RowKind.NOTE))
    earlier = Earlier(messages=("when is the visit?",), lists=(rows,))
    command, _ = understand("move it to Friday", language="en", today=TODAY, earlier=earlier)

    assert isinstance(command, ChangeRow)
    assert command.target.id == RowKind.TASK


def test_it_is_ambiguous_for_deletion_if_comment_was_shown() -> None:
    shown = (SeenRow(entity=RowKind.COMMENT, id="c", title="Nice"), *ROWS[:1])
    earlier = Earlier(messages=("comment on “Contract”: Nice",), lists=(shown,))

    assert isinstance(understand("delete it", language="en", today=TODAY, earlier=earlier)[0], Incomplete)
    moved, _ = understand("move it to Friday", language="en", today=TODAY, earlier=earlier)
    assert isinstance(moved, ChangeRow)
    assert moved.target.id == "t1"


def test_language_of_conversation_decides_if_words_fit_several() -> None:
    earlier = Earlier(messages=("quali attività scadono oggi?",))

    assert understand("xyz", language="en", today=TODAY, earlier=earlier) == (Talk.NOT_UNDERSTOOD, "it")
    assert understand("xyz", language="en", today=TODAY) == (Talk.NOT_UNDERSTOOD, "en")


@pytest.mark.parametrize(
    ("before", "message", "language", "expected"),
    [
        ("Move Report to Friday", "and the survey to Thursday", "en", ("survey", date(2026, 3, 12), None)),
        ("Mark Report as done", "and the survey to Thursday please", "en", ("survey", date(2026, 3, 12), None)),
        ("Mark Report as done", "the survey too", "en", ("survey", None, Status.DONE)),
        ("Mark Report as done", "also the survey", "en", ("survey", None, Status.DONE)),
        ("Mark Report as done", "the same for “Order tables”", "en", ("Order tables", None, Status.DONE)),
        ("Sposta il preventivo a venerdì", "e il sondaggio a giovedì", "it", ("sondaggio", date(2026, 3, 12), None)),
        ("Segna il preventivo come fatto", "anche il sondaggio", "it", ("sondaggio", None, Status.DONE)),
    ],
)
def test_change_is_repeated_for_another_row(
    before: str, message: str, language: str, expected: tuple[str, date | None, Status | None]
) -> None:
    command, _ = understand(message, language=language, today=TODAY, earlier=Earlier(messages=(before,)))

    assert isinstance(command, ChangeRow)
    assert (command.target.name, command.due and command.due.deadline, command.status) == expected


def test_question_after_change_changes_no_other_row() -> None:
    earlier = Earlier(messages=("Mark Report as done",))
    command, _ = understand("the survey too?", language="en", today=TODAY, earlier=earlier)

    assert not isinstance(command, ChangeRow)


@pytest.mark.parametrize(
    ("message", "title"), [("also one for Friday: call Eve", "call Eve"), ("one more task: call Eve", "call Eve")]
)
def test_another_row_is_created_with_its_own_details(message: str, title: str) -> None:
    earlier = Earlier(messages=("Create a task call Bob for tomorrow",))
    command, _ = understand(message, language="en", today=TODAY, earlier=earlier)

    assert isinstance(command, CreateRow)
    assert command.title == title
    assert command.details.due is None or command.details.due.deadline == date(2026, 3, 13)


@pytest.mark.parametrize(("message", "language"), [("show them", "en"), ("mostramele", "it")])
def test_rows_that_were_counted_are_shown(message: str, language: str) -> None:
    earlier = Earlier(messages=("Tasks assigned to Anna",))
    command, _ = understand(message, language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, ListRows)
    assert command.where == Filter(assignee="Anna")


@pytest.mark.parametrize("between", ["xyz", "add eggs"])
def test_it_is_not_deleted_after_message_that_was_not_understood(between: str) -> None:
    earlier = Earlier(messages=("Show “Contract”", between), lists=(ROWS[:1],))

    assert isinstance(understand("delete it", language="en", today=TODAY, earlier=earlier)[0], Incomplete)
    earlier = Earlier(messages=("Show “Contract”",), lists=(ROWS[:1],))
    assert isinstance(understand("delete it", language="en", today=TODAY, earlier=earlier)[0], DeleteRow)


@pytest.mark.parametrize(
    ("message", "language", "name", "kind"),
    [
        ("the survey is paid, mark it done", "en", "survey", ChangeRow),
        ("the survey, delete it", "en", "survey", DeleteRow),
        ("I don't need the survey anymore, delete it", "en", "survey", DeleteRow),
        ("il sondaggio non serve più, eliminalo", "it", "sondaggio", DeleteRow),
        ("the survey isn't needed, delete it", "en", "survey", DeleteRow),
        ("il sondaggio spostalo a domani", "it", "sondaggio", ChangeRow),
        ("il sondaggio, eliminalo", "it", "sondaggio", DeleteRow),
    ],
)
def test_row_is_named_before_its_command(
    message: str, language: str, name: str, kind: type[ChangeRow | DeleteRow]
) -> None:
    command, _ = understand(message, language=language, today=TODAY)

    assert isinstance(command, kind)
    assert command.target.name == name


@pytest.mark.parametrize(
    "message",
    [
        "the long story that Anna told us about the survey, delete it",
        "I talked to Anna, delete it",
        "Anna is ill, move it to Friday",
        "Anna, delete it",
    ],
)
def test_sentence_before_command_is_not_row_name(message: str) -> None:
    assert understand(message, language="en", today=TODAY)[0] is Talk.NOT_UNDERSTOOD


@pytest.mark.parametrize(
    ("message", "language"), [("also create a task eggs", "en"), ("anche crea una nota uova", "it")]
)
def test_also_before_command_is_ignored(message: str, language: str) -> None:
    earlier = Earlier(messages=("Mark Report as done",))
    command, _ = understand(message, language=language, today=TODAY, earlier=earlier)

    assert isinstance(command, CreateRow)
