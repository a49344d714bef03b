"""A newcomer's first steps: the server without a model, the terminal with its own file, in English and Italian."""

import os
import sqlite3
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Account, register, server
from tests.end_to_end.midnight import ZONE
from tests.end_to_end.test_memory import recorded
from tests.forks import completed

pytestmark = pytest.mark.end_to_end


@dataclass(frozen=True)
class Terminal:
    """``./dev chat`` against a server."""

    url: str
    data: Path
    account: Account

    def say(self, message: str, *options: str, expect: int = 0) -> str:
        """The output of one message."""
        process = self._completed(*options, message)
        assert process.returncode == expect, process.stderr
        return process.stdout if expect == 0 else process.stderr

    def hold(self, *lines: str) -> str:
        """The output of a conversation with these lines."""
        process = self._completed(text="\n".join(lines))
        assert process.returncode == 0, process.stderr
        return process.stdout

    def _completed(self, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
        command = ["-m", "device.terminal", "--server", self.url, "--data", str(self.data), *arguments]
        known = {"ADIUVA_EMAIL": self.account.email, "ADIUVA_PASSWORD": self.account.password}
        return completed(*command, env={**os.environ, **known, "TZ": ZONE}, text=text)

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.data)) as file:
            return file.execute(sql, values).fetchall()


@pytest.fixture(scope="module")
def offline(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with server(tmp_path_factory.mktemp("offline"), ADIUVA_MEMORY="1") as address:
        yield address


@pytest.fixture
def terminal(offline: str, tmp_path: Path) -> Terminal:
    return Terminal(url=offline, data=tmp_path / "device.sqlite3", account=register(offline))


@pytest.mark.parametrize(
    ("create", "listing", "complete", "delete", "kept", "priority"),
    [
        (
            "Create a task called {} with high priority",
            "List my tasks",
            "Mark {} as done",
            "Delete the task {}",
            "All right, I leave it as it is.",
            "high",
        ),
        (
            "Crea un'attività chiamata {} con priorità alta",
            "Elenca le mie attività",
            "Segna {} come fatta",
            "Elimina l'attività {}",
            "Va bene, lascio tutto com'è.",
            "high",
        ),
    ],
)
def test_a_task_lives_and_dies_in_the_devices_file(
    terminal: Terminal, create: str, listing: str, complete: str, delete: str, kept: str, priority: str
) -> None:
    title = f"Buy {uuid.uuid4().hex[:8]}"

    assert title in terminal.say(create.format(title))
    assert terminal.rows("SELECT status, priority FROM tasks WHERE title = ?", title) == [("todo", priority)]
    assert title in terminal.say(listing)
    terminal.say(complete.format(title))
    assert terminal.rows("SELECT status FROM tasks WHERE title = ?", title) == [("done",)]
    assert terminal.say(delete.format(title)) == f"{kept}\n"
    assert terminal.rows("SELECT status FROM tasks WHERE title = ?", title) == [("done",)]
    terminal.say(delete.format(title), "--approve", "always")
    assert terminal.rows("SELECT status FROM tasks WHERE title = ?", title) == []


@pytest.mark.parametrize("question", ["Which tasks are due today?", "Quali attività scadono oggi?"])
def test_what_is_due_today_is_read_from_the_device(terminal: Terminal, question: str) -> None:
    today, later = f"Today {uuid.uuid4().hex[:8]}", f"Later {uuid.uuid4().hex[:8]}"
    terminal.say(f"Create a task called {today} due today")
    terminal.say(f"Create a task called {later} due tomorrow")

    answer = terminal.say(question)

    assert today in answer
    assert later not in answer


def test_notes_are_found_by_their_words(terminal: Terminal) -> None:
    word = uuid.uuid4().hex[:8]
    terminal.say(f'Create a note called "Garden" with content "plant the {word} tulips in spring"')
    terminal.say('Create a note called "Money" with content "send the tax forms"')

    assert word in terminal.say("Search my notes for tulips in the garden")


def test_a_page_is_stood_on_and_a_day_is_briefed(terminal: Terminal) -> None:
    project, task = f"Project {uuid.uuid4().hex[:8]}", f"Call {uuid.uuid4().hex[:8]}"
    terminal.say(f"Create a project called {project}")

    said = terminal.hold(
        f"/page project {project}",
        f"add a task “{task}” due today",
        "What is on this page?",
        "/page off",
        "/brief",
        f"/brief {task}",
    )

    assert f"You are on the project “{project}”." in said
    assert f"The project “{project}” is active. It holds 1 open task.\n- {task} (due today)" in said
    assert f"You have 1 task due today. I would start with “{task}”: it is due today." in said
    assert f"The project “{project}” is active.\n\nThe task “{task}” has no comments." in said
    assert terminal.rows(
        "SELECT projects.name FROM tasks JOIN projects ON projects.id = projectId WHERE title = ?", task
    ) == [(project,)]


def test_what_was_remembered_for_an_answer_is_seen_and_forgotten(terminal: Terminal) -> None:
    question = "Create a task called Ring my dentist"
    terminal.say("My dentist is called Bruni.")
    recorded(terminal, terminal.account, "episodic", "Bruni")
    out = terminal.hold(question, "/why", "/forget 1", question, "/why")
    why, _, after = out.partition("Forgotten: ")
    assert "1  My dentist is called Bruni" in why
    assert "because of the words" in why
    assert "Bruni" not in after.partition("\n")[2]


def test_what_it_does_not_understand_it_says_and_how_to_connect_a_model(terminal: Terminal) -> None:
    answer = terminal.say("Tell me a story about dragons")

    assert "offline" in answer
    assert "OPENAI_API_KEY" in answer


def test_a_wrong_password_is_one_sentence(terminal: Terminal) -> None:
    stranger = replace(terminal, account=replace(terminal.account, password="not the password"))

    complaint = stranger.say("List my tasks", expect=2)

    assert "Traceback" not in complaint
    assert len(complaint.strip().splitlines()) == 1
