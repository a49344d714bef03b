"""``ADIUVA_MODELS``: models besides the assistant's own, as a JSON list of objects."""

import re
from collections.abc import Collection, Sequence
from typing import Annotated, Final

from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from agents.adapters.base import ALL_PARAMETERS, Parameter
from agents.adapters.dialects import Api, DialectName, Effort
from agents.addresses import host_of

VARIABLE: Final = "ADIUVA_MODELS"
MAX_NAME: Final = 40
HASHING: Final = "hashing"
"""The value of ``OPENAI_EMBEDDING_MODEL`` for vectors without a model."""
MAX_EMBEDDING_MODEL: Final = 80
"""The column for what made a vector has 100 characters."""


def _with_host(url: str) -> str:
    if not host_of(url):
        raise ValueError("write https://host or https://host:port")
    return url


class ConfiguredModel(BaseModel):
    """One model. Without an address and a key of its own it is on the server of the assistant's models."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=MAX_NAME)]
    model: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(max_length=500)] = ""
    base_url: Annotated[str, Field(pattern=r"^https?://", max_length=500), AfterValidator(_with_host)] | None = None
    api_key: Annotated[str, Field(min_length=1)] | None = None
    api: Annotated[Api, Field(strict=False)] | None = None
    dialect: Annotated[DialectName, Field(strict=False)] | None = None
    display_name: Annotated[str, Field(max_length=100)] = ""
    offered: bool = False
    """Whether users of the assistant may choose it."""
    sees_images: bool = False
    effort: Annotated[Effort, Field(strict=False)] | None = None
    parameters: Annotated[frozenset[Parameter], Field(strict=False)] = ALL_PARAMETERS


_MODELS: Final = TypeAdapter(list[ConfiguredModel])


def configured_models(text: str, *, have_server: bool) -> tuple[ConfiguredModel, ...]:
    """The models in ``text``; ``have_server`` says whether the assistant has a model server.

    Raises ``ImproperlyConfigured``, without repeating anything that may be a key.
    """
    if not text:
        return ()
    try:
        models = _MODELS.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        # Pydantic's messages about broken JSON and patterns do not repeat the text.
        why = first["msg"][:1].lower() + first["msg"][1:]
        where = "".join(f" at {step}" for step in [".".join(map(str, first["loc"]))] if step)
        raise ImproperlyConfigured(
            f"{VARIABLE} is not right{where} ({why}): "
            'set it to a JSON list of objects such as {"name": "large", "model": "gpt-4.1"}.'
        ) from None
    names = [model.name for model in models]
    duplicate = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if duplicate is not None:
        raise ImproperlyConfigured(f"{VARIABLE} has two models named {duplicate}: give each a name of its own.")
    unreachable = next((model.name for model in models if not (have_server or model.base_url or model.api_key)), None)
    if unreachable is not None:
        raise ImproperlyConfigured(f"{VARIABLE} names no server for {unreachable}: give it a base_url or an api_key.")
    return tuple(models)


def offered_names(own: str, models: Sequence[ConfiguredModel], *, small_server: str) -> tuple[str, ...]:
    """The names that requests may choose; ``own`` is the assistant's own large model, or empty.

    Raises ``ImproperlyConfigured`` if there are none but ``small_server``, the address or the key of the small model's.
    """
    names = ([short_name(own)] if own else []) + [model.name for model in models if model.offered]
    if small_server and not names:
        raise ImproperlyConfigured(
            "OPENAI_SMALL_BASE_URL or OPENAI_SMALL_API_KEY is set, but no model answers: set OPENAI_API_KEY or "
            "OPENAI_BASE_URL, too, or remove it."
        )
    return tuple(dict.fromkeys(names))


def fallback_order(names: Sequence[str], *, offered: Collection[str]) -> tuple[str, ...]:
    """``names``, each of which is one of the ``offered`` and there once. Raises ``ImproperlyConfigured``."""
    variable = "ADIUVA_FALLBACK_MODELS"
    for place, name in enumerate(names):
        if name not in offered:
            choice = ", ".join(offered) or "none: no model is configured"
            raise ImproperlyConfigured(f"{variable} names {name!r}, which is not offered. The offered are {choice}.")
        if name in names[:place]:
            raise ImproperlyConfigured(f"{variable} names {name!r} twice: leave one of them out.")
    return tuple(names)


def embedding_model(name: str) -> str:
    """``name``, if it is not too long. Raises ``ImproperlyConfigured``."""
    if len(name) > MAX_EMBEDDING_MODEL:
        raise ImproperlyConfigured(
            f"OPENAI_EMBEDDING_MODEL has {len(name)} characters: name a model with {MAX_EMBEDDING_MODEL} at most."
        )
    return name


def short_name(model: str) -> str:
    """A model's name as part of a tool's: ``gpt-4.1`` becomes ``gpt_4_1``."""
    plain = re.sub(r"[^a-z0-9]+", "_", model.casefold()).strip("_") or "model"
    return (plain if plain[0].isalpha() else f"m_{plain}")[:MAX_NAME].rstrip("_")
