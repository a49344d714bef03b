"""What survives in the workspace when the user changes pages or closes the browser, or the server is killed."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.async_api import Browser, Locator, expect

from tests.adiuva.servers import reserved_port
from tests.conftest import PASSWORD
from tests.databases import fresh_database
from tests.end_to_end import transcripts
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import Running, environment
from tests.end_to_end.test_workspace import held, started
from tests.end_to_end.transcripts import Read
from tests.end_to_end.workspaces import WorkspaceUser, kept_profile, newcomer, profile
from tests.model_server.scripts import Chunk, Hold, Script, calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

PARAGRAPHS: Final = [f"Satz {number}: naïve – “quoted”, 日本 and 🌱{number}." for number in range(60)]
TEXT: Final = "\n\n".join(PARAGRAPHS)
PIECES: Final = [TEXT[start : start + 7] for start in range(0, len(TEXT), 7)]
WALK: Final = ("Tasks", "Home", "Notes", "Timeline", "Settings", "Projects", "Home", "Tasks")


async def test_sidebar_transcript_is_the_servers_though_text_came_at_every_step_of_a_walk(
    running: Running, browser: Browser
) -> None:
    question = "Tell me about this page."
    running.model.when(lambda request: question in request.asked, _in_steps(question, PIECES))
    async with profile(browser, running.url) as context:
        person = await WorkspaceUser.at(context)
        email = await person.sign_up()
        await person.load_examples()
        await person.go_to("Projects")
        await person.page.get_by_role("link", name="Garden").click()
        await person.open_sidebar()
        await _walk(person, running, question)

        await person.answered(PARAGRAPHS[-1])
        await _is_the_servers(person, running, email, "contextual", [PARAGRAPHS])
        await person.page.reload()
        await person.answered(PARAGRAPHS[-1])
        await _is_the_servers(person, running, email, "contextual", [PARAGRAPHS])
        assert person.window.complaints == []


async def test_home_transcript_is_the_servers_in_text_and_blocks(running: Running, browser: Browser) -> None:
    halves, table = (PARAGRAPHS[:30], PARAGRAPHS[30:]), [["Name", "Days"], ["naïve 日本", "3"], ["“quoted”", "12"]]
    question, pieces = "Tell me about all of it.", _blocks("\n\n".join(halves[0]), table, "\n\n".join(halves[1]))
    running.model.when(lambda request: question in request.asked, _in_steps(question, pieces))
    async with profile(browser, running.url) as context:
        person = await WorkspaceUser.at(context)
        email = await person.sign_up()
        await person.load_examples()
        await _walk(person, running, question)
        await person.go_to("Home")

        await person.answered(PARAGRAPHS[-1])
        expected: list[Read] = [halves[0], table, halves[1]]
        await _is_the_servers(person, running, email, "home", expected)
        await person.page.reload()
        await person.answered(PARAGRAPHS[-1])
        await _is_the_servers(person, running, email, "home", expected)
        assert person.window.complaints == []


async def test_answer_that_is_written_while_the_browser_is_closed_is_there_when_it_is_opened_again(
    running: Running, tmp_path: Path
) -> None:
    question, model = "Tell me something that lasts.", running.model
    model.when(lambda request: question in request.asked, held(PIECES, after=30, gate=question))
    async with kept_profile(running.url, tmp_path) as context:
        person = await WorkspaceUser.at(context)
        await person.sign_up()
        await person.ask(question)
        await expect(person.answers).to_contain_text(PARAGRAPHS[3])
        asked = len(model.requests)

    model.open(question)
    async with kept_profile(running.url, tmp_path) as context:
        person = await WorkspaceUser.at(context)
        await person.answered(PARAGRAPHS[-1])
        assert await _shown(person) == PARAGRAPHS
        await expect(person.page.locator(".message.user")).to_have_count(1)
    assert len(model.requests) == asked


async def test_question_left_unanswered_when_the_server_was_killed_deletes_nothing(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    with ModelServer() as model, fresh_database() as database, reserved_port() as port:
        model.otherwise(_deletes_the_milk)
        variables = environment(database, tmp_path / "server", OPENAI_BASE_URL=model.base_url)
        with started(variables, port=port) as (process, url):
            async with profile(browser, url) as context:
                person = await WorkspaceUser.at(context)
                question = person.page.get_by_role("region", name="May this be done?")
                await person.sign_up()
                await person.load_examples()
                await person.ask("Delete my task “Buy milk”.")
                await expect(question).to_contain_text("Before")
                await expect(question).to_contain_text("Buy milk")
                process.kill()
                process.wait(30)

                with started(variables, port=port):
                    await expect(person.page.get_by_text("The answer was cut off")).to_be_visible()
                    await person.go_to("Tasks")
                    await expect(person.page.get_by_role("link", name="Buy milk")).to_be_visible()


async def test_question_that_outlives_its_answer_is_approved_and_done_in_the_background(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    async with _outlived(browser, tmp_path) as person:
        await _question(person).get_by_role("button", name="Yes, delete").click()
        await person.answered("Deleted the task.")
        await expect(_question(person)).to_have_count(0)

        await person.page.reload()
        await person.answered("Deleted the task.")
        await expect(person.page.get_by_text("Deleted the task.")).to_have_count(1)
        await expect(_question(person)).to_have_count(0)
        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Water the roses")).to_be_visible()
        await expect(person.page.get_by_role("link", name="Buy milk")).to_have_count(0)


async def test_question_that_outlives_its_answer_is_refused_and_nothing_is_done(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    async with _outlived(browser, tmp_path) as person:
        await _question(person).get_by_role("button", name="No", exact=True).click()
        await expect(_question(person)).to_have_count(0)

        await person.page.reload()
        await expect(person.page.get_by_role("button", name="Ask again")).to_be_visible()
        await expect(_question(person)).to_have_count(0)
        await expect(person.answers).to_have_count(1)
        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Buy milk")).to_be_visible()


async def test_an_answer_that_comes_too_late_is_said_to_until_the_next_thing_one_does(
    running: Running, browser: Browser
) -> None:
    question, url = "Add a task that comes too late.", running.url
    task = calls(wants("create_task", title="Buy milk"))
    running.model.when(lambda request: question in request.asked, task, [Hold(question), *says("There it is.")])
    async with profile(browser, url) as context:
        person = await WorkspaceUser.at(context)
        email = await person.sign_up()
        await expect(person.page.get_by_role("button", name="Load example data")).to_be_visible()
        bearer = {"Authorization": f"Bearer {_access(url, email)}"}
        async with httpx.AsyncClient(base_url=url, headers=bearer, timeout=30) as client:
            policies = {"risks": {"read": "auto", "write": "ask", "destructive": "ask"}, "tools": {}}
            (await client.put("/api/v1/policies", json=policies)).raise_for_status()
            await person.ask(question)
            await expect(_question(person)).to_contain_text("Buy milk")
            [asked] = (await client.get("/api/v1/approvals")).json()["results"]
            (await client.post(f"/api/v1/approvals/{asked['id']}", json={"approved": True})).raise_for_status()
        await _question(person).get_by_role("button", name="Yes, do it").click()

        late = person.page.get_by_role("status").filter(has_text="Your answer came too late")
        await expect(late).to_be_visible()
        running.model.open(question)
        await person.answered("There it is.")
        await person.ask("And another one.")
        await expect(late).to_have_count(0)
        assert person.window.complaints == []


async def test_what_is_asked_while_the_server_is_away_waits_and_is_answered_once(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    with ModelServer() as model, fresh_database() as database, reserved_port() as port:
        model.otherwise(says("Here I am."))
        variables = environment(database, tmp_path / "server", OPENAI_BASE_URL=model.base_url)
        with started(variables, port=port) as (process, url):
            async with profile(browser, url) as context:
                person = await WorkspaceUser.at(context)
                await person.sign_up()
                await expect(person.page.get_by_role("button", name="Load example data")).to_be_visible()
                process.kill()
                process.wait(30)
                # The first connection may not have been there yet.
                await expect(person.page.get_by_text("connecting…")).to_be_visible()
                await person.ask("List my tasks.")
                await expect(person.page.locator(".message.user")).to_contain_text("Waiting")

                with started(variables, port=port):
                    await person.answered("Here I am.")
                    await expect(person.page.get_by_text("connecting…")).to_have_count(0)
                    await expect(person.answers).to_have_count(1)
                    assert len(model.requests) == 1


@asynccontextmanager
async def _outlived(browser: Browser, folder: Path) -> AsyncIterator[WorkspaceUser]:
    """A user with an open approval of a deletion, asked by a server that was then killed and restarted."""
    with fresh_database() as database, reserved_port() as port:
        variables = environment(database, folder / "server")
        with started(variables, port=port) as (process, url):
            async with newcomer(browser, url) as person:
                await person.ask("Delete task “Buy milk”")
                await expect(_question(person)).to_contain_text("Deleted.")
                await expect(_question(person)).not_to_contain_text("broke off")
                process.kill()
                process.wait(30)
                await expect(person.page.get_by_text("Reconnecting…")).to_be_visible()
                await expect(_question(person)).to_have_count(1)

                with started(variables, port=port):
                    await expect(_question(person)).to_contain_text("If you say yes, this is done in the background.")
                    await expect(_question(person)).to_have_count(1)
                    await expect(person.page.get_by_text("The answer was cut off")).to_be_visible()
                    # Neither the button nor the words: it would be asked twice.
                    await expect(person.page.get_by_text("Ask again")).to_have_count(0)
                    yield person


def _question(person: WorkspaceUser) -> Locator:
    return person.page.get_by_role("region", name="May this be done?")


async def _shown(person: WorkspaceUser) -> list[str]:
    return await person.answers.last.locator(".markdown p").all_inner_texts()


async def _walk(person: WorkspaceUser, running: Running, question: str) -> None:
    """Ask, and change the page at every step of the answer."""
    await person.ask(question)
    await expect(person.answers).to_have_attribute("aria-busy", "true")
    for step, name in enumerate(WALK):
        # Do not wait for the text: it comes while the page changes.
        running.model.open(f"{question} {step}")
        await person.go_to(name)


async def _is_the_servers(
    person: WorkspaceUser, running: Running, email: str, channel: str, expected: list[Read]
) -> None:
    """The last answer is ``expected``, as stored by the server, as stored by the browser and as shown on the page."""
    request_id, kept = await transcripts.kept(person, channel)
    held = await transcripts.held(running, _access(running.url, email), request_id)
    assert [transcripts.as_read(part) for part in held] == expected
    assert kept == held
    assert await transcripts.shown(person.answers.last) == expected


def _access(url: str, email: str) -> str:
    answer = httpx.post(f"{url}/api/v1/auth/token", json={"email": email, "password": PASSWORD}, timeout=30)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access"])


def _blocks(before: str, table: list[list[str]], after: str) -> list[str]:
    """A home answer of text, a table and text, cut at random places."""
    headers, *rows = table
    blocks = [
        {"type": "text", "content": before},
        {"type": "table", "headers": headers, "rows": rows},
        {"type": "text", "content": after},
    ]
    written = "\n".join(json.dumps(block, ensure_ascii=False) for block in blocks)
    return [written[start : start + 7] for start in range(0, len(written), 7)]


def _in_steps(question: str, pieces: list[str]) -> Script:
    """An answer of ``pieces`` in a part for each step of the walk, and one more; each part waits for its step."""
    script = list(says(*pieces))
    texts = [index for index, step in enumerate(script) if isinstance(step, Chunk) and step.delta.get("content")]
    for step in reversed(range(len(WALK))):
        script.insert(texts[(step + 1) * len(texts) // (len(WALK) + 1)], Hold(f"{question} {step}"))
    return script


def _deletes_the_milk(body: dict[str, Any]) -> Script:
    """Looks the task up and tries to delete it."""
    told = [str(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    if not told:
        return calls(wants("list_tasks", "call_1", search="Buy milk"))
    found = re.search(r"\[id (t\d+)\]", told[0])
    assert found is not None, told
    return calls(wants("delete_task", "call_2", task_id=found[1]))
