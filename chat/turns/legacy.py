"""The older chat: one request, text chunks, one final."""

import json
from dataclasses import dataclass
from typing import Final

from agents.adapters.base import AnswerFormat
from agents.client import ClientExecutor
from agents.prompts.names import PromptName
from agents.roster import ROSTER
from agents.router import classify_intent
from chat.formatters.popup import PopupFormatter
from chat.frames.client import ChatRequest
from chat.replay import FrameLog
from chat.turns.answering import Answering, log_invalid_block
from chat.turns.asking import Kit, Person, Question
from chat.turns.writer import LegacyWriter

_MAX_CONTEXT: Final = 8000


@dataclass(frozen=True, kw_only=True, slots=True)
class LegacyTurn:
    """Writes the answer to one ``chat_request``."""

    kit: Kit
    person: Person
    client: ClientExecutor
    request: ChatRequest

    async def __call__(self, log: FrameLog) -> None:
        answering = Answering(self.kit, self.person, self.client, LegacyWriter(log))
        async with answering.ending():
            agent = await classify_intent(self.request.message, self.kit.adapter, language=self.person.language)
            await answering.answer(
                Question(
                    message=self.request.message,
                    agent=ROSTER[agent],
                    prompt=PromptName.CHAT_SYSTEM,
                    answer_format=AnswerFormat.TEXT,
                    scope_words=json.dumps(self.request.context or {}, ensure_ascii=False)[:_MAX_CONTEXT],
                ),
                PopupFormatter(log_invalid_block),
            )
