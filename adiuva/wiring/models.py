"""The models of a process and the source of its prompts, chosen from settings.

The SDKs of OpenAI and Langfuse are imported where they are used: it takes 0.4 s, which a process without them can save.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.conf import settings

from adiuva.models_setting import short_name
from agents.adapters.base import Blueprint, ModelAdapter, ModelSize
from agents.engine.summarizer import ModelSummarizer, PlainSummarizer
from agents.offline import OfflineAdapter
from agents.prompts.refresher import PromptRefresher
from agents.prompts.source import PromptSource
from agents.telemetry.turns import ObservedAdapter
from memory.embedders.hashing import HashingEmbedder
from memory.index import Embedder
from memory.recording import Summarizer

if TYPE_CHECKING:
    from openai import AsyncOpenAI


@dataclass(frozen=True, kw_only=True, slots=True)
class Models:
    """``names`` are the provider's names by size; ``blueprints`` are the models that other programs may talk with.

    As a background part it closes their ``clients``.
    """

    adapter: ModelAdapter
    embedder: Embedder
    summarizer: Summarizer
    names: Mapping[ModelSize, str] = field(default_factory=dict)
    blueprints: Sequence[Blueprint]
    clients: "Sequence[AsyncOpenAI]" = ()

    def begin(self) -> None:
        """Does nothing: clients connect when they are first used."""

    async def aclose(self) -> None:
        for client in self.clients:
            await client.close()


def models() -> Models:
    """A real model's if a key or a base URL is set, otherwise the offline assistant's."""
    if not has_model():
        others, clients = blueprints(None) if settings.MODELS else ([], [])
        return Models(
            adapter=OfflineAdapter(),
            embedder=HashingEmbedder(),
            summarizer=PlainSummarizer(),
            blueprints=others,
            clients=clients,
        )
    from agents.adapters.openai import OpenAIAdapter
    from memory.embedders.openai import OpenAIEmbedder

    client = _client(settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY)
    sizes = {ModelSize.LARGE: settings.OPENAI_MODEL, ModelSize.SMALL: settings.OPENAI_SMALL_MODEL}
    adapter = OpenAIAdapter(client, sizes)
    others, clients = blueprints(client)
    return Models(
        adapter=adapter,
        embedder=OpenAIEmbedder(client, settings.OPENAI_EMBEDDING_MODEL),
        summarizer=ModelSummarizer(adapter),
        blueprints=others,
        names=sizes,
        clients=[client, *clients],
    )


def has_model() -> bool:
    """Whether the assistant has a real model."""
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


def blueprints(own: "AsyncOpenAI | None") -> "tuple[list[Blueprint], list[AsyncOpenAI]]":
    """The models that other programs may talk with, and the clients that are theirs alone.

    Of two models with the same name it is the one in ``ADIUVA_MODELS``. ``own`` is the client of the assistant's own
    models, None if it has none.
    """
    found: dict[str, Blueprint] = {}
    clients: list[AsyncOpenAI] = []
    if own is not None:
        for model in (settings.OPENAI_MODEL, settings.OPENAI_SMALL_MODEL):
            name = short_name(model)
            found[name] = Blueprint(name=name, model=model, adapter=_adapter(own, model))
    for added in settings.MODELS:
        if added.base_url is not None:
            # The key of the assistant's server is sent to that server alone.
            client = _client(added.base_url, added.api_key or "")
        elif own is None or added.api_key is not None:
            client = _client(settings.OPENAI_BASE_URL, added.api_key or settings.OPENAI_API_KEY)
        else:
            client = own
        if client is not own:
            clients.append(client)
        found[added.name] = Blueprint(
            name=added.name,
            model=added.model,
            adapter=_adapter(client, added.model),
            description=added.description,
            parameters=added.parameters,
        )
    return list(found.values()), clients


def _client(base_url: str, api_key: str) -> "AsyncOpenAI":
    from agents.adapters.openai import openai_client

    return openai_client(api_key=api_key, base_url=base_url, stall_s=settings.OPENAI_STALL_S)


def _adapter(client: "AsyncOpenAI", model: str) -> ModelAdapter:
    from agents.adapters.openai import OpenAIAdapter

    return ObservedAdapter(OpenAIAdapter(client, dict.fromkeys(ModelSize, model)))


def prompt_source() -> PromptSource | None:
    """The source of prompts besides this release: Langfuse if its keys are set."""
    if not settings.LANGFUSE_SECRET_KEY:
        return None
    from agents.prompts.langfuse import LangfusePrompts

    return LangfusePrompts(
        public_key=settings.LANGFUSE_PUBLIC_KEY,
        secret_key=settings.LANGFUSE_SECRET_KEY,
        host=settings.LANGFUSE_HOST,
        label=settings.PROMPT_LABEL,
    )


def prompt_refresher() -> PromptRefresher:
    return PromptRefresher(source=prompt_source(), refresh_s=settings.PROMPT_REFRESH_S)
