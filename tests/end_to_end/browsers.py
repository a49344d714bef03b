"""A real browser without network access, and its console errors.

One is enough for all tests: each opens a window or a profile of its own in it. Their tests share an event loop.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Browser, ConsoleMessage, Error, Page, Request, Response, async_playwright, expect

from tests.conftest import CHROMIUM

shares_browser = pytest.mark.asyncio(loop_scope="session")
"""For tests that use the fixture ``browser``."""
QUIET = (
    "--no-sandbox",  # as root, Chromium cannot create its own sandbox
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--js-flags=--liftoff-only",  # no test runs long enough that optimizing the database's code would pay
)
_BAD = 400
WAIT_MS = 60_000
"""For every expectation of a page; generous, as the machine may be busy."""
expect.set_options(timeout=WAIT_MS)


async def until_true(page: Page, script: str, argument: Any = None) -> None:
    """Wait until ``script`` gives true. Playwright's own way evaluates text in the page, whose policy forbids that."""
    async with asyncio.timeout(WAIT_MS / 1000):
        while not await page.evaluate(script, argument):  # noqa: ASYNC110 - a page tells of nothing by itself
            await asyncio.sleep(0.05)


@dataclass  # not frozen: playwright stores attributes on objects whose methods it calls
class Window:
    """One page of a browser. ``complaints`` are its console errors; ``hosts`` are the hosts that it contacted."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", self._fail)
        self.page.on("response", self._answered)
        self.page.on("request", self._asked)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _fail(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _answered(self, response: Response) -> None:
        if response.status >= _BAD:
            self.complaints.append(f"{response.status} {response.url}")

    def _asked(self, request: Request) -> None:
        scheme, _, rest = request.url.partition("://")
        if scheme in ("http", "https", "ws", "wss"):
            self.hosts.add(f"{scheme}://{rest.partition('/')[0]}")


@asynccontextmanager
async def launched() -> AsyncIterator[Browser]:
    """A browser, closed at the end."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def window(browser: Browser, url: str) -> AsyncIterator[Window]:
    """A window with separate storage, for which addresses begin at ``url``."""
    page = await browser.new_page(base_url=url)
    page.set_default_timeout(WAIT_MS)
    try:
        yield Window(page)
    finally:
        await page.close()
