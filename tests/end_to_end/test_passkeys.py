"""A passkey in a real browser: made, used to sign in without an address, and to confirm another one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page

from tests.conftest import PASSWORD
from tests.end_to_end.browsers import shares_browser
from tests.end_to_end.conftest import register

pytestmark = [pytest.mark.end_to_end, pytest.mark.browser, shares_browser]

SCRIPT = """
const ask = async (path, body = {}, token = "") => {
  const answer = await fetch(`/api/v1/auth/${path}`, {
    method: "POST",
    headers: {"Content-Type": "application/json", ...(token && {Authorization: `Bearer ${token}`})},
    body: JSON.stringify(body),
  });
  return {status: answer.status, ...(await answer.json())};
};
const add = async (proof, token) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await ask("passkeys/options", proof, token));
  const credential = await navigator.credentials.create({publicKey});
  return ask("passkeys", {name: "Laptop", credential: credential.toJSON()}, token);
};
const answered = async (path, token) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await ask(path, {}, token));
  return (await navigator.credentials.get({publicKey})).toJSON();
};
const signIn = async () => ask("passkeys/sign-in", {credential: await answered("passkeys/sign-in/options")});
"""
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@asynccontextmanager
async def with_authenticator(browser: Browser, url: str) -> AsyncIterator[Page]:
    """A page of the server, called by its name, in a browser with an authenticator."""
    page = await browser.new_page(base_url=f"http://localhost:{urlsplit(url).port}")
    try:
        session = await page.context.new_cdp_session(page)
        await session.send("WebAuthn.enable")
        await session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        await page.goto("/healthz")
        yield page
    finally:
        await page.close()


async def run(page: Page, expression: str, *arguments: object) -> Any:
    """The value of ``expression`` after the script."""
    return await page.evaluate(f"async (given) => {{ {SCRIPT} return {expression}; }}", arguments)


async def test_a_passkey_made_in_a_browser_signs_in_and_confirms(offline: str, browser: Browser) -> None:
    alice = register(offline)
    async with with_authenticator(browser, offline) as page:
        made = await run(page, "await add({password: given[0]}, given[1])", PASSWORD, alice.access)
        assert (made["status"], made["name"], made["transports"]) == (201, "Laptop", ["internal"])
        signed_in = await run(page, "await signIn()")
        assert signed_in["status"] == 200
        again = await run(
            page,
            "(await ask('passkeys/options', {passkey: await answered('passkeys/confirmation/options', given[0])}, "
            "given[0])).excludeCredentials.length",
            signed_in["access"],
        )
        me = await page.request.get("/api/v1/auth/me", headers={"Authorization": f"Bearer {signed_in['access']}"})
        assert (again, (await me.json())["email"]) == (1, alice.email)
