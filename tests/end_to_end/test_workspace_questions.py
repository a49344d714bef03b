"""Several deletions that are asked for in one sentence: one question with a line for each, wherever the user is."""

import re

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import Running
from tests.end_to_end.workspaces import newcomer
from tests.model_server.scripts import calls, says, wants

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

TASKS = ("Buy milk", "Water the roses", "Call the dentist")
SENTENCE = "Delete Buy milk, Water the roses and Call the dentist, please"


async def test_three_deletions_are_one_question_that_is_answered_line_by_line_or_as_a_whole_by_keys(
    running: Running, browser: Browser
) -> None:
    delete_all = calls(*(wants("delete_task", f"d{at}", task_id=title) for at, title in enumerate(TASKS)))
    async with newcomer(browser, running.url) as person:
        page = person.page
        running.model.when(lambda request: SENTENCE in request.asked, delete_all, says("Two of them are deleted."))
        await person.ask(SENTENCE)
        await expect(_lines(page)).to_have_count(len(TASKS))
        await expect(page).to_have_title(re.compile(r"^\(3\) "))

        await person.go_to("Projects")
        await expect(_lines(page)).to_have_count(len(TASKS))
        await expect(page).to_have_title("(3) Projects · Adiuva")

        await _lines(page).nth(0).focus()
        await page.keyboard.press("ArrowDown")
        await expect(_lines(page).nth(1)).to_be_focused()
        await page.keyboard.press("n")
        await expect(_lines(page)).to_have_count(2)
        await expect(page).to_have_title("(2) Projects · Adiuva")
        await expect(_lines(page).nth(1)).to_be_focused()
        await page.get_by_role("group", name="Question").focus()
        await page.keyboard.press("y")
        await expect(page).to_have_title("Projects · Adiuva")

        await person.go_to("Tasks")
        await expect(page.get_by_role("link", name=TASKS[1])).to_be_visible()
        for title in (TASKS[0], TASKS[2]):
            await expect(page.get_by_role("link", name=title)).to_have_count(0)
        assert person.window.complaints == []


def _lines(page: Page) -> Locator:
    return page.get_by_role("region", name="May this be done?").get_by_role("listitem")
