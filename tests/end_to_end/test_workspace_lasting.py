"""What lasts in the workspace while one walks about, closes the browser, or the server is killed with -9."""

import re
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from tests.databases import fresh_database
from tests.end_to_end.conftest import environment, server
from tests.end_to_end.test_workspace import held, started
from tests.end_to_end.workspaces import Person, profile
from tests.model_server.scripts import Chunk, Hold, Script, calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser]

PARAGRAPHS: Final = [f"Satz {number}: naïve – “quoted”, 日本 and 🌱{number}." for number in range(60)]
TEXT: Final = "\n\n".join(PARAGRAPHS)
PIECES: Final = [TEXT[start : start + 7] for start in range(0, len(TEXT), 7)]
WALK: Final = ("Tasks", "Home", "Notes", "Timeline", "Settings", "Projects", "Home", "Tasks")


async def test_transcript_is_what_was_sent_though_text_came_at_every_step_of_a_walk(
    database_server: None, tmp_path: Path
) -> None:
    with ModelServer() as model, server(tmp_path / "server", OPENAI_BASE_URL=model.base_url) as url:
        model.otherwise(_in_steps(len(WALK)))
        async with profile(url, tmp_path / "browser") as context:
            person = await Person.at(context)
            await person.sign_up()
            await person.load_examples()
            await person.go_to("Projects")
            await person.page.get_by_role("link", name="Garden").click()
            await person.open_sidebar()
            await person.ask("Tell me about it.")
            await expect(person.answers).to_have_attribute("aria-busy", "true")

            for step, name in enumerate(WALK):
                # Nobody waits for the text: it comes while the page changes.
                model.open(f"step {step}")
                await person.go_to(name)

            await person.answered(PARAGRAPHS[-1])
            assert await _shown(person) == PARAGRAPHS
            await person.page.reload()
            await person.answered(PARAGRAPHS[-1])
            assert await _shown(person) == PARAGRAPHS
            assert person.window.complaints == []


async def test_answer_that_is_written_while_the_browser_is_closed_is_there_when_it_is_opened_again(
    database_server: None, tmp_path: Path
) -> None:
    with ModelServer() as model, server(tmp_path / "server", OPENAI_BASE_URL=model.base_url) as url:
        model.otherwise(held(PIECES, after=30))
        async with profile(url, tmp_path / "browser") as context:
            person = await Person.at(context)
            await person.sign_up()
            await person.ask("Tell me something.")
            await expect(person.answers).to_contain_text(PARAGRAPHS[3])
            asked = len(model.requests)

        model.open()
        async with profile(url, tmp_path / "browser") as context:
            person = await Person.at(context)
            await person.answered(PARAGRAPHS[-1])
            assert await _shown(person) == PARAGRAPHS
            await expect(person.page.locator(".message.user")).to_have_count(1)
        assert len(model.requests) == asked


async def test_question_that_nobody_answered_before_the_server_was_killed_deletes_nothing(
    database_server: None, tmp_path: Path
) -> None:
    with ModelServer() as model, fresh_database() as database:
        model.otherwise(_deletes_the_milk)
        variables = environment(database, tmp_path / "server", OPENAI_BASE_URL=model.base_url)
        with started(variables, port=0) as (process, url):
            async with profile(url, tmp_path / "browser") as context:
                person = await Person.at(context)
                question = person.page.get_by_role("region", name="May this be done?")
                await person.sign_up()
                await person.load_examples()
                await person.ask("Delete my task “Buy milk”.")
                await expect(question).to_contain_text("Before")
                await expect(question).to_contain_text("Buy milk")
                process.kill()
                process.wait(30)

                with started(variables, port=urlsplit(url).port or 0):
                    await expect(person.page.get_by_text("The answer was cut off")).to_be_visible()
                    await person.go_to("Tasks")
                    await expect(person.page.get_by_role("link", name="Buy milk")).to_be_visible()


async def test_what_is_asked_while_the_server_is_away_waits_and_is_answered_once(
    database_server: None, tmp_path: Path
) -> None:
    with ModelServer() as model, fresh_database() as database:
        model.otherwise(says("Here I am."))
        variables = environment(database, tmp_path / "server", OPENAI_BASE_URL=model.base_url)
        with started(variables, port=0) as (process, url):
            async with profile(url, tmp_path / "browser") as context:
                person = await Person.at(context)
                await person.sign_up()
                await expect(person.page.get_by_role("button", name="Load example data")).to_be_visible()
                process.kill()
                process.wait(30)
                await expect(person.page.get_by_text("Reconnecting…")).to_be_visible()
                await person.ask("List my tasks.")
                await expect(person.page.locator(".message.user")).to_have_text("You: List my tasks.")

                with started(variables, port=urlsplit(url).port or 0):
                    await person.answered("Here I am.")
                    await expect(person.page.get_by_text("Reconnecting…")).to_have_count(0)
                    await expect(person.answers).to_have_count(1)
                    assert len(model.requests) == 1


async def _shown(person: Person) -> list[str]:
    return await person.answers.last.locator(".markdown p").all_inner_texts()


def _in_steps(count: int) -> Script:
    """The text, in as many parts and one more, each of which waits for its step."""
    script = list(says(*PIECES))
    texts = [index for index, step in enumerate(script) if isinstance(step, Chunk) and step.delta.get("content")]
    for step in reversed(range(count)):
        script.insert(texts[(step + 1) * len(texts) // (count + 1)], Hold(f"step {step}"))
    return script


def _deletes_the_milk(body: dict[str, Any]) -> Script:
    """Looks the task up and wants to delete it."""
    told = [str(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    if not told:
        return calls(wants("list_tasks", "call_1", search="Buy milk"))
    found = re.search(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", told[0])
    assert found is not None, told
    return calls(wants("delete_task", "call_2", task_id=found[0]))
