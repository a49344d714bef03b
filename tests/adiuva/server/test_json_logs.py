"""The JSON log contains what the text log does, and nothing a user said. ``WORD`` is a user's word."""

import io
import json
import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from structlog.contextvars import bound_contextvars

from adiuva.server import logs
from adiuva.server.logs import JsonFormatter
from agents.errors import ModelUnavailable
from agents.requests import RequestKind
from agents.telemetry.turns import Observers, TurnOrigin, TurnSource

WORD = "quincunx-marmalade"


class Objects:
    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.handler = logs.LineHandler(self.stream)
        self.handler.setFormatter(JsonFormatter())

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def all(self) -> list[Mapping[str, object]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def objects() -> Iterator[Objects]:
    made, root = Objects(), logging.getLogger()
    root.addHandler(made.handler)
    try:
        yield made
    finally:
        root.removeHandler(made.handler)


def test_a_line_is_an_object(objects: Objects) -> None:
    before = datetime.now(UTC)
    logging.getLogger("agents.engine.loop").warning("%d of %s\nand more", 3, "r-17")
    [said] = objects.all
    assert {**said, "time": ""} == {
        "time": "",
        "level": "WARNING",
        "logger": "agents.engine.loop",
        "event": "3 of r-17\nand more",
    }
    told = datetime.fromisoformat(str(said["time"]))
    assert abs((told - before).total_seconds()) < 60
    assert len(objects.text.splitlines()) == 1


def test_ids_that_are_bound_are_shown_and_nothing_else_of_the_context(objects: Objects) -> None:
    user = uuid4()
    with bound_contextvars(request_id="r-17", user_id=user, message=WORD):
        logging.getLogger("chat.turns").warning("well")
    logging.getLogger("chat.turns").warning("well")
    inside, outside = objects.all
    assert (inside["request_id"], inside["user_id"]) == ("r-17", str(user))
    assert "request_id" not in outside
    assert WORD not in objects.text


def test_a_turn_binds_its_ids(objects: Objects) -> None:
    origin = TurnOrigin(user_id=uuid4(), request_id="r-18", kind=RequestKind.HOME, source=TurnSource.SOCKET)
    with Observers().watching(origin):
        logging.getLogger("chat.turns").warning("well")
    [said] = objects.all
    assert (said["request_id"], said["user_id"]) == ("r-18", str(origin.user_id))


def test_other_peoples_arguments_are_withheld(objects: Objects) -> None:
    logging.getLogger("some.library").warning("sending %s to %d", WORD, 42)
    logging.getLogger("some.library").warning(f"sending {WORD}")  # noqa: G004 - how libraries do it
    logging.getLogger("some.library").warning("sending", extra={"body": WORD, "_name": WORD, "_logger": WORD})
    assert [said["event"] for said in objects.all] == ["sending … to 42", "…", "…"]
    assert WORD not in objects.text


def test_a_traceback_is_a_list_of_lines_without_words(objects: Objects) -> None:
    failure = ModelUnavailable()
    failure.__cause__ = ValueError(WORD)
    logging.getLogger("agents.engine.loop").error("it failed", exc_info=failure)
    [said] = objects.all
    lines = said["exception"]
    assert isinstance(lines, list)
    assert lines[0] == "Traceback (most recent call last):"
    assert "ValueError" in lines
    assert "which led to:" in lines
    assert str(lines[-1]).startswith("agents.errors.ModelUnavailable: ")
    assert WORD not in objects.text


def test_the_setting_chooses_the_formatter() -> None:
    made = [logs.configuration(level="INFO", everything=False, as_json=as_json) for as_json in (False, True)]
    chosen = [configured["formatters"] for configured in made]
    assert chosen == [
        {"line": {"()": "adiuva.server.logs.LineFormatter"}},
        {"line": {"()": "adiuva.server.logs.JsonFormatter"}},
    ]
