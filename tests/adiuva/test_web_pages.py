"""Which web pages may call REST: those of the allowed origins, by the Fetch standard's CORS."""

import httpx
import pytest
from django.core.handlers.asgi import ASGIHandler
from pytest_django import Settings

APP = "https://app.adiuva.example"


@pytest.fixture(autouse=True)
def allowed(settings: Settings) -> None:
    settings.CORS_ALLOWED_ORIGINS = [APP]


async def ask(method: str, address: str, **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(ASGIHandler())  # type: ignore[arg-type] # Django's own types
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.request(method, address, headers=headers)


async def preflight(origin: str) -> httpx.Response:
    asked = {"access-control-request-method": "PATCH", "access-control-request-headers": "authorization,content-type"}
    return await ask("OPTIONS", "/api/v1/auth/me", origin=origin, **asked)


async def test_page_of_an_allowed_origin_may_send_a_token_with_any_method() -> None:
    answer = await preflight(APP)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, APP)
    assert "PATCH" in answer.headers["access-control-allow-methods"].split(", ")
    assert "authorization" in answer.headers["access-control-allow-headers"].split(", ")
    assert "access-control-allow-credentials" not in answer.headers


async def test_page_of_an_allowed_origin_may_send_conditions_and_keys_and_read_what_comes_of_them() -> None:
    allowed = (await preflight(APP)).headers["access-control-allow-headers"].split(", ")
    assert {"idempotency-key", "if-match", "if-none-match"} <= {*allowed}
    exposed = (await ask("GET", "/api/v1/auth/me", origin=APP)).headers["access-control-expose-headers"].split(", ")
    limits = {"RateLimit", "RateLimit-Policy", "Retry-After"}
    assert {*exposed} == {"ETag", "Idempotent-Replayed", "X-Request-ID"} | limits


@pytest.mark.parametrize("origin", ["https://evil.example", f"{APP}.evil.example", "http://app.adiuva.example", "null"])
async def test_page_of_a_foreign_origin_may_not(origin: str) -> None:
    assert "access-control-allow-origin" not in (await preflight(origin)).headers


async def test_errors_can_be_read_by_an_allowed_page_too() -> None:
    answer = await ask("GET", "/api/v1/auth/me", origin=APP)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (401, APP)


async def test_admin_is_no_business_of_other_pages() -> None:
    answer = await ask("GET", "/admin/login/", origin=APP)
    assert "access-control-allow-origin" not in answer.headers
