"""The log, which never contains what users said.

Users' texts appear in unexpected places: a database error quotes the row, a validation error its input, a library its
arguments, an address the key in it. So each line is assembled from parts that cannot contain them:

- Records of our own loggers are logged as they are: we wrote their messages, and their arguments are ids and numbers.
  An error among the arguments is described as below.
- Of records of libraries the message stays, and arguments other than numbers are withheld. A message that was
  formatted before it was logged is withheld as a whole, except for loggers known to contain nothing of users.
- A traceback keeps files, lines and types. The message of an error stays only if its type is in ``TRUSTED_ERRORS``; of
  others, facts that are numbers or names of the schema stay (``errno``, SQLSTATE, constraint, status).

``ADIUVA_LOG_EVERYTHING`` turns all of this off, in development only.
"""

import errno
import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from structlog.contextvars import get_contextvars

from accounts.errors import AccountError
from adiuva.database.availability import DatabaseAway
from adiuva.errors import AdiuvaError
from adiuva.server.access_log import page_of
from agents.errors import ClientAbsent, ClientSilent, ModelError, SpecError
from memory.errors import EmbeddingFailed, UnreadableRow

TRUSTED_ERRORS: Final = (
    AdiuvaError,
    AccountError,
    UnreadableRow,
    EmbeddingFailed,
    ModelError,
    ClientSilent,
    ClientAbsent,
    SpecError,
    ImproperlyConfigured,
)
"""Errors whose messages we write, with ids at most."""

OURS: Final = ("adiuva", "accounts", "memory", "agents", "chat")

_WITHHELD: Final = "…"
_ABOUT_CONNECTIONS: Final = "psycopg.pool"
"""Logs why the database cannot be reached, before any query."""
_CONSTANT: Final = "uvicorn.error"
"""Its messages without arguments are constants."""
_OF_THE_LOOP: Final = frozenset(
    {
        "Task exception was never retrieved",
        "Future exception was never retrieved",
        "Task was destroyed but it is pending!",
        "Unhandled exception in event loop",
        "Unhandled error in exception handler",
        "an error occurred during closing of asynchronous generator",
    }
)
"""The first lines of asyncio's messages; later lines contain arguments."""
_WARNING: Final = re.compile(r"(?P<where>.*?:\d+): (?P<kind>\w+): ")

process_logger = logging.getLogger("adiuva.process")


def configuration(
    *, level: str, everything: bool, as_json: bool = False, reports: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Django's ``LOGGING``. ``reports`` are the arguments of an ``ErrorReporter``, if there is one.

    Below INFO libraries log the data they handle, so only our own loggers go below.
    """
    others = level if everything else max(level, "INFO", key=logging.getLevelName)
    safe = {"()": "adiuva.server.logs.JsonFormatter" if as_json else "adiuva.server.logs.LineFormatter"}
    formatter = {"format": _FORMAT} if everything else safe
    reporter = {"()": "adiuva.server.error_reports.ErrorReporter", **reports} if reports else None
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "handlers": {
            "stderr": {"class": "adiuva.server.logs.LineHandler", "formatter": "line"},
            **({"reports": reporter} if reporter else {}),
        },
        "root": {"level": others, "handlers": ["stderr", *(["reports"] if reporter else [])]},
        "loggers": {
            **{name: {"level": level} for name in OURS},
            # Django's own handlers would log everything twice, and by mail.
            "django": {"level": others, "handlers": [], "propagate": True},
            "django.server": {"level": others, "handlers": [], "propagate": True},
            # The access log has the answers 4xx; this one has failures, with their tracebacks.
            "django.request": {"level": "ERROR"},
            # They log a line for every request that we make.
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            # While RabbitMQ is away, the two log three lines every two seconds, one of them an error that is reported.
            "aiormq": {"level": "CRITICAL"},
            "aio_pika": {"level": "WARNING"},
        },
    }


_BOUND: Final = ("request_id", "user_id")
"""The logged part of the context: ids that we made or checked."""
_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LineFormatter(logging.Formatter):
    """One line, with a traceback's lines below it. Line breaks in a message are escaped, so it cannot forge a line."""

    def __init__(self) -> None:
        super().__init__(_FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        record.message = _on_one_line(message_of(record))
        record.asctime = self.formatTime(record)
        error = record.exc_info[1] if record.exc_info else None
        return "\n".join([self.formatMessage(record), *([] if error is None else traced(error))])


class JsonFormatter(logging.Formatter):
    """A JSON object in each line: ``time`` (UTC), ``level``, ``logger``, ``event``; ``request_id`` and ``user_id`` if
    they are known; for an error ``exception``, a list of lines. It says what ``LineFormatter`` says and no more.
    """

    def format(self, record: logging.LogRecord) -> str:
        bound = get_contextvars()
        said: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": message_of(record),
            **{name: str(bound[name]) for name in _BOUND if name in bound},
        }
        error = record.exc_info[1] if record.exc_info else None
        return json.dumps(said if error is None else {**said, "exception": list(traced(error))})


class LineHandler(logging.StreamHandler[Any]):
    """Writes to standard error. Of a record that cannot be written only the place is reported."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the base
        sys.stderr.write(f"A line of {record.name} could not be logged ({record.pathname}:{record.lineno}).\n")


def message_of(record: logging.LogRecord) -> str:
    """The loggable message of a record."""
    request = getattr(record, "request", None)
    if isinstance(request, HttpRequest):
        return f"{getattr(record, 'status_code', _WITHHELD)} {page_of(request)}"
    if record.name == "py.warnings":  # the place and the kind
        said = _WARNING.match(record.getMessage())
        return f"{said['kind']} at {said['where']}" if said else _WITHHELD
    if record.name.partition(".")[0] in OURS:
        return _filled(record, ours=True)
    if record.name == _ABOUT_CONNECTIONS:
        return record.getMessage()
    return _filled(record, ours=False) if record.args else _finished_sentence(record)


def described(error: BaseException) -> str:
    """An error's type, and its message or its loggable facts."""
    name = type(error).__qualname__
    if type(error).__module__ != "builtins":
        name = f"{type(error).__module__}.{name}"
    if isinstance(error, TRUSTED_ERRORS):
        return f"{name}: {_on_one_line(str(error))}"
    facts = ", ".join(_facts(error))
    return f"{name} ({facts})" if facts else name


def traced(error: BaseException) -> Iterator[str]:
    """The lines of a traceback, causes first.

    A single line if the database is away: then every statement fails, and their tracebacks would bury the rest.
    """
    if isinstance(cause := first_cause(error), DatabaseAway):
        yield described(cause)
        return
    yield from _traced(error, set())


def withhold_elsewhere() -> None:
    """Send what Python writes past the log (warnings, errors of threads and of finalisers) through it."""
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = lambda end: process_logger.error("A thread ended by an error", exc_info=end.exc_value)
    sys.unraisablehook = lambda end: process_logger.error("An error could not be raised", exc_info=end.exc_value)


def _filled(record: logging.LogRecord, *, ours: bool) -> str:
    """The record's message with its arguments, of others than ``ours`` only the numbers. Errors are described."""
    sentence, arguments = str(record.msg), record.args
    if not arguments:
        return sentence

    def shown(value: object) -> object:
        if isinstance(value, BaseException):
            return _Shown(described(value))
        return value if ours or isinstance(value, int | float) else _Shown(_WITHHELD)

    try:
        if isinstance(arguments, Mapping):
            return sentence % {name: shown(value) for name, value in arguments.items()}
        return sentence % tuple(shown(value) for value in arguments)
    except (TypeError, ValueError, KeyError):  # the arguments do not fit the message
        return _WITHHELD


class _Shown(str):
    """A text that is the same with ``%s`` and ``%r``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _finished_sentence(record: logging.LogRecord) -> str:
    sentence = str(record.msg)
    if record.name == _CONSTANT:
        return sentence.strip()
    beginning = sentence.partition("\n")[0]
    return beginning if record.name == "asyncio" and beginning in _OF_THE_LOOP else _WITHHELD


def _facts(error: BaseException) -> Iterator[str]:
    if isinstance(error, OSError) and error.errno is not None:
        yield errno.errorcode.get(error.errno, str(error.errno))
    if isinstance(error, psycopg.Error) and error.sqlstate:
        yield error.sqlstate
        if error.diag.constraint_name:
            yield error.diag.constraint_name
    if isinstance(status := getattr(error, "status_code", None), int):
        yield str(status)


def first_cause(error: BaseException) -> BaseException:
    """Where a chain of errors begins that were each raised from another."""
    seen: set[int] = set()
    while error.__cause__ is not None and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__
    return error


def _traced(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and id(before) not in seen:
        yield from _traced(before, seen)
        yield "which led to:"
    yield "Traceback (most recent call last):"
    for lines in traceback.extract_tb(error.__traceback__).format():
        yield lines.rstrip("\n")
    yield described(error)
    for part in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from (f"  | {line}" for line in "\n".join(_traced(part, seen)).split("\n"))


def _on_one_line(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    process_logger.critical("The process ends by an error", exc_info=error)
