"""Programs that are let in by OAuth: from the refusal at ``/mcp`` over the consent page to rotating tokens."""

import html
import re
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from channels.db import database_sync_to_async
from pytest_django import Settings

from accounts.auth import program_access
from accounts.auth.personal_tokens import issue_personal_token, personal_tokens_of, revoke_personal_token
from accounts.credential_models import PersonalToken, ProgramAccess
from accounts.errors import AccountError, AddressUnverified, PasskeyNeeded, TooManyTokens, WrongCode
from accounts.models import AuditEvent, User
from adiuva.rates_setting import Rate
from adiuva.server.asgi import Application
from adiuva.wiring.composition import Parts
from tests.accounts.codes import with_app
from tests.chat.sockets import Server
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)
VERIFIER = "v" * 64
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
BACK = "http://127.0.0.1:33418/back"
HERE = "http://localhost"


@pytest.fixture
async def browser(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """Keeps cookies, as the user's browser; programs use it, too."""
    settings.ALLOWED_HOSTS = ["localhost", "other.example"]
    application = Application(Parts(services=Server().services, memory=None))
    try:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            yield client
    finally:
        await application.drain()


@dataclass(kw_only=True)
class Flow:
    """A program that asks for access."""

    browser: httpx.AsyncClient
    client_id: str = ""

    async def register(self, **changed: Any) -> httpx.Response:
        said = {"client_name": "Editor <b>", "redirect_uris": [BACK], **changed}
        answer = await self.browser.post("/oauth/register", json=said)
        self.client_id = answer.json().get("client_id", "")
        return answer

    async def ask(self, **changed: str | list[str]) -> httpx.Response:
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": BACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "s t",
            "scope": "tasks:read tasks:write",
            "resource": f"{HERE}/mcp",
            **changed,
        }
        return await self.browser.get("/oauth/authorize", params=asked)

    async def answer(self, page: str, **fields: Any) -> httpx.Response:
        shown = await self.browser.get(page)
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown.text)
        assert token is not None, shown.text
        given = {
            "scopes": ["tasks:read", "tasks:write"],
            "email": "alice@example.com",
            "password": PASSWORD,
            "csrfmiddlewaretoken": html.unescape(token[1]),
            **fields,
        }
        return await self.browser.post(page, data=given)

    async def code(self, **fields: Any) -> str:
        await self.register()
        answered = await self.answer((await self.ask()).headers["location"], **fields)
        assert answered.status_code == 303, answered.text
        return query_of(answered)["code"]

    async def token(self, **fields: str | list[str]) -> httpx.Response:
        return await self.browser.post("/oauth/token", data={"client_id": self.client_id, **fields})

    async def exchange(self, code: str | list[str], **changed: str | list[str]) -> httpx.Response:
        given = {"code": code, "code_verifier": VERIFIER, "redirect_uri": BACK, **changed}
        return await self.token(grant_type="authorization_code", **given)

    async def refresh(self, refresh: str, **more: str | list[str]) -> httpx.Response:
        return await self.token(grant_type="refresh_token", refresh_token=refresh, **more)

    async def call(self, access: str, *, base: str = HERE, tool: str = "", **params: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {access}", "Accept": "application/json, text/event-stream"}
        asked = (
            {"method": "tools/call", "params": {"name": tool, "arguments": {}, **params}}
            if tool
            else {"method": "tools/list"}
        )
        return await self.browser.post(f"{base}/mcp", json={"jsonrpc": "2.0", "id": 1, **asked}, headers=headers)


def query_of(answer: httpx.Response) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["location"]).query).items()}


@pytest.fixture
def flow(browser: httpx.AsyncClient, alice: User) -> Flow:
    return Flow(browser=browser)


async def test_a_refusal_leads_to_the_page_that_asks(flow: Flow) -> None:
    refused = await flow.call("none")
    named = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])
    assert named is not None
    resource = (await flow.browser.get(named[1])).json()
    assert (resource["resource"], resource["authorization_servers"]) == (f"{HERE}/mcp", [HERE])
    server = (await flow.browser.get(f"{HERE}/.well-known/oauth-authorization-server")).json()
    assert server["issuer"] == HERE
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["registration_endpoint"] == f"{HERE}/oauth/register"
    assert not [scope for scope in server["scopes_supported"] if scope.startswith("staff")]


async def test_a_user_lets_a_program_in_with_fewer_scopes_than_it_asks_for(flow: Flow, alice: User) -> None:
    await flow.register()
    page = (await flow.ask()).headers["location"]
    shown = await flow.browser.get(page)
    assert "Let the program “\u2068Editor &lt;b&gt;\u2069” in?" in shown.text
    # Without a referrer browsers name no origin either, and the form would be refused.
    assert shown.headers["referrer-policy"] == "same-origin"
    assert (
        "frame-ancestors 'none'; form-action 'self' http://127.0.0.1:33418" in shown.headers["content-security-policy"]
    )
    answered = await flow.answer(page, scopes=["tasks:read"])
    back = query_of(answered)
    assert (back["state"], back["iss"], answered.headers["location"].startswith(BACK)) == ("s t", HERE, True)
    issued = (await flow.exchange(back["code"])).json()
    assert (issued["scope"], issued["token_type"], issued["expires_in"]) == ("tasks:read", "Bearer", 3600)
    tools = {tool["name"] for tool in (await flow.call(issued["access_token"])).json()["result"]["tools"]}
    assert ("list_tasks" in tools, "create_task" in tools) == (True, False)
    [token] = await database_sync_to_async(personal_tokens_of)(alice)
    assert (token.name, token.client_id, token.scopes) == ("Editor <b>", flow.client_id, ["tasks:read"])
    await database_sync_to_async(revoke_personal_token)(alice, token.id)
    assert (await flow.call(issued["access_token"])).status_code == 401
    assert (await flow.refresh(issued["refresh_token"])).json()["error"] == "invalid_grant"


async def test_the_name_of_a_program_ends_no_quotation(flow: Flow) -> None:
    await flow.register(client_name="Editor”. Adiuva has checked it. “\u202ex")
    shown = await flow.browser.get((await flow.ask()).headers["location"])

    assert "calls itself “\u2068Editor&#x27;. Adiuva has checked it. &#x27;x\u2069” asks" in shown.text


async def test_the_title_of_the_page_quotes_the_name_of_a_program(flow: Flow) -> None:
    await flow.register(client_name="yourself in? Your session has expired. Sign")
    shown = await flow.browser.get((await flow.ask()).headers["location"])

    title = "Let the program “\u2068yourself in? Your session has expired. Sign\u2069” in?"
    assert [shown.text.count(f"<{tag}>{title}") for tag in ("title", "h1")] == [1, 1]


async def test_the_name_of_a_program_turns_nothing_beside_it_and_is_stored_as_it_is(flow: Flow, alice: User) -> None:
    await flow.register(client_name="עורך")
    page = (await flow.ask()).headers["location"]
    assert "calls itself “\u2068עורך\u2069” asks" in (await flow.browser.get(page)).text

    await flow.answer(page, scopes=["tasks:read"])
    [token] = await database_sync_to_async(personal_tokens_of)(alice)
    assert token.name == "עורך"


@pytest.mark.parametrize(
    ("address", "policy"),
    [
        ("https://a.example/back", "'self' https://a.example"),
        ("http://[::1]:33418/back", "'self' http:"),
        ("app.example:/back", "'self' app.example:"),
    ],
    ids=["https", "IPv6", "own scheme"],
)
async def test_the_page_may_lead_to_the_program(flow: Flow, address: str, policy: str) -> None:
    """Browsers know no IPv6 address in a policy, and would not follow the answer."""
    await flow.register(redirect_uris=[address])
    shown = await flow.browser.get((await flow.ask(redirect_uri=address)).headers["location"])
    assert shown.headers["content-security-policy"].endswith(f"form-action {policy}")


async def test_a_program_is_told_which_scopes_to_ask_for(flow: Flow, alice: User) -> None:
    issued = (await flow.exchange(await flow.code(scopes=["tasks:read"]))).json()
    refused = await flow.call(issued["access_token"], tool="create_task")
    assert (refused.status_code, refused.json()["error"]["data"]["missing"]) == (403, ["tasks:write"])
    assert refused.headers["www-authenticate"] == (
        'Bearer realm="adiuva", error="insufficient_scope", scope="tasks:read tasks:write", '
        f'resource_metadata="{HERE}/.well-known/oauth-protected-resource/mcp"'
    )
    assert (await flow.call(issued["access_token"], tool="list_tasks")).status_code == 200
    streamed = await flow.call(issued["access_token"], tool="create_task", _meta={"progressToken": "p"})
    assert (streamed.status_code, streamed.headers["www-authenticate"]) == (403, refused.headers["www-authenticate"])
    assert '"missing":["tasks:write"]' in streamed.text
    # The user cannot give more to a token that they made.
    token = await database_sync_to_async(issue_personal_token)(alice, name="Editor", scopes=["tasks:read"])
    assert (await flow.call(token.text, tool="create_task")).status_code == 200


async def test_only_digests_are_stored(flow: Flow) -> None:
    code = await flow.code()
    issued = (await flow.exchange(code)).json()
    stored = await database_sync_to_async(
        lambda: str([*ProgramAccess.objects.values(), *PersonalToken.objects.values()])
    )()
    family, _, secret = issued["refresh_token"].removeprefix("advr_").partition(".")
    assert [text for text in (code, issued["access_token"], family, secret) if text in stored] == []


async def test_a_refused_program_is_told_so(flow: Flow) -> None:
    await flow.register()
    answered = await flow.answer((await flow.ask()).headers["location"], answer="deny", password="")
    assert query_of(answered) == {"error": "access_denied", "iss": HERE, "state": "s t"}


@pytest.mark.parametrize(
    "fields", [{"password": "wrong wrong"}, {"email": "nobody@example.com"}, {"scopes": []}, {"scopes": ["staff:read"]}]
)
async def test_without_proof_and_scopes_no_program_gets_in(flow: Flow, fields: dict[str, Any]) -> None:
    await flow.register()
    answered = await flow.answer((await flow.ask()).headers["location"], **fields)
    assert (answered.status_code, 'class="errors"' in answered.text) == (200, True)
    assert await database_sync_to_async(PersonalToken.objects.count)() == 0


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (AddressUnverified(), "Open the link"),
        (WrongCode(), "Enter a code of your app"),
        (PasskeyNeeded(), "Enter a code of your app"),
        (TooManyTokens(), "revoke one that you do not use"),
    ],
)
async def test_what_keeps_a_program_out_is_said_on_the_page(
    flow: Flow, monkeypatch: pytest.MonkeyPatch, error: AccountError, said: str
) -> None:
    def fail(*_: object) -> str:
        raise error

    monkeypatch.setattr("accounts.consent.allow", fail)
    await flow.register()
    answered = await flow.answer((await flow.ask()).headers["location"])
    assert (answered.status_code, said in html.unescape(answered.text)) == (200, True), answered.text


async def test_the_page_says_in_the_language_of_the_browser_that_an_address_must_be_verified(
    flow: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unverified(*_: object) -> str:
        raise AddressUnverified

    monkeypatch.setattr("accounts.consent.allow", unverified)
    await flow.register()
    flow.browser.headers["Accept-Language"] = "it"
    answered = await flow.answer((await flow.ask()).headers["location"])
    assert "Apri il link che è stato inviato a questo indirizzo, poi accedi." in html.unescape(answered.text)


async def test_guesses_on_the_page_count_with_those_of_signing_in(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    await flow.register()
    page = (await flow.ask()).headers["location"]
    rates: list[str] = []

    def refused(rate: str, **_: object) -> float:
        rates.append(rate)
        return 9.0

    monkeypatch.setattr("accounts.consent.attempts.wait_s", refused)
    answered = await flow.answer(page, code="123456")
    assert (answered.status_code, "Too many attempts" in answered.text, rates) == (200, True, ["login"])


async def test_a_second_factor_is_asked_for(flow: Flow, alice: User) -> None:
    _, recovery_codes = await database_sync_to_async(with_app)(alice)
    await flow.register()
    page = (await flow.ask()).headers["location"]
    assert 'class="errors"' in (await flow.answer(page)).text
    answered = await flow.answer(page, code=recovery_codes[0])
    assert (answered.status_code, "code" in query_of(answered)) == (303, True)


async def test_without_the_password_no_one_uses_up_the_attempts_at_a_second_factor(
    flow: Flow, alice: User, settings: Settings
) -> None:
    settings.ATTEMPT_RATES = {
        **settings.ATTEMPT_RATES,
        "second_factor_address": Rate.parse("2/d", name="second_factor_address"),
    }
    _, recovery_codes = await database_sync_to_async(with_app)(alice)
    await flow.register()
    page = (await flow.ask()).headers["location"]
    for _ in range(3):
        await flow.answer(page, password="a wrong password", code="123456")
    assert (await flow.answer(page, code=recovery_codes[0])).status_code == 303
    await flow.answer(page, code="123456")
    assert "Too many attempts" in (await flow.answer(page, code=recovery_codes[1])).text


async def test_a_program_keeps_the_scopes_that_the_user_has_allowed(flow: Flow) -> None:
    issued = (await flow.exchange(await flow.code())).json()
    fewer = await flow.token(grant_type="refresh_token", refresh_token=issued["refresh_token"], scope="tasks:read")
    assert fewer.json()["error"] == "invalid_scope"
    assert (await flow.refresh(issued["refresh_token"])).status_code == 200


@pytest.mark.parametrize(
    "resource",
    ["https://elsewhere.example/mcp", f"{HERE}/other", "http://other.example/mcp", [f"{HERE}/mcp", "urn:x"]],
    ids=["elsewhere", "another path", "another name of this server", "two"],
)
async def test_no_tokens_are_given_for_another_resource_than_the_user_has_allowed(
    flow: Flow, resource: str | list[str]
) -> None:
    """RFC 8707, 2.2; neither the code nor the refresh token is used up by the mistake."""
    code = await flow.code()
    assert (await flow.exchange(code, resource=resource)).json()["error"] == "invalid_target"
    issued = (await flow.exchange(code)).json()
    assert (await flow.refresh(issued["refresh_token"], resource=resource)).json()["error"] == "invalid_target"
    assert (await flow.call(issued["access_token"])).status_code == 200


@pytest.mark.parametrize("resource", [f"{HERE}/mcp", f"{HERE}/mcp/", HERE, f"{HERE}/", "", [f"{HERE}/mcp", HERE]])
async def test_tokens_are_given_for_the_resource_that_the_user_has_allowed(
    flow: Flow, resource: str | list[str]
) -> None:
    issued = (await flow.exchange(await flow.code(), resource=resource)).json()
    assert (await flow.refresh(issued["refresh_token"], resource=resource)).status_code == 200


@pytest.mark.parametrize(
    ("grant", "error"),
    [
        ("password", "unsupported_grant_type"),
        ("urn:ietf:params:oauth:grant-type:jwt-bearer", "unsupported_grant_type"),
        ("", "invalid_request"),
    ],
)
async def test_a_grant_that_there_is_not_is_refused_as_that(flow: Flow, grant: str, error: str) -> None:
    """RFC 6749, 5.2."""
    await flow.register()
    answer = await flow.token(grant_type=grant, assertion="a", username="alice@example.com", password=PASSWORD)
    assert (answer.status_code, answer.json()["error"]) == (400, error)


async def test_an_unknown_program_learns_that_before_anything_else(flow: Flow) -> None:
    flow.client_id = "made-up"
    answer = await flow.token(grant_type="password")
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


async def test_a_parameter_that_is_there_twice_is_refused(flow: Flow) -> None:
    """RFC 6749, 3.1 and 3.2: it would be read differently by different programs."""
    code = await flow.code()
    assert (await flow.exchange([code, "x"])).json()["error"] == "invalid_request"
    assert (await flow.exchange(code, redirect_uri="")).status_code == 200
    assert query_of(await flow.ask(scope=["tasks:read", "write"]))["error"] == "invalid_request"


@pytest.mark.parametrize(
    "said",
    [
        {"redirect_uris": []},
        {"redirect_uris": [f"http://127.0.0.1:{port}/" for port in range(1000, 1030)]},
        {"redirect_uris": [f"https://example.com/{'a' * 3000}"]},
        {"redirect_uris": ["http://example.com/back"]},
    ],
)
async def test_a_program_that_says_too_much_or_nothing_is_not_registered(flow: Flow, said: dict[str, Any]) -> None:
    assert (await flow.register(**said)).status_code == 400


async def test_a_program_with_an_id_that_no_one_gave_is_unknown(flow: Flow) -> None:
    for client_id in ("x" * 5000, "made-up", "https://example.com/program"):
        flow.client_id = client_id
        answer = await flow.ask()
        assert (answer.status_code, "location" in answer.headers) == (400, False), client_id


async def test_a_code_needs_its_verifier_its_program_and_its_address(flow: Flow) -> None:
    code = await flow.code()
    wrong = [
        await flow.exchange(code, code_verifier="w" * 64),
        await flow.exchange(code, redirect_uri="http://127.0.0.1:1/back"),
    ]
    mine = flow.client_id
    await flow.register(client_name="Other")
    wrong.append(await flow.exchange(code))
    flow.client_id = mine
    assert {answer.json()["error"] for answer in wrong} <= {"invalid_grant", "invalid_request"}
    assert {answer.status_code for answer in wrong} == {400}
    assert (await flow.exchange(code)).status_code == 200


@pytest.mark.parametrize("asked", [{}, {"redirect_uri": ""}], ids=["named for the code", "never named"])
async def test_a_request_for_tokens_need_not_name_the_redirect_address(flow: Flow, asked: dict[str, str]) -> None:
    """OAuth 2.1 has no such parameter there."""
    await flow.register()
    answered = await flow.answer((await flow.ask(**asked)).headers["location"])
    given = {"code": query_of(answered)["code"], "code_verifier": VERIFIER}
    assert (await flow.token(grant_type="authorization_code", **given)).status_code == 200


async def test_a_code_that_is_used_again_ends_the_access_it_gave(flow: Flow) -> None:
    code = await flow.code()
    issued = (await flow.exchange(code)).json()
    assert (await flow.exchange(code)).json()["error"] == "invalid_grant"
    assert (await flow.call(issued["access_token"])).status_code == 401


async def test_a_code_lasts_a_minute(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_access, "CODE_LASTS", timedelta(0))
    assert (await flow.exchange(await flow.code())).json()["error"] == "invalid_grant"


async def test_tokens_rotate_and_a_replay_ends_the_access(flow: Flow, settings: Settings) -> None:
    first = (await flow.exchange(await flow.code())).json()
    second = (await flow.refresh(first["refresh_token"])).json()
    assert (await flow.call(first["access_token"])).status_code == 401
    assert (await flow.call(second["access_token"])).status_code == 200
    # The program may have lost the answer, or have refreshed twice at once: for a while this is no theft.
    again = (await flow.refresh(first["refresh_token"])).json()
    assert again == {**second, "expires_in": again["expires_in"]}
    assert again["expires_in"] <= second["expires_in"]
    assert (await flow.call(second["access_token"])).status_code == 200
    settings.REFRESH_GRACE_S = 0
    assert (await flow.refresh(first["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await flow.call(second["access_token"])).status_code == 401
    actions = await database_sync_to_async(lambda: list(AuditEvent.objects.values_list("action", flat=True)))()
    assert "replay-program-token" in actions


async def test_a_refresh_token_whose_successor_was_used_is_refused(flow: Flow) -> None:
    first = (await flow.exchange(await flow.code())).json()
    second = (await flow.refresh(first["refresh_token"])).json()
    third = (await flow.refresh(second["refresh_token"])).json()
    assert (await flow.refresh(first["refresh_token"])).json()["error"] == "invalid_grant"
    assert (await flow.call(third["access_token"])).status_code == 200
    assert len({tokens["access_token"] for tokens in (first, second, third)}) == 3


async def test_an_access_token_lasts_an_hour(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_access, "ACCESS_LASTS", timedelta(0))
    issued = (await flow.exchange(await flow.code())).json()
    assert (await flow.call(issued["access_token"])).status_code == 401


async def test_a_token_is_for_the_address_that_it_was_asked_for(flow: Flow) -> None:
    issued = (await flow.exchange(await flow.code())).json()
    assert (await flow.call(issued["access_token"], base="http://other.example")).status_code == 401


async def test_a_new_password_ends_what_programs_have(flow: Flow, alice: User) -> None:
    issued = (await flow.exchange(await flow.code())).json()

    def change() -> None:
        alice.set_password("another fine passphrase")
        alice.save(update_fields=["password"])

    await database_sync_to_async(change)()
    assert (await flow.call(issued["access_token"])).status_code == 401
    assert (await flow.refresh(issued["refresh_token"])).json()["error"] == "invalid_grant"


async def test_a_program_gives_its_access_back(flow: Flow) -> None:
    issued = (await flow.exchange(await flow.code())).json()
    given = {"client_id": flow.client_id, "token": issued["access_token"]}
    assert (await flow.browser.post("/oauth/revoke", data={**given, "client_id": "x"})).status_code == 200
    assert (await flow.call(issued["access_token"])).status_code == 200
    assert (await flow.browser.post("/oauth/revoke", data=given)).status_code == 200
    assert (await flow.call(issued["access_token"])).status_code == 401


@pytest.mark.parametrize(
    "address",
    [
        "http://adiuva.example/x",
        "javascript:alert(1)",
        "https://a.example/#x",
        "data:text/html,x",
        "https://u:p@a.example/x",
    ],
)
async def test_a_program_cannot_be_just_anywhere(flow: Flow, address: str) -> None:
    answer = await flow.register(redirect_uris=[address])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_redirect_uri")


async def test_only_registered_addresses_get_an_answer(flow: Flow) -> None:
    await flow.register()
    for changed in ({"redirect_uri": "https://evil.example/"}, {"client_id": "made-up"}):
        answer = await flow.ask(**changed)
        assert (answer.status_code, "location" in answer.headers) == (400, False)
    assert (await flow.ask(redirect_uri="http://127.0.0.1:9/back")).status_code == 302


@pytest.mark.parametrize("address", ["https://a.example", "https://a.example/", "http://127.0.0.1:3000"])
async def test_a_program_may_be_at_an_address_without_a_path(flow: Flow, address: str) -> None:
    await flow.register(redirect_uris=[address])
    asked = await flow.ask(redirect_uri=address)
    assert asked.status_code == 302, asked.text
    code = query_of(await flow.answer(asked.headers["location"]))["code"]
    assert (await flow.exchange(code, redirect_uri=address)).status_code == 200


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge": ""}, "invalid_request"),
        ({"code_challenge": "a\0" * 22}, "invalid_request"),
        ({"code_challenge": "a" * 3000}, "invalid_request"),
        ({"scope": "staff:read"}, "invalid_scope"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"resource": "https://elsewhere.example/mcp"}, "invalid_target"),
        ({"resource": ["https://elsewhere.example/mcp", f"{HERE}/mcp"]}, "invalid_target"),
    ],
)
async def test_an_error_goes_to_the_program_with_the_issuer(
    flow: Flow, changed: dict[str, str | list[str]], error: str
) -> None:
    """Clients refuse answers without the issuer, which the metadata promises (RFC 9207)."""
    await flow.register()
    told = query_of(await flow.ask(**changed))
    assert (told["error"], told["iss"], told["state"]) == (error, HERE, "s t")


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_parameter_without_a_value_is_ignored(flow: Flow, method: str) -> None:
    await flow.register()
    empty = dict.fromkeys(("redirect_uri", "scope", "state", "resource"), "")
    given = {"response_type": "code", "client_id": flow.client_id, "code_challenge": CHALLENGE, **empty}
    address = "/oauth/authorize"
    asked = await (
        flow.browser.get(address, params=given) if method == "GET" else flow.browser.post(address, data=given)
    )
    answered = await flow.answer(asked.headers["location"], scopes=["read", "write"])
    assert (answered.status_code, answered.headers["location"].startswith(f"{BACK}?code=")) == (303, True)
    assert "state" not in query_of(answered)


async def test_the_request_cannot_be_forged(flow: Flow) -> None:
    await flow.register()
    page = (await flow.ask()).headers["location"]
    assert (await flow.browser.get(page[:-3] + "abc")).status_code == 410
    assert (await flow.browser.get("/oauth/consent")).status_code == 410


async def test_registering_stores_nothing_and_needs_no_secret(flow: Flow) -> None:
    said = (await flow.register(token_endpoint_auth_method="client_secret_post")).json()
    assert (said["token_endpoint_auth_method"], said.get("client_secret")) == ("none", None)
    assert (await flow.browser.post("/oauth/register", content=b"x" * 20_000)).status_code == 413


async def test_requests_of_a_network_are_limited(flow: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.auth.attempts.wait_s", lambda *_args, **_more: 11.5)
    answer = await flow.register()
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "12")


@pytest.mark.parametrize("path", ["/oauth/authorize", "/oauth/token", "/oauth/revoke"])
@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("application/json", b"{}"),
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=x", b"--y"),
        ("application/x-www-form-urlencoded", b"a&" * 2000),
        ("application/x-www-form-urlencoded", b"client_id=%00&token=x&grant_type=x"),
    ],
    ids=["json", "no boundary", "another boundary", "many fields", "null character"],
)
async def test_what_is_no_form_is_refused(flow: Flow, path: str, media_type: str, body: bytes) -> None:
    answer = await flow.browser.post(path, content=body, headers={"content-type": media_type})
    assert answer.status_code in (400, 401)
    assert answer.json()["error"] in ("invalid_request", "invalid_client")


async def test_other_hosts_and_methods_are_refused(flow: Flow) -> None:
    assert (await flow.browser.get("http://evil.example/.well-known/oauth-protected-resource")).status_code == 421
    wrong = await flow.browser.get("/oauth/token")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert (await flow.browser.options("/oauth/token")).headers["access-control-allow-origin"] == "*"
