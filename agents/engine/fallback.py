"""One model in another's place, where that is away."""

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
    """The ``ModelAdapter`` of one run: the first of ``models``, and the next where it cannot be reached.

    Only before the run has said or changed anything: what another model began, none goes on with. Once a model stands
    in for another, it does so for the rest of the run. ``reached_by`` makes the adapter that asks a model; ``changed``
    says whether the run has changed something.
    """

    models: Sequence[OfferedModel]
    reached_by: Callable[[ModelAdapter], ModelAdapter]
    changed: Callable[[], bool]
    _away: int = field(default=0, init=False)
    _said: bool = field(default=False, init=False)

    @property
    def model(self) -> OfferedModel:
        """The model that answers, as far as is known."""
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
                logger.warning("%s is away: %s answers in its place", self.model.name, self.models[following].name)
                self._away = following
            else:
                return

    def _following(self, messages: Sequence[Message]) -> int | None:
        """The place of the next model that may take over. Images go to models that see them."""
        if self._said or self.changed():
            return None
        has_images = any(isinstance(message, UserMessage) and message.images for message in messages)
        places = range(self._away + 1, len(self.models))
        return next((place for place in places if self.models[place].sees_images or not has_images), None)
