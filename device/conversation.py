"""A conversation: questions, commands, and what was said so far."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from device.addresses import ServerAddress
from device.answering import Answered, show_answer
from device.client import DeviceClient, HistoryMessage
from device.errors import AnswerLost, DeviceError, RequestRejected, UsageError
from device.frames import TurnFrame
from device.help import command_help
from device.history import ChangeHistory
from device.images import read_words, uploaded
from device.job_board import JobBoard
from device.journal import Journal
from device.lines import Lines
from device.link import Link
from device.memories import forget, read_memories, switch
from device.options import POPUP_TYPES, check_message
from device.overview import table_counts, table_rows
from device.places import Place, find_row, place_words, read_place, scope_of
from device.private import decide, show_disclosed
from device.recollection import Recollection
from device.refusals import refusal_of
from device.remembered import LastRemembered
from device.resuming import Ask, LastingAnswer
from device.screen import Screen
from device.store import Store, new_uuid
from device.tables import TableName

_REMEMBERED: Final = 20
_REMEMBERED_CHARACTERS: Final = 2000


class Conversation:
    """Answers line after line.

    The server keeps no history of full answers, so the last messages go along with each question. Of what is said on
    pages it keeps the latest by itself.
    """

    def __init__(self, link: Link, screen: Screen, store: Store, jobs: JobBoard) -> None:
        self._link = link
        self._screen = screen
        self._store = store
        self._jobs = jobs
        self._asked: set[str] = set()
        self._history: deque[HistoryMessage] = deque(maxlen=_REMEMBERED)
        self._remembered = LastRemembered()
        self._changes = ChangeHistory(Journal(store), screen)
        self._place: Place | None = None
        self._model: str | None = None
        self._session_id = new_uuid()

    async def hold(self, lines: Lines) -> bool:
        """Answer until the lines end or one says ``/quit``. Whether every answer ended well.

        Failures are shown. Where the lines come from a file, a failed connection raises ``DeviceError``, and a failed
        data file ``sqlite3.Error``.
        """
        all_done = True
        while (line := await lines.next()) is not None and line.strip() != "/quit":
            if not line.strip():
                continue
            try:
                all_done &= await self._answer_line(line.strip())
            except DeviceError as error:
                if not lines.interactive and not isinstance(error, RequestRejected | AnswerLost | UsageError):
                    raise
                self._screen.complain(refusal_of(error, self._screen.zone))
                all_done = False
            except sqlite3.Error as error:
                if not lines.interactive:
                    raise
                self._screen.complain(f"The data file cannot be used: {error}.")
                all_done = False
        return all_done

    async def ask(self, message: str, *, images: Sequence[str] = ()) -> bool:
        """Ask for a full answer. Whether it ended well; raises ``DeviceError``."""
        history = tuple(self._history)
        answered = await self._answered(
            lambda client, request_id: client.home(
                message, request_id=request_id, session_id=self._session_id, history=history, images=images
            )
        )
        self._remember("user", message)
        self._remember("assistant", answered.text)
        return answered.done

    async def ask_popup(self, message: str, scope_type: str) -> bool:
        """Ask for a short answer. Whether it ended well; raises ``DeviceError``."""
        answered = await self._answered(
            lambda client, request_id: client.popup(message, scope_type=scope_type, request_id=request_id)
        )
        return answered.done

    async def ask_here(self, message: str, place: Place) -> bool:
        """Ask beside a page. Whether it ended well; raises ``DeviceError``."""
        scope = scope_of(self._store, place)
        answered = await self._answered(
            lambda client, request_id: client.contextual(
                message, session_id=self._session_id, scope=scope, request_id=request_id
            )
        )
        return answered.done

    async def ask_brief(self, task: str) -> bool:
        """Ask for the day's brief, or for that of the task called ``task``. Whether it ended well."""
        if not task:
            answered = await self._answered(lambda client, request_id: client.brief(request_id=request_id))
            return answered.done
        task_id = str(find_row(self._store, TableName.TASKS, task)["id"])
        answered = await self._answered(lambda client, request_id: client.task_brief(task_id, request_id=request_id))
        return answered.done

    async def finish(self, *, within_s: float) -> bool:
        """Wait for the jobs that the questions began. Whether all ended well in time; raises ``DeviceError``."""
        if not self._asked:
            return True
        finished = asyncio.ensure_future(self._jobs.finished(self._asked))
        given_up = asyncio.ensure_future(self._link.given_up())
        try:
            with self._jobs.followed(lambda: self._screen.watch(self._jobs.running())):
                await asyncio.wait({finished, given_up}, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._screen.leave_line()
            given_up.cancel()
            finished.cancel()
            await asyncio.wait({finished, given_up})
        if not finished.cancelled():
            return finished.result()
        if not given_up.cancelled():
            raise given_up.result()
        for job in self._jobs.unfinished(self._asked):
            self._screen.complain(f"{job.name} goes on at the server: the terminal shows how it ended another time.")
        return False

    async def _answered(self, ask: Ask) -> Answered:
        if not self._link.is_returning:
            await self._link.client()  # before there is an answer to stop, Ctrl-C ends the program
        request_id = new_uuid()
        self._asked.add(request_id)

        def asking(client: DeviceClient, request_id: str) -> AsyncGenerator[TurnFrame, None]:
            client.model = self._model
            return ask(client, request_id)

        answer = LastingAnswer(self._link, asking, request_id=request_id, on_lost=self._tell_of_loss)
        async with self._screen.answering:
            answered = await show_answer(answer, self._screen)
        self._remembered = LastRemembered(list(answered.remembered))
        return answered

    def _tell_of_loss(self) -> None:
        self._screen.interject("The connection was lost: connecting again.")

    def _remember(self, role: str, content: str) -> None:
        if content.strip():
            self._history.append(HistoryMessage(role=role, content=content[:_REMEMBERED_CHARACTERS]))

    async def _answer_line(self, line: str) -> bool:
        check_message(line)
        if not line.startswith("/"):
            return await (self.ask(line) if self._place is None else self.ask_here(line, self._place))
        command, _, rest = line.partition(" ")
        match command:
            case "/help" | "/tables" | "/jobs" | "/why":
                self._show_local(command, rest.strip())
            case "/memory" | "/forget" | "/correct" | "/disclosed" | "/private":
                return await self._at_server(command, rest.strip())
            case "/undo" | "/redo" | "/history":
                return self._changes.take(command, rest)
            case "/image":
                return await self._ask_about_image(rest)
            case "/popup":
                return await self._popup(rest.strip())
            case "/brief":
                return await self.ask_brief(rest.strip())
            case "/page":
                await self._go_to_page(rest.strip())
            case "/model":
                await self._choose_model(rest.strip())
            case _:
                raise UsageError(f"There is no command {command}: /help lists them.")
        return True

    async def _ask_about_image(self, rest: str) -> bool:
        path, message = read_words(rest)
        check_message(message)
        image = await uploaded(self._link.account.server, await self._link.account.access(), path)
        return await self.ask(message, images=[image])

    async def _popup(self, rest: str) -> bool:
        scope_type, _, message = rest.partition(" ")
        if scope_type not in POPUP_TYPES or not message.strip():
            raise UsageError(f"Write /popup TYPE TEXT, with TYPE one of {', '.join(POPUP_TYPES)}.")
        check_message(message)
        return await self.ask_popup(message.strip(), scope_type)

    async def _go_to_page(self, words: str) -> None:
        if words == "off":
            self._place = None
        elif words:
            self._place = read_place(self._store, words)
            scope = scope_of(self._store, self._place)
            await (await self._link.client()).navigate(scope, session_id=self._session_id)
        where = "no page" if self._place is None else place_words(self._store, self._place)
        self._screen.say(f"You are on {where}.")

    async def _choose_model(self, name: str) -> None:
        """Choose the model of this name; without one, list them."""
        models = (await self._link.client()).models
        if not models:
            raise UsageError("This server has no choice of models.")
        names = [model.name for model in models]
        if name and name not in names:
            raise UsageError(f"There is no model {name}: choose one of {', '.join(names)}.")
        self._model = name or self._model
        chosen = self._model or next((model.name for model in models if model.default), "")
        if name:
            self._screen.say(f"{chosen} answers from now on.")
            return
        for model in models:
            sees = ", sees images" if model.images else ""
            self._screen.say(f"{'*' if model.name == chosen else ' '} {model.name}: {model.display_name}{sees}")

    async def _at_server(self, command: str, rest: str) -> bool:
        """The commands about what the server keeps of the user."""
        server, token = self._link.account.server, await self._link.account.access()
        match command:
            case "/disclosed":
                await show_disclosed(server, token, self._store, self._screen)
            case "/private":
                await decide(rest, server, token, self._store, self._screen)
            case "/forget":
                await self._remembered.forget(rest, server, token, self._screen)
            case "/correct":
                await self._remembered.correct(rest, server, token, self._screen)
            case _:
                return await self._memory(rest, server, token)
        return True

    async def _memory(self, rest: str, server: ServerAddress, token: str) -> bool:
        match rest.split(maxsplit=1):
            case []:
                memories = await read_memories(server, token)
                self._screen.draw(Recollection(memories=memories, zone=self._screen.zone))
            case ["on" | "off" as wanted]:
                await switch(server, token, enabled=wanted == "on")
                self._screen.say(f"Memory is {wanted}.")
            case ["forget", key]:
                if not await forget(server, token, key):
                    self._screen.complain(f"Nothing is remembered under {key}.")
                    return False
                self._screen.say(f"Forgotten: {key}.")
            case _:
                raise UsageError("Write /memory, /memory forget KEY, /memory off or /memory on.")
        return True

    def _show_local(self, command: str, name: str) -> None:
        """The commands that this device answers by itself."""
        match command:
            case "/help":
                self._screen.draw(command_help())
            case "/tables":
                zone = self._screen.zone
                self._screen.draw(table_rows(self._store, name, zone=zone) if name else table_counts(self._store))
            case "/why":
                self._remembered.show(self._screen)
            case _:
                for line in self._jobs.known():
                    self._screen.draw(line)
                if not self._jobs.known():
                    self._screen.say("There were no jobs in this session.")
