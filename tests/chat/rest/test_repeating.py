"""A question with an ``Idempotency-Key`` is asked once, whole or as it is written."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from django.db import OperationalError

from accounts.errors import MissingMasterKey
from agents.errors import ModelRefused, ModelUnavailable
from agents.events import ToolCall
from agents.permissions.approvals.service import ApprovalService
from chat.rest.images import ImageUploads
from tests.agents.scripts import Reply, call, calls, says
from tests.agents.test_images import drawn
from tests.chat.devices.test_jobs import served
from tests.chat.http import CHAT, Tokens, rest, sign_in
from tests.chat.memories import ScriptedMemory
from tests.chat.sockets import CALL_TIMEOUT_S, Frame, Server, Socket, leap

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = {"message": "Create a task"}
CREATE = call("create_task", '{"title":"Buy milk"}')
SUMMARIZE = call("summarize_project", '{"project_id":"p1"}')
AWAY = ModelUnavailable("It is away.")
_ANSWERS: Mapping[str, Frame] = {"get": {"row": {"id": "t1", "title": "Water"}}, "update": {"row": None}}


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


@asynccontextmanager
async def reading(device: Socket) -> AsyncIterator[None]:
    """A block in which ``device`` answers what is read, has no row to update, and never confirms an insert."""

    async def answer() -> None:
        while True:
            [*_, wanted] = await device.until("tool_call")
            if wanted["action"] == "insert":
                leap(CALL_TIMEOUT_S)
            else:
                found: Frame = _ANSWERS.get(str(wanted["action"]), {"rows": []})
                await device.send({"type": "tool_result", "id": wanted["id"], **found})

    answering = asyncio.create_task(answer())
    try:
        yield
    finally:
        answering.cancel()


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

    told = {"mutations": ["insert tasks new"], "tools": ["create_task"]}
    assert (first.status_code, first.json()["details"]) == (502, told)
    assert (again.status_code, again.json(), again.headers["idempotent-replayed"]) == (502, first.json(), "true")


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Create a task", CREATE),
        ("Summarise the project Garden", SUMMARIZE),
        ("Delete the task Water", call("delete_task", '{"task_id":"t1"}')),
        ("Remember that my tea is Assam", call("remember", '{"key":"tea","value":"Assam"}')),
    ],
    ids=["a change that is not confirmed", "a job", "a question", "the memory"],
)
async def test_what_failed_after_it_may_have_done_something_is_not_done_again(
    tokens: Tokens, message: str, wanted: ToolCall, accept: str
) -> None:
    headers = {"Idempotency-Key": "k1", "Accept": accept}
    async with served(calls(wanted), [AWAY], says("No."), worker=False, approvals=ApprovalService) as server:
        server.run_with(recollection=ScriptedMemory().recollection)
        async with server.device() as device, rest(server, tokens.alice) as client, reading(device):
            first, again = [await client.post(CHAT, json={"message": message}, headers=headers) for _ in range(2)]

    assert ("model_unavailable" in first.text, again.headers["idempotent-replayed"]) == (True, "true")
    if accept == "text/event-stream":
        assert again.text == first.text
    else:
        assert (first.status_code, first.json()["details"]) == (503, {"tools": [wanted.name]})
        assert (again.status_code, again.json()) == (503, first.json())


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    "before",
    [[], [calls(call("list_tasks"))], [calls(call("update_task", '{"task_id":"none","title":"Soup"}'))]],
    ids=["nothing", "a read", "wrong arguments"],
)
async def test_what_failed_before_it_did_anything_may_be_sent_again_with_its_key(
    tokens: Tokens, before: Sequence[Reply], accept: str
) -> None:
    server = Server([*before, [AWAY], says("Hello.")])
    headers = {"Idempotency-Key": "k1", "Accept": accept}
    async with server.device() as device, rest(server, tokens.alice) as client, reading(device):
        first, again = [await client.post(CHAT, json=QUESTION, headers=headers) for _ in range(2)]

    assert "model_unavailable" in first.text
    assert ("Hello." in again.text, "idempotent-replayed" in again.headers) == (True, False)
