"""The models of a server that may answer: what requests choose from, and what is asked where one is away."""

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
    """The models that requests may choose from; the first of ``offered`` answers those that choose none.

    ``fallback`` are names: where one of these models is away, those after it are asked in its place, in this order. So
    no model is replaced by one before it, and none that is not among them.
    """

    offered: Sequence[OfferedModel] = ()
    fallback: Sequence[str] = ()

    def check(self, name: str | None) -> None:
        """Raise ``UnknownModel`` if no model has this name; None is always right."""
        names = [model.name for model in self.offered]
        if name is not None and name not in names:
            raise UnknownModel(names)

    def choice(self, name: str | None) -> Sequence[OfferedModel]:
        """The model of this name, or the default, and then those that are asked where it is away.

        Empty if there is nothing to choose from. Raises ``UnknownModel``.
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
    """The ``ModelAdapter`` ``large``, but for requests to the small model, which ``small`` answers."""

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
