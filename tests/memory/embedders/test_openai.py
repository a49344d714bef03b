"""The embedder over real HTTP.

The SDK is imported inside functions: it takes 0.4 s, which other tests of the memory need not wait for.
"""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memory.embedders.hashing import hashed
from memory.errors import EmbeddingFailed
from memory.index import DIMENSIONS, Embedder, blank_vector, unit
from tests.model_server.scripts import BreakOff, Json, Script, Status
from tests.model_server.server import ModelServer

if TYPE_CHECKING:
    from memory.embedders.openai import OpenAIEmbedder

SOON = {"retry-after-ms": "1"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
async def embedder(server: ModelServer) -> AsyncIterator["OpenAIEmbedder"]:
    from openai import AsyncOpenAI

    from memory.embedders.openai import OpenAIEmbedder

    async with AsyncOpenAI(api_key="none", base_url=server.base_url, max_retries=1) as client:
        yield OpenAIEmbedder(client, "embedding-1")


def vectors(*lists: list[float]) -> Script:
    """A response with these vectors."""
    return [Json({"data": [{"index": index, "embedding": each} for index, each in enumerate(lists)]})]


async def test_texts_get_their_vectors_in_order(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    port: Embedder = embedder
    texts = ["buy milk", "quarterly report", "comprare il latte"]

    found = await port.embed(texts)

    assert (port.name, port.dimensions) == ("embedding-1", DIMENSIONS)
    for text, vector in zip(texts, found, strict=True):
        assert vector.dtype == np.float32
        assert vector == pytest.approx(hashed(text), abs=1e-6)
    [request] = server.embedding_requests
    assert request.body == {
        "model": "embedding-1",
        "input": texts,
        "dimensions": DIMENSIONS,
        "encoding_format": "base64",
    }


async def test_texts_that_say_nothing_are_not_asked_about(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    blank, milk, space = await embedder.embed(["", "milk", " \n"])

    assert np.array_equal(blank, blank_vector())
    assert np.array_equal(space, blank_vector())
    assert milk == pytest.approx(hashed("milk"), abs=1e-6)
    assert [request.texts for request in server.embedding_requests] == [["milk"]]
    assert await embedder.embed([]) == []


async def test_a_long_text_has_the_mean_of_its_pieces(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    from memory.embedders.openai import MAX_PIECE_BYTES

    text = "mìlk " * 3000

    [vector, other] = await embedder.embed([text, "report"])

    *pieces, last = server.embedding_requests[0].texts
    assert last == "report"
    assert len(pieces) == 3
    assert max(len(piece.encode()) for piece in pieces) <= MAX_PIECE_BYTES
    mean = np.average([hashed(piece) for piece in pieces], axis=0, weights=[len(piece) for piece in pieces])
    assert vector == pytest.approx(unit(mean.astype(np.float32)), abs=1e-5)
    assert other == pytest.approx(hashed("report"), abs=1e-6)


async def test_many_texts_go_in_several_requests(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    from memory.embedders.openai import MAX_BATCH_PIECES

    texts = [f"text {number}" for number in range(MAX_BATCH_PIECES + 1)]

    found = await embedder.embed(texts)

    assert [len(request.texts) for request in server.embedding_requests] == [MAX_BATCH_PIECES, 1]
    assert found[-1] == pytest.approx(hashed(texts[-1]), abs=1e-6)


async def test_much_text_goes_in_several_requests(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    from memory.embedders.openai import MAX_PIECE_BYTES

    await embedder.embed(["x" * MAX_PIECE_BYTES] * 40)

    assert [len(request.texts) for request in server.embedding_requests] == [31, 9]


async def test_half_a_character_is_sent_as_something_else(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    await embedder.embed(["milk \ud83c"])

    assert server.embedding_requests[0].texts == ["milk ?"]


async def test_a_model_with_fewer_dimensions_is_filled_up(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    server.reply_to_embedding(vectors([3.0, 4.0]))

    [vector] = await embedder.embed(["milk"])

    assert vector[:2] == pytest.approx([0.6, 0.8])
    assert vector.shape == (DIMENSIONS,)
    assert not vector[2:].any()


async def test_a_server_that_refuses_dimensions_is_asked_without_from_then_on(
    server: ModelServer, embedder: "OpenAIEmbedder"
) -> None:
    server.reply_to_embedding([Status(400)])

    await embedder.embed(["milk"])
    await embedder.embed(["report"])

    assert ["dimensions" in request.body for request in server.embedding_requests] == [True, False, False]


async def test_a_request_that_is_refused_either_way_says_nothing_about_dimensions(
    server: ModelServer, embedder: "OpenAIEmbedder"
) -> None:
    server.reply_to_embedding([Status(400)], [Status(400)])
    with pytest.raises(EmbeddingFailed):
        await embedder.embed(["milk"])

    await embedder.embed(["milk"])

    assert ["dimensions" in request.body for request in server.embedding_requests] == [True, False, True]


async def test_a_second_refusal_without_dimensions_is_final(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    server.reply_to_embedding([Status(400)])
    await embedder.embed(["milk"])
    server.reply_to_embedding([Status(400)])

    with pytest.raises(EmbeddingFailed, match="answered 400"):
        await embedder.embed(["milk"])


@pytest.mark.parametrize(
    ("script", "retryable", "requests"),
    [
        ([Status(429, headers=SOON)], True, 2),
        ([Status(503, headers=SOON)], True, 2),
        ([Status(401)], False, 1),
        ([BreakOff()], True, 2),
    ],
)
async def test_a_failure_says_whether_trying_again_may_help(
    server: ModelServer, embedder: "OpenAIEmbedder", script: Script, retryable: bool, requests: int
) -> None:
    server.reply_to_embedding(*[script] * requests)

    with pytest.raises(EmbeddingFailed) as failed:
        await embedder.embed(["milk"])

    assert failed.value.retryable == retryable
    assert len(server.embedding_requests) == requests


@pytest.mark.parametrize(
    "answer",
    [
        {"data": []},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": [1.0] * (DIMENSIONS + 1)}]},
        {"data": [{"index": 0, "embedding": ["x"]}]},
        {"data": [{"index": 0, "embedding": "no base64"}]},
        {"data": [7]},
        {"data": None},
        {},
        "vectors",
    ],
)
async def test_an_answer_that_cannot_be_used_fails(
    server: ModelServer, embedder: "OpenAIEmbedder", answer: Any
) -> None:
    server.reply_to_embedding([Json(answer)])

    with pytest.raises(EmbeddingFailed) as failed:
        await embedder.embed(["milk"])

    assert not failed.value.retryable
