"""What a configured model can do, as a value from which a tool is made. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.adapters.base import ModelAdapter


class Parameter(StrEnum):
    """What a caller may set of a model, by the names of ``ModelParams``."""

    TEMPERATURE = "temperature"
    MAX_TOKENS = "max_tokens"


ALL_PARAMETERS: Final = frozenset(Parameter)


@dataclass(frozen=True, kw_only=True, slots=True)
class Blueprint:
    """A model behind ``adapter``.

    ``name`` is short, of lower-case letters, digits and underscores; ``model`` is what its server calls it;
    ``parameters`` are those that it takes.
    """

    name: str
    model: str
    adapter: ModelAdapter
    description: str = ""
    parameters: frozenset[Parameter] = ALL_PARAMETERS
