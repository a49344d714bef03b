"""Models of OpenAI-compatible servers that other programs may talk with: the assistant's, and those of settings.

This module imports the SDK; ``models.py`` imports it only when it is needed.
"""

from collections.abc import Iterator, Sequence

from django.conf import settings
from openai import AsyncOpenAI

from adiuva.models_setting import ConfiguredModel, short_name
from agents.adapters.base import Blueprint, ModelAdapter, ModelSize
from agents.adapters.openai import OpenAIAdapter, openai_client
from agents.telemetry.turns import ObservedAdapter


def blueprints(client: AsyncOpenAI | None) -> list[Blueprint]:
    """One per model; of two with the same name the one in ``ADIUVA_MODELS``.

    ``client`` is the client of the assistant's own models, None if it has none.
    """
    own = () if client is None else _of_the_assistant(client)
    added = _added(settings.MODELS, client)
    return list({blueprint.name: blueprint for blueprint in (*own, *added)}.values())


def _of_the_assistant(client: AsyncOpenAI) -> Iterator[Blueprint]:
    for model in dict.fromkeys((settings.OPENAI_MODEL, settings.OPENAI_SMALL_MODEL)):
        yield Blueprint(name=short_name(model), model=model, adapter=_adapter(client, model))


def _added(models: Sequence[ConfiguredModel], own: AsyncOpenAI | None) -> Iterator[Blueprint]:
    for model in models:
        client = own if model.base_url is None and model.api_key is None else None
        yield Blueprint(
            name=model.name,
            model=model.model,
            adapter=_adapter(client or _client(*_server(model)), model.model),
            description=model.description,
            parameters=model.parameters,
        )


def _server(model: ConfiguredModel) -> tuple[str, str]:
    """The address and the key. The key of the assistant's server is sent to that server alone."""
    if model.base_url is None:
        return settings.OPENAI_BASE_URL, model.api_key or settings.OPENAI_API_KEY
    return model.base_url, model.api_key or ""


def _client(base_url: str, api_key: str) -> AsyncOpenAI:
    return openai_client(api_key=api_key, base_url=base_url, stall_s=settings.OPENAI_STALL_S)


def _adapter(client: AsyncOpenAI, model: str) -> ModelAdapter:
    return ObservedAdapter(OpenAIAdapter(client, dict.fromkeys(ModelSize, model)))
