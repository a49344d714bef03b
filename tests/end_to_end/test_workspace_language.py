"""The workspace in Italian: no text of the interface is English on any page."""

import json
import uuid
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from tests.conftest import PASSWORD
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.workspaces import WorkspaceUser, newcomer, profile
from tests.forks import ROOT

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

ITALIAN: Final = json.loads((ROOT / "clients/workspace/src/i18n/it.json").read_text())
SECTIONS: Final = (
    "assistant",
    "privacy",
    "permissions",
    "memory",
    "usage",
    "account",
    "programs",
    "appearance",
    "data",
)
TEXTS: Final = """() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    for (const element of document.querySelectorAll("*")) {
        for (const name of ["aria-label", "title", "placeholder", "alt"]) {
            texts.push(element.getAttribute(name) ?? "");
        }
    }
    return [document.title.split(" · ")[0], ...texts].map((text) => text.trim().replace(/\\s+/g, " "));
}"""


def english_only() -> set[str]:
    """The English texts that an Italian reader must not see: those that are no Italian text, too."""
    return {text for text in ITALIAN if "{" not in text and "<" not in text} - set(ITALIAN.values())


async def test_no_page_shows_english_in_italian(offline: str, browser: Browser) -> None:
    found: list[str] = []
    async with profile(browser, offline, locale="it-IT") as context:
        page = await context.new_page()

        async def look(place: str) -> None:
            shown = set(await page.evaluate(TEXTS))
            assert shown & set(ITALIAN.values()), place
            found.extend(f"{place}: {text}" for text in sorted(shown & english_only()))

        await page.goto("/app/sign-in")
        await expect(page.get_by_role("button", name="Accedi", exact=True)).to_be_visible()
        await look("sign-in")
        await _sign_up(page)
        await look("an empty Home")
        await _open(page, "/tasks")
        await look("no tasks")
        await _open(page, "/")
        await page.get_by_role("button", name="Carica dati di esempio").click()
        await expect(page.get_by_role("button", name="Carica dati di esempio")).to_have_count(0)
        for path in ("/", "/projects", "/notes", "/timeline", "/history", "/tasks"):
            await _open(page, path)
            await expect(page.get_by_role("heading", level=1)).to_be_visible()
            await look(path)
        await page.get_by_role("button", name="Nuova attività").click()
        await look("a new task")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.get_by_role("button", name="Seleziona", exact=True).click()
        await look("selecting")
        for key, name in (("Control+k", "Cerca o esegui un comando"), ("?", "Tasti")):
            await page.keyboard.press(key)
            await expect(page.get_by_role("dialog", name=name)).to_be_visible()
            await look(name)
            await page.keyboard.press("Escape")
            await expect(page.get_by_role("dialog")).to_have_count(0)
        await _open(page, "/projects")
        await page.get_by_role("link", name="Giardino").click()
        await page.get_by_role("button", name="Elimina con tutto il contenuto").click()
        await look("a project")
        await _open(page, "/notes")
        await page.locator("main a").first.click()
        await page.get_by_label("Testo della nota, in Markdown").click()
        await look("a note")
        await page.get_by_role("button", name="Chiedi ad Adiuva").click()
        await look("the sidebar")
        await _open(page, "/settings")
        for section in SECTIONS:
            await page.locator(f"nav a[href='/app/settings/{section}']").click()
            await expect(page.get_by_role("main").get_by_text("Chiedo al server…")).to_have_count(0)
            await look(section)
    assert found == []


async def test_language_is_chosen_for_all_tabs_and_stays(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        person = await WorkspaceUser.at(context)
        await person.sign_up()
        settings = await person.set_up("Appearance")
        other = await WorkspaceUser.at(context)
        await expect(other.page.get_by_role("link", name="Tasks", exact=True)).to_be_visible()
        await settings.get_by_label("Language of the pages").select_option("it")
        await expect(settings.get_by_label("Lingua delle pagine")).to_be_visible()
        await expect(other.page.get_by_role("link", name="Attività", exact=True)).to_be_visible()
        await person.page.reload()
        await expect(person.page.get_by_role("link", name="Attività", exact=True)).to_be_visible()
        await expect(person.page.locator("html")).to_have_attribute("lang", "it")


async def test_server_asks_in_the_chosen_language(offline: str, browser: Browser) -> None:
    async with newcomer(browser, offline) as person:
        page = person.page
        settings = await person.set_up("Appearance")
        await settings.get_by_label("Language of the pages").select_option("it")
        await page.get_by_role("link", name="Home", exact=True).click()
        for _ in range(2):
            await page.get_by_label("Messaggio ad Adiuva").fill("Delete task “Buy milk”")
            await page.keyboard.press("Enter")
            question = page.get_by_role("group", name="Domanda")
            await expect(question).to_contain_text("Eliminare l'attività «Buy milk»")
            await question.get_by_role("button", name="No", exact=True).click()
            await expect(question).to_have_count(0)
            await page.reload()


async def _sign_up(page: Page) -> None:
    await page.get_by_role("link", name="Creane uno").click()
    await page.get_by_label("Indirizzo email").fill(f"{uuid.uuid4().hex}@example.com")
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Crea l’account").click()
    await expect(page.get_by_role("button", name="Carica dati di esempio")).to_be_visible()


async def _open(page: Page, path: str) -> None:
    await page.locator(f".navigation a[href='/app{path}']").click()
