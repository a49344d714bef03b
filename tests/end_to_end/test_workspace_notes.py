"""Notes that a user writes in the workspace: the assistant finds them by meaning."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import WorkspaceUser, newcomer, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
SOON_S = 60
"""A vector is computed some seconds after the last keystroke; the machine may be busy."""


async def test_note_is_found_by_its_meaning_and_by_its_new_text_when_it_is_changed(
    offline: str, browser: Browser
) -> None:
    async with profile(browser, offline) as context:
        person = await WorkspaceUser.at(context)
        await person.sign_up()
        await write_note(person, "Winter", "The tyres for the snow lie in the cellar, behind the skis.")
        await write_note(person, "Outside", "Tulip bulbs are planted in October, twice as deep as they are high.")

        await is_nearest(person, "planting tulips", "Tulip bulbs are planted in October")
        await is_nearest(person, "snow tyre", "The tyres for the snow lie in the cellar")

        await open_note(person, "Outside")
        await text_of(person).fill("The dentist sees me in spring, on the second floor.")
        await is_nearest(person, "dentists in the spring", "The dentist sees me in spring")
        await search(person, "planting tulips")
        await expect(person.answers.last).not_to_contain_text("Tulip bulbs")
        assert (person.window.complaints, person.window.hosts) == ([], {offline})


async def test_leaving_a_new_note_at_once_saves_it_and_does_not_bring_the_user_back(
    offline: str, browser: Browser
) -> None:
    async with newcomer(browser, offline) as person:
        await person.go_to("Notes")
        await person.page.get_by_role("button", name="New note").click()
        await text_of(person).fill("Bring the ladder")
        await person.go_to("Notes")
        await expect(person.page.get_by_role("link", name="Bring the ladder")).to_be_visible()
        await expect(person.page).to_have_url(re.compile("/notes$"))


async def test_notes_of_the_examples_are_found(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        await is_nearest(person, "digging: mark the string, keep topsoil", "About 3 × 2 m")


async def test_note_that_was_written_without_the_server_is_found_once_it_is_back(
    offline: str, browser: Browser
) -> None:
    async with profile(browser, offline) as context:
        person = await WorkspaceUser.at(context)
        await person.sign_up()
        await context.route("**/vectors/embed", lambda route: route.abort())
        await write_note(person, "Outside", "Tulip bulbs are planted in October.")
        await search(person, "planting tulips")
        await expect(person.answers.last).not_to_contain_text("Tulip bulbs")

        await context.unroute("**/vectors/embed")
        await is_nearest(person, "planting tulips", "Tulip bulbs are planted")


async def write_note(person: WorkspaceUser, title: str, text: str) -> None:
    await person.go_to("Notes")
    await person.page.get_by_role("button", name="New note").click()
    heading = person.page.get_by_label("Title of the note")
    await heading.fill(title)
    await heading.press("Enter")
    await text_of(person).fill(text)
    await person.go_to("Notes")
    await expect(person.page.get_by_role("link", name=title)).to_contain_text(text[:20])


async def open_note(person: WorkspaceUser, title: str) -> None:
    await person.go_to("Notes")
    await person.page.get_by_role("link", name=title).click()


def text_of(person: WorkspaceUser) -> Locator:
    return person.page.get_by_label("Text of the note, in Markdown")


async def search(person: WorkspaceUser, words: str) -> None:
    """Ask in a new chat on Home, and wait until the answer is there."""
    await person.go_to("Home")
    await person.page.get_by_role("button", name="New chat").click()
    await expect(person.answers).to_have_count(0)
    await person.ask(f"Search my notes for {words}")
    await person.answered(f"“{words}”")


async def is_nearest(person: WorkspaceUser, words: str, text: str) -> None:
    """Search until a note with ``text`` comes first."""
    first = person.answers.last.locator("li").first
    async with asyncio.timeout(SOON_S):
        await search(person, words)
        while not (await first.count() and text in await first.inner_text()):
            await search(person, words)
