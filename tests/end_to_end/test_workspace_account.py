"""The account in the workspace's settings: password, passkeys, sign-ins, programs, download and deletion."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Browser, BrowserContext, expect

from tests.accounts.codes import code_of
from tests.conftest import PASSWORD
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.test_passkeys import AUTHENTICATOR
from tests.end_to_end.workspaces import WorkspaceUser, profile

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]
NEW_PASSWORD = "another long secret"


async def test_user_decides_everything_about_the_account(offline: str, browser: Browser, tmp_path: Path) -> None:
    # Browsers know no passkeys at 127.0.0.1.
    url = f"http://localhost:{urlsplit(offline).port}"
    async with profile(browser, url) as context:
        person = await WorkspaceUser.at(context)
        await with_authenticator(context, person)
        email = await person.sign_up()

        await changes_the_password(person)
        await connects_a_program(person, url)
        await adds_a_passkey(person)
        async with profile(browser, url) as elsewhere:
            other = await WorkspaceUser.at(elsewhere)
            await with_authenticator(elsewhere, other)
            await other.page.get_by_label("Email address").fill(email)
            await other.page.get_by_label("Password").fill(NEW_PASSWORD)
            await other.page.get_by_role("button", name="Sign in", exact=True).click()
            await expect(other.page.get_by_role("button", name="Load example data")).to_be_visible()
            await ends_the_other_sign_in(person)

        await signs_in_by_passkey(person, email)
        await downloads_what_the_server_stores(person, email, tmp_path)
        await deletes_the_account(person)


async def test_user_adds_an_authenticator_app_which_confirms_from_then_on(offline: str, browser: Browser) -> None:
    async with profile(browser, offline) as context:
        person = await WorkspaceUser.at(context)
        await person.sign_up()
        settings = await person.set_up("Account")
        await settings.get_by_role("button", name="Add an app…").click()
        await settings.get_by_label("Your password").fill(PASSWORD)
        await settings.get_by_role("button", name="Continue").click()
        await expect(settings.get_by_role("img", name="QR code with the secret")).to_be_visible()
        secret = await settings.get_by_role("region", name="The secret", exact=True).inner_text()
        await settings.get_by_label("Code that the app shows").fill(code_of(secret))
        await settings.get_by_label("What to call the app").fill("Phone")
        await settings.get_by_role("button", name="Add the app").click()
        codes = await settings.get_by_role("region", name="Recovery codes", exact=True).last.inner_text()
        await settings.get_by_role("button", name="Done").click()

        await settings.get_by_role("button", name="Change the password…").click()
        await settings.get_by_label("New password").fill(NEW_PASSWORD)
        await settings.get_by_label("Your password").fill(PASSWORD)
        await settings.get_by_role("button", name="Change the password", exact=True).click()
        await settings.get_by_label("Code of your authenticator app").fill(codes.split()[0])
        await settings.get_by_role("button", name="Change the password", exact=True).click()
        await expect(settings.get_by_text("The password is changed.")).to_be_visible()


async def with_authenticator(context: BrowserContext, person: WorkspaceUser) -> None:
    session = await context.new_cdp_session(person.page)
    await session.send("WebAuthn.enable")
    await session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})


async def changes_the_password(person: WorkspaceUser) -> None:
    settings = await person.set_up("Account")
    await settings.get_by_role("button", name="Change the password…").click()
    await settings.get_by_label("New password").fill(NEW_PASSWORD)
    await settings.get_by_label("Your password").fill("not the password")
    await settings.get_by_role("button", name="Change the password", exact=True).click()
    await expect(settings.get_by_role("alert")).to_be_visible()
    await settings.get_by_label("Your password").fill(PASSWORD)
    await settings.get_by_role("button", name="Change the password", exact=True).click()
    await expect(settings.get_by_text("The password is changed.")).to_be_visible()
    await expect(settings.get_by_text("Connected", exact=True)).to_be_visible()


async def connects_a_program(person: WorkspaceUser, url: str) -> None:
    settings = await person.set_up("Programs")
    await settings.get_by_label("The program’s name").fill("Cursor")
    await settings.get_by_role("button", name="Make the token").click()
    token = await settings.get_by_role("region", name="The token", exact=True).inner_text()
    await settings.get_by_text("Cursor", exact=True).last.click()
    shown = settings.get_by_role("region", name="Configuration for Cursor")
    server = json.loads(await shown.inner_text())["mcpServers"]["adiuva"]
    assert server == {"url": f"{url}/mcp", "headers": {"Authorization": f"Bearer {token}"}}

    assert await initialized(server) == httpx.codes.OK
    await settings.get_by_role("button", name="Revoke the token of Cursor").click()
    await settings.get_by_role("button", name="Yes, revoke it").click()
    # While it asks, the button that asked is not there either.
    await expect(settings.get_by_role("button", name="Yes, revoke it")).to_have_count(0)
    await expect(settings.get_by_role("button", name="Revoke the token of Cursor")).to_have_count(0)
    assert await initialized(server) == httpx.codes.UNAUTHORIZED


async def initialized(server: dict[str, object]) -> int:
    """The status of the first request that a program makes with this configuration."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    headers = {"Accept": "application/json, text/event-stream", **server["headers"]}  # type: ignore[dict-item]
    async with httpx.AsyncClient() as client:
        return (await client.post(str(server["url"]), json=request, headers=headers)).status_code


async def adds_a_passkey(person: WorkspaceUser) -> None:
    settings = await person.set_up("Account")
    await settings.get_by_role("button", name="Add a passkey…").click()
    await settings.get_by_label("What to call it").fill("Laptop")
    await settings.get_by_label("Your password").fill(NEW_PASSWORD)
    await settings.get_by_role("button", name="Add the passkey").click()
    await expect(settings.get_by_role("button", name="Remove Laptop")).to_be_visible()


async def ends_the_other_sign_in(person: WorkspaceUser) -> None:
    await person.go_to("Programs")
    settings = await person.set_up("Account")
    await settings.get_by_role("button", name="End the sign-in of Chrome on Linux").click()
    await settings.get_by_role("button", name="Yes, end it").click()
    await expect(settings.get_by_role("button", name="Yes, end it")).to_have_count(0)
    await expect(settings.get_by_role("button", name="End the sign-in of")).to_have_count(0)


async def signs_in_by_passkey(person: WorkspaceUser, email: str) -> None:
    settings = await person.set_up("Account")
    await settings.get_by_role("button", name="Sign out", exact=True).click()
    await person.page.get_by_role("button", name="Sign in with a passkey").click()
    settings = await person.set_up("Account")
    await expect(settings.get_by_text(email)).to_be_visible()


async def downloads_what_the_server_stores(person: WorkspaceUser, email: str, folder: Path) -> None:
    async with person.page.expect_download() as coming:
        await person.page.get_by_role("button", name="Download it").click()
    file = folder / "account.json"
    await (await coming.value).save_as(file)
    assert email in file.read_text()


async def deletes_the_account(person: WorkspaceUser) -> None:
    page = person.page
    await page.get_by_role("button", name="Delete the account…").click()
    form = page.locator("form").filter(has_text="Also delete the data in this browser")
    await form.get_by_label("Also delete the data in this browser").check()
    await form.get_by_role("button", name="With a passkey instead").click()
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    await page.get_by_role("button", name="Sign in with a passkey").click()
    await expect(page.get_by_role("alert")).to_be_visible()
