"""Ending access through REST, on the real server process."""

import asyncio
import time
import uuid

import httpx
import pytest

from tests.end_to_end.conftest import Account, Running
from tests.end_to_end.raw import device, socket
from tests.model_server.scripts import Hold, says

pytestmark = pytest.mark.end_to_end


def asked(running: Running, method: str, path: str, access: str = "", **body: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {access}"} if access else {}
    return httpx.request(method, f"{running.url}/api/v1/{path}", headers=headers, json=body or None, timeout=30)


def signed_in(running: Running, account: Account) -> str:
    """An access token of another sign-in."""
    answer = asked(running, "POST", "auth/token", email=account.email, password=account.password)
    access: str = answer.json()["access"]
    return access


async def test_removed_device_is_closed_and_stays_out(running: Running, alice: Account, bob: Account) -> None:
    elsewhere = signed_in(running, alice)
    async with (
        device(running, alice.access) as laptop,
        device(running, elsewhere, device_id="phone") as phone,
        device(running, bob.access) as bobs,
    ):
        listed = await asyncio.to_thread(asked, running, "GET", "devices", elsewhere)
        ids = {shown["device_id"]: shown["id"] for shown in listed.json()["results"]}
        assert set(ids) == {"laptop", "phone"}

        began = time.monotonic()
        removed = await asyncio.to_thread(asked, running, "DELETE", f"devices/{ids['laptop']}", elsewhere)
        assert removed.status_code == 204
        assert await laptop.close_code() == 4403
        assert time.monotonic() - began < 20

        for untouched in (phone, bobs):
            await untouched.send({"type": "cancel_request", "request_id": "00000000-0000-4000-8000-000000000000"})
            assert (await untouched.receive())["code"] == "unknown_request"

    async with socket(running, alice.access) as ended:
        assert (await ended.receive())["code"] == "unauthorized"
        assert await ended.close_code() == 4401
    async with socket(running, signed_in(running, alice)) as again:
        await again.send({"type": "device_hello", "device_id": "laptop"})
        assert (await again.receive())["code"] == "unauthorized"
        assert await again.close_code() == 4403


async def test_signing_out_everywhere_closes_sockets_and_the_models_stream(running: Running, alice: Account) -> None:
    word = uuid.uuid4().hex
    running.model.when(lambda request: word in request.asked, [*says("Once upon")[:2], Hold(word)])
    async with device(running, alice.access) as raw:
        await raw.ask(f"tasks {word}")
        await raw.until("stream_text")
        began = time.monotonic()
        ended = await asyncio.to_thread(asked, running, "POST", "auth/logout-everywhere", alice.access)
        assert ended.status_code == 204
        assert await raw.close_code() == 4403
        [request] = [request for request in running.model.requests if word in request.asked]
        assert await asyncio.to_thread(request.abandoned.wait, 20)
        assert time.monotonic() - began < 20


async def test_device_id_with_a_null_character_is_refused_in_words(running: Running, alice: Account) -> None:
    async with socket(running, alice.access) as raw:
        await raw.send({"type": "device_hello", "device_id": "lap\0top"})
        refused = await raw.receive()
        assert (refused["code"], "null characters" in str(refused["message"])) == ("invalid", True)
        await raw.hello("laptop")
