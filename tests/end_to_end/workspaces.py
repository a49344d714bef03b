"""A user of the workspace, in a browser with persistent storage."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, BrowserContext, Locator, Page, async_playwright, expect

from tests.conftest import CHROMIUM, PASSWORD
from tests.end_to_end.browsers import QUIET, WAIT_MS, Window
from tests.end_to_end.midnight import ZONE
from tests.forks import ROOT

EXPORTED: Final = ROOT / "clients/workspace/test/imports"
"""What other programs exported."""
_NO_WORKERS: Final = "delete Navigator.prototype.serviceWorker"
_BEHIND_MORE: Final = ("Timeline", "History", "Settings")
"""Pages that have no place in the bar of a narrow window."""
_COLUMN_PX: Final = 801
"""From this width on there is a column for all."""


@asynccontextmanager
async def profile(
    browser: Browser, url: str, *, locale: str = "en-GB", with_worker: bool = False
) -> AsyncIterator[BrowserContext]:
    """A profile of ``browser`` with its own storage until the end, for which addresses begin at ``url``.

    Unless ``with_worker``, it knows no service workers, as some private windows: one loads and hashes every file of the
    workspace, which takes as long as many a test.
    """
    context = await browser.new_context(base_url=url, timezone_id=ZONE, locale=locale)
    try:
        if not with_worker:
            await context.add_init_script(_NO_WORKERS)
        context.set_default_timeout(WAIT_MS)
        yield context
    finally:
        await context.close()


@asynccontextmanager
async def kept_profile(url: str, folder: Path) -> AsyncIterator[BrowserContext]:
    """As ``profile``, in its own browser, with storage in ``folder`` that persists."""
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            folder, executable_path=CHROMIUM, args=QUIET, base_url=url, timezone_id=ZONE, locale="en-GB"
        )
        try:
            context.set_default_timeout(WAIT_MS)
            yield context
        finally:
            await context.close()


@dataclass(frozen=True)
class WorkspaceUser:
    """The user of one tab."""

    page: Page
    window: Window

    @classmethod
    async def at(cls, context: BrowserContext) -> "WorkspaceUser":
        """In a new tab that shows the workspace."""
        page = await context.new_page()
        person = cls(page, Window(page))
        await page.goto("/app/")
        return person

    async def sign_up(self) -> str:
        """Return the address of the new account."""
        email = f"{uuid.uuid4().hex}@example.com"
        await self.page.get_by_role("link", name="Make one").click()
        await self._enter(email, "Make the account")
        return email

    async def sign_in(self, email: str) -> None:
        await self._enter(email, "Sign in")

    async def _enter(self, email: str, button: str) -> None:
        await self.page.get_by_label("Email address").fill(email)
        await self.page.get_by_label("Password").fill(PASSWORD)
        await self.page.get_by_role("button", name=button, exact=True).click()

    async def load_examples(self) -> None:
        await self.page.get_by_role("button", name="Load example data").click()
        await expect(self.page.get_by_role("button", name="Load example data")).to_have_count(0)

    async def go_to(self, name: str) -> None:
        size = self.page.viewport_size
        if name in _BEHIND_MORE and size is not None and size["width"] < _COLUMN_PX:
            await self.page.get_by_role("button", name="More pages").click()
        await self.page.get_by_role("link", name=name, exact=True).click()

    async def set_up(self, section: str) -> Locator:
        """Open a section of the settings and return the page."""
        await self.go_to("Settings")
        await self.go_to(section)
        await expect(self.page).to_have_title(f"{section} · Settings · Adiuva")
        return self.page.get_by_role("main")

    async def choose_to_import(self, *files: Path) -> Locator:
        """Choose files to import; return the preview."""
        settings = await self.set_up("Data")
        async with self.page.expect_file_chooser() as coming:
            await settings.get_by_role("button", name="Choose files…").click()
        await (await coming.value).set_files(files)
        return settings.get_by_role("group", name="Import this?")

    async def open_sidebar(self) -> None:
        await self.page.get_by_role("button", name="Ask Adiuva").click()

    async def ask(self, message: str) -> None:
        await self.page.get_by_label("Message to Adiuva").fill(message)
        await self.page.keyboard.press("Enter")

    @property
    def answers(self) -> Locator:
        return self.page.locator(".message.assistant")

    async def answered(self, text: str) -> None:
        """Wait until the last answer contains ``text`` and has ended."""
        await expect(self.answers.last).to_contain_text(text)
        await self.is_over()
        # What reads Markdown is fetched by itself.
        await expect(self.answers.last.locator(".unread")).to_have_count(0)

    async def is_over(self) -> None:
        """Wait until no answer is being written."""
        await expect(self.page.get_by_role("button", name="Stop the answer")).to_have_count(0)


@asynccontextmanager
async def newcomer(browser: Browser, url: str, *, with_worker: bool = False) -> AsyncIterator[WorkspaceUser]:
    """A user with a ``profile`` of their own, a new account and the examples."""
    async with profile(browser, url, with_worker=with_worker) as context:
        yield await newcomer_at(context)


async def newcomer_at(context: BrowserContext) -> WorkspaceUser:
    """A user of this profile, with a new account and the examples."""
    person = await WorkspaceUser.at(context)
    await person.sign_up()
    await person.load_examples()
    return person
