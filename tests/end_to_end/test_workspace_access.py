"""The workspace's accessibility: with low vision, without a mouse, and in a small window."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, Route, ViewportSize, expect

from tests.effort import LONG
from tests.end_to_end.axe import findings, needs_axe
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import EXPORTED, WorkspaceUser, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
_ROOM: Final = """place => {
    const { paddingTop, paddingBottom } = getComputedStyle(place);
    return place.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
}"""
"""How high what is in it may be."""
_ENDS: Final = """link => {
    const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
    const at = index => {
        const range = new Range();
        range.setStart(text, index);
        range.setEnd(text, index + 1);
        return range.getBoundingClientRect().x;
    };
    return [at(0), at(text.length - 1)];
}"""
"""Where the first and the last letter of a link are."""


WIDE: Final[ViewportSize] = {"width": 1280, "height": 800}
NARROW: Final[ViewportSize] = {"width": 360, "height": 740}
WIDEST: Final[ViewportSize] = {"width": 1920, "height": 1080}
LOOKS: Final[Sequence[tuple[Literal["light", "dark"], ViewportSize]]] = (
    [(scheme, size) for scheme in ("light", "dark") for size in (WIDE, NARROW, WIDEST)]
    if LONG
    else [("light", WIDE), ("dark", NARROW)]
)
PICTURES: Final = os.environ.get("ADIUVA_TEST_PICTURES")
"""A folder for a picture of every page and state in each look, to be looked at."""
SECTIONS: Final = (
    "Assistant",
    "Privacy",
    "Permissions",
    "Memory",
    "Usage",
    "Account",
    "Programs",
    "Appearance",
    "Data",
)
PAGES: Final = ("Home", "Tasks", "Projects", "Notes", "Timeline", "History", "Settings")


@pytest_asyncio.fixture(loop_scope="session")
async def stranger(offline: str, browser: Browser) -> AsyncIterator[WorkspaceUser]:
    """A user without an account who prefers reduced motion."""
    async with profile(browser, offline) as context:
        person = await WorkspaceUser.at(context)
        await person.page.emulate_media(reduced_motion="reduce")
        yield person


@pytest_asyncio.fixture(loop_scope="session")
async def person(stranger: WorkspaceUser) -> WorkspaceUser:
    """A user with an account and the examples."""
    await stranger.sign_up()
    await stranger.load_examples()
    return stranger


@needs_axe
async def test_no_page_has_a_grave_fault_in_any_look(stranger: WorkspaceUser) -> None:
    faults: list[str] = []
    page = stranger.page

    async def look(place: str) -> None:
        for scheme, size in LOOKS:
            await page.emulate_media(color_scheme=scheme)
            await page.set_viewport_size(size)
            if PICTURES is not None:
                await page.screenshot(path=Path(PICTURES) / f"{place}, {size['width']} px, {scheme}.png")
            faults.extend(f"{place}, {scheme}, {size['width']} px: {fault}" for fault in await findings(page))
        await page.set_viewport_size(WIDE)

    await _walk(stranger, look)
    assert faults == []


@needs_axe
async def test_fault_that_is_planted_is_found(person: WorkspaceUser) -> None:
    await person.page.evaluate("document.querySelector('main').append(document.createElement('button'))")
    [found] = await findings(person.page)
    assert found.startswith("critical: button-name")


async def _walk(person: WorkspaceUser, look: Callable[[str], Awaitable[None]]) -> None:
    """Visit every page and state and call ``look`` in each."""
    page = person.page
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    await look("signing in")
    await page.get_by_role("link", name="Make one").click()
    await look("signing up")
    await page.goto("/app/")
    await person.sign_up()
    await expect(page.get_by_role("button", name="Load example data")).to_be_visible()
    await look("an empty Home")
    await person.go_to("Tasks")
    await expect(page.get_by_text("No tasks yet.")).to_be_visible()
    await look("Tasks without any")
    await person.go_to("Home")
    await person.load_examples()
    await _walk_home(person, look)
    for name in PAGES[1:]:
        await person.go_to(name)
        await expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        await expect(_content_of(page, name)).to_be_visible()
        await look(name)
    await _walk_settings(person, look)
    await person.go_to("Projects")
    await page.get_by_role("link", name="Garden").click()
    await expect(page.get_by_role("link", name="Never shared")).to_be_visible()
    await page.get_by_role("button", name="Delete with everything in it").click()
    await look("a project to be deleted")
    await _take_back(page)
    await person.open_sidebar()
    await person.ask("What is on this page?")
    await person.answered("You never share this page")
    await look("the sidebar with an answer")
    await page.get_by_role("button", name="Close").click()
    await person.go_to("Notes")
    await page.locator("main a").first.click()
    await page.get_by_label("Text of the note, in Markdown").click()
    await look("a note that is being written")
    for name, button in (("Tasks", "New task"), ("Projects", "New project"), ("Timeline", "New checkpoint")):
        await person.go_to(name)
        await page.get_by_role("button", name=button).click()
        await expect(page.get_by_role("dialog", name=button)).to_be_visible()
        await look(button)
        await page.keyboard.press("Escape")
    await _walk_overlays(page, look)
    await page.get_by_role("link", name="Buy milk").click()
    await page.get_by_label("New comment").fill("Two litres")
    await page.get_by_role("button", name="Add comment").click()
    await page.get_by_role("article").get_by_role("button", name="Delete").click()
    await look("a task with a comment to be deleted")
    await _take_back(page)
    await page.keyboard.press("Escape")
    if LONG:
        await _walk_failures(person, look)


def _content_of(page: Page, name: str) -> Locator:
    """What a page shows once its rows are read."""
    main = page.get_by_role("main")
    return main.get_by_role("button", name="Undo").first if name == "History" else main.get_by_role("link").first


async def _walk_overlays(page: Page, look: Callable[[str], Awaitable[None]]) -> None:
    """On the tasks: the command line, adding a task, the keys, what is selected, and the boards."""
    await page.goto("/app/tasks")
    row = page.get_by_role("link", name="Buy milk")
    await expect(row).to_be_visible()
    for key, name in (("Control+k", "Search or run a command"), ("q", "Add a task"), ("?", "Keys")):
        await page.keyboard.press(key)
        await expect(page.get_by_role("dialog", name=name)).to_be_visible()
        if name != "Keys":
            await page.keyboard.type("Call Anna tomorrow 5pm #Website !high @Marco")
        await look(name)
        await page.keyboard.press("Escape")
        # Hidden by the browser before the page hears of it, which until then takes no key.
        await expect(page.locator("dialog")).to_have_count(0)
    await page.goto("/app/tasks?as=project")
    await expect(page.get_by_role("button", name="Move: Buy milk")).to_be_visible()
    await look("a board")
    await page.get_by_role("button", name="Move: Buy milk").press("Space")
    await expect(page.locator(".board-card.lifted")).to_be_visible()
    # What listens for the arrows comes by a timer that was set before this one.
    await page.evaluate("new Promise((done) => setTimeout(done))")
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".board-column.over")).to_have_accessible_name("Website")
    await look("a card that is moved")
    await page.keyboard.press("Escape")
    await page.goto("/app/tasks")
    await row.focus()
    await page.keyboard.press("x")
    await page.keyboard.press("d")
    await expect(page.get_by_label("Date in words")).to_be_visible()
    await look("the date of a selected task")
    await page.keyboard.press("Escape")
    await page.goto("/app/tasks")


async def _walk_failures(person: WorkspaceUser, look: Callable[[str], Awaitable[None]]) -> None:
    """Visit what can be imported, an undo that would overwrite, what is not there, and Home without a connection."""
    page = person.page
    found = await person.choose_to_import(*sorted((EXPORTED / "todoist").iterdir()))
    await expect(found).to_contain_text("From Todoist")
    await look("what can be imported")
    await person.go_to("Tasks")
    for task in ("Air the beds", "Paint the door"):
        await page.keyboard.press("q")
        await page.get_by_role("dialog", name="Add a task").get_by_role("combobox").fill(f"{task} #Shed")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("link", name=task)).to_be_visible()
    await person.go_to("History")
    await page.get_by_role("button", name="Undo: Added the project “Shed”").click()
    await expect(page.get_by_role("region", name="Changed since")).to_be_visible()
    await look("an undo that would take more along")
    for address, sentence in (("nowhere", "There is no such page."), ("notes/0", "There is no such note any more.")):
        await page.goto(f"/app/{address}")
        await expect(page.get_by_text(sentence)).to_be_visible()
        await look(f"no such {address.split('/')[0]}")
    await person.go_to("Home")
    await expect(page.get_by_role("button", name="Try now")).to_have_count(0)
    await page.context.set_offline(True)
    await expect(page.get_by_role("button", name="Try now")).to_be_visible()
    await person.ask("Which tasks are due today?")
    await expect(page.get_by_text("Waiting", exact=True)).to_be_visible()
    await look("Home while a question waits")
    await page.context.set_offline(False)
    await person.answered("Buy milk")


async def _take_back(page: Page) -> None:
    """Cancel the deletion that the dialog asks about."""
    await page.get_by_role("button", name="Keep it").click()
    await expect(page.get_by_role("button", name="Delete").first).to_be_visible()


async def _walk_home(person: WorkspaceUser, look: Callable[[str], Awaitable[None]]) -> None:
    """Visit Home with an answer of each kind, a question, and the list of chats."""
    page = person.page
    await person.ask("What's overdue?")
    await person.answered("You have 1 overdue task.")
    await page.get_by_role("button", name="What was shared").click()
    await person.ask("How many tasks by status, as a pie chart?")
    await expect(page.locator(".chart svg, figure svg").first).to_be_visible()
    await person.ask("Show my tasks as a table")
    await expect(page.get_by_role("region", name="Table")).to_be_visible()
    await look("Home with answers")
    await person.ask("Delete task “Buy milk”")
    question = page.get_by_role("region", name="May this be done?")
    await question.get_by_role("button", name="No, because…").click()
    await expect(question.get_by_label("Why not")).to_be_focused()
    await look("Home with a question")
    await page.keyboard.type("It is for tomorrow")
    await page.keyboard.press("Enter")
    await person.is_over()
    # On a narrow page the chats are in a dialog.
    if await page.get_by_role("button", name="Earlier chats").count():
        await page.get_by_role("button", name="Earlier chats").click()
    chats = page.get_by_role("region", name="Chats")
    await expect(chats.get_by_role("button", name="What's overdue?")).to_be_visible()
    await chats.get_by_role("button", name="More").first.click()
    # Other widths show the list elsewhere, where nothing is open.
    await look("the chats there were")
    await page.keyboard.press("Escape")


async def _walk_settings(person: WorkspaceUser, look: Callable[[str], Awaitable[None]]) -> None:
    """Visit every section of the settings, with a decision and a question in each that has them."""
    page = person.page
    for section in SECTIONS:
        settings = await person.set_up(section)
        match section:
            case "Privacy":
                # Which rows are named first is by chance.
                await expect(settings.get_by_role("listitem").get_by_role("link").first).to_be_visible()
                await settings.get_by_label("Garden").check()
                await expect(settings.get_by_text("Saved.")).to_be_visible()
            case "Permissions":
                await settings.locator("summary", has_text="Tasks").click()
                await settings.get_by_label("Deleting a task").select_option("Never")
                await page.get_by_role("group", name="Deleting").get_by_role("radio", name="Unasked").check()
                await expect(settings.get_by_text("Saved.")).to_be_visible()
            case "Memory":
                await settings.get_by_label("What about").fill("favourite tea")
                await settings.get_by_label("What to remember").fill("Assam")
                await settings.get_by_role("button", name="Remember", exact=True).click()
                await settings.get_by_role("button", name="Forget favourite tea").click()
                await settings.get_by_role("button", name="Forget everything…").click()
            case "Account":
                await expect(settings.get_by_text("This browser", exact=True)).to_be_visible()
                await settings.get_by_role("button", name="Sign out everywhere").click()
            case "Data":
                await settings.get_by_role("button", name="Download a copy").click()
                await expect(settings.get_by_text("The browser saves it as")).to_be_visible()
                await settings.get_by_role("button", name="Delete everything here…").click()
            case _:
                await expect(settings.get_by_role("heading", level=2).first).to_be_visible()
        await expect(settings.get_by_text("Asking the server…")).to_have_count(0)
        await look(f"Settings, {section}")


async def test_tab_reaches_everything_and_shows_where_it_is(person: WorkspaceUser) -> None:
    page = person.page
    for name in PAGES:
        await person.go_to(name)
        if name != "Home":
            await expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
        assert await _unreached(page) == [], name
    for section in SECTIONS:
        settings = await person.set_up(section)
        await expect(settings.get_by_text("Asking the server…")).to_have_count(0)
        assert await _unreached(page) == [], section
    await person.go_to("Tasks")
    await person.open_sidebar()
    assert await _unreached(page) == [], "the sidebar"


async def _unreached(page: Page) -> list[str]:
    """What Tab skips or focuses invisibly in one full cycle. The marks set on the page are removed afterwards."""
    wanted = await page.evaluate(_MARK)
    unseen: list[str] = []
    for _ in range(wanted * 2 + 5):
        await page.keyboard.press("Tab")
        stop = await page.evaluate(_VISIT)
        if stop is None:
            break
        if not stop["seen"]:
            unseen.append(f"no focus seen at {stop['name']}")
    return [*unseen, *await page.evaluate(_LEFT)]


_NAME = "(each) => each.outerHTML.slice(0, 120)"
_MARK = """() => {
  // From the beginning, wherever the last click was. The focus is never nowhere, neither before nor behind what Tab
  // reaches: a page that was just opened would take it.
  const end = (id, tabIndex) => Object.assign(document.createElement("span"), { id, tabIndex });
  const start = end("start-of-the-walk", -1);
  document.body.prepend(start);
  start.focus();
  const fields = "input:not(:disabled, [type=radio]:not(:checked)), select, textarea";
  const tabbable = `a[href], button:not(:disabled), ${fields}, summary, [tabindex='0']`;
  const shown = [...document.querySelectorAll(tabbable)].filter((each) => each.checkVisibility());
  globalThis.awaited = new Set(shown);
  document.body.append(end("end-of-the-walk", 0));
  return shown.length;
}"""
_VISIT = f"""() => {{
  const here = document.activeElement;
  if (here === null || here === document.body || here.id === "end-of-the-walk") return null;
  globalThis.awaited.delete(here);
  const name = ({_NAME})(here);
  const drawn = (element) => {{
    const style = getComputedStyle(element);
    const line = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    return {{ line, look: [style.boxShadow, style.borderColor].join() }};
  }};
  const around = [here, here.parentElement, here.closest("form")].filter(Boolean);
  const focused = around.map(drawn);
  if (focused.some(({{ line }}) => line)) return {{ name, seen: true }};
  here.blur();
  const seen = around.some((element, index) => drawn(element).look !== focused[index].look);
  here.focus({{ focusVisible: true }});
  return {{ name, seen }};
}}"""
_LEFT = f"""() => {{
  for (const id of ["start-of-the-walk", "end-of-the-walk"]) document.getElementById(id).remove();
  return [...globalThis.awaited].filter((each) => each.isConnected).map({_NAME});
}}"""


async def test_dialog_is_left_with_escape_and_gives_the_focus_back(person: WorkspaceUser) -> None:
    page = person.page
    await person.go_to("Tasks")
    opener = page.get_by_role("button", name="New task")
    for leaving in ("Escape", "Cancel"):
        await _press(opener)
        await expect(page.get_by_role("dialog").get_by_label("Title")).to_be_focused()
        if leaving == "Escape":
            await page.keyboard.press("Escape")
        else:
            await _press(page.get_by_role("button", name=leaving))
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(opener).to_be_focused()

    task = page.get_by_role("link", name="Buy milk")
    await _press(task)
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(task).to_be_focused()
    # Not into the dialog that was left.
    await page.go_back()
    await expect(page).to_have_url(re.compile(r"/app/tasks$"))


async def test_choices_are_seen_in_colours_of_the_users_own(person: WorkspaceUser) -> None:
    """The browser draws no backgrounds then."""
    page = person.page
    await page.emulate_media(forced_colors="active")
    await page.goto("/app/settings/appearance")
    chosen = page.get_by_role("radiogroup", name="Theme").locator("label:has(:checked)")
    await expect(chosen).to_have_css("outline-style", "solid")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("dialog").get_by_role("option", selected=True)).to_have_css("outline-style", "solid")


async def test_sidebar_is_left_with_escape_and_gives_the_focus_back(person: WorkspaceUser) -> None:
    page = person.page
    await person.go_to("Tasks")
    trigger = page.get_by_role("button", name="Ask Adiuva")
    for leaving in ("Escape", "Close"):
        await _press(trigger)
        await expect(page.get_by_label("Message to Adiuva")).to_be_focused()
        if leaving == "Escape":
            await page.keyboard.press("Escape")
        else:
            await _press(page.get_by_role("button", name=leaving))
        await expect(page.get_by_label("Message to Adiuva")).to_have_count(0)
        await expect(trigger).to_be_focused()


async def test_focus_is_not_lost_in_a_page_that_is_still_being_fetched(person: WorkspaceUser) -> None:
    page = person.page
    fetched = await _held_back(page, "TasksPage")
    await page.reload()
    await person.go_to("Tasks")
    await expect(page.get_by_role("heading", name="Tasks")).to_be_visible()
    trigger = page.get_by_role("button", name="Ask Adiuva")
    await expect(trigger).to_have_count(0)
    fetched.set()
    await _press(trigger)
    await expect(page.get_by_label("Message to Adiuva")).to_be_focused()


async def _held_back(page: Page, name: str) -> asyncio.Event:
    """The file of a page is not fetched before the event is set."""
    fetched = asyncio.Event()

    async def hold_back(route: Route) -> None:
        await fetched.wait()
        await route.continue_()

    await page.route(f"**/assets/{name}-*.js", hold_back)
    return fetched


async def test_width_of_the_sidebar_is_changed_by_keys_and_remembered(person: WorkspaceUser) -> None:
    page = person.page
    await person.go_to("Tasks")
    await person.open_sidebar()
    splitter = page.get_by_role("separator", name="Width of the sidebar")
    await splitter.focus()
    for _ in range(3):
        await page.keyboard.press("ArrowLeft")
    await expect(splitter).to_have_attribute("aria-valuenow", "38")

    await page.reload()
    await expect(splitter).to_have_attribute("aria-valuenow", "38")


async def test_narrow_window_scrolls_in_one_direction(person: WorkspaceUser) -> None:
    await person.page.set_viewport_size(NARROW)
    for name in PAGES:
        await person.go_to(name)
        await expect(person.page.get_by_role("main")).to_be_visible()
        assert await _width(person.page) <= NARROW["width"], name
    for section in SECTIONS:
        settings = await person.set_up(section)
        await expect(settings.get_by_text("Asking the server…")).to_have_count(0)
        assert await _width(person.page) <= NARROW["width"], section


async def test_low_window_has_room_for_rows_and_cards(person: WorkspaceUser) -> None:
    """As a window of 1,280 by 800 px that is magnified twice."""
    page = person.page
    await page.set_viewport_size({"width": 640, "height": 400})
    for address, name in (("tasks", "Tasks"), ("tasks?as=project", "Website")):
        await page.goto(f"/app/{address}")
        rows = page.get_by_role("region", name=name, exact=True)
        await expect(rows).to_be_visible()
        box = await rows.bounding_box()
        assert box is not None
        assert box["height"] > 200, name
        await rows.get_by_role("link").last.scroll_into_view_if_needed()
        await expect(rows.get_by_role("link").last).to_be_in_viewport()


async def test_home_and_notes_scroll_where_the_window_is_magnified_four_times(person: WorkspaceUser) -> None:
    page = person.page
    await page.set_viewport_size({"width": 320, "height": 256})
    for address, label, place in (
        ("", "Message to Adiuva", ".home .scroller"),
        ("notes/new", "Text of the note, in Markdown", ".editor-host"),
    ):
        await page.goto(f"/app/{address}")
        field = page.get_by_label(label)
        await field.scroll_into_view_if_needed()
        await expect(field).to_be_in_viewport()
        assert await page.locator(place).evaluate(_ROOM) > 100, address


async def test_title_in_hebrew_begins_at_the_right(stranger: WorkspaceUser) -> None:
    page = stranger.page
    await stranger.sign_up()
    await stranger.go_to("Tasks")
    await page.keyboard.press("q")
    await page.get_by_role("dialog").get_by_role("combobox").fill("שלום 1!")
    await page.keyboard.press("Enter")
    title = page.get_by_role("link", name="שלום 1!", exact=True)
    begins, ends = await title.evaluate(_ENDS)
    assert ends < begins


async def test_page_on_paper_has_all_of_its_rows(person: WorkspaceUser) -> None:
    page = person.page
    await page.set_viewport_size({"width": 640, "height": 400})
    await page.goto("/app/tasks")
    await expect(page.get_by_role("link", name="Dig out the pond")).to_be_attached()
    await page.emulate_media(media="print")
    try:
        await expect(page.get_by_role("navigation", name="Pages")).to_be_hidden()
        last = await page.get_by_role("link", name="Dig out the pond").bounding_box()
        assert last is not None
        assert 400 < last["y"] < await page.evaluate("document.documentElement.scrollHeight")
    finally:
        await page.emulate_media(media="screen")


_IS_CUT: Final = """
(select) => {
  const width = select.offsetWidth;
  select.style.cssText = "flex: none; width: max-content";
  const needed = select.offsetWidth;
  select.style.cssText = "";
  return width < needed;
}
"""
"""Whether the names of a choice have less room than the longest needs."""


async def test_filters_and_timeline_have_room_in_every_width(person: WorkspaceUser) -> None:
    page = person.page
    await person.go_to("Tasks")
    await expect(page.get_by_role("list", name="10 tasks")).to_be_visible()
    choices = page.get_by_role("search").get_by_role("combobox")
    toggle = page.get_by_role("button", name="Filters")
    for width, lines in ((700, 2), (768, 2), (1000, 2), (1180, 1), (1280, 1), (1920, 1)):
        await page.set_viewport_size({"width": width, "height": 740})
        await expect(choices).to_have_count(5)
        assert len({await _top(each) for each in await choices.all()}) == lines, width
        assert [each for each in await choices.all() if await each.evaluate(_IS_CUT)] == [], width
        await expect(toggle).to_be_hidden()
    # The room is that of the list, not of the window.
    await person.open_sidebar()
    await page.set_viewport_size(WIDE)
    await expect(toggle).to_be_visible()
    await expect(choices).to_have_count(0)

    await page.get_by_role("button", name="Close", exact=True).click()
    await person.go_to("Timeline")
    today = page.locator(".axis").get_by_text("Today", exact=True)
    await expect(today.nth(1)).to_be_visible()
    assert len({await _left(each) for each in await today.all()}) == 1
    await page.set_viewport_size(NARROW)
    strip = page.get_by_role("link", name="Launch").locator("svg").first
    box = await strip.bounding_box()
    assert box is not None
    assert box["width"] > NARROW["width"] * 0.75


async def _left(element: Locator) -> float:
    box = await element.bounding_box()
    assert box is not None
    return box["x"]


async def _top(element: Locator) -> float:
    box = await element.bounding_box()
    assert box is not None
    return box["y"]


async def _width(page: Page) -> int:
    """The content width of the page or its scrolling part, the larger one, in CSS pixels."""
    widths = "[document.documentElement, document.getElementById('main')].map((each) => each.scrollWidth)"
    return int(await page.evaluate(f"Math.max(...{widths})"))


async def _press(control: Locator) -> None:
    """With the keyboard only."""
    await control.focus()
    await control.press("Enter")


async def _told(page: Page, text: str) -> None:
    """What is announced is gone after two seconds, and an expectation looks for it only once a second."""
    await page.get_by_role("status").filter(has_text=text).wait_for(state="attached")


async def test_screen_reader_is_told_the_page_that_is_opened_and_tab_goes_on_in_it(person: WorkspaceUser) -> None:
    page = person.page
    await person.go_to("Notes")
    await page.get_by_role("link", name="Pond").press("Enter")
    await _told(page, "Pond · Adiuva")
    await expect(page.get_by_role("main")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.get_by_label("Title of the note")).to_be_focused()


async def test_screen_reader_is_told_where_signing_in_and_out_lead(stranger: WorkspaceUser) -> None:
    page = stranger.page
    await stranger.sign_up()
    await _told(page, "Home · Adiuva")
    await expect(page.get_by_role("main")).to_be_focused()
    settings = await stranger.set_up("Account")
    await settings.get_by_role("button", name="Sign out", exact=True).click()
    await _told(page, "Sign in · Adiuva")
    await expect(page.get_by_role("main")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.get_by_label("Email address")).to_be_focused()


async def test_screen_reader_is_told_a_page_only_once_it_is_there(person: WorkspaceUser) -> None:
    """Its file comes late: what stands for it has a title, too, and would be told in its place."""
    page = person.page
    fetched = await _held_back(page, "NotePage")
    await page.reload()
    await person.go_to("Notes")
    await page.get_by_role("link", name="Pond").press("Enter")
    await expect(page.get_by_role("heading", name="Note", exact=True)).to_be_visible()
    await page.wait_for_timeout(1_000)
    fetched.set()
    await _told(page, "Pond · Adiuva")
    await expect(page.get_by_role("main")).to_be_focused()


async def test_screen_reader_is_told_what_a_task_and_a_question_are(person: WorkspaceUser) -> None:
    page = person.page
    await person.ask("Delete task “Buy milk”")
    question = page.get_by_role("region", name="May this be done?")
    await expect(question).to_match_aria_snapshot(_QUESTION)
    await question.get_by_role("button", name="No", exact=True).click()
    await person.go_to("Tasks")
    tasks = page.get_by_role("list", name="10 tasks")
    await expect(tasks.get_by_role("listitem").filter(has_text="front page")).to_match_aria_snapshot(_TASK)


_QUESTION: Final = """
- region "May this be done?":
  - paragraph: Delete the task “Buy milk”; you can undo it.
  - heading "Before"
  - term: Title
  - definition: Buy milk
  - heading "After"
  - paragraph: Deleted.
  - button "Yes, delete"
  - button "No"
  - button "No, because…"
"""
_TASK: Final = """
- listitem:
  - 'checkbox "Done: Write the text of the front page"'
  - link "Write the text of the front page"
  - 'button "Rename: Write the text of the front page"'
  - text: "/For: Anna in progress Priority: high/"
  - 'button "Project: Website. Change it"'
  - 'button "Due: Today. Change it"'
"""
