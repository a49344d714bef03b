"""The chat of the workspace: what answers look like, what can be done with them, and the day on Home."""

import base64
import json
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, FilePayload, Locator, Page, ViewportSize, expect

from tests.end_to_end.browsers import shares_browser, until_true
from tests.end_to_end.conftest import server
from tests.end_to_end.workspaces import WorkspaceUser, newcomer
from tests.model_server.scripts import says
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

# Four pixels.
PICTURE: Final[FilePayload] = {
    "name": "roses.png",
    "mimeType": "image/png",
    "buffer": base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=="
    ),
}
GIVEN: Final = """(field, [name, content]) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    data.items.add(new File([bytes], `${name}.png`, { type: "image/png" }));
    const init = { bubbles: true, cancelable: true };
    field.dispatchEvent(
        name === "paste"
            ? new ClipboardEvent(name, { ...init, clipboardData: data })
            : new DragEvent(name, { ...init, dataTransfer: data }),
    );
}"""
"""Gives the text field a picture as the browser does that a user pastes or drops."""
PHONE: Final[ViewportSize] = {"width": 360, "height": 740}
LAPTOP: Final[ViewportSize] = {"width": 1280, "height": 720}
CODE: Final = 'text = "' + "a" * 110 + '"  # END'
HEADERS: Final = " | ".join(f"Column {n}" for n in range(12))
CELLS: Final = " | ".join(f"A cell {n}" for n in range(12))
TABLE: Final = f"| {HEADERS} |\n|{'---|' * 12}\n| {CELLS} |"
WIDE: Final = f"Look:\n\n```python\ndef water(roses):\n    return roses\n{CODE}\n```\n\n{TABLE}\n\nThat is all."
MILLIONS: Final = {
    "type": "chart",
    "chartType": "bar",
    "title": "Revenue",
    "data": [{"year": str(2020 + n), "euro": 1_500_000 * n} for n in range(5)],
    "config": {"euro": {"label": "Euro"}},
}
MODELS: Final = [
    {"name": "gpt_4_1", "model": "gpt-4.1", "display_name": "The first", "offered": True, "sees_images": True},
    {"name": "other", "model": "the-other", "display_name": "The other", "offered": True},
]


async def test_answers_are_read_copied_asked_again_pinned_and_found(
    database_server: None, browser: Browser, tmp_path: Path
) -> None:
    with ModelServer() as model:
        offered = json.dumps([{**each, "base_url": model.base_url} for each in MODELS])
        with server(tmp_path / "server", OPENAI_BASE_URL=model.base_url, ADIUVA_MODELS=offered) as url:
            async with newcomer(browser, url) as person:
                await person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
                model.otherwise(says(WIDE))
                await _reads_code_and_tables(person)
                model.otherwise(says(json.dumps([MILLIONS])))
                await _reads_a_chart(person)
                model.otherwise(says("\n\n".join(f"Sentence {n}." for n in range(60))))
                await _stays_at_the_end(person)
                model.otherwise(says("Another answer."))
                await _asks_again(person, model)
                await _pins_and_finds(person)
                await _shows_a_picture(person, model)
                assert person.window.complaints == []


async def _reads_code_and_tables(person: WorkspaceUser) -> None:
    page = person.page
    await page.set_viewport_size(PHONE)
    await person.ask("Show code and a table.")
    await person.answered("That is all.")
    code = page.locator(".message pre")
    await expect(code.locator(".hljs-keyword").first).to_have_text("def")
    for wide in (code, page.get_by_role("region", name="Table")):
        assert await wide.evaluate("each => each.scrollWidth > each.clientWidth")
    assert await page.locator(".scroller").evaluate("each => each.scrollWidth <= each.clientWidth")
    await page.set_viewport_size(LAPTOP)
    await page.get_by_role("button", name="Copy the code").click()
    assert (await page.evaluate("navigator.clipboard.readText()")).endswith(CODE)
    await page.get_by_role("button", name="Copy the answer").click()
    assert TABLE in await page.evaluate("navigator.clipboard.readText()")


async def _reads_a_chart(person: WorkspaceUser) -> None:
    page = person.page
    await person.ask("Draw the revenue.")
    chart = page.get_by_role("img", name="bar chart: Revenue")
    await expect(chart).to_contain_text("6m")
    await person.is_over()
    await chart.focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".recharts-tooltip-wrapper")).to_contain_text("1,500,000")
    await page.get_by_text("Numbers", exact=True).click()
    await expect(page.get_by_role("table", name="Revenue")).to_contain_text("6,000,000")


async def _stays_at_the_end(person: WorkspaceUser) -> None:
    page = person.page
    scroller = page.get_by_role("region", name="Messages")
    await scroller.evaluate("each => { each.scrollTop = 0 }")
    await expect(page.get_by_role("button", name="To the end")).to_be_visible()
    await person.ask("Tell me more.")
    await person.answered("Sentence 59.")
    await _is_above_the_field(page, person.answers.last.locator("p").last)
    await scroller.evaluate("each => { each.scrollTop = 0 }")
    await page.get_by_role("button", name="To the end").click()
    await expect(page.get_by_role("button", name="To the end")).to_have_count(0)
    await _is_above_the_field(page, person.answers.last.locator("p").last)


async def _asks_again(person: WorkspaceUser, model: ModelServer) -> None:
    page = person.page
    await page.get_by_role("button", name="Ask in other words").last.click()
    await page.get_by_label("The question in other words").fill("Tell me less.")
    await page.keyboard.press("Enter")
    await person.answered("Another answer.")
    await expect(page.get_by_text("Tell me more.")).to_have_count(0)
    await expect(person.answers).to_have_count(3)

    before = len(model.requests)
    await page.get_by_label("Ask again with another model").select_option(label="The other")
    model.wait_for_requests(before + 1)
    await person.answered("Another answer.")
    assert "the-other" in {request.body["model"] for request in model.requests[before:]}
    await expect(person.answers).to_have_count(3)


async def _pins_and_finds(person: WorkspaceUser) -> None:
    page = person.page
    await page.get_by_role("button", name="Pin", exact=True).last.click()
    await expect(page.get_by_role("button", name="Pinned", exact=True)).to_be_visible()
    await page.get_by_role("button", name="New chat").click()
    pinned = page.get_by_role("region", name="Pinned answers")
    await expect(pinned).to_contain_text("Another answer.")
    chats = page.get_by_role("region", name="Chats")
    await chats.get_by_role("searchbox").fill("TABLE show")
    await chats.get_by_role("button", name="More").click()
    await chats.get_by_role("button", name="Rename").click()
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type("Of code")
    await page.keyboard.press("Enter")
    await expect(chats.get_by_role("button", name="Of code")).to_be_visible()
    async with page.expect_download() as download:
        await chats.get_by_role("button", name="Save as a file").click()
    saved = (await (await download.value).path()).read_text()
    assert saved.startswith("# Of code\n\n## You\n\nShow code and a table.\n\n## Adiuva\n\nLook:")
    await pinned.get_by_role("button", name="Unpin").click()
    await expect(pinned).to_have_count(0)
    await page.keyboard.press("ControlOrMeta+k")
    await page.get_by_role("combobox", name="Search or run a command").fill("of code")
    await page.get_by_role("option", name="Of code Chat").click()
    await expect(person.answers).to_have_count(3)
    await page.get_by_role("button", name="New chat").click()


async def _shows_a_picture(person: WorkspaceUser, model: ModelServer) -> None:
    page = person.page
    await page.locator("input[type=file]").set_input_files([PICTURE])
    field = page.get_by_label("Message to Adiuva")
    for event in ("paste", "drop"):
        await field.evaluate(GIVEN, [event, base64.b64encode(PICTURE["buffer"]).decode()])
    pictures = page.get_by_role("list", name="Pictures").get_by_role("listitem")
    await expect(pictures).to_have_count(3)
    for picture in await pictures.all():
        await expect(picture).to_have_attribute("aria-busy", "false")
    before = len(model.requests)
    await person.ask("What is in the picture?")
    await person.answered("Another answer.")
    assert "image_url" in json.dumps([request.body for request in model.requests[before:]])
    await expect(page.locator(".message.user")).to_contain_text("roses.png, paste.png and drop.png")

    await page.reload()
    before = len(model.requests)
    await page.get_by_role("button", name="Ask again", exact=True).click()
    model.wait_for_requests(before + 1)
    await person.answered("Another answer.")
    assert json.dumps([request.body for request in model.requests[before:]]).count('"image_url":') == 3
    await expect(page.locator(".message.user")).to_contain_text("roses.png, paste.png and drop.png")


async def test_day_and_cards_follow_the_rows_and_nothing_written_is_lost(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        overdue = page.get_by_role("region", name="Overdue")
        await expect(overdue).to_contain_text("Ask for the domain’s renewal")
        await person.ask("What's overdue?")
        await person.answered("You have 1 overdue task.")
        tick = person.answers.last.get_by_role("checkbox", name="Done: Ask for the domain’s renewal")
        await tick.check()
        await expect(person.answers.last.locator(".entities li.done")).to_be_visible()
        await person.go_to("Tasks")
        await expect(page.get_by_role("link", name="Ask for the domain’s renewal")).to_have_count(0)

        await person.open_sidebar()
        field = page.get_by_label("Message to Adiuva")
        await field.fill("Half a thou")
        await page.keyboard.press("Escape")
        await person.go_to("Notes")
        await page.reload()
        await person.open_sidebar()
        await expect(field).to_have_value("Half a thou")
        await page.get_by_role("button", name="Close").click()

        await person.go_to("Home")
        await page.set_viewport_size(PHONE)
        await page.locator("input[type=file]").set_input_files([PICTURE])
        await expect(page.get_by_role("alert")).to_have_text("The model that answers here sees no pictures.")
        await person.ask("Delete task “Buy milk”")
        question = page.get_by_role("region", name="May this be done?")
        await expect(question).to_be_visible()
        await page.reload()
        await expect(page).to_have_title("(1) Home · Adiuva")
        await _is_above_the_field(page, question.get_by_role("button", name="No, because…"))
        await page.get_by_role("button", name="Earlier chats").click()
        await expect(page.get_by_text("waits for your yes or no")).to_be_visible()
        await page.keyboard.press("Escape")
        # A turn that is open would hold up the server's end.
        await question.get_by_role("button", name="No", exact=True).click()
        await person.is_over()


async def _is_above_the_field(page: Page, shown: Locator) -> None:
    """Wait until all of it is in sight: the text field lies over the messages."""
    await expect(shown).to_be_visible()
    await until_true(
        page,
        """shown => shown.getBoundingClientRect().bottom
            <= document.querySelector(".composer").getBoundingClientRect().top""",
        await shown.element_handle(),
    )
