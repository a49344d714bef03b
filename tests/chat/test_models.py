"""The choice of a model, over the socket and over REST."""

from dataclasses import replace
from uuid import uuid4

import pytest

from agents.adapters.catalogue import ModelCatalogue, OfferedModel
from agents.errors import ModelUnavailable
from chat.protocol.frames.server import ModelInfo
from chat.services import AssistantFacts
from tests.agents.scripts import Reply, ScriptedAdapter, says
from tests.chat.http import CHAT, rest, sign_in
from tests.chat.sockets import Frame, Server, Socket

AWAY: Reply = [ModelUnavailable()]
INFOS = [
    ModelInfo(name="one", display_name="The first", default=True, images=True),
    ModelInfo(name="two", display_name="The second", default=False, images=False),
]
SCOPE = {"page": "tasks", "entityType": None}


def server_of(one: list[Reply], two: list[Reply]) -> Server:
    """A server with two models, the second of which replaces the first."""
    server = Server()
    adapters = [ScriptedAdapter(list(one), name="one"), ScriptedAdapter(list(two), name="two")]
    offered = [
        OfferedModel(name=info.name, display_name=info.display_name, adapter=adapter, sees_images=info.images)
        for info, adapter in zip(INFOS, adapters, strict=True)
    ]
    server.run_with(models=ModelCatalogue(offered=offered, fallback=["one", "two"]))
    assistant = AssistantFacts(model="one", offline=False, models=INFOS)
    server.services = replace(server.services, assistant=assistant)
    return server.restarted()


async def asked(device: Socket) -> Frame:
    """The last frame of an answer."""
    await device.send({"type": "home_request", "message": "List my tasks"})
    return (await device.until("stream_end"))[-1]


async def test_the_welcome_names_the_models() -> None:
    async with server_of([], []).device() as device:
        assert device.welcome["models"] == [
            {"name": "one", "display_name": "The first", "default": True, "images": True},
            {"name": "two", "display_name": "The second", "default": False, "images": False},
        ]


@pytest.mark.parametrize(
    "request_frame",
    [
        {"type": "home_request", "message": "List my tasks"},
        {"type": "popup_request", "message": "List my tasks", "scope": {"type": "tasks"}},
        {"type": "contextual_request", "message": "List my tasks", "session_id": "s", "scope": SCOPE},
        {"type": "chat_request", "message": "List my tasks"},
    ],
)
async def test_every_kind_of_request_may_choose_one(request_frame: Frame) -> None:
    server = server_of([], [says("Two.")])
    async with server.device() as device:
        await device.send({**request_frame, "model": "two"})
        frames = await device.until("final" if request_frame["type"] == "chat_request" else "stream_end")
    told = [frame.get("chunk", frame.get("text")) for frame in frames if frame["type"] in ("stream_text", "text_chunk")]
    assert "".join(map(str, told)) == "Two."
    assert "model" not in frames[-1]


async def test_an_unknown_name_begins_no_turn() -> None:
    server = server_of([], [])
    request_id = str(uuid4())
    async with server.device() as device:
        await device.send({"type": "home_request", "message": "Hi", "model": "three", "request_id": request_id})
        error = await device.receive()
    sentence = "There is no model with this name. Choose one of one, two, or none."
    assert error == {
        "type": "error",
        "code": "invalid",
        "message": sentence,
        "request_id": request_id,
        "retryable": False,
        "details": [{"field": "model", "problem": sentence}],
    }


async def test_without_a_choice_no_name_is_known() -> None:
    async with Server().device() as device:
        assert "models" not in device.welcome
        await device.send({"type": "home_request", "message": "Hi", "model": "scripted"})
        error = await device.receive()
    assert (error["code"], error["message"]) == (
        "invalid",
        "There is no model with this name. Choose none: there is only one.",
    )


async def test_the_end_names_the_model_that_answered_in_place_of_another() -> None:
    server = server_of([AWAY], [says("Two.")])
    async with server.device() as device:
        end = await asked(device)
    assert (end["finish_reason"], end["model"]) == ("done", "two")


async def test_where_all_are_away_the_turn_says_so() -> None:
    server = server_of([AWAY], [AWAY])
    async with server.device() as device:
        end = await asked(device)
    assert end["finish_reason"] == "error"
    assert isinstance(end["error"], dict)
    assert end["error"]["code"] == "model_unavailable"


async def test_the_same_request_with_another_model_is_another_request() -> None:
    server = server_of([says("One.")], [])
    request = {"type": "home_request", "message": "List my tasks", "request_id": str(uuid4())}
    async with server.device() as device:
        await device.send({**request, "model": "one"})
        await device.until("stream_end")
        await device.send({**request, "model": "two"})
        assert (await device.receive())["code"] == "request_id_reused"


@pytest.mark.django_db(transaction=True)
async def test_a_request_over_rest_may_choose_one() -> None:
    tokens = await sign_in()
    server = server_of([], [says("Two.")])
    async with server.device(), rest(server, tokens.alice) as client:
        answer = await client.post(CHAT, json={"message": "List my tasks", "model": "two"})
        refused = await client.post(CHAT, json={"message": "List my tasks", "model": "three"})
        assistant = await client.get("/api/v1/assistant")

    assert (answer.status_code, answer.json()["response"]) == (200, "Two.")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["details"] == {
        "model": ["There is no model with this name. Choose one of one, two, or none."]
    }
    assert assistant.json() == {"model": "one", "offline": False, "models": [info.model_dump() for info in INFOS]}
