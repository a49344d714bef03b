import json

import numpy as np
import pytest

from memory.errors import EmbeddingFailed
from tests.agents.embedding import RecordingEmbedder, unit_vector
from tests.chat.http import Tokens, rest, sign_in
from tests.chat.sockets import Server

EMBED = "/api/v1/storage/vectors/embed"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


def embedder_of(server: Server) -> RecordingEmbedder:
    embedder = server.services.turns.kit.embedder
    assert isinstance(embedder, RecordingEmbedder)
    return embedder


async def test_a_text_gets_its_vector_and_the_models_name(tokens: Tokens) -> None:
    server = Server()
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, json={"text": " Call the plumber è 🙂 "})

    text = "Call the plumber è 🙂"
    assert (response.status_code, set(response.json())) == (200, {"vector", "model"})
    assert response.json()["model"] == "recording"
    assert len(response.json()["vector"]) == 1536
    np.testing.assert_array_equal(np.asarray(response.json()["vector"], dtype=np.float32), unit_vector(text))
    assert embedder_of(server).texts == [text]


@pytest.mark.parametrize(
    ("body", "code", "details"),
    [
        ({}, "invalid", {"text": ["This field is required."]}),
        ({"text": ""}, "invalid", {"text": ["This field may not be blank."]}),
        ({"text": " \n"}, "invalid", {"text": ["This field may not be blank."]}),
        ({"text": None}, "invalid", {"text": ["This field may not be null."]}),
        ({"text": ["a"]}, "invalid", {"text": ["Not a valid string."]}),
        (
            {"text": "x" * 20_001},
            "invalid",
            {"text": ["Ensure this field has no more than 20000 characters."]},
        ),
        ([], "invalid", {"_": ["Invalid data. Expected a dictionary, but got list."]}),
        ({"text": "half a pair: \ud83d"}, "invalid", {"text": ["Surrogate characters are not allowed: U+D83D."]}),
    ],
)
async def test_a_text_that_is_none_is_refused(
    tokens: Tokens, body: object, code: str, details: dict[str, list[str]]
) -> None:
    server = Server()
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, content=json.dumps(body), headers={"content-type": "application/json"})

    assert (response.status_code, response.json()["code"]) == (400, code)
    assert response.json()["details"] == details
    assert embedder_of(server).texts == []


async def test_the_longest_text_is_taken_and_a_body_that_is_too_large_is_not(tokens: Tokens) -> None:
    async with rest(Server(), tokens.alice) as client:
        assert (await client.post(EMBED, json={"text": "x" * 20_000})).status_code == 200
        assert (await client.post(EMBED, json={"text": "x" * 300_000})).status_code == 413


@pytest.mark.parametrize("failure", [None, "The embedding server answered 500."])
async def test_a_vector_that_cannot_be_made_is_an_error(
    tokens: Tokens, failure: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: object) -> list[object]:
        raise EmbeddingFailed(failure)

    server = Server()
    monkeypatch.setattr(embedder_of(server), "embed", fail)
    async with rest(server, tokens.alice) as client:
        response = await client.post(EMBED, json={"text": "a"})

    assert (response.status_code, response.json()) == (
        503,
        {"code": "model_unavailable", "message": failure or "No vector could be made of the text."},
    )


async def test_requests_count_with_those_of_the_socket(tokens: Tokens) -> None:
    async with rest(Server(per_minute=1), tokens.alice) as client:
        assert (await client.post(EMBED, json={"text": "a"})).status_code == 200
        response = await client.post(EMBED, json={"text": "a"})

    assert (response.status_code, response.json()) == (
        429,
        {"code": "rate_limited", "message": "Too many requests. Wait a little."},
    )


async def test_a_vector_is_for_those_who_are_signed_in(tokens: Tokens) -> None:
    async with rest(Server(), None) as anybody:
        assert (await anybody.post(EMBED, json={"text": "a"})).status_code == 401
