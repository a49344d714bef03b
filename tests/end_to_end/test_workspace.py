"""The workspace: data is stored in the browser, and the real server answers from it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from tests.adiuva.servers import lines_until_ready, reserved_port, serving
from tests.databases import fresh_database
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import Running, environment
from tests.end_to_end.workspaces import WorkspaceUser, kept_profile, newcomer, newcomer_at, profile
from tests.forks import Fork
from tests.model_server.scripts import Chunk, Hold, Script, says
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
LONG = [f"Sentence {number} of a long answer.\n\n" for number in range(40)]


async def test_first_minutes(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline, with_worker=True) as person:
        await person.ask("What's overdue?")
        await person.answered("You have 1 overdue task.")
        await person.page.locator(".message .entities a").click()
        await expect(person.page.get_by_role("dialog").get_by_label("Title")).to_have_value(
            "Ask for the domain’s renewal"
        )
        await person.page.keyboard.press("Escape")

        await person.open_sidebar()
        await person.ask("Create a task called “Call Anna” in project Garden")
        await person.answered("I created the task “Call Anna”.")
        await expect(person.page.get_by_role("link", name="Call Anna")).to_be_visible()

        assert (person.window.complaints, person.window.hosts) == ([], {offline})


async def test_deletion_is_shown_before_it_is_done(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        question = person.page.get_by_role("region", name="May this be done?")

        await person.ask("Delete task “Buy milk”")
        await expect(question).to_contain_text("Deleted.")
        await question.get_by_role("button", name="No", exact=True).click()
        await person.is_over()
        await person.ask("Delete task “Buy milk”")
        await question.get_by_role("button", name="Yes, delete").click()
        await person.answered("I deleted the task “Buy milk”.")

        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Water the roses")).to_be_visible()
        await expect(person.page.get_by_role("link", name="Buy milk")).to_have_count(0)


async def test_data_and_history_are_there_when_the_browser_is_opened_again(offline: str, tmp_path: Path) -> None:
    async with kept_profile(offline, tmp_path) as context:
        person = await newcomer_at(context)
        await person.ask("What's overdue?")
        await person.answered("You have 1 overdue task.")
        await person.go_to("Tasks")
        await person.open_sidebar()

    async with kept_profile(offline, tmp_path) as context:
        person = await WorkspaceUser.at(context)
        await expect(person.answers).to_have_count(1)
        await person.answered("You have 1 overdue task.")
        await person.go_to("Tasks")
        await expect(person.page.get_by_role("link", name="Buy milk")).to_be_visible()
        await expect(person.page.get_by_role("button", name="Ask Adiuva")).to_be_visible()
        assert person.window.complaints == []


async def test_second_tab_shows_the_same_and_takes_over_when_the_first_is_closed(
    offline: str, browser: Browser
) -> None:
    async with newcomer(browser, offline) as first:
        second = await WorkspaceUser.at(first.page.context)
        await second.go_to("Tasks")
        await first.go_to("Tasks")
        await first.page.get_by_role("checkbox", name="Done: Buy milk").click()
        await expect(second.page.get_by_role("link", name="Buy milk")).to_have_count(0)

        await first.page.close()
        await second.page.get_by_role("checkbox", name="Done: Water the roses").click()
        await expect(second.page.get_by_role("link", name="Water the roses")).to_have_count(0)
        await second.go_to("Home")
        await second.ask("What's overdue?")
        await second.answered("You have 1 overdue task.")
        assert second.window.complaints == []


async def test_signing_in_leads_every_tab_to_the_page_that_was_opened_in_it(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        first, second = await WorkspaceUser.at(context), await WorkspaceUser.at(context)
        await second.page.goto("/app/tasks?sort=title")
        await expect(second.page).to_have_title("Sign in · Adiuva")
        await expect(second.page.get_by_role("link", name="Forgotten your password?")).to_be_visible()
        email = await first.sign_up()
        await expect(first.page).to_have_title("Home · Adiuva")
        await expect(second.page).to_have_title("Tasks · Adiuva")
        await expect(second.page).to_have_url(re.compile(r"/app/tasks\?sort=title$"))

        # What was left by signing out is not opened again.
        settings = await first.set_up("Account")
        await settings.get_by_role("button", name="Sign out", exact=True).click()
        await expect(second.page).to_have_title("Sign in · Adiuva")
        await second.sign_in(email)
        for each in (first, second):
            await expect(each.page).to_have_title("Home · Adiuva")
        assert (first.window.complaints, second.window.complaints) == ([], [])


async def test_browser_that_keeps_no_files_is_reported_before_an_account_is_made(
    offline: str, browser: Browser
) -> None:
    async def without_files(route: Route) -> None:
        answer = await route.fetch()
        refuse = "navigator.storage.getDirectory = () => Promise.reject(new Error('UnknownError'));"
        await route.fulfill(response=answer, body=refuse + await answer.text())

    async with profile(browser, offline) as context:
        await context.route("**/assets/worker-*.js", without_files)
        page = (await WorkspaceUser.at(context)).page
        said = page.get_by_role("status").filter(has_text="This browser does not let pages store files")
        await expect(said).to_be_visible()
        await expect(page.get_by_role("link", name="Make one")).to_have_count(0)


async def test_answer_goes_on_over_navigation_without_a_lost_or_doubled_word(
    running: Running, browser: Browser
) -> None:
    question = "Tell me about the garden."
    running.model.when(lambda request: question in request.asked, held(LONG, after=5, gate="over navigation"))
    async with newcomer(browser, running.url) as person:
        await person.go_to("Projects")
        await person.page.get_by_role("link", name="Garden").click()
        await person.open_sidebar()
        await person.ask(question)
        await expect(person.answers.last).to_contain_text("Sentence 4 of")

        await person.go_to("Notes")
        await person.go_to("Tasks")
        await expect(person.answers.last).to_contain_text("Sentence 4 of")
        running.model.open("over navigation")

        await person.answered("Sentence 39 of")
        shown = await person.answers.last.locator(".markdown p").all_inner_texts()
        assert shown == [sentence.strip() for sentence in LONG]


async def test_server_that_is_killed_in_mid_answer_costs_the_answer_and_no_data(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    with ModelServer() as model, fresh_database() as database, reserved_port() as port:
        model.otherwise(held(LONG, after=5))
        variables = environment(database, tmp_path / "server", OPENAI_BASE_URL=model.base_url)
        with started(variables, port=port) as (process, url):
            async with newcomer(browser, url) as person:
                await person.ask("Tell me something.")
                await expect(person.answers.last).to_contain_text("Sentence 4 of")
                process.kill()
                process.wait(30)
                await expect(person.page.get_by_text("Reconnecting…")).to_be_visible()
                await expect(person.answers.last).to_contain_text("Waiting: the answer goes on")
                await person.go_to("Tasks")
                await expect(person.page.get_by_role("link", name="Buy milk")).to_be_visible()
                await person.go_to("Home")

                with started(variables, port=port):
                    await expect(person.page.get_by_text("The answer was cut off")).to_be_visible()
                    await expect(person.page.get_by_text("Reconnecting…")).to_have_count(0)
                    model.open()
                    await person.page.get_by_role("button", name="Ask again").click()
                    await person.answered("Sentence 39 of")


def held(pieces: list[str], *, after: int, gate: str = "gate") -> Script:
    """An answer that stops after this many pieces, until the gate is open."""
    script = list(says(*pieces))
    texts = [index for index, step in enumerate(script) if isinstance(step, Chunk) and step.delta.get("content")]
    return [*script[: texts[after]], Hold(gate), *script[texts[after] :]]


@contextmanager
def started(variables: dict[str, str], *, port: int) -> Iterator[tuple[Fork, str]]:
    """A server process; killed at the end."""
    with serving("--port", str(port), env={**os.environ, **variables}) as process:
        yield process, lines_until_ready(process)[1]
