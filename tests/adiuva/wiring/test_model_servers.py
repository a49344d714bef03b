"""Which server and API a process asks, from settings."""

from pytest_django import Settings

from adiuva.models_setting import configured_models
from adiuva.wiring.model_roles import assistant_models, assistant_server
from adiuva.wiring.model_servers import ModelServer, ModelServers
from adiuva.wiring.models import models
from agents.adapters.anthropic import AnthropicAdapter
from agents.adapters.base import ModelSize, Parameter
from agents.adapters.dialects import Api, DialectName, Effort
from agents.adapters.openai import OpenAIAdapter
from agents.telemetry.turns import ObservedAdapter
from memory.embedders.fallback import FallbackEmbedder
from memory.embedders.hashing import HashingEmbedder

HERE = "http://127.0.0.1:9/v1"


def test_nothing_set_means_no_server() -> None:
    assert assistant_server() is None


def test_the_settings_of_openai_say_how_its_server_is_asked(settings: Settings) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API, settings.OPENAI_DIALECT = HERE, "RESPONSES", "VLLM"
    settings.REASONING_EFFORT, settings.SMALL_REASONING_EFFORT = "HIGH", "NONE"

    assert assistant_server() == ModelServer(
        base_url=HERE,
        api=Api.RESPONSES,
        dialect=DialectName.VLLM,
        efforts={ModelSize.LARGE: Effort.HIGH, ModelSize.SMALL: Effort.NONE},
    )


async def test_with_its_key_the_models_are_anthropics_and_vectors_are_made_elsewhere(settings: Settings) -> None:
    settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_MODEL = "sk-ant", "claude-1"
    alone = models()
    settings.OPENAI_BASE_URL = HERE
    both = models()

    assert (alone.adapter.name, type(alone.embedder)) == ("claude-1", HashingEmbedder)
    assert (both.adapter.name, type(both.embedder)) == ("claude-1", FallbackEmbedder)
    server = assistant_server()
    assert server is not None
    assert server.api is Api.ANTHROPIC
    assert assistant_models()[ModelSize.LARGE] == "claude-1"
    assert {blueprint.parameters for blueprint in alone.blueprints} == {frozenset({Parameter.MAX_TOKENS})}
    await alone.aclose()
    await both.aclose()


def test_models_of_one_server_share_its_client() -> None:
    servers = ModelServers()
    first, second = ModelServer(base_url=HERE), ModelServer(base_url=HERE, dialect=DialectName.OLLAMA)

    assert servers.client(first) is servers.client(second)
    assert servers.client(first) is not servers.client(ModelServer(base_url=HERE, api_key="k"))


def test_a_model_beside_has_an_api_of_its_own(settings: Settings) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = HERE, "sk-own"
    settings.MODELS = configured_models(
        """[
            {"name": "claude", "model": "c", "api": "anthropic", "api_key": "sk-ant"},
            {"name": "local", "model": "l", "base_url": "http://127.0.0.1:8/v1", "dialect": "ollama", "effort": "low"}
        ]""",
        have_server=True,
    )
    by_name = {blueprint.name: blueprint.adapter for blueprint in models().blueprints}

    def inner(name: str) -> object:
        observed = by_name[name]
        assert isinstance(observed, ObservedAdapter)
        return observed._inner

    claude, local = inner("claude"), inner("local")
    assert isinstance(claude, AnthropicAdapter)
    # Neither the address nor the key of the assistant's server.
    assert (str(claude._client.base_url), claude._client.api_key) == ("https://api.anthropic.com", "sk-ant")
    assert isinstance(local, OpenAIAdapter)
    assert local._efforts[ModelSize.LARGE] is Effort.LOW
    assert local._client.api_key == "no-key"
