"""A question to an agent, and the messages that the model is sent."""

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


class BlockInstructions(StrEnum):
    """When the model is sent the instructions for writing blocks."""

    NEVER = "never"
    WITH_ROWS = "with_rows"
    """With the first rows that the model reads, if the user asked for a drawing.

    Small models that get the instructions earlier call no tools, and those that get them needlessly repeat them.
    """
    ALWAYS = "always"


BLOCK_INSTRUCTIONS: Final = BlockInstructions.WITH_ROWS
_DRAWING: Final = re.compile(
    r"\b(?:chart|graph|plot|diagram|pie\b|bars?\b|radar|visuali[sz]|draw|timeline|time line|road ?map|gantt|"
    r"grafic|diagramm|torta\b|barre\b|disegn|linea del tempo|cronologi|cronoprogramm)",
    re.IGNORECASE,
)
_DRAWING_LANGUAGES: Final = ("en", "it")
"""In other languages, every message counts as a request for a drawing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A message to an agent, and the prompt for the answer.

    ``images`` are ids. ``data`` are the rows that the message is about, as text, and ``material`` the same rows as
    values. ``view`` is the page that the user views, ``scope_words`` its name in the prompt's template, and
    ``scope_sentence`` a sentence about it for the model.
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

    def instructions_with_rows(self, language: str) -> str:
        """The instructions that the model is sent with the first rows that it reads; empty for none.

        ``language`` is that of the user.
        """
        is_needed = self._instructs(BlockInstructions.WITH_ROWS) and self._asks_for_drawing(language)
        return prompt_text(PromptName.HOME_BLOCKS) if is_needed else ""

    def _asks_for_drawing(self, language: str) -> bool:
        """Whether this message or the user's previous one may ask for a chart or a timeline."""
        previous = [message.content for message in self.history if message.role == "user"][-1:]
        is_known = language.partition("-")[0].lower() in _DRAWING_LANGUAGES
        return not is_known or any(_DRAWING.search(text) for text in (self.message, *previous))

    def conversation(
        self, history: Sequence[Message], requester: Requester, now: datetime, images: tuple[Image, ...]
    ) -> list[Message]:
        """The messages for the model: the prompt, ``history``, and the messages of this turn.

        The request of the next turn begins with the same prompt and history, so that the provider can cache them.
        """
        variables = {
            "now": moment(now),
            "timezone": requester.timezone.key,
            "role": prompt_text(self.agent.role) if self.agent.role else "",
            "scope": self.scope_words,
        }
        prompt = system_message(self.prompt, variables, language=requester.language)
        if self._instructs(BlockInstructions.ALWAYS):
            prompt = replace(prompt, text=f"{prompt.text}\n\n{prompt_text(PromptName.HOME_BLOCKS)}")
        # In a message of the user, because the memory has no more authority than the user.
        context = situation(
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
            UserMessage(text=context, provenance=self._context_provenance()),
            UserMessage(text=text, images=images, material=self.material),
        ]

    def _context_provenance(self) -> Provenance:
        if self.view is not None and self.view.is_foreign:
            return Provenance.FOREIGN
        return Provenance.READ if self.scope_sentence or not self.remembered.empty else Provenance.SAID

    def _instructs(self, when: BlockInstructions) -> bool:
        return BLOCK_INSTRUCTIONS is when and self.answer_format is AnswerFormat.BLOCKS
