"""Errors in the log, reported to a server of Sentry's protocol: what a line of the log may say, and nothing else.

None of the SDK's integrations is used: they would send requests, local variables and other libraries' messages along. A
report is made here of the parts that ``logs`` makes lines of, and the SDK only carries it: in a thread of its own, from
a bounded queue, at the pace that the server asks for.
"""

import logging
import traceback
from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import sentry_sdk
from structlog.contextvars import get_contextvars

from adiuva.database.availability import DatabaseAway
from adiuva.server.logs import described, first_cause, message_of

if TYPE_CHECKING:
    from sentry_sdk.types import Event

_CARRIERS: Final = ("sentry_sdk", "urllib3")
"""What the SDK itself logs is not reported: that would never end."""
_OF_CLIENTS: Final = "django.security."
"""Requests that are refused with 400, such as those for a foreign host name. Anyone can send many."""
_LEAVE_S: Final = 2.0
"""How long a process that ends waits for its last reports."""


class ErrorReporter(logging.Handler):
    """Reports each record of level ERROR and above to the project of ``dsn``."""

    def __init__(self, *, dsn: str, environment: str = "", release: str = "") -> None:
        super().__init__(logging.ERROR)
        self._client = sentry_sdk.Client(
            dsn=dsn,
            environment=environment or "production",
            release=release,
            server_name="",
            default_integrations=False,
            auto_enabling_integrations=False,
            include_local_variables=False,
            include_source_context=False,
            auto_session_tracking=False,
            max_breadcrumbs=0,
            shutdown_timeout=_LEAVE_S,
        )

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition(".")[0] in _CARRIERS or record.name.startswith(_OF_CLIENTS) or _follows(record):
            return
        try:
            self._client.capture_event(report_of(record))
        except Exception:  # noqa: BLE001 - as in every handler: a report that fails must not break what logged
            self.handleError(record)

    def flush(self) -> None:
        self._client.flush(timeout=_LEAVE_S)

    def close(self) -> None:
        self._client.close(timeout=_LEAVE_S)
        super().close()


def _follows(record: logging.LogRecord) -> bool:
    """Whether it only follows from what has a line of its own: a database that is away, keys that are missing."""
    refused = record.name == "django.request" and getattr(record, "status_code", None) == HTTPStatus.SERVICE_UNAVAILABLE
    error = record.exc_info[1] if record.exc_info else None
    return refused or (error is not None and isinstance(first_cause(error), DatabaseAway))


def report_of(record: logging.LogRecord) -> "Event":
    """A record of the log in Sentry's form."""
    error, request_id = record.exc_info[1] if record.exc_info else None, get_contextvars().get("request_id")
    report: Event = {
        "level": "fatal" if record.levelno >= logging.CRITICAL else "error",
        "logger": record.name,
        "logentry": {"formatted": message_of(record)},
        "platform": "python",
    }
    if request_id is not None:
        report["tags"] = {"request_id": str(request_id)}
    if error is not None:
        report["exception"] = {"values": list(_exceptions(error, set()))}
    return report


def _exceptions(error: BaseException, seen: set[int]) -> Iterator[dict[str, Any]]:
    """``error`` after its causes, as the log has them; before it the members of a group."""
    seen.add(id(error))
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    members = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for other in (*([before] if before is not None else []), *members):
        if id(other) not in seen:
            yield from _exceptions(other, seen)
    yield {
        "type": type(error).__qualname__,
        "module": type(error).__module__,
        "value": described(error),
        "stacktrace": {"frames": [_frame(each) for each in traceback.extract_tb(error.__traceback__)]},
    }


def _frame(frame: traceback.FrameSummary) -> dict[str, Any]:
    """File, line and function, with the line of code, and without any value."""
    return {
        "filename": frame.filename,
        "function": frame.name,
        "lineno": frame.lineno,
        "context_line": frame.line or "",
    }
