"""Undoing in the workspace: what an answer changed, the latest change, and anything of the day."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import newcomer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]


async def test_what_was_changed_by_anyone_is_undone_and_done_again(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        await person.ask("Set the priority of “Buy milk” to high")
        await person.answered("Buy milk")
        answer = person.answers.last
        await answer.get_by_role("button", name="Undo", exact=True).click()
        await expect(answer.get_by_text("Undone.")).to_be_visible()
        await answer.get_by_role("button", name="Redo").click()
        await expect(answer.get_by_role("button", name="Undo", exact=True)).to_be_visible()

        # By hand in between: it is in the way, and both versions are shown.
        await _rename(page, "Buy milk", "Buy oat milk")
        await page.get_by_role("link", name="Home", exact=True).click()
        await page.set_viewport_size({"width": 360, "height": 740})
        await answer.get_by_role("button", name="Undo", exact=True).click()
        conflict = answer.get_by_role("region", name="Changed since")
        await expect(conflict.get_by_role("button", name="Keep it as it is")).to_be_in_viewport()
        await expect(conflict).to_contain_text("Nothing was undone")
        # The bars stay where they are.
        assert await page.evaluate("document.scrollingElement.scrollHeight - innerHeight") == 0
        await expect(conflict.locator("dd.changed")).to_have_text(["Buy oat milk", "high", "Buy milk", "low"])
        await conflict.get_by_role("button", name="Keep it as it is").click()
        await page.set_viewport_size({"width": 1280, "height": 800})

        await page.keyboard.press("Control+z")
        await expect(page.get_by_text("Undone: the task “Buy milk”.")).to_be_visible()
        await answer.get_by_role("button", name="Undo", exact=True).click()
        await expect(answer.get_by_text("Undone.")).to_be_visible()

        await person.go_to("Projects")
        await page.get_by_role("link", name="Garden").click()
        await page.get_by_role("button", name="Delete with everything in it").click()
        await page.get_by_role("button", name="Yes, delete all of it").click()
        await expect(page).to_have_url(re.compile("/projects$"))
        await expect(page.get_by_role("link", name="Garden")).to_have_count(0)
        await person.go_to("History")
        deleted = page.get_by_role("listitem").first
        await expect(deleted).to_contain_text("You")
        await deleted.get_by_role("button").click()
        await expect(page.get_by_role("listitem").first).to_contain_text("by undoing")
        await person.go_to("Tasks")
        await expect(page.get_by_role("link", name="Water the roses")).to_be_visible()
        assert person.window.complaints == []


async def _rename(page: Page, title: str, new: str) -> None:
    await page.get_by_role("link", name="Tasks", exact=True).click()
    await page.get_by_role("link", name=title).click()
    await page.get_by_label("Title").fill(new)
    await page.get_by_role("dialog").get_by_role("button", name="Save").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
