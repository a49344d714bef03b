"""The log: what happened and where, and nothing that a user said.

Texts of users hide in unexpected places. A database's error quotes the row, a validation error its input, a library its
arguments, an address the key that it asks for. So a line is put together from what cannot hold any of it:

- our own loggers say what they say, for their sentences are written here and their arguments are ids and numbers; an
  error among the arguments is described as below;
- of other people's lines the sentence stays and the arguments go, numbers excepted; a sentence that was put together
  before it was logged goes as a whole, but for loggers that are known to say nothing of users;
- a traceback keeps its files, lines and types. An error's own words stay only if it is one of ``PLAIN_SPOKEN``; of the
  others, facts that are numbers or names of the schema (``errno``, SQLSTATE, constraint, status).

``ADIUVA_LOG_EVERYTHING`` turns all of this off, in development only.
"""

import errno
import logging
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Final

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest

from accounts.errors import AccountError
from adiuva.access_log import page_of
from adiuva.errors import AdiuvaError
from agents.errors import ClientAbsent, ClientSilent, ModelError, SpecError
from memory.errors import EmbeddingFailed, UnreadableRow

PLAIN_SPOKEN: Final = (
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
"""Errors whose sentences are written by us and name ids at most."""

OURS: Final = ("adiuva", "accounts", "memory", "agents", "chat")

_WITHHELD: Final = "…"
_ABOUT_CONNECTIONS: Final = "psycopg.pool"
"""Says why the database cannot be reached, before anything is asked of it."""
_CONSTANT: Final = "uvicorn.error"
"""Its sentences without arguments are constants."""
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
"""How asyncio begins what it says; what follows shows arguments."""
_WARNING: Final = re.compile(r"(?P<where>.*?:\d+): (?P<kind>\w+): ")

process_logger = logging.getLogger("adiuva.process")


def configuration(*, level: str, everything: bool, as_json: bool = False) -> dict[str, object]:
    """``LOGGING``. Below INFO libraries show what passes through them, so only our own loggers ever go there."""
    others = level if everything else max(level, "INFO", key=logging.getLevelName)
    safe = {"()": "adiuva.json_logs.JsonFormatter" if as_json else "adiuva.logs.LineFormatter"}
    formatter = {"format": _FORMAT} if everything else safe
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": formatter},
        "handlers": {"stderr": {"class": "adiuva.logs.LineHandler", "formatter": "line"}},
        "root": {"level": others, "handlers": ["stderr"]},
        "loggers": {
            **{name: {"level": level} for name in OURS},
            # Django's own handlers would say everything twice, and by mail.
            "django": {"level": others, "handlers": [], "propagate": True},
            "django.server": {"level": others, "handlers": [], "propagate": True},
            # What was answered 4xx stands in the access log; what failed is told here, with its traceback.
            "django.request": {"level": "ERROR"},
            # A line for every request that we make.
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
        },
    }


_FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class LineFormatter(logging.Formatter):
    """One line, and a traceback's lines below it. Line breaks inside a message are escaped: it cannot forge a line."""

    def __init__(self) -> None:
        super().__init__(_FORMAT)

    def format(self, record: logging.LogRecord) -> str:
        record.message = _on_one_line(message_of(record))
        record.asctime = self.formatTime(record)
        error = record.exc_info[1] if record.exc_info else None
        return "\n".join([self.formatMessage(record), *([] if error is None else traced(error))])


class LineHandler(logging.StreamHandler[Any]):
    """Writes to standard error. A record that cannot be written is named, not shown."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - its name in the base
        sys.stderr.write(f"A line of {record.name} could not be logged ({record.pathname}:{record.lineno}).\n")


def message_of(record: logging.LogRecord) -> str:
    """What may be said of a record."""
    request = getattr(record, "request", None)
    if isinstance(request, HttpRequest):
        return f"{getattr(record, 'status_code', _WITHHELD)} {page_of(request)}"
    if record.name == "py.warnings":
        return _warning(record)
    if record.name.partition(".")[0] in OURS:
        return _filled(record, _our_argument)
    if record.name == _ABOUT_CONNECTIONS:
        return record.getMessage()
    return _filled(record, _their_argument) if record.args else _finished_sentence(record)


def described(error: BaseException) -> str:
    """An error's type, and its words or what facts of it may be said."""
    name = type(error).__qualname__
    if type(error).__module__ != "builtins":
        name = f"{type(error).__module__}.{name}"
    if isinstance(error, PLAIN_SPOKEN):
        return f"{name}: {_on_one_line(str(error))}"
    facts = ", ".join(_facts(error))
    return f"{name} ({facts})" if facts else name


def traced(error: BaseException) -> Iterator[str]:
    """The lines of a traceback, causes first."""
    yield from _traced(error, set())


def withhold_elsewhere() -> None:
    """Has what Python writes past the log (warnings, errors of threads and of finalisers) go through it."""
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_a_thread
    sys.unraisablehook = _unraisable


def _filled(record: logging.LogRecord, shown: Callable[[object], object]) -> str:
    """The record's sentence, with every argument as it is ``shown``."""
    sentence, arguments = str(record.msg), record.args
    if not arguments:
        return sentence
    try:
        if isinstance(arguments, Mapping):
            return sentence % {name: shown(value) for name, value in arguments.items()}
        return sentence % tuple(shown(value) for value in arguments)
    except (TypeError, ValueError, KeyError):  # the sentence wants something else
        return _WITHHELD


def _our_argument(value: object) -> object:
    return _Shown(described(value)) if isinstance(value, BaseException) else value


def _their_argument(value: object) -> object:
    if isinstance(value, int | float):
        return value
    return _Shown(described(value) if isinstance(value, BaseException) else _WITHHELD)


class _Shown(str):
    """A text that is the same under ``%s`` and ``%r``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _finished_sentence(record: logging.LogRecord) -> str:
    sentence = str(record.msg)
    if record.name == _CONSTANT:
        return sentence.strip()
    beginning = sentence.partition("\n")[0]
    return beginning if record.name == "asyncio" and beginning in _OF_THE_LOOP else _WITHHELD


def _warning(record: logging.LogRecord) -> str:
    """Where Python warned, and of what kind."""
    said = _WARNING.match(str(record.getMessage()))
    return f"{said['kind']} at {said['where']}" if said else _WITHHELD


def _facts(error: BaseException) -> Iterator[str]:
    if isinstance(error, OSError) and error.errno is not None:
        yield errno.errorcode.get(error.errno, str(error.errno))
    if isinstance(error, psycopg.Error) and error.sqlstate:
        yield error.sqlstate
        if error.diag.constraint_name:
            yield error.diag.constraint_name
    if isinstance(status := getattr(error, "status_code", None), int):
        yield str(status)


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


def _uncaught_in_a_thread(arguments: threading.ExceptHookArgs) -> None:
    process_logger.error("A thread ended by an error", exc_info=arguments.exc_value)


def _unraisable(arguments: "sys.UnraisableHookArgs") -> None:
    process_logger.error("An error could not be raised", exc_info=arguments.exc_value)
