"""Several models, from settings to the requests that their servers get: real servers, and the real SDK."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager

import pytest
from pytest_django import Settings

from adiuva.models_setting import configured_models
from adiuva.wiring.model_roles import answering_models, embedding_server, small_model
from adiuva.wiring.model_servers import ModelServer as Server
from adiuva.wiring.model_servers import ModelServers
from adiuva.wiring.models import Models, blueprints, models
from agents.adapters.base import ModelParams, ModelSize, UserMessage, whole_text
from agents.offline import OfflineAdapter
from memory.embedders.fallback import FallbackEmbedder
from memory.embedders.hashing import HashingEmbedder
from tests.model_server.scripts import Status, says
from tests.model_server.server import ModelServer

HERE, THERE = "http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"


@pytest.fixture
def servers() -> Iterator[list[ModelServer]]:
    """Three servers: of the large model, of the small one, and of vectors."""
    with ExitStack() as stack:
        yield [stack.enter_context(ModelServer()) for _ in range(3)]


@asynccontextmanager
async def configured() -> AsyncIterator[Models]:
    chosen = models()
    try:
        yield chosen
    finally:
        await chosen.aclose()


def bearer(server: ModelServer) -> set[str]:
    """The keys that a server was sent."""
    return {request.headers["authorization"] for request in (*server.requests, *server.embedding_requests)}


async def asked(chosen: Models, size: ModelSize) -> str:
    return await whole_text(chosen.adapter, [UserMessage(text="Hello")], ModelParams(size=size))


async def test_each_model_is_asked_on_its_own_server_with_its_own_key(
    settings: Settings, servers: list[ModelServer]
) -> None:
    large, small, vectors = servers
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = large.base_url, "key-large"
    settings.OPENAI_SMALL_BASE_URL, settings.OPENAI_SMALL_API_KEY = small.base_url, "key-small"
    settings.OPENAI_EMBEDDING_BASE_URL, settings.OPENAI_EMBEDDING_API_KEY = vectors.base_url, "key-vectors"
    settings.OPENAI_MODEL, settings.OPENAI_SMALL_MODEL, settings.OPENAI_EMBEDDING_MODEL = "l-1", "s-1", "v-1"
    large.reply(says("Large."))
    small.reply(says("Small."), says("A summary."))

    async with configured() as chosen:
        assert await asked(chosen, ModelSize.LARGE) == "Large."
        assert await asked(chosen, ModelSize.SMALL) == "Small."
        assert await chosen.summarizer.summarise("Hello", "Hi", "en") == "A summary."
        await chosen.embedder.embed(["milk"])

    assert [bearer(server) for server in servers] == [
        {"Bearer key-large"},
        {"Bearer key-small"},
        {"Bearer key-vectors"},
    ]
    assert [request.body["model"] for request in (*large.requests, *small.requests)] == ["l-1", "s-1", "s-1"]
    assert [request.body["model"] for request in vectors.embedding_requests] == ["v-1"]


async def test_the_key_of_one_server_is_sent_to_no_other(settings: Settings, servers: list[ModelServer]) -> None:
    large, small, vectors = servers
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = large.base_url, "key-large"
    settings.OPENAI_SMALL_BASE_URL, settings.OPENAI_EMBEDDING_BASE_URL = small.base_url, vectors.base_url
    small.reply(says("Small."))

    async with configured() as chosen:
        await asked(chosen, ModelSize.SMALL)
        await chosen.embedder.embed(["milk"])

    assert bearer(small) == bearer(vectors) == {"Bearer no-key"}


async def test_without_servers_of_their_own_all_are_on_the_assistants(
    settings: Settings, servers: list[ModelServer]
) -> None:
    large, *_ = servers
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = large.base_url, "key-large"
    settings.OPENAI_EMBEDDING_API_KEY = "key-vectors"
    large.reply(says("Small."))

    async with configured() as chosen:
        await asked(chosen, ModelSize.SMALL)
        await chosen.embedder.embed(["milk"])

    assert [request.headers["authorization"] for request in large.requests] == ["Bearer key-large"]
    assert [request.headers["authorization"] for request in large.embedding_requests] == ["Bearer key-vectors"]


async def test_a_server_for_vectors_alone_leaves_the_offline_assistant(
    settings: Settings, servers: list[ModelServer]
) -> None:
    *_, vectors = servers
    settings.OPENAI_EMBEDDING_BASE_URL, settings.OPENAI_EMBEDDING_MODEL = vectors.base_url, "v-1"

    async with configured() as chosen:
        assert chosen.adapter.name == OfflineAdapter.name
        assert chosen.catalogue.offered == ()
        assert chosen.embedder.name == "v-1"
        await chosen.embedder.embed(["milk"])

    assert len(vectors.embedding_requests) == 1


async def test_settings_say_how_vectors_are_made(settings: Settings, servers: list[ModelServer]) -> None:
    *_, vectors = servers
    settings.OPENAI_EMBEDDING_BASE_URL, settings.OPENAI_EMBEDDING_MODEL = vectors.base_url, "v-1"
    settings.OPENAI_EMBEDDING_DIMENSIONS, settings.OPENAI_EMBEDDING_BATCH_TEXTS = 4000, 1
    settings.OPENAI_EMBEDDING_QUERY_PREFIX, settings.OPENAI_EMBEDDING_PASSAGE_PREFIX = "query: ", "passage: "

    async with configured() as chosen:
        [vector, _] = await chosen.embedder.embed(["milk", "bread"])
        await chosen.embedder.embed(["food"], query=True)

    assert len(vector) == chosen.embedder.dimensions == 4000
    assert [request.texts for request in vectors.embedding_requests] == [
        ["passage: milk"],
        ["passage: bread"],
        ["query: food"],
    ]


async def test_hashing_can_be_chosen_and_serves_where_a_server_has_no_model(
    settings: Settings, servers: list[ModelServer]
) -> None:
    large, *_ = servers
    settings.OPENAI_BASE_URL = large.base_url
    large.reply_to_embedding([Status(404)])
    async with configured() as chosen:
        assert isinstance(chosen.embedder, FallbackEmbedder)
        assert chosen.embedder.name == "text-embedding-3-small"
        await chosen.embedder.settle()
        assert chosen.embedder.name == HashingEmbedder.name
    settings.OPENAI_EMBEDDING_MODEL = "hashing"
    async with configured() as chosen:
        assert chosen.embedder.name == HashingEmbedder.name


async def test_offered_models_follow_the_assistants_own(settings: Settings) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY, settings.OPENAI_MODEL = HERE, "key", "gpt-4.1"
    settings.MODEL_SEES_IMAGES, settings.FALLBACK_MODELS = True, ("gpt_4_1", "local")
    settings.MODELS = configured_models(
        """[
            {"name": "tool", "model": "t-1"},
            {"name": "local", "model": "l-1", "base_url": "http://127.0.0.1:10/v1", "offered": true},
            {"name": "other", "model": "o-1", "offered": true, "display_name": "Other", "sees_images": true}
        ]""",
        have_server=True,
    )

    found = list(answering_models())
    async with configured() as chosen:
        offered, replaced = chosen.catalogue.offered, chosen.catalogue.choice(None)

    assert [(each.name, each.display_name, each.sees_images) for each in found] == [
        ("gpt_4_1", "gpt-4.1", True),
        ("local", "l-1", False),
        ("other", "Other", True),
    ]
    assert [(each.server.base_url, each.server.api_key) for each in found] == [
        (HERE, "key"),
        (THERE, ""),
        (HERE, "key"),
    ]
    assert [each.adapter.name for each in offered] == ["gpt-4.1", "l-1", "o-1"]
    assert [each.name for each in replaced] == ["gpt_4_1", "local"]


def test_an_offered_model_with_the_name_of_the_assistants_own_takes_its_place(settings: Settings) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_MODEL = HERE, "gpt-4.1"
    settings.MODELS = configured_models(
        """[
            {"name": "other", "model": "o-1", "offered": true},
            {"name": "gpt_4_1", "model": "gpt-4.1", "offered": true, "display_name": "GPT-4.1"}
        ]""",
        have_server=True,
    )
    assert [each.display_name for each in answering_models()] == ["GPT-4.1", "o-1"]


async def test_without_a_model_of_its_own_the_first_that_is_offered_answers_and_does_the_small_work(
    settings: Settings, servers: list[ModelServer]
) -> None:
    large, *_ = servers
    settings.MODELS = configured_models(
        f'[{{"name": "local", "model": "l-1", "base_url": "{large.base_url}", "offered": true}}]', have_server=False
    )
    large.reply(says("Large."), says("Small."))

    async with configured() as chosen:
        assert await asked(chosen, ModelSize.LARGE) == "Large."
        assert await asked(chosen, ModelSize.SMALL) == "Small."

    assert embedding_server() is None
    assert [request.body["model"] for request in large.requests] == ["l-1", "l-1"]


def test_the_small_model_is_a_tool_of_its_own_server(settings: Settings) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_SMALL_BASE_URL = HERE, THERE
    settings.OPENAI_MODEL, settings.OPENAI_SMALL_MODEL = "l-1", "s-1"

    small = small_model()

    assert small is not None
    assert (small.model, small.server) == ("s-1", Server(base_url=THERE))
    assert [blueprint.name for blueprint in blueprints(ModelServers())] == ["l_1", "s_1"]
