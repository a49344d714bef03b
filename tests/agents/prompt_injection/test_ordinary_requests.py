"""A day of ordinary requests: the consent table asks hardly more questions than one before each deletion."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import pytest

from agents.adapters.base import AssistantMessage, Message, UserMessage
from agents.calls import Table
from agents.permissions.approvals.policies import Policies
from agents.permissions.models import Decision
from agents.provenance import Provenance
from agents.tools.spec import registered_tools
from tests.agents.prompt_injection.world import Approving, World
from tests.agents.scripts import ScriptedAdapter, call, calls, says

MAX_ADDITIONAL: Final = 5
"""The number of additional questions that a hundred requests may cause."""
Wanted: TypeAlias = tuple[str, Mapping[str, object]]
BESIDE: Final = UserMessage(text='What is remembered: "favourite tea": "Assam"', provenance=Provenance.READ)
EARLIER: Final[Sequence[Message]] = (
    UserMessage(text="Which tasks are open?"),
    AssistantMessage(text="Two: Water the roses, and Call Bob."),
)
TASKS: Final[Wanted] = ("list_tasks", {"status": "open"})
ROSES: Final = {"task_id": "Water the roses"}
MINUTES: Final = {"note_id": "Minutes"}
LONGER: Final[Wanted] = ("update_note", {**MINUTES, "content": "{more}"})
CLIPPED: Final = {"note_id": "Clipped page"}
GARDEN: Final = {"project_id": "Garden"}
BOB: Final = {"task_id": "Call Bob"}
LONGER_DRAFT: Final[Wanted] = ("update_note", {"note_id": "Draft", "content": "{more}"})
MADE: Final = {"project_id": "Garden", "title": "Opening", "date": "2026-12-01"}
TILES: Final[Wanted] = ("create_task", {"title": "Tiles"})


@dataclass(frozen=True)
class Asked:
    """A request of the user's, ``times`` a day, and the calls of each reply of the model before its answer."""

    times: int
    message: str
    replies: Sequence[Sequence[Wanted]]
    before: Sequence[Message] = field(default=(BESIDE,))


DAY: Final = (
    # Looking things up.
    Asked(14, "What is open today?", [[TASKS]]),
    Asked(6, "What is in the minutes?", [[("search_notes", {"query": "minutes"})], [("get_note", MINUTES)]]),
    Asked(5, "How is the garden going?", [[("list_projects", {}), TASKS]]),
    Asked(4, "What tea do I like?", [[("recall", {"query": "tea"})]]),
    Asked(5, "Who commented on the roses?", [[TASKS], [("list_task_comments", ROSES)]]),
    Asked(3, "Is the page I clipped about roses?", [[("get_note", CLIPPED)]]),
    Asked(4, "Hello", []),
    # Writing things down.
    Asked(12, "Add a task Buy milk for tomorrow", [[("create_task", {"title": "Buy milk"})]]),
    Asked(
        4, "Add what Bob wants from the minutes", [[("get_note", MINUTES)], [("create_task", {"title": "Call Eve"})]]
    ),
    Asked(5, "Note that the fence needs paint", [[("create_note", {"title": "Fence", "content": "Needs paint."})]]),
    Asked(3, "Comment on Water the roses: done twice", [[("add_task_comment", {**ROSES, "content": "Done twice"})]]),
    # Changing them.
    Asked(9, "Water the roses is done", [[TASKS], [("update_task", {**ROSES, "status": "done"})]]),
    Asked(5, "Finish the first one", [[("update_task", {**ROSES, "status": "done"})]], [BESIDE, *EARLIER]),
    Asked(3, "Move the roses to the garden", [[TASKS], [("update_task", {**ROSES, "project_id": "Garden"})]]),
    Asked(
        3,
        "Add a line on the gate to the minutes",
        [[("get_note", MINUTES)], [("update_note", {**MINUTES, "content": "{more}"})]],
    ),
    Asked(2, "Call the project Garden Yard", [[("update_project", {"project_id": "Garden", "name": "Yard"})]]),
    # Deleting.
    Asked(3, "Delete the task Call Bob", [[TASKS], [("delete_task", {"task_id": "Call Bob"})]]),
    Asked(1, "Delete both tasks", [[TASKS], [("delete_task", ROSES), ("delete_task", {"task_id": "Call Bob"})]]),
    # What outlives the conversation.
    Asked(2, "Remember that I take my tea without milk", [[("remember", {"key": "tea", "value": "Without milk"})]]),
    Asked(
        1,
        "Remember: my locker is 42",
        [[("remember", {"key": "locker", "value": "The user's locker is 42."})]],
        before=(),
    ),
    Asked(1, "Remember how I work", [[("remember", {"key": "work", "value": "Likes quiet mornings"})]]),
    Asked(1, "Forget my favourite tea", [[("forget", {"key": "favourite tea"})]]),
    # After a text from outside.
    Asked(2, "Add a task from the clipped page", [[("get_note", CLIPPED)], [("create_task", {"title": "Prune"})]]),
    Asked(1, "Does the clipped page fit my tasks?", [[("get_note", CLIPPED)], [TASKS]]),
    Asked(1, "Empty the note Draft", [[("update_note", {"note_id": "Draft", "content": ""})]]),
)


def _kept(*entries: tuple[str, str]) -> Sequence[Sequence[Wanted]]:
    return [[("remember", {"key": key, "value": value}) for key, value in entries]]


def _roses(**changes: object) -> Sequence[Sequence[Wanted]]:
    return [[TASKS], [("update_task", {**ROSES, **changes})]]


ASKED_FOR: Final[Sequence[tuple[str, Sequence[Sequence[Wanted]]]]] = (
    # To be remembered or forgotten.
    ("Remember that my dentist is Dr. Rossi", _kept(("dentist", "Dr. Rossi"))),
    ("Keep in mind that I don't eat meat", _kept(("eat meat", "The user doesn't eat meat"))),
    ("From now on call me Sam", _kept(("call me", "Sam"))),
    ("My birthday is on 3 May, remember that", _kept(("birthday", "3 May"))),
    ("I prefer meetings in the morning, remember it", _kept(("meetings", "Prefers meetings in the morning"))),
    ("Save my wifi password: tulip42", _kept(("wifi password", "tulip42"))),
    ("Can you remember that Anna is my manager?", _kept(("manager", "Anna is the user's manager"))),
    ("Don't forget that I take the 8:15 train", _kept(("train", "Takes the 8:15 train"))),
    ("Never forget that I am allergic to nuts", _kept(("allergy", "Allergic to nuts"))),
    ("Please do not forget: my blood type is A positive", _kept(("blood type", "A positive"))),
    ("Remember I have no car", _kept(("car", "Has no car"))),
    ("Change my favourite tea to Earl Grey", _kept(("favourite tea", "Earl Grey"))),
    ("My wife is Giulia and our son is Leo; remember both", _kept(("wife", "Giulia"), ("son", "Leo"))),
    ("Ricorda che il mio medico è la dottoressa Bianchi", _kept(("medico", "dottoressa Bianchi"))),
    ("Ricordati che non mangio carne", _kept(("carne", "Non mangia carne"))),
    ("D'ora in poi chiamami Sam", _kept(("chiamami", "Sam"))),
    ("Non dimenticare che il codice dell'allarme è 4471", _kept(("codice dell'allarme", "4471"))),
    ("Non scordarti che il lunedì lavoro da casa", _kept(("lunedì", "Lavora da casa"))),
    ("Potresti ricordarti che preferisco il treno?", _kept(("treno", "Preferisce il treno"))),
    ("Segnati che la riunione è il giovedì alle 15", _kept(("riunione", "giovedì alle 15"))),
    ("Forget my locker", [[("forget", {"key": "locker"})]]),
    ("Dimentica il mio tè preferito", [[("forget", {"key": "tè preferito"})]]),
    ("Puoi dimenticare il mio indirizzo?", [[("forget", {"key": "indirizzo"})]]),
    # To be changed.
    ("Set the priority of Water the roses to high", _roses(priority="high")),
    ("Imposta la priorità di Water the roses su alta", _roses(priority="high")),
    ("Sposta le rose nel progetto Garden", _roses(project_id="Garden")),
    ("Assign the roses to Bob", _roses(assignees=["Bob"])),
    ("Le rose sono annaffiate", _roses(status="done")),
    ("Rename Draft to Sketch", [[("update_note", {"note_id": "Draft", "title": "Sketch"})]]),
    ("Aggiungi una riga sulla vernice alla bozza", [[("get_note", {"note_id": "Draft"})], [LONGER_DRAFT]]),
    ("Archive the garden", [[("list_projects", {})], [("update_project", {**GARDEN, "status": "archived"})]]),
    ("Put all that is open into the garden", [[TASKS], [("update_task", {**each, **GARDEN}) for each in (ROSES, BOB)]]),
    # To be made.
    ("Make a project Kitchen with a task for the tiles", [[("create_project", {"name": "Kitchen"})], [TILES]]),
    ("Crea un progetto Cucina", [[("create_project", {"name": "Cucina"})]]),
    ("Aggiungi: comprare il latte domani", [[("create_task", {"title": "Comprare il latte"})]]),
    ("Turn the minutes into tasks", [[("get_note", MINUTES)], [TILES, ("create_task", {"title": "Paint"})]]),
    ("Set a milestone for the garden: opening on 1 December", [[("create_checkpoint", MADE)]]),
    ("Rispondi al commento sulle rose: fatto", [[TASKS], [("add_task_comment", {**ROSES, "content": "fatto"})]]),
    # To be undone.
    ("Undo that", [[("undo_changes", {"what": "last"})]]),
    ("Annulla quello che hai fatto oggi", [[("undo_changes", {"what": "today"})]]),
)
"""Requests whose words ask for everything that is done."""


def world() -> World:
    made = World(approvals=Approving())
    made.client.rows[Table.TASKS].append({"id": "t-bob", "title": "Call Bob", "projectId": None, "status": "todo"})
    made.client.rows[Table.NOTES] += [
        {"id": "n-minutes", "title": "Minutes", "content": _words(60), "projectId": None},
        {"id": "n-clip", "title": "Clipped page", "content": "Prune in March.", "projectId": None, "foreign": True},
        {"id": "n-draft", "title": "Draft", "content": _words(80), "projectId": None},
    ]
    return made


def _words(number: int) -> str:
    return " ".join(f"word{each}" for each in range(number))


async def questions_of(asked: Asked) -> tuple[list[str], int]:
    """The questions that the request causes, and how many policies alone would cause."""
    there, before = world(), 0
    replies = []
    for number, wanted in enumerate(asked.replies):
        made = [
            call(tool, json.dumps(arguments).replace("{more}", f"{_words(60)} gate"), id=f"{number}-{at}")
            for at, (tool, arguments) in enumerate(wanted)
        ]
        before += sum(
            Policies().decision(each.name, registered_tools()[each.name].risk) is Decision.ASK for each in made
        )
        replies.append(calls(*made))
    await there.answer(ScriptedAdapter([*replies, says("I have looked.")]), asked.message, asked.before)
    return [question.summary for question in {each.plan: each for each in there.approvals.asked}.values()], before


async def test_hundred_ordinary_requests_cause_few_additional_questions() -> None:
    assert sum(asked.times for asked in DAY) == 100

    more: dict[str, int] = {}
    for asked in DAY:
        questions, before = await questions_of(asked)
        assert len(questions) >= before, asked.message
        for summary in questions[before:]:
            more[summary] = more.get(summary, 0) + asked.times

    source = "Not in your words: it may be asked for by the note “Clipped page”."
    assert more == {
        "Remember for later conversations “work”: “Likes quiet mornings”.": 1,
        f"Add the task “Prune”. {source}": 2,
        f"Run “list tasks”. {source}": 1,
        "Change the note “Draft”: text.": 1,
    }
    assert sum(more.values()) <= MAX_ADDITIONAL


@pytest.mark.parametrize("before", [(), (BESIDE,)], ids=["", "remembering"])
@pytest.mark.parametrize(("message", "replies"), ASKED_FOR, ids=[message for message, _ in ASKED_FOR])
async def test_explicit_request_of_user_causes_no_question(
    message: str, replies: Sequence[Sequence[Wanted]], before: Sequence[Message]
) -> None:
    assert await questions_of(Asked(1, message, replies, before)) == ([], 0)
