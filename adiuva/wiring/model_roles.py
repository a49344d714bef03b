"""Which model on which server does what: answers, small work, and vectors. As settings say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.conf import settings

from adiuva.models_setting import ConfiguredModel, short_name
from adiuva.wiring.model_servers import ModelServer
from agents.adapters.base import ModelSize
from agents.adapters.dialects import Api, DialectName, Effort


@dataclass(frozen=True, kw_only=True, slots=True)
class ServedModel:
    """A model by its name on its server."""

    model: str
    server: ModelServer


@dataclass(frozen=True, kw_only=True, slots=True)
class AnsweringModel(ServedModel):
    """A model that may answer, by the short ``name`` that requests choose it by."""

    name: str
    display_name: str
    sees_images: bool


def answering_models() -> Iterator[AnsweringModel]:
    """The models that may answer, the default first; none for the offline assistant.

    Of two with the same name it is the one in ``ADIUVA_MODELS``.
    """
    own = assistant_server()
    found: dict[str, AnsweringModel] = {}
    if own is not None:
        model = assistant_models()[ModelSize.LARGE]
        name = short_name(model)
        found[name] = AnsweringModel(
            name=name, model=model, server=own, display_name=model, sees_images=settings.MODEL_SEES_IMAGES
        )
    for added in settings.MODELS:
        if added.offered:
            found[added.name] = AnsweringModel(
                name=added.name,
                model=added.model,
                server=server_of(added),
                display_name=added.display_name or added.model,
                sees_images=added.sees_images,
            )
    yield from found.values()


def small_model() -> ServedModel | None:
    """The model that routes and summarises: the one with a server of its own, the assistant's small one, or else the
    model that answers by default. None for the offline assistant.
    """
    if settings.OPENAI_SMALL_BASE_URL or settings.OPENAI_SMALL_API_KEY:
        server = _own_or_openai(settings.OPENAI_SMALL_BASE_URL, settings.OPENAI_SMALL_API_KEY)
        return ServedModel(model=settings.OPENAI_SMALL_MODEL, server=replace(server, efforts=_efforts()))
    own = assistant_server()
    if own is not None:
        return ServedModel(model=assistant_models()[ModelSize.SMALL], server=own)
    return next(answering_models(), None)


def embedding_server() -> ModelServer | None:
    """The server that makes vectors; None if there is none. Anthropic has no model for vectors."""
    if settings.OPENAI_EMBEDDING_BASE_URL or settings.OPENAI_EMBEDDING_API_KEY:
        return _own_or_openai(settings.OPENAI_EMBEDDING_BASE_URL, settings.OPENAI_EMBEDDING_API_KEY)
    return _openai_server()


def assistant_server() -> ModelServer | None:
    """The server of the assistant's own models; None if there is none."""
    if settings.ANTHROPIC_API_KEY:
        return ModelServer(
            base_url=settings.ANTHROPIC_BASE_URL,
            api_key=settings.ANTHROPIC_API_KEY,
            api=Api.ANTHROPIC,
            efforts=_efforts(),
        )
    own = _openai_server()
    return None if own is None else replace(own, efforts=_efforts())


def assistant_models() -> Mapping[ModelSize, str]:
    """The names of the assistant's own models on its server."""
    if settings.ANTHROPIC_API_KEY:
        return {ModelSize.LARGE: settings.ANTHROPIC_MODEL, ModelSize.SMALL: settings.ANTHROPIC_SMALL_MODEL}
    return {ModelSize.LARGE: settings.OPENAI_MODEL, ModelSize.SMALL: settings.OPENAI_SMALL_MODEL}


def server_of(added: ConfiguredModel) -> ModelServer:
    """Where a model of ``ADIUVA_MODELS`` is asked: the assistant's server unless it names another."""
    server = assistant_server() or ModelServer()
    if added.api is not None and (added.api is Api.ANTHROPIC) != (server.api is Api.ANTHROPIC):
        server = ModelServer()
    if added.base_url is not None:
        # The key of the assistant's server is sent to that server alone.
        server = ModelServer(base_url=added.base_url, api_key=added.api_key or "")
    elif added.api_key is not None:
        server = replace(server, api_key=added.api_key)
    efforts = {} if added.effort is None else dict.fromkeys(ModelSize, added.effort)
    api, dialect = added.api or server.api, added.dialect or server.dialect
    return replace(server, api=api, dialect=dialect, efforts=efforts)


def _openai_server() -> ModelServer | None:
    """The server that ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL`` say."""
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return None
    return ModelServer(
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        api=None if settings.OPENAI_API == "AUTO" else Api(settings.OPENAI_API.lower()),
        dialect=None if settings.OPENAI_DIALECT == "AUTO" else DialectName(settings.OPENAI_DIALECT.lower()),
    )


def _own_or_openai(base_url: str, api_key: str) -> ModelServer:
    """A server at an address of its own, to which no other's key is sent; without an address OpenAI's, by this key."""
    if base_url:
        return ModelServer(base_url=base_url, api_key=api_key)
    return replace(_openai_server() or ModelServer(), api_key=api_key)


def _efforts() -> Mapping[ModelSize, Effort]:
    chosen = {ModelSize.LARGE: settings.REASONING_EFFORT, ModelSize.SMALL: settings.SMALL_REASONING_EFFORT}
    return {size: Effort(effort.lower()) for size, effort in chosen.items() if effort != "DEFAULT"}
