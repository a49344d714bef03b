"""Every page of the admin in a real browser, behind its second factor: nothing violates the Content-Security-Policy."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, CDPSession, Page, expect

from tests.accounts.codes import code_of
from tests.adiuva.production import manage
from tests.adiuva.servers import lines_until_ready, serving
from tests.conftest import PASSWORD
from tests.end_to_end.browsers import shares_browser, window
from tests.end_to_end.conftest import environment, register

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
SAM = "sam@example.com"
LINKS = "() => [...document.querySelectorAll('a[href]')].map(each => each.pathname)"
VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=/)|(?<=promptsetting/)[a-z_.-]+(?=/)")
TOO_WIDE = "() => result_list.scrollWidth - result_list.closest('[data-simplebar]').clientWidth"
CUT_OFF = """() => [...result_list.querySelectorAll('tbody :is(td, th)')]
    .filter(cell => cell.scrollHeight > cell.clientHeight + 1).map(cell => cell.className)"""
MODEL = "accounts/fireworks/models/llama-v3p1-405b-instruct"
# A turn of now: the server deletes old ones at a time of its choice.
WRITE_TURN = f"""
from datetime import UTC, datetime
from accounts.models import User
from agents.telemetry.recorder import save_turns
from tests.agents.turns import generation, turn
user_id = User.objects.filter(is_staff=False).first().id
save_turns([turn(user_id, generations=(generation("{MODEL}"),), started_at=datetime.now(UTC))])
"""
UNVISITED = ("/admin/logout/", "/admin/login/")


@pytest.fixture
def server(fresh_database_url: str, tmp_path: Path) -> Iterator[str]:
    """The address of a server on which staff must have a second factor, with Sam, a superuser, and a user."""
    variables = environment(fresh_database_url, tmp_path, ADIUVA_STAFF_SECOND_FACTOR="required")
    with serving("--port", "0", env=variables) as process:
        _, url = lines_until_ready(process)
        made = manage(
            *("createsuperuser", "--no-input", "--email", SAM),
            env={**variables, "DJANGO_SUPERUSER_PASSWORD": PASSWORD},
        )
        assert made.returncode == 0, made.stderr
        register(url)
        written = manage("shell", "-c", WRITE_TURN, env=variables)
        assert written.returncode == 0, written.stderr
        # Passkeys belong to a name, not to an IP address.
        yield url.replace("127.0.0.1", "localhost")
        process.terminate()
        assert process.wait(30) == 0


@dataclass(frozen=True)
class Staff:
    page: Page
    visited: set[str] = field(default_factory=set)

    async def give_password(self) -> None:
        await self.page.goto("/admin/")
        await self.page.get_by_label("Email").fill(SAM)
        await self.page.get_by_label("Password").fill(PASSWORD)
        await self.page.get_by_role("button", name="Log in").click()

    async def add_app(self) -> None:
        secret = await self.page.locator("code").inner_text()
        await self.page.get_by_role("textbox", name="Code").fill(code_of(secret))
        await self.page.get_by_role("button", name="Add the app").click()
        await expect(self.page.locator("#content li")).to_have_count(10)
        await self.page.get_by_role("link", name="I have kept them").click()
        await self.see_overview()

    async def add_passkey(self) -> None:
        await self.page.goto("/admin/second-factor/add/")
        await self.page.get_by_label("Password").fill(PASSWORD)
        await self.page.get_by_role("button", name="Continue").click()
        await self.page.get_by_role("button", name="Add a passkey").click()
        await expect(self.page.get_by_role("link", name="Remove Passkey")).to_be_visible()

    async def sign_in_with_passkey(self) -> None:
        await self.page.context.clear_cookies()
        await self.give_password()
        await self.page.get_by_role("button", name="Use a passkey").click()
        await self.see_overview()

    async def see_overview(self) -> None:
        await expect(self.page.get_by_role("heading", name="How the assistant performs")).to_be_visible()

    async def visit_all(self) -> None:
        """Follow every link within the admin, but of pages that differ in a row only the first one."""
        waiting = ["/admin/", "/admin/password_change/"]
        while waiting:
            path = waiting.pop()
            if (kind := VARYING.sub("…", path)) in self.visited or path in UNVISITED:
                continue
            self.visited.add(kind)
            await self.page.goto(path)
            waiting += [link for link in await self.page.evaluate(LINKS) if link.startswith("/admin/")]

    async def see_list_fit(self, path: str) -> None:
        """With an address of 44 characters a list is no wider than its place beside the navigation; nor is it cut off
        on a phone."""
        await self.page.goto(path)
        assert self.page.viewport_size == {"width": 1280, "height": 720}
        assert await self.page.evaluate(TOO_WIDE) <= 0
        await self.page.set_viewport_size({"width": 360, "height": 720})
        assert await self.page.evaluate(CUT_OFF) == []
        await self.page.set_viewport_size({"width": 1280, "height": 720})

    async def open_menus(self) -> None:
        """What Alpine opens: here the filters."""
        await self.page.get_by_text("Filters").first.click()
        await expect(self.page.get_by_role("heading", name="By language")).to_be_visible()


async def with_authenticator(page: Page) -> CDPSession:
    """Give the browser a security key that knows its user."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    more = {"isUserVerified": True, "automaticPresenceSimulation": True}
    await session.send("WebAuthn.addVirtualAuthenticator", {"options": {**options, **more}})
    return session


async def test_staff_prove_a_second_factor_and_no_page_violates_the_policy(server: str, browser: Browser) -> None:
    async with window(browser, server) as seen:
        staff, key = Staff(seen.page), await with_authenticator(seen.page)
        await staff.give_password()
        await staff.add_app()
        await staff.add_passkey()
        await staff.sign_in_with_passkey()
        await staff.visit_all()
        await staff.see_list_fit("/admin/agents/turnrecord/")
        await staff.see_list_fit("/admin/accounts/user/")
        await staff.open_menus()
        assert {"/admin/accounts/user/…/change/", "/admin/second-factor/own/"} <= staff.visited
        assert len(staff.visited) > 30
        assert (seen.complaints, seen.hosts) == ([], {server})
        await key.detach()
