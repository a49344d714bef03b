"""Another model instead of one that cannot be reached."""

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from agents.adapters.base import Message, ModelAdapter, ModelParams, ModelSize, ToolSchema, UserMessage
from agents.adapters.catalogue import OfferedModel
from agents.errors import ModelUnavailable, Unrecorded
from agents.events import ModelEvent, ModelProgress, TextDelta

logger = logging.getLogger(__name__)


@dataclass(kw_only=True, eq=False)
class FallbackAdapter:
    """The ``ModelAdapter`` of one run: the first of ``models``, or the next one if that cannot be reached.

    It switches only before the run has said or changed anything, because no model continues what another has begun.
    After a switch, the new model answers for the rest of the run. ``reached_by`` wraps the adapter of a model;
    ``changed`` says whether the run has changed something.
    """

    models: Sequence[OfferedModel]
    reached_by: Callable[[ModelAdapter], ModelAdapter]
    changed: Callable[[], bool]
    _away: int = field(default=0, init=False)
    _said: bool = field(default=False, init=False)

    @property
    def model(self) -> OfferedModel:
        """The model that answers, as far as is known by now."""
        return self.models[self._away]

    @property
    def name(self) -> str:
        return self.model.adapter.name

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``."""
        while True:
            adapter = self.reached_by(self.model.adapter)
            begun = False
            try:
                async with aclosing(adapter.stream(messages, tools, params)) as events:
                    async for event in events:
                        begun |= type(event) is not ModelProgress
                        self._said |= type(event) is TextDelta and params.size is ModelSize.LARGE
                        yield event
            except ModelUnavailable as error:
                following = self._following(messages)
                if begun or following is None or params.size is ModelSize.SMALL or isinstance(error, Unrecorded):
                    raise
                logger.warning("%s is away: %s answers instead", self.model.name, self.models[following].name)
                self._away = following
            else:
                return

    def _following(self, messages: Sequence[Message]) -> int | None:
        """The index of the next model that may answer, if any. Images are sent only to models that see them."""
        if self._said or self.changed():
            return None
        has_images = any(isinstance(message, UserMessage) and message.images for message in messages)
        places = range(self._away + 1, len(self.models))
        return next((place for place in places if self.models[place].sees_images or not has_images), None)
