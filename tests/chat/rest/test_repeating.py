"""A question with an ``Idempotency-Key`` is asked once, whole or as it is written."""

import asyncio

import pytest
from django.db import OperationalError

from accounts.errors import MissingMasterKey
from agents.errors import ModelRefused
from chat.rest.images import ImageUploads
from tests.agents.scripts import call, calls, says
from tests.agents.test_images import drawn
from tests.chat.http import CHAT, Tokens, rest, sign_in
from tests.chat.sockets import Server

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = {"message": "Create a task"}
CREATE = call("create_task", '{"title":"Buy milk"}')


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_question_with_a_key_is_asked_once(tokens: Tokens, accept: str) -> None:
    server = Server([calls(CREATE), says("Done.")])
    headers = {"Idempotency-Key": "k1", "Accept": accept}
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json=QUESTION, headers=headers))
        [*_, wanted] = await device.until("tool_call")
        early = await client.post(CHAT, json=QUESTION, headers=headers)
        await device.send({"type": "tool_result", "id": wanted["id"], "row": {"id": "new", "title": "Buy milk"}})
        first = await asking
        again = await client.post(CHAT, json=QUESTION, headers=headers)
        other = await client.post(CHAT, json={"message": "Something else"}, headers=headers)

    assert (early.status_code, early.json()["code"]) == (409, "idempotency_key_in_use")
    assert (again.status_code, again.text, again.headers["content-type"]) == (
        200,
        first.text,
        first.headers["content-type"],
    )
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")


async def test_a_question_that_was_not_asked_may_be_sent_again_with_its_key(tokens: Tokens) -> None:
    server = Server([says("Hello.")])
    async with rest(server, tokens.alice) as client:
        refused = await client.post(CHAT, json=QUESTION, headers={"Idempotency-Key": "k1"})
        async with server.device():
            answered = await client.post(CHAT, json=QUESTION, headers={"Idempotency-Key": "k1"})

    assert (refused.status_code, answered.status_code, answered.json()["response"]) == (409, 200, "Hello.")


@pytest.mark.parametrize("failure", [OperationalError(), MissingMasterKey("0" * 16)], ids=["database", "key"])
async def test_an_upload_that_the_server_could_not_take_may_be_sent_again_with_its_key(
    tokens: Tokens, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    async def fail(*_: object) -> None:
        raise failure

    headers = {"Idempotency-Key": "k1", "Content-Type": "image/png"}
    async with rest(Server(), tokens.alice) as client:
        with monkeypatch.context() as failing:
            failing.setattr(ImageUploads, "add", fail)
            refused = await client.post("/api/v1/images", content=drawn("PNG"), headers=headers)
        taken = await client.post("/api/v1/images", content=drawn("PNG"), headers=headers)

    assert (refused.status_code, taken.status_code) == (503, 201)


async def test_what_failed_after_a_change_is_not_done_again(tokens: Tokens) -> None:
    server = Server([calls(CREATE), [ModelRefused("No.")]])
    headers = {"Idempotency-Key": "k1"}
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json=QUESTION, headers=headers))
        [*_, wanted] = await device.until("tool_call")
        await device.send({"type": "tool_result", "id": wanted["id"], "row": {"id": "new", "title": "Buy milk"}})
        first = await asking
        again = await client.post(CHAT, json=QUESTION, headers=headers)

    assert (first.status_code, first.json()["details"]) == (502, {"mutations": ["insert tasks new"]})
    assert (again.status_code, again.json(), again.headers["idempotent-replayed"]) == (502, first.json(), "true")
