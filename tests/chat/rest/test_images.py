"""Images over REST, and the requests that name them."""

import asyncio
import uuid
from dataclasses import replace
from typing import Any

import pytest

from accounts.errors import AccountGone
from accounts.keys.vault import Vault
from agents.adapters.base import UserMessage
from agents.images import MAX_BYTES, ImageType
from chat.turns.images import MemoryImages
from tests.agents.scripts import says
from tests.agents.test_images import drawn
from tests.chat.http import CHAT, Tokens, rest, sign_in
from tests.chat.sockets import Frame, Server

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = "Which task is this?"
IMAGES = "/api/v1/images"
PNG = {"content-type": "image/png"}
UNSEEN = "The model that answers cannot see images, so it gets your message without them."


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


async def uploaded(server: Server, token: str, data: bytes = b"") -> str:
    async with rest(server, token) as client:
        answer = await client.post(IMAGES, content=data or drawn("PNG"), headers=PNG)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def blind(server: Server) -> Server:
    server.services = replace(server.services, turns=replace(server.services.turns, sees_images=False))
    return server.restarted()


def asked(server: Server) -> UserMessage:
    """The user's message as the model got it."""
    found = server.adapter.requests[-1].messages[-1]
    assert isinstance(found, UserMessage)
    return found


async def answered(server: Server, **request: Any) -> list[Frame]:
    async with server.device() as device:
        await device.send({"type": "home_request", "message": QUESTION, "request_id": str(uuid.uuid4()), **request})
        return list(await device.until("stream_end"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
async def test_an_image_is_taken_and_described(tokens: Tokens, kind: str) -> None:
    server = Server()
    async with rest(server, tokens.alice) as client:
        answer = await client.post(IMAGES, content=drawn(kind), headers={"content-type": f"image/{kind.lower()}"})

    body = answer.json()
    assert answer.status_code == 201
    assert (body["width"], body["height"]) == (40, 20)
    assert set(body) == {"id", "media_type", "width", "height", "expires_at"}


@pytest.mark.parametrize(
    ("data", "headers", "status", "code"),
    [
        (b"no image", PNG, 400, "invalid"),
        (b"", PNG, 400, "invalid"),
        (drawn("GIF"), {"content-type": "image/gif"}, 415, "unsupported_media_type"),
        (b'{"a": 1}', {"content-type": "application/json"}, 415, "unsupported_media_type"),
        (b"x" * (MAX_BYTES + 1), PNG, 413, "too_large"),
    ],
    ids=["broken", "empty", "gif", "json", "large"],
)
async def test_what_is_no_image_is_refused(
    tokens: Tokens, data: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    server = Server()
    async with rest(server, tokens.alice) as client:
        answer = await client.post(IMAGES, content=data, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_uploads_need_a_token_and_count_as_requests(tokens: Tokens) -> None:
    server = Server(per_minute=1)
    async with rest(server, None) as anyone, rest(server, tokens.alice) as client:
        refused = await anyone.post(IMAGES, content=drawn("PNG"), headers=PNG)
        first, second = [await client.post(IMAGES, content=drawn("PNG"), headers=PNG) for _ in range(2)]

    assert [refused.status_code, first.status_code, second.status_code] == [401, 201, 429]
    assert "retry-after" in second.headers


async def test_without_the_users_key_no_image_is_taken(tokens: Tokens) -> None:
    async def no_vault(_user: uuid.UUID) -> Vault:
        raise AccountGone

    server = Server()
    turns = replace(server.services.turns, images=MemoryImages(open_vault=no_vault))
    server.services = replace(server.services, turns=turns)
    async with rest(server, tokens.alice) as client:
        answer = await client.post(IMAGES, content=drawn("PNG"), headers=PNG)

    assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "not_available", "2")


async def test_the_model_gets_the_images_that_a_request_names(tokens: Tokens) -> None:
    server = Server([says("A flag.")])
    kept = [await uploaded(server, tokens.alice, drawn(kind)) for kind in ("PNG", "JPEG")]

    frames = await answered(server, images=kept)

    assert frames[-1]["finish_reason"] == "done"
    assert asked(server).text == QUESTION
    assert [image.media_type for image in asked(server).images] == [ImageType.PNG, ImageType.JPEG]


async def test_an_image_goes_along_over_rest(tokens: Tokens) -> None:
    server = Server([says("A flag.")])
    kept = await uploaded(server, tokens.alice)
    async with server.device(), rest(server, tokens.alice) as client:
        answer = await client.post(CHAT, json={"message": QUESTION, "images": [kept]})

    assert (answer.status_code, answer.json()["response"]) == (200, "A flag.")
    assert len(asked(server).images) == 1


@pytest.mark.parametrize("of_bob", [True, False], ids=["bob's", "unknown"])
async def test_a_request_that_names_another_image_is_refused_and_no_model_asked(
    tokens: Tokens, *, of_bob: bool
) -> None:
    server = Server([says("A flag.")])
    named = await uploaded(server, tokens.bob) if of_bob else str(uuid.uuid4())

    end = (await answered(server, images=[named]))[-1]

    assert end["finish_reason"] == "error"
    assert end["error"] == {
        "code": "invalid",
        "message": "The server no longer has this image, which it keeps for ten minutes. Send it again.",
        "retryable": False,
    }
    assert server.adapter.requests == []
    async with server.device(), rest(server, tokens.alice) as client:
        answer = await client.post(CHAT, json={"message": QUESTION, "images": [named]})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


async def test_a_request_names_so_many_images_at_most(tokens: Tokens) -> None:
    server = Server()
    async with server.device() as device:
        await device.send({"type": "home_request", "message": "x", "images": [str(uuid.uuid4()) for _ in range(5)]})
        assert (await device.receive())["code"] == "invalid"


async def test_a_model_that_sees_nothing_gets_none_and_the_user_is_told(tokens: Tokens) -> None:
    server = blind(Server([says("I cannot tell.")]))
    kept = await uploaded(server, tokens.alice)

    frames = await answered(server, images=[kept])

    said = "".join(str(frame["chunk"]) for frame in frames if frame["type"] == "stream_text")
    assert said == f"{UNSEEN}\n\nI cannot tell."
    assert asked(server).images == ()
    assert "You cannot see them" in asked(server).text


async def test_several_large_images_are_taken_at_once(tokens: Tokens) -> None:
    server = Server()
    large = drawn("JPEG", size=(6000, 4000))
    async with rest(server, tokens.alice) as client:
        answers = await asyncio.gather(
            *(client.post(IMAGES, content=large, headers={"content-type": "image/jpeg"}) for _ in range(4))
        )

    assert [answer.status_code for answer in answers] == [201] * 4
    assert {answer.json()["width"] for answer in answers} == {2048}
