"""The embedder over real HTTP.

The SDK is imported inside functions: it takes 0.4 s, which other tests of the memory need not wait for.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

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

    from memory.embedders.openai import EmbeddingModel, OpenAIEmbedder

    async with AsyncOpenAI(api_key="none", base_url=server.base_url, max_retries=1) as client:
        yield OpenAIEmbedder(client, EmbeddingModel(model="embedding-1"))


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
    text = "mìlk " * 3000

    [vector, other] = await embedder.embed([text, "report"])

    *pieces, last = server.embedding_requests[0].texts
    assert last == "report"
    assert len(pieces) == 3
    assert max(len(piece.encode()) for piece in pieces) <= 8_000
    mean = np.average([hashed(piece) for piece in pieces], axis=0, weights=[len(piece) for piece in pieces])
    assert vector == pytest.approx(unit(mean.astype(np.float32)), abs=1e-5)
    assert other == pytest.approx(hashed("report"), abs=1e-6)


async def test_many_texts_go_in_several_requests(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    texts = [f"text {number}" for number in range(513)]

    found = await embedder.embed(texts)

    assert [len(request.texts) for request in server.embedding_requests] == [512, 1]
    assert found[-1] == pytest.approx(hashed(texts[-1]), abs=1e-6)


async def test_much_text_goes_in_several_requests(server: ModelServer, embedder: "OpenAIEmbedder") -> None:
    await embedder.embed(["x" * 8_000] * 40)

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


MakeEmbedder: TypeAlias = "Callable[..., OpenAIEmbedder]"


@pytest.fixture
async def embedder_of(server: ModelServer) -> AsyncIterator[MakeEmbedder]:
    """An embedder with these options, that asks once."""
    from openai import AsyncOpenAI

    from memory.embedders.openai import EmbeddingModel, OpenAIEmbedder

    async with AsyncOpenAI(api_key="none", base_url=server.base_url, max_retries=0) as client:
        yield lambda **options: OpenAIEmbedder(client, EmbeddingModel(model="embedding-1", **options))


@pytest.mark.parametrize("dimensions", [384, 1000, 4000])
async def test_vectors_have_the_length_of_the_settings(
    server: ModelServer, embedder_of: MakeEmbedder, dimensions: int
) -> None:
    embedder = embedder_of(dimensions=dimensions)
    server.reply_to_embedding(vectors([1.0] * dimensions))

    blank, vector = await embedder.embed(["", "milk"])

    assert vector == pytest.approx(np.full(dimensions, dimensions**-0.5))
    assert np.array_equal(blank, blank_vector(dimensions))
    assert embedder.name == f"embedding-1@{dimensions}"
    assert server.embedding_requests[0].body["dimensions"] == dimensions


async def test_longer_vectors_than_the_settings_say_are_refused_by_the_settings_name(
    server: ModelServer, embedder_of: MakeEmbedder
) -> None:
    embedder = embedder_of(dimensions=16)
    server.reply_to_embedding(vectors([1.0] * 17))

    with pytest.raises(EmbeddingFailed, match=r"vectors of 17 numbers.*OPENAI_EMBEDDING_DIMENSIONS"):
        await embedder.embed(["milk"])


async def test_texts_that_ask_and_texts_that_are_found_have_prefixes_of_their_own(
    server: ModelServer, embedder_of: MakeEmbedder
) -> None:
    embedder = embedder_of(query_prefix="query: ", passage_prefix="passage: ")

    await embedder.embed(["milk", "", "bread"])
    await embedder.embed(["what to buy"], query=True)

    texts = [request.texts for request in server.embedding_requests]
    assert texts == [["passage: milk", "passage: bread"], ["query: what to buy"]]


async def test_a_name_tells_apart_what_cannot_be_compared(server: ModelServer, embedder_of: MakeEmbedder) -> None:
    plain = embedder_of()
    asked = embedder_of(query_prefix="query: ")
    first = embedder_of(passage_prefix="passage: ")
    second = embedder_of(passage_prefix="text: ")

    assert plain.name == asked.name == "embedding-1"
    assert len({plain.name, first.name, second.name}) == 3


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("invalid_api_key", "401 (code invalid_api_key)"),
        (401, "401 (code 401)"),
        ("No key for “my divorce”", "401 (no code)"),
        ({"input": "my divorce"}, "401 (no code)"),
        (None, "401 (no code)"),
    ],
)
async def test_a_code_is_logged_only_if_it_is_one(
    server: ModelServer, embedder: "OpenAIEmbedder", caplog: pytest.LogCaptureFixture, code: Any, said: str
) -> None:
    server.reply_to_embedding([Status(401, whole_body={"error": {"message": "my divorce", "code": code}})])

    with pytest.raises(EmbeddingFailed):
        await embedder.embed(["my divorce"])

    assert said in caplog.text
    assert "divorce" not in caplog.text


def refusing(*, above_texts: int = 1000, above_bytes: int = 1_000_000, status: int = 413) -> Any:
    """A server that refuses requests with more texts, or a longer text."""

    def answer(body: dict[str, Any]) -> Script:
        texts = body["input"]
        if len(texts) > above_texts or max(len(text.encode()) for text in texts) > above_bytes:
            return [Status(status, message="the input is too large to process", headers=SOON)]
        return [Json({"data": [{"index": i, "embedding": hashed(text).tolist()} for i, text in enumerate(texts)]})]

    return answer


@pytest.mark.parametrize("status", [400, 413, 422, 500])
async def test_a_refused_batch_is_split_and_later_ones_are_no_larger(
    server: ModelServer, embedder_of: MakeEmbedder, status: int
) -> None:
    embedder = embedder_of()
    server.when_embedding(lambda _: True, refusing(above_texts=3, status=status))
    texts = [f"text {number}" for number in range(11)]

    found = await embedder.embed(texts)

    assert [vector @ hashed(text) for vector, text in zip(found, texts, strict=True)] == pytest.approx([1.0] * 11)
    server.embedding_requests.clear()
    await embedder.embed(texts)
    assert [len(request.texts) for request in server.embedding_requests] == [3, 3, 3, 2]


async def test_a_refused_text_is_cut_and_later_ones_are_no_longer(
    server: ModelServer, embedder_of: MakeEmbedder
) -> None:
    embedder = embedder_of()
    server.when_embedding(lambda _: True, refusing(above_bytes=2_000))
    text = "milk and bread " * 500

    [vector] = await embedder.embed([text])

    assert vector @ hashed(text) > 0.9
    server.embedding_requests.clear()
    await embedder.embed([text])
    sizes = [len(each) for request in server.embedding_requests for each in request.texts]
    assert max(sizes) <= 2_000
    assert sum(sizes) == len(text)


async def test_what_is_refused_for_another_reason_is_not_asked_about_forever(
    server: ModelServer, embedder_of: MakeEmbedder
) -> None:
    embedder = embedder_of()
    server.when_embedding(lambda _: True, [Status(400)])

    with pytest.raises(EmbeddingFailed, match="answered 400"):
        await embedder.embed([f"text {number}" for number in range(512)])

    # Halves of halves, each with and without the parameter for dimensions.
    assert len(server.embedding_requests) == 20


async def test_limits_of_the_settings_hold_from_the_first_request_on(
    server: ModelServer, embedder_of: MakeEmbedder
) -> None:
    from memory.embedders.openai import RequestLimits

    embedder = embedder_of(limits=RequestLimits(text_bytes=10, texts=2, total_bytes=15))

    await embedder.embed(["a" * 25, "b", "c", "d"])

    texts = [request.texts for request in server.embedding_requests]
    assert texts == [["a" * 10], ["a" * 10, "a" * 5], ["b", "c"], ["d"]]


@pytest.mark.parametrize(
    "refusal",
    [
        Status(404, "model_not_found", 'model "embedding-1" not found'),
        Status(501, "not_supported_error", "This server does not support embeddings."),
        Status(400, "invalid_model", "Invalid model: embedding-1"),
    ],
)
async def test_hashing_serves_where_a_server_has_no_model_for_vectors(
    server: ModelServer, embedder_of: MakeEmbedder, refusal: Status
) -> None:
    from memory.embedders.fallback import FallbackEmbedder

    embedder = FallbackEmbedder(embedder_of(dimensions=768))
    server.when_embedding(lambda _: True, [refusal])
    assert (embedder.name, embedder.dimensions) == ("embedding-1@768", 768)

    [vector] = await embedder.embed(["milk"])
    server.embedding_requests.clear()
    await embedder.embed(["milk"], query=True)

    assert np.array_equal(vector, hashed("milk"))
    assert (embedder.name, embedder.dimensions) == ("hashing-v1", DIMENSIONS)
    assert server.embedding_requests == []


async def test_a_server_that_is_away_for_a_moment_is_asked_again(
    server: ModelServer, embedder_of: MakeEmbedder
) -> None:
    from memory.embedders.fallback import FallbackEmbedder

    embedder = FallbackEmbedder(embedder_of())
    server.reply_to_embedding([Status(503, headers=SOON)])

    await embedder.settle()
    assert embedder.name == "embedding-1"
    await embedder.settle()

    assert [request.texts for request in server.embedding_requests] == [["ready"], ["ready"]]
