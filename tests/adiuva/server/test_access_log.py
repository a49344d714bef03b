import uuid

import pytest
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.test import AsyncClient, AsyncRequestFactory
from pytest_django import Settings
from structlog.contextvars import get_contextvars

from adiuva.server.access_log import access_log_middleware, on_answer


async def asked(header: str | None) -> tuple[str, object]:
    """The request id in the response and the one in the log."""
    seen: list[object] = []

    async def view(_: HttpRequest) -> HttpResponseBase:
        seen.append(get_contextvars().get("request_id"))
        return HttpResponse()

    headers = {} if header is None else {"X-Request-ID": header}
    response = await access_log_middleware(view)(AsyncRequestFactory().get("/", headers=headers))
    return response["X-Request-ID"], seen[0]


async def test_the_callers_id_is_kept() -> None:
    assert await asked("5b9f2a4e-7c1d") == ("5b9f2a4e-7c1d", "5b9f2a4e-7c1d")
    assert "request_id" not in get_contextvars()


@pytest.mark.django_db
async def test_answers_are_told_by_method_route_and_status(async_client: AsyncClient, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT, settings.ALLOWED_HOSTS = False, ["testserver"]
    told: list[tuple[str, str, int]] = []

    def tell(method: str, route: str, status: int, took_s: float) -> None:
        assert took_s > 0
        told.append((method, route, status))

    on_answer.add(tell)
    try:
        for path in ("/admin/accounts/user/secret/change/", "/what-i-said", "/healthz"):
            await async_client.get(path)
    finally:
        on_answer.discard(tell)
    assert told == [("GET", "/admin/accounts/user/<path:object_id>/change/", 302), ("GET", "(no page)", 404)]


@pytest.mark.parametrize(
    "header", [None, "", "short", "what I said to my lawyer", "x" * 65, "caffè-caffè", "abcdefgh\n"]
)
async def test_what_cannot_be_an_id_is_replaced(header: str | None) -> None:
    told, known = await asked(header)
    assert told == known != header
    assert uuid.UUID(told).version == 4
