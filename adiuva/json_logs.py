"""The log as JSON, an object a line, for whoever collects it. It says what the lines say (``logs.py``) and no more."""

import logging
from datetime import UTC, datetime
from typing import Final

from structlog.contextvars import get_contextvars
from structlog.processors import JSONRenderer
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, WrappedLogger

from adiuva.logs import message_of, traced

_BOUND: Final = ("request_id", "user_id")
"""What of the context is shown: ids that we made or checked."""


class JsonFormatter(ProcessorFormatter):
    """``time`` (UTC), ``level``, ``logger``, ``event``; ``request_id`` and ``user_id`` where there are such; with an
    error ``exception``, a list of lines.
    """

    def __init__(self) -> None:
        super().__init__(processors=[_facts, JSONRenderer()], use_get_message=False)

    def format(self, record: logging.LogRecord) -> str:
        # What may not be said is gone before anything else sees the record.
        said = logging.LogRecord(
            record.name,
            record.levelno,
            record.pathname,
            record.lineno,
            message_of(record),
            None,
            record.exc_info,
        )
        said.created = record.created
        return super().format(said)


def _facts(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    bound = get_contextvars()
    said: EventDict = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname,
        "logger": record.name,
        "event": event["event"],
        **{name: str(bound[name]) for name in _BOUND if name in bound},
    }
    raised = event["exc_info"][1] if event.get("exc_info") else None
    return said if raised is None else {**said, "exception": list(traced(raised))}
