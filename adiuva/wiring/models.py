"""The models of a process and the source of its prompts, chosen from settings.

The SDKs of OpenAI and Langfuse are imported where they are used: it takes 0.4 s, which a process without them can save.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings

from adiuva.models_setting import HASHING, short_name
from adiuva.wiring.model_roles import (
    ServedModel,
    answering_models,
    assistant_models,
    assistant_server,
    embedding_server,
    server_of,
    small_model,
)
from adiuva.wiring.model_servers import ModelServers
from agents.adapters.base import ALL_PARAMETERS, Blueprint, ModelAdapter, ModelSize, Parameter
from agents.adapters.catalogue import ModelCatalogue, OfferedModel, SizedAdapter
from agents.adapters.dialects import Api
from agents.engine.fact_reader import ModelFactReader
from agents.engine.summarizer import ModelSummarizer, PlainSummarizer
from agents.offline import OfflineAdapter
from agents.prompts.refresher import PromptRefresher
from agents.prompts.source import PromptSource
from agents.telemetry.turns import ObservedAdapter
from memory.embedders.fallback import FallbackEmbedder
from memory.embedders.hashing import HashingEmbedder
from memory.index import Embedder
from memory.pending import FactReader, Summarizer


@dataclass(frozen=True, kw_only=True, slots=True)
class Models:
    """``adapter`` is the default's, and ``catalogue`` has all models to choose from; the offline assistant's is empty.

    ``reader`` reads facts; without it only rules find them. ``blueprints`` are the models that other programs may talk
    with. As a background part it closes the connections to their ``servers``.
    """

    adapter: ModelAdapter
    catalogue: ModelCatalogue = field(default_factory=ModelCatalogue)
    embedder: Embedder
    summarizer: Summarizer
    reader: FactReader | None = None
    blueprints: Sequence[Blueprint]
    servers: ModelServers

    def begin(self) -> None:
        """Clients connect when they are first used; but whether there is a model for vectors is asked now."""
        if isinstance(self.embedder, FallbackEmbedder):
            self.embedder.begin()

    async def aclose(self) -> None:
        if isinstance(self.embedder, FallbackEmbedder):
            await self.embedder.aclose()
        await self.servers.aclose()


def models() -> Models:
    """Real models where settings name any, otherwise the offline assistant's."""
    servers = ModelServers()
    small_served = small_model()
    if small_served is None:
        return Models(
            adapter=ObservedAdapter(OfflineAdapter(), provider="adiuva"),
            embedder=_embedder(servers),
            summarizer=PlainSummarizer(),
            blueprints=blueprints(servers),
            servers=servers,
        )
    small = _observed(servers, small_served)
    offered = [
        OfferedModel(
            name=each.name,
            display_name=each.display_name,
            adapter=SizedAdapter(_observed(servers, each), small),
            sees_images=each.sees_images,
        )
        for each in answering_models()
    ]
    return Models(
        adapter=offered[0].adapter,
        catalogue=ModelCatalogue(offered=offered, fallback=settings.FALLBACK_MODELS),
        embedder=_embedder(servers),
        summarizer=ModelSummarizer(small),
        reader=ModelFactReader(small),
        blueprints=blueprints(servers),
        servers=servers,
    )


def _embedder(servers: ModelServers) -> Embedder:
    """By a model, or by hashing where there is no server for it or settings say so."""
    server = embedding_server()
    if server is None or settings.OPENAI_EMBEDDING_MODEL == HASHING:
        return HashingEmbedder()
    from memory.embedders.openai import EmbeddingModel, OpenAIEmbedder, RequestLimits

    model = EmbeddingModel(
        model=settings.OPENAI_EMBEDDING_MODEL or "text-embedding-3-small",
        dimensions=settings.OPENAI_EMBEDDING_DIMENSIONS,
        query_prefix=settings.OPENAI_EMBEDDING_QUERY_PREFIX,
        passage_prefix=settings.OPENAI_EMBEDDING_PASSAGE_PREFIX,
        limits=RequestLimits(
            text_bytes=settings.OPENAI_EMBEDDING_TEXT_BYTES,
            texts=settings.OPENAI_EMBEDDING_BATCH_TEXTS,
            total_bytes=settings.OPENAI_EMBEDDING_BATCH_BYTES,
        ),
    )
    made = OpenAIEmbedder(servers.client(server), model)
    # What is named is never replaced, and OpenAI's own server has the default.
    return made if settings.OPENAI_EMBEDDING_MODEL or not server.base_url else FallbackEmbedder(made)


def blueprints(servers: ModelServers) -> list[Blueprint]:
    """The models that other programs may talk with. Of two with the same name it is the one in ``ADIUVA_MODELS``."""
    found: dict[str, Blueprint] = {}
    own = assistant_server()
    served = [] if own is None else [ServedModel(model=assistant_models()[ModelSize.LARGE], server=own), small_model()]
    for each in filter(None, served):
        name = short_name(each.model)
        parameters = frozenset({Parameter.MAX_TOKENS}) if each.server.api is Api.ANTHROPIC else ALL_PARAMETERS
        found[name] = Blueprint(name=name, model=each.model, adapter=_observed(servers, each), parameters=parameters)
    for added in settings.MODELS:
        found[added.name] = Blueprint(
            name=added.name,
            model=added.model,
            adapter=_observed(servers, ServedModel(model=added.model, server=server_of(added))),
            description=added.description,
            parameters=added.parameters,
        )
    return list(found.values())


def _observed(servers: ModelServers, served: ServedModel) -> ModelAdapter:
    # OpenTelemetry's names of the two APIs, for any server.
    provider = "anthropic" if served.server.api is Api.ANTHROPIC else "openai"
    return ObservedAdapter(servers.adapter(served.server, dict.fromkeys(ModelSize, served.model)), provider=provider)


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
