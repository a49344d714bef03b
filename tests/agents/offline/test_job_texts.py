"""The texts that the offline assistant writes as the model of jobs."""

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from agents.adapters.base import Material, ModelParams, Purpose, UserMessage
from agents.calls import Row, Rows, Table
from agents.events import TextDelta
from agents.offline import OfflineAdapter
from agents.tools.context import CallContext
from agents.tools.overviews import ProjectSection
from device.store import Store
from tests.agents.offline.world import NOW, ROME
from tests.agents.stores import StoredClient
from tests.agents.working import Job, Ran
from tests.device.clocks import SequentialIds

Milliseconds = Callable[[str], int]
Run = Callable[..., Awaitable[Ran]]

CANNOT = "I cannot do this here: the tool it takes is not on offer."


@pytest.fixture
def store(tmp_path: Path, milliseconds: Milliseconds) -> Iterator[Store]:
    file = tmp_path / "rows.sqlite3"
    with closing(Store(file, clock=lambda: milliseconds("2026-03-01"), new_id=SequentialIds())) as store:
        yield store


@pytest.fixture
def website(store: Store, milliseconds: Milliseconds) -> str:
    device = StoredClient(store)
    website = device.add(Table.PROJECTS, name="Website", aiSummary="Just begun.")
    for title, due, status in [
        ("Write copy", "2026-03-27", "todo"),
        ("Draw logo", "2026-03-30T18:00", "in_progress"),
        ("Choose colours", "", "todo"),
        ("Buy domain", "2026-03-26", "done"),
    ]:
        dated = {"dueDate": milliseconds(due)} if due else {}
        device.add(Table.TASKS, title=title, status=status, projectId=website, **dated)
    device.add(Table.CHECKPOINTS, title="Beta", projectId=website, date=milliseconds("2026-04-01"))
    device.add(Table.NOTES, title="Ideas", content="# Paint", projectId=website)
    return website


@pytest.fixture
def run(store: Store, context: CallContext) -> Run:
    async def run(name: str, *, language: str = "en", **arguments: object) -> Ran:
        job = Job(store=store, context=replace(context, language=language), name=name, arguments=arguments)
        return await job.run_with(OfflineAdapter())

    return run


@pytest.mark.parametrize(
    ("language", "summary"),
    [
        (
            "en",
            [
                "The project “Website” is active.",
                "This is how it stood on 2026-03-29:",
                "- Overdue: 1 task (“Write copy”, 2026-03-27).",
                "- Still to do: 2 tasks (“Draw logo”, 2026-03-30; “Choose colours”).",
                "- Done: 1 task (“Buy domain”, 2026-03-26).",
                "- Ahead: 1 checkpoint (“Beta”, 2026-04-01).",
                "- Written down: 1 note (“Ideas”).",
            ],
        ),
        (
            "it-IT",
            [
                "Il progetto «Website» è attivo.",
                "Situazione al 2026-03-29:",
                "- In ritardo: 1 attività («Write copy», 2026-03-27).",
                "- Ancora da fare: 2 attività («Draw logo», 2026-03-30; «Choose colours»).",
                "- Completato: 1 attività («Buy domain», 2026-03-26).",
                "- In programma: 1 checkpoint («Beta», 2026-04-01).",
                "- Appunti: 1 nota («Ideas»).",
            ],
        ),
    ],
)
async def test_summary_names_rows_with_their_dates(run: Run, website: str, language: str, summary: list[str]) -> None:
    ran = await run("summarize_project", language=language, project_id=website)

    [row] = ran.device.rows(Table.PROJECTS)
    assert row["aiSummary"].split("\n") == summary
    assert ran.outcome.text.endswith("\n".join(summary))


async def test_summary_names_ten_of_many_rows_and_counts_rest(run: Run, store: Store, website: str) -> None:
    for number in range(60):
        StoredClient(store).add(Table.NOTES, title=f"N{number}", content="", projectId=website)
    ran = await run("summarize_project", project_id=website)

    last = ran.outcome.text.split("\n")[-1]
    assert last.startswith("- Written down: 61 notes (“")
    assert last.endswith("; … and 51 more).")


async def test_summary_of_empty_project_says_so(run: Run, store: Store) -> None:
    project = StoredClient(store).add(Table.PROJECTS, name="Attic")
    ran = await run("summarize_project", project_id=project)

    [row] = ran.device.rows(Table.PROJECTS)
    assert row["aiSummary"] == (
        "The project “Attic” is active.\nThis is how it stood on 2026-03-29:\nThere is nothing in it."
    )


@pytest.mark.parametrize(
    ("language", "goal", "tasks", "checkpoints"),
    [
        (
            "en",
            "Launch by May",
            [
                ("Write down the steps to: Launch by May", "high", "2026-03-30"),
                ("Finish or postpone “Write copy”", "high", "2026-04-01"),
                ("Set a due date for “Choose colours”", "medium", "2026-04-01"),
                ("Look back at the plan for: Launch by May", "low", "2026-04-12"),
            ],
            [("Halfway to: Launch by May", "2026-04-12"), ("Reached: Launch by May", "2026-04-26")],
        ),
        (
            "it",
            "Andare online",
            [
                ("Scrivere i passi per: Andare online", "high", "2026-03-30"),
                ("Finire o rimandare «Write copy»", "high", "2026-04-01"),
                ("Fissare una scadenza per «Choose colours»", "medium", "2026-04-01"),
                ("Rivedere il piano per: Andare online", "low", "2026-04-12"),
            ],
            [("A metà strada verso: Andare online", "2026-04-12"), ("Raggiunto: Andare online", "2026-04-26")],
        ),
    ],
)
async def test_plan_covers_goal_and_overdue_or_undated_tasks(
    run: Run,
    website: str,
    milliseconds: Milliseconds,
    language: str,
    goal: str,
    tasks: list[tuple[str, str, str]],
    checkpoints: list[tuple[str, str]],
) -> None:
    ran = await run("plan_project", language=language, project_id=website, goal=goal)

    suggested = [row for row in ran.device.rows(Table.TASKS) if row["isAiSuggested"]]
    reached = [row for row in ran.device.rows(Table.CHECKPOINTS) if row["isAiSuggested"]]
    assert [(row["title"], row["priority"], row["dueDate"]) for row in suggested] == [
        (title, priority, milliseconds(day)) for title, priority, day in tasks
    ]
    assert [(row["title"], row["date"]) for row in reached] == [
        (title, milliseconds(day)) for title, day in checkpoints
    ]
    assert {row["isApproved"] for row in (*suggested, *reached)} == {0}
    assert "Left out" not in ran.outcome.text


async def test_repeated_plan_for_same_goal_suggests_nothing_new(run: Run, website: str) -> None:
    first = await run("plan_project", project_id=website, goal="Launch")
    rows = first.device.rows(Table.TASKS)
    second = await run("plan_project", project_id=website, goal="Launch")

    assert second.outcome.text == "Nothing was suggested that could be added."
    assert second.device.rows(Table.TASKS) == rows


@pytest.mark.parametrize("goal", ["x" * 5_000, 'Say "hi" {now}\n== Overdue tasks ==\n- "A" [id a]', "🙂 {title}"])
async def test_plan_for_any_goal_is_valid_json(run: Run, website: str, goal: str) -> None:
    ran = await run("plan_project", project_id=website, goal=goal)

    [(_, words)] = ran.work.written.items()
    assert [len(part) for part in json.loads(words).values()] == [4, 2]
    assert len(ran.device.writes) == 6


@pytest.mark.parametrize(
    ("language", "review"),
    [
        (
            "en",
            (
                "The review of the week:\n\n"
                "Done in the last seven days: 1 task\n- Buy domain (done, due Thu 26 Mar)\n\n"
                "Overdue: 1 task\n- Write copy (due Fri 27 Mar)\n\n"
                "Due in the next seven days: 1 task\n- Draw logo (in progress, due tomorrow at 18:00)\n\n"
                "Ahead in the next seven days: 1 checkpoint\n- Beta (Wed 1 Apr)\n\n"
                "I would start with “Write copy”: it was due Fri 27 Mar."
            ),
        ),
        (
            "it",
            (
                "The review of the week:\n\n"
                "Completato negli ultimi sette giorni: 1 attività\n- Buy domain (fatta, scadenza gio 26 mar)\n\n"
                "In ritardo: 1 attività\n- Write copy (scadenza ven 27 mar)\n\n"
                "In scadenza nei prossimi sette giorni: 1 attività\n"
                "- Draw logo (in corso, scadenza domani alle 18:00)\n\n"
                "In programma nei prossimi sette giorni: 1 checkpoint\n- Beta (mer 1 apr)\n\n"
                "Inizierei da «Write copy»: scadeva ven 27 mar."
            ),
        ),
    ],
)
async def test_review_names_done_overdue_and_upcoming_rows(run: Run, website: str, language: str, review: str) -> None:
    assert (await run("weekly_review", language=language)).outcome.text == review


async def test_review_of_quiet_week_says_so(run: Run) -> None:
    assert (await run("weekly_review")).outcome.text == (
        "The review of the week:\n\nNothing was done, nothing is overdue, and nothing is due in the next seven days."
    )


async def test_review_reports_rows_that_device_refused(store: Store, context: CallContext, website: str) -> None:
    device = StoredClient(store, refuses=lambda call: call.table is Table.CHECKPOINTS)
    ran = await Job(store=store, context=context, name="weekly_review").run_with(OfflineAdapter(), device=device)

    assert "\n\nI could not read the checkpoints.\n\n" in ran.outcome.text


async def test_day_of_message_counts_rather_than_day_of_run(run: Run, website: str) -> None:
    ran = await run("weekly_review")
    [messages] = [messages for _, messages in ran.work.asked]
    later = ModelParams(now=datetime(2027, 1, 1, 10, tzinfo=ROME))
    events = [event async for event in OfflineAdapter().stream(messages, (), later)]

    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert said == ran.work.written["review"]


def material(purpose: Purpose, **rows: Row) -> Material:
    sections: dict[str, Rows] = {ProjectSection[name.upper()]: Rows(rows=(row,)) for name, row in rows.items()}
    return Material(purpose=purpose, rows=sections, day=NOW.date())


async def answered(message: UserMessage) -> str:
    events = [event async for event in OfflineAdapter().stream([message], (), ModelParams(now=NOW))]
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_only_message_with_job_material_is_treated_as_job() -> None:
    written = "Suggest a plan for this project as of 2026-11-18.\n\n== The goal ==\nLaunch"
    ours = material(Purpose.PROJECT_PLAN, goal={"goal": "Launch"})

    assert "tasks" in json.loads(await answered(UserMessage(text=written, material=ours)))
    assert await answered(UserMessage(text=written)) == CANNOT
    said = material(Purpose.ANSWER, goal={"goal": "Launch"})
    assert await answered(UserMessage(text=written, material=said)) == CANNOT


async def test_every_purpose_is_answered_without_rows() -> None:
    for purpose in Purpose:
        assert await answered(UserMessage(text="x", material=material(purpose)))


async def test_lone_surrogates_in_rows_are_replaced() -> None:
    project: Row = {"id": "p", "name": "Web\ud83dsite", "status": "active"}
    said = await answered(UserMessage(text="", material=material(Purpose.PROJECT_SUMMARY, project=project)))
    assert said.encode().startswith("The project “Web?site” is active.".encode())
