"""The workspace in light and dark: the user's choice or the system's, from the first paint on."""

import json
from typing import Final

import pytest
from playwright.async_api import Browser, Page, expect

from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import Running
from tests.end_to_end.workspaces import WorkspaceUser, profile
from tests.model_server.scripts import says

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

_BACKGROUND: Final = "getComputedStyle(document.body).backgroundColor"
LIGHT: Final = "rgb(247, 245, 248)"
DARK: Final = "rgb(19, 19, 22)"
CHART: Final = {
    "type": "chart",
    "chartType": "line",
    "title": "Hours",
    "data": [{"day": "Monday", "hours": 3}, {"day": "Tuesday", "hours": 5}],
    "config": {"hours": {"label": "Hours", "color": "#000000"}},
}


async def test_theme_is_there_before_the_page_is_and_follows_the_system(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        page = (await WorkspaceUser.at(context)).page
        await page.emulate_media(color_scheme="dark")
        await _shows(page, "dark", DARK)
        await page.emulate_media(color_scheme="light")
        await _shows(page, "light", LIGHT)

        await page.evaluate("localStorage.setItem('theme', 'dark')")
        # What is painted before the page's own scripts have loaded.
        await page.route("**/assets/*.js", lambda route: route.abort())
        await page.reload()
        await expect(page.locator("#root")).to_be_empty()
        await _shows(page, "dark", DARK)

        await page.evaluate("localStorage.removeItem('theme')")
        await page.reload()
        await _shows(page, "light", LIGHT)


async def test_black_series_is_black_on_white_and_light_on_dark(running: Running, browser: Browser) -> None:
    question = "How long did it take, as a line?"
    running.model.when(lambda request: question in request.asked, says(json.dumps([CHART])))
    async with profile(browser, running.url) as context:
        person = await WorkspaceUser.at(context)
        await person.sign_up()
        await person.ask(question)
        await expect(person.page.get_by_role("img", name="line chart: Hours")).to_be_visible()
        line = person.page.locator("figure svg[role=img] path.recharts-line-curve")

        for theme, colour in (("light", "rgb(0, 0, 0)"), ("dark", "rgb(105, 105, 105)")):
            await person.page.evaluate("theme => localStorage.setItem('theme', theme)", theme)
            await person.page.evaluate("dispatchEvent(new Event('appearance'))")
            await expect(line).to_have_css("stroke", colour)


async def _shows(page: Page, theme: str, background: str) -> None:
    await expect(page.locator("html")).to_have_attribute("data-theme", theme)
    assert await page.evaluate(_BACKGROUND) == background
