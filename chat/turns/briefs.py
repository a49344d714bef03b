"""Briefs: of a day, and of one task."""

from abc import abstractmethod
from datetime import date
from typing import Final, TypeVar

from accounts.translations import gettext_noop, translations
from agents.adapters.base import AnswerFormat, Material, Purpose
from agents.engine.roster import BRIEFER
from agents.engine.run import AgentRun
from agents.errors import ClientError
from agents.prompts.names import PromptName
from agents.requests import RequestKind
from agents.tools.briefs import day_rows, task_rows
from chat.protocol.frames.client import BriefRequest, TaskBriefRequest
from chat.protocol.frames.vocabulary import TurnKind, TurnState
from chat.turns.answering import Answering, TurnWork
from chat.turns.frame_log import FrameLog, TurnWriter
from chat.turns.question import Question

_ABSENT: Final = gettext_noop(
    "Your device did not answer, so there is nothing to write the brief from. Try again when it is connected."
)
_NO_TASK: Final = gettext_noop("There is no such task on your device.")
_WITHHELD: Final = gettext_noop("You never share this task with the assistant, so it can write no brief of it.")

Request = TypeVar("Request", BriefRequest, TaskBriefRequest)


class _BriefTurn(TurnWork[Request]):
    """Reads rows from the device, and has the model write a brief about them."""

    @abstractmethod
    async def question(self, run: AgentRun) -> Question | None:
        """The question to the model, with the rows; None if there is no such task. Raises ``ClientError``."""

    async def __call__(self, log: FrameLog) -> None:
        writer = TurnWriter(log, self.request_id)
        writer.start(TurnKind(self.kind))
        async with self.answering(writer) as answering:
            writer.status(TurnState.THINKING)
            await self._write(answering)

    async def _write(self, answering: Answering) -> None:
        try:
            with answering.device.active():
                question = await self.question(answering.run)
        except ClientError:
            answering.say(translations(self.requester.language).gettext(_ABSENT))
            return
        if question is None:
            sentence = _WITHHELD if answering.device.sharing.withheld else _NO_TASK
            answering.say(translations(self.requester.language).gettext(sentence))
            return
        await answering.answer(question)


class BriefTurn(_BriefTurn[BriefRequest]):
    """Answers a ``brief_request``: the brief of a day."""

    kind = RequestKind.BRIEF

    async def question(self, run: AgentRun) -> Question:
        day = date.fromisoformat(self.request.date) if self.request.date else run.now().date()
        read = await day_rows(day, self.requester.timezone)
        return Question(
            message=f"Write the brief for {day:%A} {day}.",
            data=read.text,
            material=Material(purpose=Purpose.BRIEF, rows=read.rows, day=day),
            agent=BRIEFER,
            prompt=PromptName.BRIEF_SYSTEM,
            answer_format=AnswerFormat.BLOCKS,
        )


class TaskBriefTurn(_BriefTurn[TaskBriefRequest]):
    """Answers a ``task_brief_request``: the brief of a task."""

    kind = RequestKind.TASK_BRIEF

    async def question(self, run: AgentRun) -> Question | None:
        read = await task_rows(self.request.task_id, run.now().date(), self.requester.timezone, run.embedder)
        if read is None:
            return None
        return Question(
            message="Tell me what to know before this task.",
            data=read.text,
            material=Material(purpose=Purpose.TASK_BRIEF, rows=read.rows),
            agent=BRIEFER,
            prompt=PromptName.TASK_BRIEF_SYSTEM,
            answer_format=AnswerFormat.BLOCKS,
        )
