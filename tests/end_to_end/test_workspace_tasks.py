"""A task in the workspace and its comments."""

import re
from typing import Final

import pytest
from playwright.async_api import Browser, Locator, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import WorkspaceUser, newcomer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]


async def test_person_and_assistant_comment_on_a_task(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        await person.ask("Comment on “Buy milk”: the shop closes at six")
        await person.answered("Buy milk")
        await _open(person, "Buy milk")
        await expect(_comments(person)).to_contain_text(["the shop closes at six"])

        await person.page.get_by_label("New comment").fill("Two litres,\nplease")
        await person.page.get_by_role("button", name="Add comment").click()
        await expect(_comments(person)).to_contain_text(["the shop closes at six", "Two litres,\nplease"])
        await expect(person.page.get_by_label("New comment")).to_be_focused()

        # The assistant is asked in another tab, while the dialog is open in this one.
        other = await WorkspaceUser.at(person.page.context)
        await other.ask("Comment on “Buy milk”: the oat one as well")
        await other.answered("Buy milk")
        await expect(_comments(person)).to_have_count(3)
        await expect(_comments(person).last).to_contain_text("the oat one as well")

        first = _comments(person).first
        await first.get_by_role("button", name="Delete").click()
        await first.get_by_role("button", name="Yes, delete it").click()
        await expect(_comments(person)).to_contain_text(["Two litres", "the oat one as well"])
        assert (person.window.complaints, other.window.complaints) == ([], [])


async def test_comment_that_is_being_written_outlives_saving_closing_and_reloading(
    offline: str, browser: Browser
) -> None:
    async with newcomer(browser, offline) as person:
        await _open(person, "Buy milk")
        await person.page.get_by_label("New comment").fill("Half a thought")
        await person.page.get_by_label("Title").fill("Buy oat milk")
        await person.page.keyboard.press("Enter")
        await expect(person.page.get_by_role("dialog")).to_have_count(0)

        await person.page.get_by_role("link", name="Buy oat milk").click()
        await expect(person.page.get_by_label("New comment")).to_have_value("Half a thought")
        await expect(_comments(person)).to_have_count(0)
        await person.page.reload()
        await expect(person.page.get_by_label("New comment")).to_have_value("Half a thought")
        await person.page.get_by_role("button", name="Add comment").click()
        await expect(_comments(person)).to_contain_text(["Half a thought"])
        await expect(person.page.get_by_label("New comment")).to_have_value("")


async def test_what_a_person_deletes_is_asked_about_and_gone_after_a_yes(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        await _open(person, "Buy milk")
        await page.get_by_role("button", name="Delete").dblclick()
        await expect(page.get_by_role("group", name="Delete this task?")).to_be_visible()
        await page.keyboard.press("Escape")  # withdraws the question and does nothing else
        await expect(page.get_by_role("button", name="Delete")).to_be_focused()
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("button", name="Yes, delete it").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_role("link", name="Buy milk")).to_have_count(0)

        await person.go_to("Notes")
        await page.get_by_role("link", name="Pond").click()
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("button", name="Yes, delete it").click()
        await expect(page).to_have_url(re.compile("/notes$"))
        await expect(page.get_by_role("link", name="Pond")).to_have_count(0)

        await person.go_to("Projects")
        await page.get_by_role("link", name="Garden").click()
        await page.get_by_role("button", name="Delete with everything in it").click()
        await page.get_by_role("button", name="Yes, delete all of it").click()
        await expect(page).to_have_url(re.compile("/projects$"))
        await expect(page.get_by_role("link", name="Garden")).to_have_count(0)
        await person.go_to("Tasks")
        await expect(page.get_by_role("link", name="Water the roses")).to_have_count(0)
        assert person.window.complaints == []


async def test_task_of_an_archived_project_keeps_its_project_when_it_is_saved(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        await person.go_to("Projects")
        await person.page.get_by_role("link", name="Garden").click()
        await person.page.get_by_role("button", name="Archive").click()
        await expect(person.page.get_by_role("button", name="Unarchive")).to_be_visible()

        await _open(person, "Water the roses")
        dialog = person.page.get_by_role("dialog")
        await expect(dialog.get_by_label("Project").locator("option:checked")).to_have_text("Garden (archived)")
        await dialog.get_by_label("Title").fill("Water the garden")
        await dialog.get_by_role("button", name="Save").click()
        row = person.page.locator(".task-row", has_text="Water the garden")
        await expect(row.get_by_role("button", name="Project: Garden")).to_be_visible()


async def test_long_project_draws_what_is_in_sight_and_the_rest_is_reached(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        await person.page.evaluate(_INSERT, 400)
        await person.go_to("Projects")
        await person.page.get_by_role("link", name="Garden").click()
        await expect(person.page.get_by_role("list", name="404 tasks")).to_be_visible()
        assert await person.page.get_by_role("checkbox").count() < 60

        await person.page.get_by_role("link", name="1 note", exact=True).click()
        await expect(person.page.get_by_role("link", name="Pond About 3")).to_be_in_viewport()
        await expect(person.page.get_by_role("checkbox", name="Done: Number 399", exact=True)).to_be_visible()
        assert person.window.complaints == []


_INSERT: Final = """async (count) => {
  const everybody = new BroadcastChannel("adiuva");
  const own = new BroadcastChannel("adiuva-test");
  const call = (method, ...args) => new Promise((resolve) => {
    const id = crypto.randomUUID();
    own.addEventListener("message", ({ data }) => data.id === id && data.type === "answer" && resolve(data.value));
    everybody.postMessage({ type: "call", id, from: "test", method, args });
  });
  const [garden] = await call("select", "projects", { search: "Garden" }, 1);
  const insert = (title) => call("insert", "tasks", { title, projectId: garden.id });
  for (let number = 0; number < count; number += 1) await insert(`Number ${number}`);
}"""
"""Through the function that the page's own forms use."""


async def _open(person: WorkspaceUser, title: str) -> None:
    await person.go_to("Tasks")
    await person.page.get_by_role("link", name=title).click()
    await expect(person.page.get_by_role("dialog")).to_be_visible()


def _comments(person: WorkspaceUser) -> Locator:
    return person.page.get_by_role("dialog").get_by_role("article")
