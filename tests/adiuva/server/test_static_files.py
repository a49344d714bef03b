import asyncio

import httpx
import pytest
from django.contrib.staticfiles import finders
from django.core.handlers.asgi import ASGIHandler

from tests.forks import ROOT

STYLE = "/static/rest/docs.css"
CONTENT = (ROOT / "adiuva" / "static" / "rest" / "docs.css").read_bytes()


async def ask(method: str, address: str, **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(ASGIHandler())  # type: ignore[arg-type] # Django's own types
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.request(method, address, headers=headers)


async def test_static_file_is_served() -> None:
    answer = await ask("GET", STYLE)
    assert (answer.status_code, answer.content) == (200, CONTENT)
    assert answer.headers["content-type"] == 'text/css; charset="utf-8"'
    assert answer.headers["content-length"] == str(len(CONTENT))


async def test_static_file_that_the_client_has_is_not_sent_again() -> None:
    answer = await ask("GET", STYLE)
    again = await ask("GET", STYLE, **{"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_static_file_is_served_in_part() -> None:
    answer = await ask("GET", STYLE, range="bytes=2-5")
    assert (answer.status_code, answer.content) == (206, CONTENT[2:6])


async def test_static_file_answers_head_without_a_body_and_nothing_else() -> None:
    answer = await ask("HEAD", STYLE)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(CONTENT))
    assert (await ask("POST", STYLE)).status_code == 405


async def test_static_file_that_is_not_there_is_not_found() -> None:
    assert (await ask("GET", "/static/nothing.css")).status_code == 404


async def test_file_is_looked_up_and_read_outside_of_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    loops: list[bool] = []

    def find(path: str) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            loops.append(False)
        else:
            loops.append(True)

    monkeypatch.setattr(finders, "find", find)
    assert (await ask("GET", STYLE)).status_code == 404
    assert loops
    assert not any(loops)
