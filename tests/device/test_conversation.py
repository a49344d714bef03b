"""A conversation, line by line, with a scripted server."""

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import ANY
from zoneinfo import ZoneInfo

import pytest

from device.addresses import server_address
from device.conversation import Conversation
from device.errors import ServerGone
from device.executor import Executor
from device.frames import StreamText, TurnFrame
from device.hello import Hello
from device.help import command_help
from device.images import MAX_BYTES
from device.job_board import JobBoard
from device.jobs import ShownJobs
from device.link import Account, Backoff, Link
from device.screen import Screen
from device.store import Store
from device.tables import TableName
from tests.device.drawing import console, drawn, written
from tests.device.scripted_server import (
    EMAIL,
    END,
    PASSWORD,
    Peer,
    Script,
    ScriptedServer,
    scripted_server,
    text_part,
)
from tests.device.test_link import refusing


@dataclass
class _Lines:
    """The lines of a user, or of a pipe."""

    lines: list[str]
    interactive: bool

    async def next(self) -> str | None:
        return self.lines.pop(0) if self.lines else None


class _Screen(Screen):
    """Presses Ctrl-C as often as ``presses`` says, each time that text is shown."""

    presses = 0

    def show(self, frame: TurnFrame) -> None:
        super().show(frame)
        if isinstance(frame, StreamText) and self.presses:
            self.presses -= 1
            os.kill(os.getpid(), signal.SIGINT)


@dataclass
class Talk:
    """A conversation and everything that it shows."""

    conversation: Conversation
    server: ScriptedServer
    screen: _Screen
    link: Link

    async def hold(self, *lines: str, interactive: bool = True) -> bool:
        return await self.conversation.hold(_Lines(list(lines), interactive))

    @property
    def out(self) -> str:
        return written(self.screen.out)

    @property
    def err(self) -> str:
        return written(self.screen.err)

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [
            {name: value for name, value in frame.items() if name != "request_id"}
            for frame in self.server.received
            if frame["type"] != "device_hello"
        ]


@asynccontextmanager
async def talking(store: Store, *scripts: Script, patience_s: float = 30.0) -> AsyncIterator[Talk]:
    screen = _Screen(console(width=200), console(width=200), zone=ZoneInfo("Europe/Rome"))
    async with asyncio.timeout(30), scripted_server(*scripts) as server:
        account = Account(server_address(server.url), email=EMAIL, password=PASSWORD)
        token = await account.access()
        backoff = Backoff(first_s=0.0, most_s=0.0, patience_s=patience_s)
        hello, jobs = Hello(device_id="d"), JobBoard(screen, ShownJobs(store))
        async with Link(account, token, executor=Executor(store), hello=hello, jobs=jobs, backoff=backoff) as link:
            yield Talk(Conversation(link, screen, store, jobs), server, screen, link)


_REQUESTS = ("home_request", "popup_request", "contextual_request", "brief_request", "task_brief_request")


def _answering(*texts: str) -> Script:
    async def script(peer: Peer) -> None:
        await peer.greet()
        for text in texts:
            await peer.answer(await peer.receive(*_REQUESTS), text)

    return script


async def _leaving(peer: Peer) -> None:
    await peer.greet()
    await peer.stream(await peer.receive("home_request"), text_part("Well, "))
    await peer.socket.close(1012)


async def _forgetful(peer: Peer) -> None:
    """A server that was restarted and answers the next question."""
    await peer.greet()
    resumed = await peer.receive("resume_request")
    await peer.send("error", code="unknown_request", message="?", request_id=resumed["request_id"], retryable=False)
    await peer.answer(await peer.receive("home_request"), "Yes.")


async def test_questions_go_along_with_what_was_said(store: Store) -> None:
    async with talking(store, _answering("Two.", "", "Anna.")) as talk:
        assert await talk.hold("How many?", "  ", "Hm?", "  Who? ")
    said = [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": "Two."}]
    session = talk.requests[0]["session_id"]
    assert talk.requests == [
        {"type": "home_request", "message": "How many?", "session_id": session},
        {"type": "home_request", "message": "Hm?", "session_id": session, "conversation_history": said},
        {
            "type": "home_request",
            "message": "Who?",
            "session_id": session,
            "conversation_history": [*said, {"role": "user", "content": "Hm?"}],
        },
    ]
    assert (talk.out, talk.err) == ("Two.\nAnna.\n", "")


async def test_only_the_last_messages_go_along_and_not_all_of_a_long_one(store: Store) -> None:
    async with talking(store, _answering(*(["x" * 3000] * 12))) as talk:
        assert await talk.hold(*(f"question {number}" for number in range(12)))
    history = talk.requests[-1]["conversation_history"]
    assert [said["content"] for said in history[::2]] == [f"question {number}" for number in range(1, 11)]
    assert [said["content"] for said in history[1::2]] == ["x" * 2000] * 10


async def test_a_quota_that_is_used_up_is_said_in_the_persons_own_time(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        asked = await peer.receive("home_request")
        details = [{"field": "renews_at", "problem": "2026-03-30T00:00:00Z"}, {"field": "turns", "problem": "3 of 3"}]
        await peer.send(
            "error",
            code="quota_exceeded",
            message="Used up.",
            request_id=asked["request_id"],
            retryable=False,
            details=details,
        )

    async with talking(store, script) as talk:
        assert not await talk.hold("How many?")
        assert "Your requests of the day are used up. There will be new ones on 30 Mar 2026 02:00." in talk.err


async def test_a_question_about_an_image_names_what_was_uploaded(store: Store, tmp_path: Path) -> None:
    photo = tmp_path / "my photo.JPG"
    photo.write_bytes(b"pixels")
    async with talking(store, _answering("A rose.")) as talk:
        talk.server.rest["POST images"] = (201, '{"id": "i1"}')
        assert await talk.hold(f"/image '{photo}' What's this?  ")
        assert [(name, body) for name, _, body in talk.server.asked] == [
            ("POST images", {"type": "image/jpeg", "bytes": 6})
        ]
    assert talk.requests == [{"type": "home_request", "message": "What's this?", "session_id": ANY, "images": ["i1"]}]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("/image", "Write /image PATH TEXT, with quotes around a path that has spaces."),
        ("/image photo.png", "Write /image PATH TEXT, with quotes around a path that has spaces."),
        ("/image 'photo.png what", "Write /image PATH TEXT, with quotes around a path that has spaces."),
        ("/image notes.pdf What is this?", "notes.pdf is no image that can be sent: PNG, JPEG or WebP."),
        ("/image nowhere.png What is this?", "nowhere.png cannot be read: No such file or directory."),
    ],
    ids=["alone", "without a question", "open quote", "no image", "no file"],
)
async def test_an_image_that_cannot_be_sent_is_said_and_nothing_asked(store: Store, line: str, said: str) -> None:
    async with talking(store, _answering("Yes.")) as talk:
        assert not await talk.hold(line, "Still there?")
        assert said in talk.err
    assert talk.requests == [{"type": "home_request", "message": "Still there?", "session_id": ANY}]


async def test_an_image_that_is_too_large_is_not_sent(store: Store, tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(bytes(MAX_BYTES + 1))
    async with talking(store, _answering("Yes.")) as talk:
        assert not await talk.hold(f"/image {tmp_path / 'large.png'} What?", "Still there?")
        assert "large.png is larger than 5 MB." in talk.err
        assert talk.server.asked == []


async def test_popup_asks_shortly_and_is_not_remembered(store: Store) -> None:
    async with talking(store, _answering("Two.", "Yes.")) as talk:
        assert await talk.hold("/popup tasks  how many? ", "Sure?")
    assert talk.requests == [
        {"type": "popup_request", "message": "how many?", "scope": {"type": "tasks"}},
        {"type": "home_request", "message": "Sure?", "session_id": ANY},
    ]


async def test_messages_on_a_page_are_asked_beside_it(store: Store) -> None:
    project_id = store.insert(TableName.PROJECTS, {"name": "Website"})["id"]

    async def script(peer: Peer) -> None:
        await peer.greet()
        for text in ("Two.", "None."):
            await peer.receive("contextual_scope_update")
            await peer.send("contextual_scope_ack", session_id="s")
            await peer.answer(await peer.receive("contextual_request"), text)
        await peer.answer(await peer.receive("home_request"), "Hello.")

    async with talking(store, script) as talk:
        assert await talk.hold(
            "/page",
            "/page project website",
            "How many?",
            "/page tasks",
            "And here?",
            "/page off",
            "Hi",
            interactive=False,
        )
    went, asked, moved, again, home = talk.requests
    scope = {
        "page": "project",
        "entityType": "project",
        "entityId": project_id,
        "entityName": "Website",
        "counts": {"tasks": 0, "notes": 0, "milestones": 0},
    }
    session = {"session_id": went["session_id"]}
    assert went == {"type": "contextual_scope_update", "scope": scope, **session}
    assert asked == {"type": "contextual_request", "message": "How many?", "scope": scope, **session}
    assert (moved["scope"], again["scope"]) == ({"page": "tasks", "entityType": None},) * 2
    assert home == {"type": "home_request", "message": "Hi", "session_id": asked["session_id"]}
    assert talk.out.splitlines() == [
        "You are on no page.",
        "You are on the project “Website”.",
        "Two.",
        "You are on the list of tasks.",
        "None.",
        "You are on no page.",
        "Hello.",
    ]


async def test_briefs_are_asked_of_the_day_and_of_a_task(store: Store) -> None:
    task_id = store.insert(TableName.TASKS, {"title": "Buy milk"})["id"]
    async with talking(store, _answering("A quiet day.", "Take a bag.")) as talk:
        assert await talk.hold("/brief", "/brief buy milk")
    assert talk.requests == [{"type": "brief_request"}, {"type": "task_brief_request", "task_id": task_id}]
    assert talk.out == "A quiet day.\nTake a bag.\n"


MODELS = [
    {"name": "gpt", "display_name": "GPT-4.1", "default": True, "images": True},
    {"name": "local", "display_name": "On our own server", "default": False, "images": False},
]


async def test_models_are_listed_and_the_chosen_one_answers_from_then_on(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet(models=MODELS)
        for text in ("One.", "Two.", "Three."):
            await peer.answer(await peer.receive(*_REQUESTS), text)

    async with talking(store, script) as talk:
        assert await talk.hold("/model", "Sure?", "/model local", "Really?", "/brief", "/model")
        assert not await talk.hold("/model remote")
    assert [request.get("model") for request in talk.requests] == [None, "local", "local"]
    assert talk.out.splitlines() == [
        "* gpt: GPT-4.1, sees images",
        "  local: On our own server",
        "One.",
        "local answers from now on.",
        "Two.",
        "Three.",
        "  gpt: GPT-4.1, sees images",
        "* local: On our own server",
    ]
    assert talk.err == "There is no model remote: choose one of gpt, local.\n"


async def test_a_server_without_a_choice_of_models_says_so(store: Store) -> None:
    async with talking(store, _answering()) as talk:
        assert not await talk.hold("/model")
    assert talk.err == "This server has no choice of models.\n"


async def test_data_file_that_fails_a_command_does_not_end_the_conversation(store: Store) -> None:
    store.run("DROP TABLE _journal")
    async with talking(store) as talk:
        assert not await talk.hold("/undo", "/tables songs")
        with pytest.raises(sqlite3.OperationalError):
            await talk.hold("/undo", interactive=False)
    failure, *others = talk.err.splitlines()
    assert failure == "The data file cannot be used: no such table: _journal."
    assert len(others) == 1


async def test_commands_need_no_server(store: Store) -> None:
    store.insert(TableName.CLIENTS, {"name": "Bakery"})
    async with talking(store) as talk:
        assert await talk.hold("/help", "/tables clients", "/tables", "/quit", "never read")
    assert [line.rstrip() for line in talk.out.splitlines()] == [
        *drawn(command_help(), width=200),
        "name",
        "──────",
        "Bakery",
        "table          rows",
        "───────────────────",
        "tasks             0",
        "projects          0",
        "checkpoints       0",
        "notes             0",
        "taskComments      0",
        "clients           1",
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/dance", "There is no command /dance: /help lists them.\n"),
        ("/popup tasks", "Write /popup TYPE TEXT, with TYPE one of task, tasks, project"),
        ("/popup songs what?", "Write /popup TYPE TEXT, with TYPE one of task, tasks, project"),
        ("/brief fly", "There is no task called fly.\n"),
        (
            "/page songs",
            "Write /page PLACE, with PLACE one of tasks, timeline, projects, notes, project NAME, note NAME",
        ),
        ("/page project Fly", "There is no project called Fly.\n"),
        ("/tables songs", "There is no table songs: there are tasks, projects"),
        ("caf\udce9", "The message is not valid text: it holds bytes that are no characters.\n"),
        ("/undo by caf\udce9", "The message is not valid text: it holds bytes that are no characters.\n"),
    ],
)
async def test_line_that_makes_no_sense_is_complained_about(store: Store, line: str, complaint: str) -> None:
    async with talking(store) as talk:
        assert not await talk.hold(line)
    assert talk.err[: len(complaint)] == complaint
    assert talk.requests == []


async def test_answer_that_fails_is_said_and_the_conversation_goes_on(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        error = {"code": "model_error", "message": "No model.", "retryable": False}
        await peer.stream(request, ("stream_end", {"finish_reason": "error", "mutations": [], "error": error}))
        request = await peer.receive("home_request")
        await peer.send("error", code="busy", message="Too much.", request_id=request["request_id"], retryable=True)
        await peer.answer(await peer.receive("home_request"), "Yes.")

    async with talking(store, script) as talk:
        assert not await talk.hold("One?", "Two?", "Three?", interactive=False)
    assert (talk.out, talk.err) == ("Yes.\n", "The answer broke off: No model.\nToo much.\n")


REPLACED = "The same device connected from elsewhere: another program uses this data file."
LOST = "The connection was lost: connecting again.\n"
CUT = "The answer was cut off: the server no longer has it, as after a restart. What it changed stays. Ask again.\n"


async def test_lost_connection_is_reported_in_one_line_and_the_answer_continues(store: Store) -> None:
    async def goes_on(peer: Peer) -> None:
        await peer.greet()
        await peer.stream(await peer.receive("resume_request"), text_part("yes."), END, first=1)

    async with talking(store, _leaving, goes_on) as talk:
        assert await talk.hold("One?", interactive=False)
    assert (talk.out, talk.err) == ("Well, yes.\n", LOST)


async def test_lost_connection_is_said_on_a_line_of_its_own_on_a_terminal(store: Store) -> None:
    async with talking(store, _leaving, _forgetful) as talk:
        talk.screen.out = console(width=200, terminal=True)
        assert not await talk.hold("One?", "Two?")
    assert (talk.out, talk.err) == ("Well, \nYes.\n", LOST + CUT)


@pytest.mark.parametrize("interactive", [True, False])
async def test_answer_that_the_server_lost_is_said_and_the_conversation_goes_on(
    store: Store, interactive: bool
) -> None:
    async with talking(store, _leaving, _forgetful) as talk:
        assert not await talk.hold("One?", "Two?", interactive=interactive)
    assert (talk.out, talk.err) == ("Well, \nYes.\n", LOST + CUT)


async def _replaced(peer: Peer) -> None:
    await peer.greet()
    await peer.receive("home_request")
    await peer.socket.close(4409)


async def test_connection_that_ended_for_good_is_said_to_a_person_who_may_ask_again(store: Store) -> None:
    async with talking(store, _replaced, _answering("Yes.")) as talk:
        assert not await talk.hold("One?", "Two?")
    assert (talk.out, talk.err) == ("Yes.\n", REPLACED + "\n")


async def test_connection_that_ended_for_good_ends_a_conversation_that_no_one_watches(store: Store) -> None:
    async with talking(store, _replaced) as talk:
        with pytest.raises(ServerGone, match=REPLACED):
            await talk.hold("One?", "Two?", interactive=False)


async def test_what_is_asked_while_the_connection_returns_waits_for_it(store: Store) -> None:
    async def fails(peer: Peer) -> None:
        peer.socket.transport.abort()

    async def drops(peer: Peer) -> None:
        await _answering("Yes.")(peer)
        await over.wait()
        peer.socket.transport.abort()

    over = asyncio.Event()
    # The link itself meets some of the failures.
    async with talking(store, drops, fails, fails, fails, _answering("Again.")) as talk:
        assert await talk.hold("One?", interactive=False)
        client = await talk.link.client()
        over.set()
        await client.gone()
        assert await talk.hold("Two?", interactive=False)
    assert (talk.out, talk.err) == ("Yes.\nAgain.\n", LOST)


async def test_server_that_does_not_come_back_is_reported(store: Store) -> None:
    async def vanishes(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        talk.server.refused = (502, "")
        await peer.socket.close(4401)

    async with talking(store, vanishes, refusing, patience_s=0.3) as talk:
        assert not await talk.hold("One?")
    assert talk.err == LOST + "The connection was lost, and the server does not come back.\n"


async def test_interrupt_stops_the_answer_and_the_conversation_goes_on(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.stream(request, text_part("Well, let me "))
        assert (await peer.receive("cancel_request"))["request_id"] == request["request_id"]
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=1)
        await peer.answer(await peer.receive("home_request"), "Yes.")

    async with talking(store, script) as talk:
        talk.screen.presses = 1
        assert not await talk.hold("One?", "Two?")
    assert (talk.out, talk.err) == ("Well, let me \nYes.\n", "Stopped.\n")


async def test_second_interrupt_does_not_wait_for_the_end(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.stream(request, text_part("Well, "))
        await peer.receive("cancel_request")
        await peer.stream(request, text_part("let me "), first=1)
        await peer.wait_closed()

    async with talking(store, script) as talk:
        talk.screen.presses = 2
        holding = asyncio.create_task(talk.hold("One?", "Two?"))
        with pytest.raises(asyncio.CancelledError):
            await holding


async def test_answer_outside_of_the_main_thread_needs_no_interrupt(store: Store) -> None:
    async def ask() -> str:
        async with talking(store, _answering("Yes.")) as talk:
            await talk.hold("Are you there?")
            return talk.out

    # Python delivers signals to the main thread only.
    assert await asyncio.to_thread(asyncio.run, ask()) == "Yes.\n"


async def test_interrupt_when_the_connection_is_lost_stops_the_answer_on_the_next(store: Store) -> None:
    async def drops(peer: Peer) -> None:
        await peer.greet()
        await peer.stream(await peer.receive("home_request"), text_part("Well, "))
        peer.socket.transport.abort()

    async def is_stopped(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("cancel_request")
        request = await peer.receive("resume_request")
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=1)

    async with talking(store, drops, is_stopped) as talk:
        talk.screen.presses = 1
        assert not await talk.hold("One?")
    assert (talk.out, talk.err) == ("Well, \n", LOST + "Stopped.\n")


async def test_memory_is_shown_forgotten_and_turned_off(store: Store) -> None:
    async with talking(store) as talk:
        talk.server.rest |= {
            "GET auth/me": (200, '{"memory_enabled": true}'),
            "GET memory/core": (200, '[{"id": "c1", "key": "my tea", "value": "Assam"}]'),
            "DELETE memory/core/c1": (204, ""),
            "PATCH auth/me": (200, "{}"),
        }
        for tier in ("associative?kind=fact&", "episodic?", "proactive?"):
            talk.server.rest[f"GET memory/{tier}limit=15"] = (200, '{"items": [], "next": null}')

        assert await talk.hold("/memory", "/memory forget my tea", "/memory off", "/memory  on ")
        assert talk.out.splitlines()[-6:] == [
            "Memory is on. /memory forget KEY forgets a preference, /memory off turns it off.",
            "Preferences",
            "  my tea  Assam" + " " * 185,
            "Forgotten: my tea.",
            "Memory is off.",
            "Memory is on.",
        ]
        assert [body for name, _, body in talk.server.asked if name == "PATCH auth/me"] == [
            {"memory_enabled": False},
            {"memory_enabled": True},
        ]
        assert talk.requests == []


async def test_memory_that_cannot_be_had_is_said_and_the_conversation_goes_on(store: Store) -> None:
    async with talking(store) as talk:
        talk.server.rest["GET memory/core"] = (200, "[]")
        assert not await talk.hold("/memory forget coffee", "/memory forget", "/memory lose", "/memory")
        assert talk.err.splitlines() == [
            "Nothing is remembered under coffee.",
            "Write /memory, /memory forget KEY, /memory off or /memory on.",
            "Write /memory, /memory forget KEY, /memory off or /memory on.",
            "Not found.",
        ]


async def test_disclosures_are_shown_with_the_names_that_rows_have_here(store: Store) -> None:
    task = str(store.insert(TableName.TASKS, {"title": "Water the roses"})["id"])
    rows = [
        {"table": "tasks", "row_count": 2, "rows": [task, "gone"]},
        {"table": "notes", "row_count": 1, "rows": None},
        {
            "table": "projects",
            "row_count": 1,
            "rows": ["p1"],
            "request_id": "r1",
            "left_server": False,
            "model": "offline",
        },
    ]
    common = {"request_id": "r2", "source": "task_brief", "model": "m1", "left_server": True}
    results = [{**common, "at": "2026-03-29T08:00:00Z", **row} for row in rows]
    async with talking(store) as talk:
        talk.server.rest["GET disclosures?limit=40"] = (200, json.dumps({"next": None, "results": results}))
        assert await talk.hold("/disclosed")

        talk.server.rest["GET disclosures?limit=40"] = (200, '{"next": null, "results": []}')
        assert await talk.hold("/disclosed")
        shown = [line.rstrip() for line in talk.out.splitlines()]
        assert [line.partition("  ")[2] if "→" in line else line for line in shown] == [
            "task brief → m1",
            "  2  tasks  Water the roses, …",
            "  1  notes",
            "task brief → offline, which is part of the server: nothing went further",
            "  1  projects",
            "No row of yours was sent to a model yet.",
        ]


async def test_tables_and_projects_are_marked_as_never_shared_and_let_go(store: Store) -> None:
    website = str(store.insert(TableName.PROJECTS, {"name": "Website"})["id"])
    async with talking(store) as talk:
        talk.server.rest |= {
            "GET sharing": (200, '{"tables": ["notes"], "projects": ["gone"]}'),
            "PUT sharing": (200, '{"tables": [], "projects": []}'),
        }
        commands = ("/private add Website", "/private add TASKS", "/private remove gone", "/private remove notes")
        assert await talk.hold("/private", *commands)
        assert not await talk.hold("/private add attic", "/private lose notes")

        assert talk.out.splitlines()[0] == "Never shared with a model: the table notes, the project gone."
        assert talk.out.splitlines()[-1] == "Everything may be shared with a model."
        assert [body for name, _, body in talk.server.asked if name == "PUT sharing"] == [
            {"tables": ["notes"], "projects": ["gone", website]},
            {"tables": ["notes", "tasks"], "projects": ["gone"]},
            {"tables": ["notes"], "projects": []},
            {"tables": [], "projects": ["gone"]},
        ]
        assert talk.err.splitlines() == [
            "There is no project called attic.",
            "Write /private, or /private add or remove and the name of a table or the title of a project.",
        ]


async def _begin_job(peer: Peer) -> dict[str, Any]:
    """Take a question and hand its work to a job."""
    request = await peer.receive("home_request")
    job = {"job_id": f"job of {request['message']}", "request_id": request["request_id"]}
    await peer.send("job_update", **job, state="queued", label="Week")
    await peer.answer(request, "I am on it.")
    return job


_ON = "The job “Week” goes on in the background.\n"


async def test_job_ends_between_the_answers_and_its_end_is_acknowledged(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        job = await _begin_job(peer)
        request = await peer.receive("home_request")
        await peer.stream(request, text_part("Two"))
        await peer.send("job_update", **job, state="done", response="A lot.")
        await peer.stream(request, text_part(" tasks."), END, first=1)
        assert await peer.receive("job_ack") == {"type": "job_ack", "job_id": "job of The week?"}

    async with talking(store, script) as talk:
        assert await talk.hold("The week?", "And tasks?", interactive=False)
        assert await talk.conversation.finish(within_s=20)
        assert await talk.hold("/jobs", interactive=False)
    assert talk.out == "I am on it.\nTwo tasks.\nA lot.\nWeek (done)\n"
    assert talk.err == _ON + "The job “Week” is done.\n"


async def test_end_that_comes_after_a_lost_connection_is_shown(store: Store) -> None:
    jobs: list[dict[str, Any]] = []

    async def drops(peer: Peer) -> None:
        await peer.greet()
        jobs.append(await _begin_job(peer))
        peer.socket.transport.abort()

    async def tells(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **jobs[0], state="failed", error={"code": "c", "message": "No model."})
        await peer.receive("job_ack")

    async with talking(store, drops, tells) as talk:
        assert await talk.hold("The week?", interactive=False)
        assert not await talk.conversation.finish(within_s=20)
    assert talk.err == _ON + "The job “Week” failed: No model.\n"


async def test_end_in_the_midst_of_an_answer_does_not_keep_that_from_coming_back(store: Store) -> None:
    ended = {"job_id": "j", "request_id": "of another day", "state": "done", "response": "A lot."}

    async def drops(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.stream(request, text_part("Well, "))
        await peer.send("job_update", **ended)
        await peer.socket.close(1012)

    async def goes_on(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **ended)
        await peer.stream(await peer.receive("resume_request"), text_part("yes."), END, first=1)
        await peer.receive("job_ack")

    async with talking(store, drops, goes_on) as talk:
        assert await talk.hold("One?", interactive=False)
        assert await talk.conversation.finish(within_s=20)
    assert talk.out == "Well, yes.\nA lot.\n"


async def test_job_that_takes_longer_than_it_is_waited_for_is_said(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await _begin_job(peer)
        await peer.wait_closed()

    async with talking(store, script) as talk:
        assert await talk.hold("The week?", interactive=False)
        assert not await talk.conversation.finish(within_s=0)
    assert talk.err == _ON + "The job “Week” goes on at the server: the terminal shows how it ended another time.\n"


async def test_jobs_are_not_waited_for_when_the_connection_has_ended_for_good(store: Store) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await _begin_job(peer)
        await peer.socket.close(4409)

    async with talking(store, script) as talk:
        assert await talk.hold("The week?", interactive=False)
        with pytest.raises(ServerGone, match=REPLACED):
            await talk.conversation.finish(within_s=20)


async def test_without_questions_and_without_jobs_there_is_nothing_to_wait_for(store: Store) -> None:
    async with talking(store) as talk:
        assert await talk.hold("/jobs")
        assert await talk.conversation.finish(within_s=20)
    assert talk.out == "There were no jobs in this session.\n"
