"""Tokens for an address and a password, or for a refresh token."""

import pytest

from device.addresses import server_address
from device.errors import ConnectionFailed, Unauthorized
from device.signing_in import Tokens, renewed, sign_in
from tests.device.scripted_server import EMAIL, PASSWORD, scripted_server


async def test_sign_in_gives_both_tokens() -> None:
    async with scripted_server() as server:
        tokens = await sign_in(server_address(server.url), email=EMAIL, password=PASSWORD)
    assert tokens == Tokens(access="access-1", refresh="refresh-1")
    assert server.posts == [("/api/v1/auth/token", {"email": EMAIL, "password": PASSWORD})]


async def test_renewed_spends_the_refresh_token() -> None:
    async with scripted_server() as server:
        address = server_address(server.url)
        first = await sign_in(address, email=EMAIL, password=PASSWORD)
        assert await renewed(address, first.refresh) == Tokens(access="access-2", refresh="refresh-2")
        with pytest.raises(Unauthorized):
            await renewed(address, first.refresh)
    assert server.posts[1] == ("/api/v1/auth/token/refresh", {"refresh": "refresh-1"})


def test_tokens_do_not_show_in_logs() -> None:
    assert repr(Tokens(access="a", refresh="b")) == "Tokens()"


async def test_sign_in_with_a_wrong_password_says_what_the_server_says() -> None:
    async with scripted_server() as server:
        with pytest.raises(Unauthorized, match=r"^Wrong address or password\.$"):
            await sign_in(server_address(server.url), email=EMAIL, password="wrong")


@pytest.mark.parametrize(
    ("refused", "kind", "sentence"),
    [
        ((401, '{"code": "login_failed"}'), Unauthorized, "The server did not accept these credentials."),
        ((401, "no json"), ConnectionFailed, "it answered 401."),
        ((403, '["a list"]'), ConnectionFailed, "it answered 403."),
        ((400, '{"message": "Blocked.", "code": 1020}'), ConnectionFailed, "it answered 400 (Blocked.)."),
        ((429, '{"message": "Wait."}'), ConnectionFailed, "it answered 429 (Wait.)."),
        ((502, "<html>"), ConnectionFailed, "it answered 502."),
        ((200, "<html>"), ConnectionFailed, "it answered 200."),
        ((200, '{"access": 5, "refresh": "r"}'), ConnectionFailed, "it answered 200."),
    ],
)
async def test_sign_in_that_fails_otherwise_says_how(
    refused: tuple[int, str], kind: type[Exception], sentence: str
) -> None:
    async with scripted_server() as server:
        server.refused = refused
        with pytest.raises(kind) as failed:
            await sign_in(server_address(server.url), email=EMAIL, password=PASSWORD)
    assert str(failed.value).endswith(sentence)


async def test_sign_in_without_a_server_says_that_none_answers() -> None:
    async with scripted_server() as server:
        pass
    with pytest.raises(ConnectionFailed, match=f"^No server answers at {server.url} "):
        await sign_in(server_address(server.url), email=EMAIL, password=PASSWORD)


async def test_sign_in_on_this_machine_passes_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("all_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    async with scripted_server() as server:
        tokens = await sign_in(server_address(server.url), email=EMAIL, password=PASSWORD)
    assert tokens.access == "access-1"
