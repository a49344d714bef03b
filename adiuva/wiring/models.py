"""The models of a process, chosen from settings: a real model's, or those that need none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings

from agents.adapters.base import Blueprint, ModelAdapter, ModelSize
from agents.engine.summarizer import ModelSummarizer, PlainSummarizer
from agents.offline import OfflineAdapter
from memory.embedders.base import Embedder
from memory.embedders.hashing import HashingEmbedder
from memory.recording import Summarizer


@dataclass(frozen=True, kw_only=True, slots=True)
class Models:
    """``names`` are the provider's names by size; ``blueprints`` are the models that other programs may talk with."""

    adapter: ModelAdapter
    embedder: Embedder
    summarizer: Summarizer
    names: Mapping[ModelSize, str] = field(default_factory=dict)
    blueprints: Sequence[Blueprint]


def models() -> Models:
    """A real model's if a key or a base URL is set, otherwise the offline assistant's."""
    if has_model():
        return _real_models()
    return Models(
        adapter=OfflineAdapter(),
        embedder=HashingEmbedder(),
        summarizer=PlainSummarizer(),
        blueprints=_added_models() if settings.MODELS else [],
    )


def has_model() -> bool:
    """Whether the assistant has a real model."""
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


# These two import the SDK where they use it: importing it takes 0.4 s, which a process without a model can save.


def _added_models() -> list[Blueprint]:
    from adiuva.wiring.openai_models import blueprints

    return blueprints(None)


def _real_models() -> Models:
    from adiuva.wiring.openai_models import blueprints
    from agents.adapters.openai import OpenAIAdapter, openai_client
    from memory.embedders.openai import OpenAIEmbedder

    client = openai_client(
        api_key=settings.OPENAI_API_KEY, base_url=settings.OPENAI_BASE_URL, stall_s=settings.OPENAI_STALL_S
    )
    sizes = {ModelSize.LARGE: settings.OPENAI_MODEL, ModelSize.SMALL: settings.OPENAI_SMALL_MODEL}
    adapter = OpenAIAdapter(client, sizes)
    return Models(
        adapter=adapter,
        embedder=OpenAIEmbedder(client, settings.OPENAI_EMBEDDING_MODEL),
        summarizer=ModelSummarizer(adapter),
        blueprints=blueprints(client),
        names=sizes,
    )
