"""The older chat: one request, text chunks, one final."""

import json
from dataclasses import dataclass
from typing import Final

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER
from agents.kinds import RequestKind
from agents.prompts.names import PromptName
from agents.tools.client import ClientExecutor
from chat.formatters.popup import PopupFormatter
from chat.protocol.frames.client import ChatRequest
from chat.turns.answering import Answering, log_invalid_block
from chat.turns.asking import Kit, Person, Question
from chat.turns.preparing import Prepared, prepare
from chat.turns.replay import FrameLog
from chat.turns.writer import LegacyWriter

_MAX_CONTEXT: Final = 8000


@dataclass(frozen=True, kw_only=True, slots=True)
class LegacyTurn:
    """Writes the answer to one ``chat_request``."""

    kit: Kit
    person: Person
    client: ClientExecutor
    request: ChatRequest
    request_id: str

    async def __call__(self, log: FrameLog) -> None:
        writer = LegacyWriter(log, self.request_id)
        answering = Answering(self.kit, self.person, self.client, writer, source=RequestKind.CHAT)
        async with answering.ending():
            prepared = await prepare(self.kit, self.person, self.request.message)
            await answering.answer(self._question(prepared), PopupFormatter(log_invalid_block))
            await answering.record(self.request.message)

    def _question(self, prepared: Prepared) -> Question:
        return Question(
            message=self.request.message,
            agent=ROSTER[prepared.agent],
            prompt=PromptName.CHAT_SYSTEM,
            answer_format=AnswerFormat.TEXT,
            remembered=prepared.remembered,
            scope_words=json.dumps(self.request.context or {}, ensure_ascii=False)[:_MAX_CONTEXT],
        )
