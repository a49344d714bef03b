"""What the offline assistant says when a job starts and after it has ended."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agents.adapters.base import AssistantMessage, Message, ModelParams, SystemMessage, ToolMessage, UserMessage
from agents.calls import Table
from agents.events import TextDelta, ToolCall
from agents.offline import OfflineAdapter
from agents.permissions.approvals.refusals import Refusal
from agents.tools.context import CallContext
from device.store import Store
from tests.agents.offline.world import NOW, World, request, say
from tests.agents.scripts import says
from tests.agents.stores import StoredClient
from tests.agents.working import Job
from tests.device.clocks import SequentialIds

POND, LAGHETTO = "open the pond by 1 May", "aprire il laghetto entro il 1 maggio"
STARTED = "I have started this as a job: it takes a while, and the result comes by itself."
AVVIATO = "Ho avviato un lavoro a parte: ci vuole un po' di tempo, e il risultato arriva da solo."


@pytest.fixture
def world() -> World:
    world = World()
    world.project("Garden")
    world.project("Garden shed", status="archived")
    world.project("Website")
    return world


@pytest.mark.parametrize(
    ("message", "calls", "answer"),
    [
        (
            "summarise the project Garden",
            [("list_projects", {"include_archived": True}), ("summarize_project", {"project_id": "row-1"})],
            STARTED,
        ),
        (
            f"plan the project web: {POND}",
            [
                ("list_projects", {"include_archived": True}),
                ("plan_project", {"project_id": "row-3", "goal": POND}),
            ],
            STARTED,
        ),
        ("weekly review", [("weekly_review", {})], STARTED),
        (
            f"pianifica il progetto Garden per {LAGHETTO}",
            [
                ("list_projects", {"include_archived": True}),
                ("plan_project", {"project_id": "row-1", "goal": LAGHETTO}),
            ],
            AVVIATO,
        ),
        ("revisione settimanale", [("weekly_review", {})], AVVIATO),
    ],
)
async def test_job_is_started_and_announced(
    world: World, message: str, calls: list[tuple[str, dict[str, object]]], answer: str
) -> None:
    assert (await say(world, message)).text == answer
    assert world.calls == calls


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("summarise the project Moon", "I found no project called “Moon”."),
        ("riassumi il progetto Luna", "Non ho trovato nessun progetto con il nome «Luna»."),
        (
            "plan the project gard: dig",
            (
                "2 projects could be meant by “gard”. Repeat the command with the full title of one of them:\n"
                "- Garden\n- Garden shed (archived)"
            ),
        ),
        (
            "plan the project Garden",
            "What is the project to reach? For example: Plan the project “Website”: go online by 1 May",
        ),
        (
            "pianifica il progetto Garden",
            (
                "Che cosa deve raggiungere il progetto? "
                "Per esempio: Pianifica il progetto «Sito»: andare online entro il 1 maggio"
            ),
        ),
    ],
)
async def test_unclear_request_starts_no_job(world: World, message: str, answer: str) -> None:
    assert (await say(world, message)).text == answer
    assert {name for name, _ in world.calls} <= {"list_projects"}


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("summarize_project", "summarise the project Garden"),
        ("plan_project", f"plan the project Garden: {POND}"),
        ("weekly_review", "weekly review"),
    ],
)
async def test_job_that_did_not_start_is_reported(world: World, tool: str, message: str) -> None:
    world.failing[tool] = "Nothing here [id x] runs it."
    assert (await say(world, message)).text == "That did not work. Nothing here runs it."
    world.failing[tool] = f"{Refusal.REFUSED} Told to a model."
    assert (await say(world, message)).text == "All right, I leave it as it is."
    world.withheld = frozenset({tool})
    assert (await say(world, message)).text == "I cannot do this here: the tool it takes is not on offer."


@pytest.mark.parametrize(
    ("message", "agent"),
    [("summarise Garden", "project_agent"), ("plan Garden: dig", "project_agent"), ("review my week", "task_agent")],
)
async def test_job_request_is_routed_to_agent_with_its_tool(message: str, agent: str) -> None:
    agents = ["task_agent", "project_agent", "general_agent"]
    schema = {"type": "object", "properties": {"agent": {"type": "string", "enum": agents}}}
    events = await request([UserMessage(text=message)], [], ModelParams(now=NOW, response_schema=schema))
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert json.loads(text) == {"agent": agent}


async def after_job(message: str, outcome: str, *, tool: str = "weekly_review", language: str = "en") -> str:
    """The answer after a job: its conversation has only the tool's call and offers no tools."""
    call = ToolCall(id="job-1", name=tool, arguments="{}")
    conversation: list[Message] = [
        SystemMessage(text="The job is over."),
        UserMessage(text="thanks"),
        AssistantMessage(text="You're welcome."),
        UserMessage(text=message),
        AssistantMessage(text="", tool_calls=(call,)),
        ToolMessage(call_id=call.id, text=outcome),
    ]
    events = await request(conversation, [], ModelParams(language=language, now=NOW))
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@pytest.fixture
def store(tmp_path: Path, milliseconds: Callable[[str], int]) -> Iterator[Store]:
    file = tmp_path / "rows.sqlite3"
    with closing(Store(file, clock=lambda: milliseconds("2026-03-01"), new_id=SequentialIds())) as store:
        yield store


@pytest.mark.parametrize(
    ("language", "message", "opening"),
    [
        ("en", "summarise the project Garden", "I wrote the summary of the project “Gar\nden”:"),
        ("it", "riassumi il progetto Garden", "Ho scritto il riassunto del progetto «Gar\nden»:"),
        ("it", "what would you say of all this?", "I wrote the summary of the project “Gar\nden”:"),
    ],
)
async def test_summary_is_shown_whole(
    store: Store, context: CallContext, language: str, message: str, opening: str
) -> None:
    project = StoredClient(store).add(Table.PROJECTS, name="Gar\nden")
    job = Job(store=store, context=context, name="summarize_project", arguments={"project_id": project})
    written = "All is well.\n\n- “Dig” [id 7] (done)\n\n== Not a title ==\nSee you."
    ran = await job.run(says(written))

    said = await after_job(message, ran.outcome.text, tool="summarize_project", language=language)
    assert said == f"{opening}\n\n{written}"


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            f"plan the project Garden: {POND}",
            [
                "I added these suggestions to the project “Garden”, for you to accept or reject:",
                "- task “Dig: (deep) [id 3]” (high priority, due Fri 10 Apr)",
                "- task “Left out of the plan:”",
                "- checkpoint “Open” (Fri 1 May)",
                "I left out of the plan:",
            ],
        ),
        (
            f"pianifica il progetto Garden per {LAGHETTO}",
            [
                "Ho aggiunto al progetto «Garden» queste proposte, che puoi accettare o rifiutare:",
                "- attività «Dig: (deep) [id 3]» (priorità alta, scadenza ven 10 apr)",
                "- attività «Left out of the plan:»",
                "- checkpoint «Open» (ven 1 mag)",
                "Ho lasciato fuori dal piano:",
            ],
        ),
    ],
)
async def test_plan_is_shown_with_every_suggestion_and_omission(
    store: Store, context: CallContext, message: str, answer: list[str]
) -> None:
    project = StoredClient(store).add(Table.PROJECTS, name="Garden")
    plan = {
        "tasks": [
            {"title": "Dig: (deep) [id 3]", "priority": "high", "dueDate": "2026-04-10"},
            {"title": "Left out of the plan:"},
        ],
        "checkpoints": [{"title": "Open", "date": "2026-05-01"}, {"title": "Some day"}],
    }
    arguments: dict[str, object] = {"project_id": project, "goal": POND}
    job = Job(store=store, context=context, name="plan_project", arguments=arguments)
    ran = await job.run(says(json.dumps(plan)))

    said = await after_job(message, ran.outcome.text, tool="plan_project")
    assert said.split("\n") == [*answer, '- The checkpoint "Some day": it has no date.']


@pytest.mark.parametrize(
    ("language", "message", "opening"),
    [
        ("en", "weekly review", "This is the review of your week:"),
        ("it", "revisione settimanale", "Ecco la revisione della tua settimana:"),
    ],
)
async def test_review_is_shown_whole(
    store: Store, context: CallContext, language: str, message: str, opening: str
) -> None:
    job = Job(store=store, context=replace(context, language=language), name="weekly_review")
    ran = await job.run_with(OfflineAdapter())

    said = await after_job(message, ran.outcome.text, language=language)
    assert said == f"{opening}\n\n{ran.work.written['review']}"


@pytest.mark.parametrize(
    ("tool", "message", "outcome", "answer"),
    [
        ("weekly_review", "weekly review", "It did not work. The model wrote no review.", "The model wrote no review."),
        (
            "plan_project",
            "plan the project Garden: dig",
            "It did not work. Nothing was suggested that could be added.\nA task without a title.",
            "Nothing was suggested that could be added.\nA task without a title.",
        ),
        (
            "summarize_project",
            "summarise Garden",
            "It did not work. There is no project [id p].",
            "There is no project.",
        ),
        ("delete_task", "delete task Tea", "It did not work. There is no task [id t].", "There is no task."),
        ("create_task", "add task Tea", "It did not work. The disk is full.", "The disk is full."),
        ("summarize_project", "summarise Garden", "", "The tool gave no answer."),
    ],
)
async def test_failed_job_is_reported(tool: str, message: str, outcome: str, answer: str) -> None:
    assert await after_job(message, outcome, tool=tool) == f"That did not work. {answer}"


@pytest.mark.parametrize(
    ("tool", "message", "outcome", "answer"),
    [
        ("delete_task", "delete task Tea", "Deleted the task [id t].", "The tool reports: Deleted the task."),
        (
            "delete_task",
            "elimina l'attività Tè",
            "Deleted the task [id t].",
            "Lo strumento riferisce: Deleted the task.",
        ),
        ("create_task", "add task Tea", 'Created the task "Tea" (todo) [id t].', "I created the task “Tea”."),
        (
            "delete_note",
            "delete note Tea",
            f"{Refusal.DENIED} So.",
            "Your settings do not allow this. Nothing is changed.",
        ),
    ],
)
async def test_result_of_any_tool_run_as_job_is_reported(tool: str, message: str, outcome: str, answer: str) -> None:
    assert await after_job(message, outcome, tool=tool) == answer


async def test_same_outcome_gives_same_answer() -> None:
    outcome = "The review of the week:\n\nAll is well."
    assert await after_job("weekly review", outcome) == await after_job("weekly review", outcome)
