"""A question to an agent, and the messages that its model is sent."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from agents.adapters.base import AnswerFormat, Material, Message, UserMessage
from agents.engine.roster import AgentProfile
from agents.engine.run import Requester
from agents.images import Image
from agents.prompts.names import PromptName
from agents.prompts.rendering import moment, prompt_text, situation, system_message
from agents.provenance import Provenance
from agents.scopes import AnyScope, View
from chat.protocol.frames.client import HistoryMessage
from memory.recalled import Recalled

_UNSEEN_BY_MODEL: Final = "[The user has sent images with this message. You cannot see them: say so if it matters.]"


class BlocksTold(StrEnum):
    """When the prompt explains how to write the blocks of an answer."""

    NEVER = "never"
    WITH_ROWS = "with_rows"
    """With the first rows that the model reads, if the user asked for a drawing.

    Small models that get the explanation earlier call no tools, and those that get it needlessly repeat it.
    """
    ALWAYS = "always"


BLOCKS_TOLD: Final = BlocksTold.WITH_ROWS
_DRAWING: Final = re.compile(
    r"\b(?:chart|graph|plot|diagram|pie\b|bars?\b|radar|visuali[sz]|draw|timeline|time line|road ?map|gantt|"
    r"grafic|diagramm|torta\b|barre\b|disegn|linea del tempo|cronologi|cronoprogramm)",
    re.IGNORECASE,
)
_DRAWING_LANGUAGES: Final = ("en", "it")
"""In other languages, every message counts as asking for a drawing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A message to an agent, and the prompt that determines how it answers.

    ``images`` are ids. ``data`` are the rows that the message is about, as text, and ``material`` the same rows as
    values. ``view`` is the page that the user views, ``scope_words`` its name for the prompt's template, and
    ``scope_sentence`` the sentence about it for the model.
    """

    message: str
    images: Sequence[UUID] = ()
    agent: AgentProfile
    prompt: PromptName
    answer_format: AnswerFormat
    remembered: Recalled = field(default_factory=Recalled)
    history: Sequence[HistoryMessage] = ()
    session_id: str | None = None
    scope: AnyScope | None = None
    scope_words: str = ""
    scope_sentence: str = ""
    data: str = ""
    material: Material | None = None
    view: View | None = None

    def told_with_rows(self, language: str) -> str:
        """The explanation that the model gets with the first rows that it reads, or "". ``language`` is the user's."""
        wanted = self._tells_blocks(BlocksTold.WITH_ROWS) and self._asks_for_drawing(language)
        return prompt_text(PromptName.HOME_BLOCKS) if wanted else ""

    def _asks_for_drawing(self, language: str) -> bool:
        """Whether this message or the user's previous one may ask for a chart or a timeline."""
        asked = [said.content for said in self.history if said.role == "user"][-1:]
        known = language.partition("-")[0].lower() in _DRAWING_LANGUAGES
        return not known or any(_DRAWING.search(text) for text in (self.message, *asked))

    def conversation(
        self, history: Sequence[Message], requester: Requester, now: datetime, images: tuple[Image, ...]
    ) -> list[Message]:
        """The messages for the model: first prompt and ``history``, with which the request of the next turn will begin,
        too, so that the provider can cache them; then those of this turn.
        """
        variables = {
            "now": moment(now),
            "timezone": requester.timezone.key,
            "role": prompt_text(self.agent.role) if self.agent.role else "",
            "scope": self.scope_words,
        }
        prompt = system_message(self.prompt, variables, language=requester.language)
        if self._tells_blocks(BlocksTold.ALWAYS):
            prompt = replace(prompt, text=f"{prompt.text}\n\n{prompt_text(PromptName.HOME_BLOCKS)}")
        # In a message of the user, because a memory has no more authority than its user.
        beside = situation(
            now,
            requester.timezone.key,
            view=self.scope_sentence,
            remembered=self.remembered,
            language=requester.language,
        )
        unseen = _UNSEEN_BY_MODEL if self.images and not images else ""
        text = "\n\n".join(each for each in (self.message, self.data, unseen) if each)
        return [
            prompt,
            *history,
            UserMessage(text=beside, provenance=self._provenance_beside()),
            UserMessage(text=text, images=images, material=self.material),
        ]

    def _provenance_beside(self) -> Provenance:
        """The provenance of what the user's message is sent with."""
        if self.view is not None and self.view.is_foreign:
            return Provenance.FOREIGN
        return Provenance.READ if self.scope_sentence or not self.remembered.empty else Provenance.SAID

    def _tells_blocks(self, when: BlocksTold) -> bool:
        return BLOCKS_TOLD is when and self.answer_format is AnswerFormat.BLOCKS
