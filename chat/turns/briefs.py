"""Briefs: of a day, and of one task. The device is read first, and the model writes from its rows."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from agents.adapters.base import AnswerFormat, Purpose
from agents.engine.roster import BRIEFER
from agents.errors import ClientError
from agents.kinds import RequestKind
from agents.permissions.sharing.counting import counting
from agents.prompts.names import PromptName
from agents.tools.briefs.day import day_rows
from agents.tools.briefs.task import task_rows
from agents.tools.client import ClientExecutor
from chat.protocol.frames.client import BriefRequest, TaskBriefRequest
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Answering
from chat.turns.asking import Kit, Person, Question
from chat.turns.cards import block_formatter
from chat.turns.replay import FrameLog
from chat.turns.writer import TurnWriter
from memory.embedders.base import Embedder

_ABSENT: Final = {
    "en": "Your device did not answer, so there is nothing to write the brief from. Try again when it is connected.",
    "it": "Il tuo dispositivo non ha risposto, quindi manca ciò che serve per il riepilogo. Riprova quando è connesso.",
}
_NO_TASK: Final = {
    "en": "There is no such task on your device.",
    "it": "Sul tuo dispositivo non c'è questa attività.",
}
_WITHHELD: Final = {
    "en": "You never share this task with the assistant, so it can write no brief of it.",
    "it": "Non condividi mai questa attività con l'assistente, quindi non può scriverne un riepilogo.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class BriefTurn:
    """Writes the brief of one ``brief_request`` or ``task_brief_request``."""

    kit: Kit
    person: Person
    client: ClientExecutor
    request: BriefRequest | TaskBriefRequest
    request_id: str

    async def __call__(self, log: FrameLog) -> None:
        writer = TurnWriter(log, self.request_id)
        of_day = isinstance(self.request, BriefRequest)
        source = RequestKind.BRIEF if of_day else RequestKind.TASK_BRIEF
        answering = Answering(self.kit, self.person, self.client, writer, source=source)
        writer.start(TurnKind.BRIEF if of_day else TurnKind.TASK_BRIEF)
        async with answering.ending():
            writer.status(TurnState.THINKING)
            await self._write(answering)

    async def _write(self, answering: Answering) -> None:
        try:
            with answering.on_device(), counting() as withheld:
                question = await self._question(answering.embedder)
        except ClientError:
            answering.say(_in(self.person.language, _ABSENT))
            return
        if question is None:
            sentences = _WITHHELD if answering.withholding.refused else _NO_TASK
            answering.say(_in(self.person.language, sentences))
            return
        question = replace(question, data=withheld.told(question.data))
        await answering.answer(question, block_formatter(answering))

    async def _question(self, embedder: Embedder) -> Question | None:
        """What the model is asked, with the rows; None when there is no such task. Raises ``ClientError``."""
        match self.request:
            case BriefRequest(date=day):
                return await self._of_day(date.fromisoformat(day) if day else self._today())
            case TaskBriefRequest(task_id=task_id):
                rows = await task_rows(task_id, self.person.timezone, embedder)
                return None if rows is None else self._from(rows, PromptName.TASK_BRIEF_SYSTEM, Purpose.TASK_BRIEF)

    async def _of_day(self, day: date) -> Question:
        rows = await day_rows(day, self.person.timezone)
        return self._from(rows, PromptName.BRIEF_SYSTEM, Purpose.BRIEF, f"Write the brief for {day:%A} {day}.")

    def _from(
        self, rows: str, prompt: PromptName, purpose: Purpose, message: str = "Tell me what to know before this task."
    ) -> Question:
        return Question(
            message=message,
            data=rows,
            agent=BRIEFER,
            prompt=prompt,
            purpose=purpose,
            answer_format=AnswerFormat.BLOCKS,
        )

    def _today(self) -> date:
        return self.kit.clock().astimezone(self.person.timezone).date()


def _in(language: str, sentences: dict[str, str]) -> str:
    return sentences.get(language.partition("-")[0].casefold(), sentences["en"])
