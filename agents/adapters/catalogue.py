"""The models from which requests may choose, and those that answer if one is unavailable."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from agents.adapters.base import Message, ModelAdapter, ModelParams, ModelSize, ToolSchema
from agents.errors import UnknownModel
from agents.events import ModelEvent


@dataclass(frozen=True, kw_only=True, slots=True)
class OfferedModel:
    """A model that a request may choose by its short ``name``; ``display_name`` is for people."""

    name: str
    display_name: str
    adapter: ModelAdapter
    sees_images: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelCatalogue:
    """The models from which requests may choose. The first of ``offered`` answers requests that choose none.

    ``fallback`` are names of models. If one of them is unavailable, those after it are asked instead, in this order. So
    no model is replaced by an earlier one, and a model that is not in the list is not replaced.
    """

    offered: Sequence[OfferedModel] = ()
    fallback: Sequence[str] = ()

    def check(self, name: str | None) -> None:
        """Raise ``UnknownModel`` if no model has this name. None is always valid."""
        names = [model.name for model in self.offered]
        if name is not None and name not in names:
            raise UnknownModel(names)

    def choice(self, name: str | None) -> Sequence[OfferedModel]:
        """The model with this name, or the default one, followed by those that are asked if it is unavailable.

        Empty if there are no models to choose from. Raises ``UnknownModel``.
        """
        self.check(name)
        if not self.offered:
            return ()
        by_name = {model.name: model for model in self.offered}
        first = self.offered[0] if name is None else by_name[name]
        if first.name not in self.fallback:
            return [first]
        after = self.fallback[self.fallback.index(first.name) + 1 :]
        return [first, *(by_name[each] for each in after)]


class SizedAdapter:
    """The ``ModelAdapter`` that passes requests to ``large``, or to ``small`` if they are for the small model."""

    def __init__(self, large: ModelAdapter, small: ModelAdapter) -> None:
        self._large, self._small = large, small

    @property
    def name(self) -> str:
        return self._large.name

    def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``."""
        adapter = self._small if params.size is ModelSize.SMALL else self._large
        return adapter.stream(messages, tools, params)
