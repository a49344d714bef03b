"""Sending e-mail in the background. It never delays or fails a request.

What is to be sent is a function that writes the e-mail. It is called in the thread that sends, so that an answer takes
as long for an address that exists as for one that does not. An e-mail that cannot be sent is tried again a few times;
e-mails that wait when the process ends are lost. The log names the kind of an e-mail, never an address or a link.
"""

import asyncio
import heapq
import itertools
import logging
import smtplib
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import DatabaseError, connections, transaction

from accounts.auth.attempts import is_within_rate
from accounts.translations import translations

logger = logging.getLogger(__name__)

PAUSES_S: Final = (5.0, 30.0, 120.0, 600.0)
"""Before each further attempt."""
LAST_CHANCE_S: Final = 5.0
"""How long the end of a process waits for e-mails."""
_COMMAND_WAIT_S: Final = 60.0
"""How long a command waits for its e-mails."""
ROOM: Final = 1000
"""How many e-mails may wait."""
_PERMANENT: Final = 500
"""From here on, replies of a mail server say that another attempt is useless (RFC 5321, 4.2.1)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Email:
    """An e-mail in plain text."""

    to: str = field(repr=False)
    subject: str
    body: str = field(repr=False)


WriteEmail: TypeAlias = Callable[[], Email | None]
"""Writes an e-mail, or None if there is nothing to say. Each attempt calls it again."""


@dataclass(order=True, slots=True)
class _Waiting:
    due: float
    number: int
    kind: str = field(compare=False)
    write: WriteEmail = field(compare=False)
    failures: int = field(default=0, compare=False)


def written(to: str, language: str, *, subject: str, paragraphs: Sequence[str]) -> Email:
    """An e-mail of ours with these paragraphs between the greeting and the name."""
    greeting, regards = translations(language).gettext("Hello,"), "Adiuva"
    return Email(to=to, subject=f"Adiuva: {subject}", body="\n\n".join([greeting, *paragraphs, regards]) + "\n")


def deliver(email: Email) -> None:
    """Hand over to the mail server. Raises ``OSError``, the base of ``smtplib``'s errors, too."""
    # So that no machine answers it (RFC 3834).
    headers = {"Auto-Submitted": "auto-generated"}
    connection = get_connection()
    try:
        EmailMessage(email.subject, email.body, to=[email.to], headers=headers, connection=connection).send()
    finally:
        # Django keeps a connection that it could open, but not use.
        with suppress(OSError):
            connection.close()


class Outbox:
    """E-mails that wait, and the thread that sends them while there are any."""

    def __init__(
        self,
        *,
        pauses_s: Sequence[float] = PAUSES_S,
        room: int = ROOM,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._pauses_s, self._room, self._clock = pauses_s, room, clock
        self._waiting: list[_Waiting] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._sending = False

    def post(self, write: WriteEmail, *, kind: str) -> None:
        """Send what ``write`` writes as soon as possible, or drop it if too many e-mails wait."""
        with self._changed:
            if len(self._waiting) >= self._room:
                logger.warning("an e-mail (%s) was dropped: %d wait", kind, len(self._waiting))
                return
            heapq.heappush(self._waiting, _Waiting(self._clock(), next(self._numbers), kind, write))
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="sending e-mail", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def settle(self, within_s: float) -> None:
        """Wait until everything was tried once, ``within_s`` seconds at most."""
        with self._changed:
            self._changed.wait_for(self._is_settled, timeout=within_s)

    def begin(self) -> None:
        """Nothing to do: the first e-mail starts the thread."""

    async def aclose(self) -> None:
        """Give the e-mails that wait a last chance before the process ends."""
        await asyncio.to_thread(self.settle, LAST_CHANCE_S)

    def _is_settled(self) -> bool:
        return not self._sending and not any(each.failures == 0 for each in self._waiting)

    def _work(self) -> None:
        while (waiting := self._next()) is not None:
            try:
                self._try(waiting)
            finally:
                # No request ends in this thread, which would do this.
                with suppress(DatabaseError):
                    connections.close_all()
                with self._changed:
                    self._sending = False
                    self._changed.notify_all()

    def _next(self) -> _Waiting | None:
        with self._changed:
            while self._waiting:
                wait_s = self._waiting[0].due - self._clock()
                if wait_s <= 0:
                    self._sending = True
                    return heapq.heappop(self._waiting)
                self._changed.wait(wait_s)
            self._thread = None
            return None

    def _try(self, waiting: _Waiting) -> None:
        try:
            email = waiting.write()
            if email is not None and self._may_go(waiting, email):
                deliver(email)
        except Exception as error:  # noqa: BLE001 - the boundary of the thread; a mail server may fail in any way
            self._failed(waiting, error)

    def _may_go(self, waiting: _Waiting, email: Email) -> bool:
        """Whether it is within the rate of its kind: links that strangers ask for must not hold back notices."""
        if waiting.failures or is_within_rate("mail", f"{email.to} {waiting.kind}"):
            return True
        logger.warning("an e-mail (%s) was dropped: its address has had as many as it may", waiting.kind)
        return False

    def _failed(self, waiting: _Waiting, error: Exception) -> None:
        # Its message may contain the address.
        reason, attempt = type(error).__name__, waiting.failures + 1
        if waiting.failures == len(self._pauses_s) or _is_permanent(error):
            logger.error("an e-mail (%s) could not be sent: %s; attempt %d was the last", waiting.kind, reason, attempt)
            return
        logger.warning("an e-mail (%s) could not be sent: %s; attempt %d", waiting.kind, reason, attempt)
        waiting.due = self._clock() + self._pauses_s[waiting.failures]
        waiting.failures = attempt
        with self._changed:
            heapq.heappush(self._waiting, waiting)


def _is_permanent(error: Exception) -> bool:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= _PERMANENT for code, _ in error.recipients.values())
    # A refused sign-in is the operator's mistake, which may be mended meanwhile.
    login = isinstance(error, smtplib.SMTPAuthenticationError)
    return isinstance(error, smtplib.SMTPResponseException) and not login and error.smtp_code >= _PERMANENT


@cache
def outbox() -> Outbox:
    """The outbox of this process."""
    return Outbox()


def send_later(write: WriteEmail, *, kind: str) -> None:
    """Post once the transaction is committed; nothing where the server sends no e-mail."""
    if settings.MAIL_ENABLED:
        transaction.on_commit(lambda: outbox().post(write, kind=kind), robust=True)


def send_now() -> None:
    """Wait until what was posted is tried once. A command ends with it: the thread that sends ends with the process."""
    if settings.MAIL_ENABLED:
        outbox().settle(_COMMAND_WAIT_S)
