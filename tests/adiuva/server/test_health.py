import asyncio
import json

import pytest
from django.db import OperationalError
from django.test import AsyncClient
from pytest_django import Settings

from accounts.keys import masters
from accounts.keys.masters import KeyWatch
from adiuva.server import health
from adiuva.server.health import NotReady, Readiness


@pytest.fixture(autouse=True)
def _production(settings: Settings) -> None:
    # The test client uses the host "testserver"; a probe uses an IP address.
    settings.ALLOWED_HOSTS = ["adiuva.example"]
    settings.SECURE_SSL_REDIRECT = True


async def test_alive_answers_probes_that_know_no_host_name(async_client: AsyncClient) -> None:
    answer = await async_client.get("/healthz")
    assert (answer.status_code, json.loads(answer.content)) == (200, {"status": "alive"})
    assert answer["Cache-Control"] == "no-store"


async def test_other_requests_are_checked_and_sent_on_to_https(async_client: AsyncClient, settings: Settings) -> None:
    assert (await async_client.get("/healthz/more")).status_code == 400
    settings.ALLOWED_HOSTS = ["testserver"]
    assert (await async_client.post("/healthz")).status_code == 301


@pytest.mark.django_db(transaction=True)
async def test_ready_names_each_part(async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.readiness, "_budget_s", 60.0)
    answer = await async_client.get("/readyz")
    parts = {"database": {"ok": True}, "migrations": {"ok": True}, "keys": {"ok": True}}
    assert (answer.status_code, json.loads(answer.content)) == (200, {"status": "ready", "parts": parts})


async def test_not_ready_says_which_part_and_tells_no_secret(
    async_client: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unreachable:
        def cursor(self) -> None:
            raise OperationalError("password s3cret refused")

    monkeypatch.setattr(health, "connection", Unreachable())
    monkeypatch.setattr(health, "unapplied_migrations", lambda: 3)
    monkeypatch.setattr(masters, "watch", KeyWatch(lambda: "Keys are missing."))
    monkeypatch.setattr(health.readiness, "_budget_s", 60.0)
    answer = await async_client.get("/readyz")
    assert answer.status_code == 503
    assert json.loads(answer.content) == {
        "status": "not_ready",
        "parts": {
            "database": {"ok": False, "detail": "cannot be reached"},
            "migrations": {"ok": False, "detail": "3 not applied: run manage.py migrate"},
            "keys": {"ok": False, "detail": "Keys are missing."},
        },
    }


def test_migrations_of_an_unreachable_database_are_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise OperationalError("password s3cret refused")

    monkeypatch.setattr(health, "unapplied_migrations", refuse)
    with pytest.raises(NotReady, match=r"^the database cannot be reached$"):
        health.check_migrations()


async def test_part_that_hangs_costs_the_budget_and_is_not_asked_twice() -> None:
    asked, release = 0, asyncio.Event()

    async def hang() -> None:
        nonlocal asked
        asked += 1
        await release.wait()

    async def work() -> None:
        pass

    readiness = Readiness(budget_s=0.01)
    readiness.add("slow", hang)
    readiness.add("quick", work)
    for _ in range(2):
        states = await readiness.ask()
        assert states == {"slow": "no answer within 0.01 s", "quick": None}
    assert asked == 1
    release.set()
    assert (await Readiness.ask(readiness))["slow"] in (None, states["slow"])


async def test_check_that_breaks_is_answered_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def break_down() -> None:
        raise RuntimeError("s3cret")

    readiness = Readiness()
    readiness.add("queue", break_down)
    assert await readiness.ask() == {"queue": "the check itself failed; see the log"}
    assert "The readiness check of queue failed" in caplog.text


def test_name_of_a_part_is_taken_once() -> None:
    async def work() -> None:
        pass

    readiness = Readiness()
    readiness.add("queue", work)
    with pytest.raises(ValueError, match="there is a part named queue already"):
        readiness.add("queue", work)
