import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from asgiref.sync import sync_to_async
from cryptography.fernet import Fernet
from django.db import connection
from django.http import StreamingHttpResponse
from django.test import AsyncClient
from pytest_django import Settings

from accounts.auth.tokens import issue_tokens
from accounts.models import AuditEvent, User
from accounts.rest import export
from accounts.rest.export import Busy, ExportTooSlow, exported
from tests.accounts.events import made_events
from tests.conftest import PASSWORD

EXPORT = "/api/v1/auth/me/export"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice(transactional_db: None) -> User:
    return User.objects.create_user("alice@example.com", PASSWORD)


@pytest.fixture
def headers(alice: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {issue_tokens(alice, client='Firefox').access}"}


@pytest.fixture(autouse=True)
def _all_end() -> Iterator[None]:
    yield
    assert export._running == set()


def transactions() -> int:
    """How many connections to this database are in a transaction besides this one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL "
            "AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


async def content(answer: object) -> bytes:
    assert isinstance(answer, StreamingHttpResponse)
    chunks = answer.streaming_content
    assert isinstance(chunks, AsyncIterator)
    return b"".join([chunk async for chunk in chunks])


async def test_everything_is_downloaded_as_one_file(alice: User, headers: dict[str, str]) -> None:
    reasons = await sync_to_async(made_events)(alice, 3)
    answer = await AsyncClient().get(EXPORT, headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    assert answer["Content-Disposition"] == 'attachment; filename="adiuva-account.json"'
    assert answer["Cache-Control"] == "no-store"
    found = json.loads(await content(answer))
    assert found["account"]["email"] == "alice@example.com"
    assert {event["reason"] for event in found["accounts_auditevent"]} >= set(reasons.values())
    assert [session["client"] for session in found["accounts_session"]] == ["Firefox"]
    assert "refresh_id" not in found["accounts_session"][0]
    assert await AuditEvent.objects.filter(action="export-account", subject_id=alice.id).acount() == 1


async def test_download_is_sent_in_chunks_while_it_is_read(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    await sync_to_async(made_events)(alice, 50)
    monkeypatch.setattr(export, "_CHUNK_CHARS", 1000)
    chunks = [chunk async for chunk in exported(alice.id)]
    assert len(chunks) > 5
    assert max(map(len, chunks)) < 2000
    assert len(json.loads(b"".join(chunks))["accounts_auditevent"]) == 50


async def test_client_that_leaves_ends_the_transaction(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_CHUNK_CHARS", 10)
    chunks = exported(alice.id)
    await anext(chunks)
    assert await sync_to_async(transactions)() == 1
    [running] = export._running
    await chunks.aclose()
    await asyncio.to_thread(running._thread.shutdown)
    assert await sync_to_async(transactions)() == 0


async def test_client_that_does_not_read_is_cut_off(
    alice: User, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.setattr(export, "_CHUNK_CHARS", 10)
    settings.EXPORT_TIMEOUT_S = 600
    chunks = exported(alice.id)
    await anext(chunks)
    [running] = export._running
    assert running._timer.when() > asyncio.get_running_loop().time() + 500
    running.end()  # as the timer does
    await asyncio.to_thread(running._thread.shutdown)
    assert await sync_to_async(transactions)() == 0
    with pytest.raises(ExportTooSlow):
        await anext(chunks)


async def test_few_downloads_run_at_once_and_one_for_each_user(alice: User) -> None:
    names = [f"user{number}@example.com" for number in range(export.AT_ONCE)]
    others = [await sync_to_async(User.objects.create_user)(name, PASSWORD) for name in names]
    running = [exported(alice.id), *(exported(user.id) for user in others[1:])]
    for number, each in enumerate(running):
        await anext(each)
        with pytest.raises(Busy):
            await anext(exported(alice.id))
        assert len(export._running) == number + 1
    with pytest.raises(Busy):
        await anext(exported(others[0].id))
    for each in running:
        await each.aclose()
    assert [chunk async for chunk in exported(alice.id)]


async def test_key_that_cannot_be_opened_is_an_ordinary_error(headers: dict[str, str], settings: Settings) -> None:
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    answer = await AsyncClient().get(EXPORT, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (503, "key_unavailable")


async def test_downloads_are_limited(headers: dict[str, str], rates: Callable[..., None]) -> None:
    rates(export="1/d")
    statuses = []
    for _ in range(2):
        answer = await AsyncClient().get(EXPORT, headers=headers)
        statuses.append(answer.status_code)
        if answer.streaming:
            await content(answer)
    assert statuses == [200, 429]


async def test_download_is_for_those_who_are_signed_in(alice: User) -> None:
    assert (await AsyncClient().get(EXPORT)).status_code == 401
