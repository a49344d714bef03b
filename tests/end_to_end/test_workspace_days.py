"""A day's work in the workspace: the command line, lists and boards of tasks, and notes in two tabs."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import WorkspaceUser, newcomer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]


async def test_line_adds_finds_and_asks(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        await person.go_to("Projects")
        await expect(page.get_by_role("link", name="Website")).to_be_visible()
        await page.keyboard.press("q")
        line = page.get_by_role("combobox", name="Add a task")
        # Typed, as fill() would give it the focus.
        await expect(line).to_be_focused()
        await page.keyboard.type("Call Anna tomorrow 5pm #web !high @Marco #nothing")
        await expect(page.get_by_role("list", name="Understood").get_by_role("listitem")).to_contain_text(
            ["Call Anna", "Due: Tomorrow, 17:00", "Project: Website", "Priority: high", "For: Marco", "New project"]
        )
        await page.get_by_role("button", name="Leave “#nothing” in the title").click()
        await line.press("Enter")
        await expect(page.get_by_role("status").filter(has_text="Added: Call Anna #nothing")).to_be_visible()

        await page.keyboard.press("Control+k")
        everything = page.get_by_role("combobox", name="Search or run a command")
        await expect(everything).to_be_focused()
        await page.keyboard.type("ANNÁ 'call'")
        await expect(page.get_by_role("option").first).to_contain_text("Call Anna #nothing")
        await everything.press("Enter")
        dialog = page.get_by_role("dialog", name="Task")
        await expect(dialog.get_by_label("Title")).to_have_value("Call Anna #nothing")
        await expect(dialog.get_by_label("Assignees")).to_have_value("Marco")
        await expect(dialog.get_by_label("Time (optional)")).to_have_value("17:00")

        # What is written into a dialog outlives Escape and a reload.
        await dialog.get_by_label("Title").fill("Call Anna back")
        await page.keyboard.press("Escape")
        # The browser hides it before the page hears of it and changes the address.
        await expect(page).to_have_url(re.compile("/tasks$"))
        await page.reload()
        await page.get_by_role("link", name="Call Anna #nothing").click()
        await expect(dialog.get_by_label("Title")).to_have_value("Call Anna back")
        await dialog.get_by_role("button", name="Discard changes").click()
        await expect(dialog.get_by_label("Title")).to_have_value("Call Anna #nothing")
        await page.keyboard.press("Escape")

        await page.keyboard.press("Control+k")
        await everything.fill("List my tasks")
        await expect(page.get_by_role("list", name="Understood")).to_be_visible()
        await page.get_by_role("option", name="Ask: List my tasks").click()
        await person.answered("Buy milk")

        await page.get_by_role("heading", level=1, name="Tasks").click()  # out of the chat
        await page.keyboard.press("q")
        await expect(line).to_be_focused()
        await page.keyboard.type("Paint it #Boat")
        await line.press("Enter")
        notice = page.get_by_role("status").filter(has_text="Added: Paint it")
        await expect(page.get_by_role("link", name="Paint it")).to_be_visible()
        await notice.get_by_role("button", name="Undo").click()
        await expect(page.get_by_role("link", name="Paint it")).to_have_count(0)
        await person.go_to("Projects")
        await expect(page.get_by_role("link", name="Website")).to_be_visible()
        await expect(page.get_by_role("link", name="Boat")).to_have_count(0)

        await page.keyboard.press("g")
        await page.keyboard.press("n")
        await expect(page).to_have_title(re.compile("Notes"))
        await page.keyboard.press("Control+k")
        await expect(everything).to_be_focused()
        # A key that follows at once is the page's, too.
        await asyncio.gather(page.keyboard.press("Escape"), page.keyboard.press("?"))
        await expect(page.get_by_role("dialog", name="Keys")).to_contain_text("Add a task in one line")
        assert person.window.complaints == []


async def test_tasks_are_worked_through_by_keys_and_in_bulk(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        await person.go_to("Tasks")
        for name in ("Overdue", "Today", "This week", "Later"):
            await expect(page.get_by_role("heading", level=2, name=re.compile(f"^{name}"))).to_be_visible()

        # It was in progress, and is again; meanwhile it stays where it was.
        front = page.get_by_role("checkbox", name="Done: Write the text of the front page")
        await front.click()
        row = page.locator(".task-row", has=front)
        await row.get_by_role("button", name="Undo").click()
        await expect(row).to_contain_text("in progress")
        await expect(front).not_to_be_checked()

        await page.get_by_role("link", name="Buy milk").focus()
        await page.keyboard.press("e")
        await page.keyboard.type("Buy oat milk")
        await page.keyboard.press("Enter")
        await page.get_by_role("link", name="Buy oat milk").focus()
        await page.keyboard.press("x")
        await page.get_by_role("checkbox", name="Select: Call the dentist").check()
        await page.get_by_role("toolbar", name="Selected tasks").get_by_role("button", name="Project").click()
        await expect(page.get_by_role("dialog", name="Project").get_by_role("combobox")).to_be_focused()
        await page.keyboard.type("gard")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Project: Garden").locator("visible=true")).to_have_count(6)
        await page.get_by_role("link", name="Buy oat milk").focus()
        await page.keyboard.press("d")
        await expect(page.get_by_label("Date in words")).to_be_focused()
        await page.keyboard.type("dopodomani alle 9")
        await page.keyboard.press("Enter")
        await expect(page.locator(".task-row", has_text="Buy oat milk")).to_contain_text("09:00")
        await expect(page.locator(".task-row", has_text="Call the dentist")).to_contain_text("09:00")
        await page.get_by_role("status").filter(has_text="2 tasks changed.").get_by_role("button", name="Undo").click()
        await expect(page.locator(".task-row", has_text="Call the dentist")).not_to_contain_text("09:00")
        await page.get_by_role("button", name="Select none").click()

        # The view is the address.
        await page.get_by_role("combobox", name="Priority").select_option("high")
        await page.get_by_role("searchbox", name="Search tasks").fill("PHÓTO choose")
        await expect(page.get_by_text("No task matches")).to_be_visible()
        await page.get_by_role("searchbox", name="Search tasks").fill("liner “pond”")
        await expect(page).to_have_url(re.compile(r"search=liner.*priority=high"))
        await page.get_by_role("link", name="Order the pond liner").click()
        await page.go_back()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_role("link", name="Order the pond liner")).to_be_visible()
        await expect(page.get_by_role("searchbox", name="Search tasks")).to_have_value("liner “pond”")
        await page.get_by_role("button", name="Save this view").click()
        await page.get_by_label("Name of the view").fill("Pond")
        await page.keyboard.press("Enter")
        await person.go_to("Notes")
        await person.go_to("Tasks")
        await page.get_by_role("navigation", name="Views").get_by_role("link", name="Pond").click()
        await expect(page.get_by_role("list", name="1 task")).to_be_visible()

        await _work_on_boards(page)
        await _tick_a_checklist(page)
        assert person.window.complaints == []


async def _work_on_boards(page: Page) -> None:
    await page.goto("/app/tasks?as=status")
    doing = page.get_by_role("region", name="In progress", exact=True)
    await page.get_by_role("button", name="Move: Water the roses").focus()
    await page.keyboard.press("Space")
    await expect(page.get_by_text("Over To do.")).to_be_attached()
    # The columns are measured, and keys heard, a frame later.
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    await page.keyboard.press("ArrowRight")
    await expect(page.get_by_text("Over In progress.")).to_be_attached()
    await page.keyboard.press("Space")
    await expect(doing.get_by_role("link", name="Water the roses")).to_be_visible()

    await page.goto("/app/tasks?as=project")
    card = page.get_by_role("link", name="Buy oat milk")
    website = page.get_by_role("region", name="Website", exact=True)
    await card.hover()
    await page.mouse.down()
    await website.get_by_role("heading").hover()
    await page.mouse.move(*await _middle(website), steps=5)
    await page.mouse.up()
    await expect(website.get_by_role("link", name="Buy oat milk")).to_be_visible()


async def _middle(place: Locator) -> tuple[float, float]:
    box = await place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def _tick_a_checklist(page: Page) -> None:
    await page.goto("/app/tasks")
    await page.get_by_role("link", name="Buy oat milk").click()
    dialog = page.get_by_role("dialog", name="Task")
    for item in ("Two litres", "Fresh"):
        await dialog.get_by_label("New item of the checklist").fill(item)
        await page.keyboard.press("Enter")
    await dialog.get_by_role("checkbox", name="Two litres").check()
    await expect(dialog.get_by_label("Description")).to_have_value("- [x] Two litres\n- [ ] Fresh")
    await page.keyboard.press("Escape")
    await expect(page.locator(".task-row", has_text="Buy oat milk")).to_contain_text("1/2")


async def test_notes_are_written_in_two_tabs_and_nothing_is_lost(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        await person.go_to("Notes")
        await expect(page.get_by_role("list", name="3 notes")).to_be_visible()
        # One that stays empty leaves nothing behind.
        await page.get_by_role("button", name="New note").click()
        await expect(_text(page)).to_be_visible()
        await person.go_to("Notes")
        await expect(page.get_by_role("list", name="3 notes")).to_be_visible()

        await page.get_by_role("button", name="New note").click()
        await _text(page).click()
        await page.keyboard.type("# Plan\nFirst line\n- [ ] dig\n\nsee [[Po")
        await page.get_by_role("option", name="Pond", exact=True).click()
        await expect(page).to_have_url(re.compile(r"/notes/[0-9a-f-]{36}$"))
        await expect(page).to_have_title(re.compile("Plan"))
        await expect(_text(page)).to_contain_text("[[Pond]]")
        await page.locator(".cm-box").click()

        other = await WorkspaceUser.at(page.context)
        await other.page.goto(page.url)
        await expect(_text(other.page)).to_contain_text("First line")
        # Neither tab hears of the other while it writes.
        await page.evaluate(_SAVE, [page.url.rsplit("/", 1)[1], "# Plan\nFirst line\n- [x] dig\n\nsee [[Pond]]"])
        await _text(page).press("Control+End")
        await _text(other.page).press("Control+Home")
        await page.keyboard.type(" end of one")
        await other.page.keyboard.type("Start of other ")
        for each in (page, other.page):
            await expect(_text(each)).to_contain_text("end of one")
            await expect(_text(each)).to_contain_text("Start of other")

        await page.locator("[data-note='Pond']").click(modifiers=["Control"])
        await expect(page.get_by_role("navigation", name="What links here")).to_contain_text("Plan")
        await _paste(page)
        await expect(_text(page)).to_contain_text("bold")
        await expect(page.locator("img.cm-picture")).to_have_js_property("complete", value=True)
        await page.reload()
        await expect(page.locator("img.cm-picture")).to_have_js_property("naturalWidth", 2)
        stored = await page.evaluate(_STORED, page.url.rsplit("/", 1)[1])
        assert "**bold** and a [link](https://example.com/)\n\n- one" in stored
        # What was not touched is as it was, to the letter.
        assert "About 3 × 2 m and 80 cm deep at one end.\n\n1. Mark it out with string\n2. Keep" in stored
        assert (person.window.complaints, other.window.complaints) == ([], [])


def _text(page: Page) -> Locator:
    return page.get_by_label("Text of the note, in Markdown")


async def _paste(page: Page) -> None:
    """Formatted text, and then a picture, at the end."""
    await _text(page).press("Control+End")
    await page.evaluate(_PASTE)
    await expect(_text(page)).to_contain_text("bold")
    await page.evaluate(_PASTE_PICTURE)


_CALL = """(method, ...args) => new Promise((resolve) => {
  const everybody = new BroadcastChannel("adiuva");
  const own = new BroadcastChannel("adiuva-test");
  const id = crypto.randomUUID();
  own.addEventListener("message", ({ data }) => data.id === id && data.type === "answer" && resolve(data.value));
  everybody.postMessage({ type: "call", id, from: "test", method, args });
})"""
_SAVE = f"([id, content]) => ({_CALL})('update', 'notes', id, {{ content }})"
_STORED = f"async (id) => (await ({_CALL})('get', 'notes', id)).content"
_PASTE = """() => {
  const data = new DataTransfer();
  data.setData("text/html", '<p><b>bold</b> and a <a href="https://example.com/">link</a></p><ul><li>one</li></ul>');
  data.setData("text/plain", "plain");
  const content = document.querySelector("[data-editor]").shadowRoot.querySelector(".cm-content");
  content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
_PASTE_PICTURE = """async () => {
  const canvas = new OffscreenCanvas(2, 2);
  canvas.getContext("2d").fillRect(0, 0, 1, 1);
  const data = new DataTransfer();
  data.items.add(new File([await canvas.convertToBlob()], "roof.png", { type: "image/png" }));
  const content = document.querySelector("[data-editor]").shadowRoot.querySelector(".cm-content");
  content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
