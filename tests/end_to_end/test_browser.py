"""Staff in a real browser: a prompt is changed in the admin, and the next turn uses it."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from agents.prompts.names import PromptName, builtin_text
from tests.adiuva.production import manage
from tests.adiuva.servers import lines_until_ready, serving
from tests.conftest import PASSWORD
from tests.end_to_end.browsers import shares_browser, until_true, window
from tests.end_to_end.conftest import Running, environment, register
from tests.end_to_end.raw import device
from tests.end_to_end.turns import told
from tests.model_server.scripts import says
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
HOME = PromptName.HOME_SYSTEM
PATIENCE_S = 60.0
SAM = "sam@example.com"
DRAWN = """
() => {
    const drawn = canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean);
    const charts = [...document.querySelectorAll("canvas.chart")];
    return charts.length > 0 && charts.every(drawn);
}
"""


@pytest.fixture
def server(fresh_database_url: str, tmp_path: Path) -> Iterator[Running]:
    """A server with its own prompts, and Sam, a superuser."""
    with ModelServer() as model:
        model.otherwise(says("Noted."))
        variables = environment(fresh_database_url, tmp_path, OPENAI_BASE_URL=model.base_url)
        with serving("--port", "0", env=variables) as process:
            _, url = lines_until_ready(process)
            made = manage(
                *("createsuperuser", "--no-input", "--email", SAM),
                env={**variables, "DJANGO_SUPERUSER_PASSWORD": PASSWORD},
            )
            assert made.returncode == 0, made.stderr
            yield Running(url=url, model=model)
            process.terminate()
            assert process.wait(30) == 0


@dataclass(frozen=True)
class Staff:
    """Staff at a browser."""

    page: Page

    async def sign_in(self) -> None:
        await self.page.goto("/admin/")
        await self.page.get_by_label("Email").fill(SAM)
        await self.page.get_by_label("Password").fill(PASSWORD)
        await self.page.get_by_role("button", name="Log in").click()
        await expect(self.page.get_by_role("heading", name="How the assistant performs")).to_be_visible()

    async def open_prompt(self) -> None:
        await self.page.get_by_role("link", name="Prompts").first.click()
        await self.page.get_by_role("link", name=HOME, exact=True).click()

    async def write(self, text: str, *, then: str) -> None:
        """Fill the field with ``text`` and press the button ``then``."""
        await self.page.get_by_label("Text", exact=True).fill(text)
        await self.page.get_by_role("button", name=then).click()

    async def shown(self, words: str) -> None:
        await expect(self.page.get_by_text(words).first).to_be_visible()

    async def go_back_to(self, version: int) -> None:
        await self.page.get_by_role("link", name=f"Version {version}", exact=True).click()
        # Loaded: while its scripts still move what is in it, the button may not be under the mouse when it goes up.
        await self.page.wait_for_url(f"**/versions/{version}/")
        await self.page.get_by_role("button", name="Go back to this one").click()
        await self.shown(f"{HOME}: version {version} is in force again.")

    async def see_turns(self, number: int) -> None:
        """Reload the dashboard until it counts ``number`` turns: they are stored shortly after they end."""
        figure = self.page.locator("p", has_text="Turns").first.locator("xpath=following-sibling::p[1]")
        async with asyncio.timeout(PATIENCE_S):
            await self.page.goto("/admin/")
            while await figure.inner_text() != str(number):
                await self.page.reload()

    async def see_charts(self) -> None:
        await until_true(self.page, DRAWN)


def marked(mark: str) -> str:
    return f"{builtin_text(HOME)}\n\n{mark}"


async def test_staff_change_a_prompt_and_see_the_turns_that_go_by_it(server: Running, browser: Browser) -> None:
    async with window(browser, server.url) as seen, device(server, register(server.url).access) as socket:
        staff = Staff(seen.page)
        await staff.sign_in()
        await staff.open_prompt()

        await staff.write("You look after everything.", then="Preview")
        await staff.shown("The text has to use {{ role }}")
        await staff.write(marked("Answer in verse."), then="Preview")
        await staff.shown("Nothing is saved yet.")
        assert "Answer in verse." not in await told(server, socket)

        await staff.write(marked("Answer in verse."), then="Save and put in force")
        await staff.shown(f"{HOME}: version 1 is in force.")
        assert "Answer in verse." in await told(server, socket)

        await staff.write(marked("Answer in prose."), then="Save and put in force")
        await staff.shown(f"{HOME}: version 2 is in force.")
        assert "Answer in prose." in await told(server, socket)

        await staff.go_back_to(1)
        assert "Answer in verse." in await told(server, socket)

        await staff.see_turns(4)
        await staff.see_charts()
        assert (seen.complaints, seen.hosts) == ([], {server.url})
