"""A conversation: questions, commands, and what was said so far."""

from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Final, TypeAlias

from device.answering import Answered, show_answer
from device.client import DeviceClient, Said
from device.errors import DeviceError, RequestRejected, UsageError
from device.frames import TurnFrame
from device.lines import Lines
from device.link import Link
from device.options import POPUP_TYPES, check_message
from device.overview import table_counts, table_rows
from device.screen import Screen
from device.store import Store, new_uuid

Ask: TypeAlias = Callable[[DeviceClient, str], AsyncGenerator[TurnFrame, None]]
"""Sends a request under the given id."""

HELP: Final = f"""\
Write a question or an order, such as: Which tasks are due today?
/tables            how many rows this device has
/tables NAME       the rows of one table
/popup TYPE TEXT   a short answer; TYPE is {", ".join(POPUP_TYPES)}
/help              this
/quit              leave (so does Ctrl-D, or Ctrl-C at the prompt; Ctrl-C during an answer stops it)"""

_REMEMBERED: Final = 20
_REMEMBERED_CHARACTERS: Final = 2000


class Conversation:
    """Answers line after line. The server keeps no history, so the last messages go along with each question."""

    def __init__(self, link: Link, screen: Screen, store: Store) -> None:
        self._link = link
        self._screen = screen
        self._store = store
        self._history: deque[Said] = deque(maxlen=_REMEMBERED)

    async def hold(self, lines: Lines) -> bool:
        """Answer until the lines end or one says ``/quit``. Whether every answer ended well.

        What goes wrong is said. When nobody is there to react, a connection that fails is raised, as ``DeviceError``.
        """
        all_done = True
        while (line := await lines.next()) is not None and line.strip() != "/quit":
            try:
                all_done &= await self._take(line.strip())
            except DeviceError as error:
                if not lines.interactive and not isinstance(error, RequestRejected | UsageError):
                    raise
                self._screen.complain(str(error))
                all_done = False
        return all_done

    async def ask(self, message: str) -> bool:
        """Ask for a full answer. Whether it ended well; raises ``DeviceError``."""
        history = tuple(self._history)
        answered = await self._answered(
            lambda client, request_id: client.home(message, request_id=request_id, history=history)
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

    async def _answered(self, ask: Ask) -> Answered:
        client, request_id = await self._link.client(), new_uuid()
        return await show_answer(client, ask(client, request_id), self._screen, request_id=request_id)

    def _remember(self, role: str, content: str) -> None:
        if content.strip():
            self._history.append(Said(role=role, content=content[:_REMEMBERED_CHARACTERS]))

    async def _take(self, line: str) -> bool:
        if not line:
            return True
        if not line.startswith("/"):
            check_message(line)
            return await self.ask(line)
        command, _, rest = line.partition(" ")
        match command:
            case "/help":
                self._screen.say(HELP)
            case "/tables":
                self._show_tables(rest.strip())
            case "/popup":
                return await self._popup(rest.strip())
            case _:
                raise UsageError(f"There is no command {command}: /help lists them.")
        return True

    async def _popup(self, rest: str) -> bool:
        scope_type, _, message = rest.partition(" ")
        if scope_type not in POPUP_TYPES or not message.strip():
            raise UsageError(f"Write /popup TYPE TEXT, with TYPE one of {', '.join(POPUP_TYPES)}.")
        check_message(message)
        return await self.ask_popup(message.strip(), scope_type)

    def _show_tables(self, name: str) -> None:
        zone = self._screen.zone
        self._screen.draw(table_rows(self._store, name, zone=zone) if name else table_counts(self._store))
