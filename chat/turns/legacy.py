"""The older chat: one request, text chunks, one final."""

import json
from typing import Final

from agents.adapters.base import AnswerFormat
from agents.engine.roster import ROSTER
from agents.prompts.names import PromptName
from agents.requests import RequestKind
from chat.formatters.formatter import PopupFormatter
from chat.protocol.frames.client import ChatRequest
from chat.turns.answering import Question, TurnWork, log_invalid_block
from chat.turns.frame_log import FrameLog, LegacyWriter

_MAX_CONTEXT: Final = 8000


class LegacyTurn(TurnWork[ChatRequest]):
    """Answers a ``chat_request``."""

    kind = RequestKind.CHAT

    async def __call__(self, log: FrameLog) -> None:
        message = self.request.message
        async with self.answering(LegacyWriter(log, self.request_id)) as answering:
            prepared = await answering.prepare(message)
            question = Question(
                message=message,
                agent=ROSTER[prepared.agent],
                prompt=PromptName.CHAT_SYSTEM,
                answer_format=AnswerFormat.TEXT,
                remembered=prepared.remembered,
                scope_words=json.dumps(self.request.context or {}, ensure_ascii=False)[:_MAX_CONTEXT],
            )
            await answering.answer(question, PopupFormatter(log_invalid_block))
            await answering.record(message)
