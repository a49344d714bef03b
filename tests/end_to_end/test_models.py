"""Several models on servers of their own, behind the real server process."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from tests.end_to_end.conftest import Running, register, server
from tests.end_to_end.raw import Frame, device, text_of
from tests.model_server.scripts import Status, calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end

NOW = {"retry-after-ms": "1"}


@dataclass
class Two:
    """A server with two models; ``second`` replaces ``first`` where that is away."""

    running: Running
    first: ModelServer
    second: ModelServer


@pytest.fixture(scope="module")
def two(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    with ModelServer() as first, ModelServer() as second:
        added = [{"name": "second", "model": "second-1", "base_url": second.base_url, "offered": True}]
        settings = {
            "OPENAI_BASE_URL": first.base_url,
            "OPENAI_MODEL": "first-1",
            "ADIUVA_MODELS": json.dumps(added),
            "ADIUVA_FALLBACK_MODELS": "first_1,second",
        }
        with server(tmp_path_factory.mktemp("two"), **settings) as address:
            yield Two(running=Running(url=address, model=first), first=first, second=second)


def asking(message: str, **fields: str) -> Frame:
    return {"type": "home_request", "message": message, "request_id": str(uuid.uuid4()), **fields}


async def test_a_device_chooses_among_the_models_of_its_welcome(two: Two) -> None:
    two.second.reply(says("I am the second."))
    async with device(two.running, register(two.running.url).access) as raw:
        assert raw.welcome["models"] == [
            {"name": "first_1", "display_name": "first-1", "default": True, "images": False},
            {"name": "second", "display_name": "second-1", "default": False, "images": False},
        ]
        await raw.send(asking("List my tasks, you second", model="second"))
        frames = await raw.until("stream_end")

    assert text_of(frames) == "I am the second."
    assert "model" not in frames[-1]
    assert two.second.requests[-1].body["model"] == "second-1"
    assert two.second.requests[-1].headers["authorization"] == "Bearer no-key"


async def test_the_next_model_answers_where_one_is_away(two: Two) -> None:
    two.first.when(lambda request: "away" in str(request.messages), [Status(503, headers=NOW)])
    two.second.reply(says("I stand in."))
    async with device(two.running, register(two.running.url).access) as raw:
        await raw.send(asking("List my tasks while one is away"))
        frames = await raw.until("stream_end")

    assert (text_of(frames), frames[-1]["model"]) == ("I stand in.", "second")


async def test_no_other_model_goes_on_after_a_change(two: Two) -> None:
    two.first.when(
        lambda request: "Buy oats" in str(request.messages),
        calls(wants("create_task", title="Buy oats")),
        [Status(503, headers=NOW)],
    )
    before = len(two.second.requests)
    async with device(two.running, register(two.running.url).access) as raw:
        await raw.send(asking("Create a task: Buy oats"))
        call = (await raw.until("tool_call"))[-1]
        await raw.send({"type": "tool_result", "id": call["id"], "row": {"id": "t1", "title": "Buy oats"}})
        end = (await raw.until("stream_end"))[-1]

    assert (end["finish_reason"], end["mutations"]) == (
        "error",
        [{"action": "insert", "table": "tasks", "id": "t1"}],
    )
    assert isinstance(end["error"], dict)
    assert end["error"]["code"] == "model_unavailable"
    assert len(two.second.requests) == before


async def test_rest_lists_the_models(two: Two) -> None:
    headers = {"Authorization": f"Bearer {register(two.running.url).access}"}
    async with httpx.AsyncClient(base_url=two.running.url, headers=headers, timeout=30) as client:
        assistant = (await client.get("/api/v1/assistant")).json()

    assert [model["name"] for model in assistant["models"]] == ["first_1", "second"]
