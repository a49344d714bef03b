"""Nothing a user said is logged. ``WORD`` is a user's word."""

import asyncio
import io
import logging
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import psycopg
import pydantic
import pytest
from django.core.exceptions import DisallowedHost
from django.db import IntegrityError, OperationalError, connection
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from openai import InternalServerError

from accounts.errors import KeyConfigurationError
from accounts.models import User
from adiuva.database.availability import DatabaseAway
from adiuva.errors import PortTaken
from adiuva.server import logs
from agents.errors import ClientRefused, ModelUnavailable, ToolFailed

WORD = "quincunx-marmalade"


class Lines:
    """A log in memory, formatted as on standard error."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.handler = logs.LineHandler(self.stream)
        self.handler.setFormatter(logs.LineFormatter())

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def messages(self) -> list[str]:
        """The lines without time, level and logger name."""
        return [line.partition(": ")[2] for line in self.text.splitlines() if line]


@pytest.fixture
def lines() -> Iterator[Lines]:
    with listening() as made:
        yield made


@contextmanager
def listening() -> Iterator[Lines]:
    made, root = Lines(), logging.getLogger()
    root.addHandler(made.handler)
    try:
        yield made
    finally:
        root.removeHandler(made.handler)


def fail(error: BaseException) -> None:
    raise error


def logged(error: BaseException, lines: Lines) -> str:
    try:
        fail(error)
    except BaseException as caught:
        logging.getLogger("accounts.things").exception("It failed", exc_info=caught)
    return lines.text


class Input(pydantic.BaseModel):
    number: int


@pytest.mark.parametrize(
    ("error", "last"),
    [
        (ValueError(WORD), "ValueError"),
        (KeyError(WORD), "KeyError"),
        (ClientRefused(WORD), "agents.errors.ClientRefused"),
        (ToolFailed(WORD), "agents.errors.ToolFailed"),
        (UnicodeDecodeError("utf-8", WORD.encode(), 0, 1, WORD), "UnicodeDecodeError"),
        (FileNotFoundError(2, WORD, WORD), "FileNotFoundError (ENOENT)"),
        (DisallowedHost(WORD), "django.core.exceptions.DisallowedHost"),
        (psycopg.errors.UniqueViolation(WORD), "psycopg.errors.UniqueViolation (23505)"),
        (PortTaken("Port 80 is taken."), "adiuva.errors.PortTaken: Port 80 is taken."),
        (KeyConfigurationError(), "accounts.errors.KeyConfigurationError: The master keys cannot be used."),
        (ModelUnavailable(), "agents.errors.ModelUnavailable: The model cannot be reached right now."),
    ],
)  # fmt: skip
def test_a_traceback_keeps_types_and_drops_foreign_words(error: BaseException, last: str, lines: Lines) -> None:
    text = logged(error, lines)
    assert WORD not in text
    assert text.splitlines()[-1] == last
    assert "in fail" in text


def test_the_status_that_a_server_answered_with_is_kept(lines: Lines) -> None:
    request = httpx2.Request("POST", f"https://models.example/{WORD}")
    error = InternalServerError(WORD, response=httpx2.Response(503, text=WORD, request=request), body={"said": WORD})
    text = logged(error, lines)
    assert WORD not in text
    assert text.splitlines()[-1] == "openai.InternalServerError (503)"


def test_sentences_of_uvicorn_that_are_constants_are_kept(lines: Lines) -> None:
    logging.getLogger("uvicorn.error").warning("ASGI callable returned without completing response.\n")
    assert lines.messages == ["ASGI callable returned without completing response."]


def test_an_errors_causes_notes_and_parts_are_shown_by_type_only(lines: Lines) -> None:
    cause = ValueError(WORD)
    cause.add_note(WORD)
    group = ExceptionGroup(WORD, [TypeError(WORD), ExceptionGroup(WORD, [OSError(WORD)])])
    group.__cause__ = cause
    text = logged(group, lines)
    assert WORD not in text
    bare = [line.lstrip(" |") for line in text.splitlines()]
    assert [
        line for line in bare if line in {"ValueError", "which led to:", "ExceptionGroup", "TypeError", "OSError"}
    ] == [*("ValueError", "which led to:", "ExceptionGroup", "TypeError", "ExceptionGroup", "OSError")]


def test_an_error_whose_causes_go_in_circles_ends(lines: Lines) -> None:
    first, second = ValueError(WORD), TypeError(WORD)
    first.__cause__, second.__cause__ = second, first
    assert logged(first, lines).count("which led to:") == 1


def test_what_pydantic_quotes_stays_out(lines: Lines) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Input.model_validate({"number": WORD})
    assert WORD in str(caught.value)
    assert WORD not in logged(caught.value, lines)


@pytest.mark.django_db
def test_what_postgresql_quotes_stays_out_and_its_constraint_is_named(alice: User, lines: Lines) -> None:
    digest = User.objects.values_list("email", flat=True).get().hex()  # type: ignore[attr-defined] # as it is stored
    with pytest.raises(IntegrityError) as caught:
        User.objects.create_user(alice.email)
    assert digest in str(caught.value)
    text = logged(caught.value, lines)
    assert (digest in text, alice.email in text) == (False, False)
    assert "psycopg.errors.UniqueViolation (23505, accounts_user_email_" in text


def test_an_error_among_our_own_arguments_is_described(lines: Lines) -> None:
    logging.getLogger("chat.things").warning("not noted: %s, %r, %d times", ValueError(WORD), PortTaken(), 3)
    assert lines.messages == ["not noted: ValueError, adiuva.errors.PortTaken: The port is in use., 3 times"]


@pytest.mark.parametrize(
    ("sentence", "arguments", "said"),
    [
        ("Sent %s in %d ms to %r", (WORD, 12, WORD), "Sent … in 12 ms to …"),
        ("Sent %(what)s", ({"what": WORD},), "Sent …"),
        ("Failed: %s", (ValueError(WORD),), "Failed: ValueError"),
        (f"put together before: {WORD}", (), "…"),
    ],
)
def test_of_other_peoples_lines_the_sentence_stays(
    sentence: str, arguments: tuple[object, ...], said: str, lines: Lines
) -> None:
    logging.getLogger("elsewhere.library").warning(sentence, *arguments)
    assert lines.messages == [said]


def test_a_sentence_that_does_not_fit_its_arguments_is_withheld() -> None:
    record = logging.LogRecord("elsewhere", logging.WARNING, "x.py", 7, "%d of them", (WORD,), None)
    assert logs.message_of(record) == "…"


@given(st.text(min_size=1), st.text())
def test_no_text_of_an_argument_or_error_is_written(word: str, other: str) -> None:
    with listening() as lines:
        library = logging.getLogger("elsewhere.library")
        library.warning("A %s B %r", word, [other], exc_info=ValueError(word, other))
        stamp = lines.text.partition(" WARNING")[0]
    assert lines.text == f"{stamp} WARNING elsewhere.library: A … B …\nTraceback (most recent call last):\nValueError\n"


def test_a_message_cannot_forge_a_line(lines: Lines) -> None:
    logging.getLogger("accounts.things").warning("a\nb\x1b[31m%s", "c\r\nd")
    assert lines.messages == [r"a\nb\x1b[31mc\r\nd"]


def test_django_names_the_page_and_not_the_address(lines: Lines, db: None) -> None:
    client = Client(raise_request_exception=False)
    client.get(f"/api/v1/{WORD}?q={WORD}")
    client.get(f"/admin/{WORD}/", headers={"host": f"{WORD}.example"})
    client.generic(WORD.upper(), f"/api/v1/devices/{WORD}")
    assert WORD not in lines.text.lower()
    assert lines.messages[0] == "400 GET (no page)"


def test_the_access_log_names_the_page_and_not_the_address(
    lines: Lines, caplog: pytest.LogCaptureFixture, db: None
) -> None:
    caplog.set_level(logging.INFO, logger="adiuva.access")
    Client().get(f"/admin/accounts/user/{WORD}/change/?q={WORD}")
    Client().get(f"/{WORD}")
    Client().generic(WORD.upper(), "/admin/login/")
    assert [re.sub(r"\d+ ms", "… ms", line) for line in lines.messages if line.endswith(" ms")] == [
        "127.0.0.1 GET /admin/accounts/user/<path:object_id>/change/ 302 … ms",
        "127.0.0.1 GET (no page) 404 … ms",
        "127.0.0.1 (unknown method) /admin/login/ 405 … ms",
    ]


async def test_the_event_loop_shows_no_arguments(lines: Lines) -> None:
    async def fails(word: str) -> None:
        raise ValueError(word)

    loop = asyncio.get_running_loop()
    loop.call_exception_handler({"message": "Task exception was never retrieved", "exception": ValueError(WORD)})
    loop.call_soon(lambda word: fail(ValueError(word)), WORD)
    task = asyncio.create_task(fails(WORD))
    await asyncio.wait({task})
    loop.call_exception_handler(
        {"message": f"Exception in callback {WORD}", "task": task, "exception": task.exception()}
    )
    assert WORD not in lines.text
    assert [line for line in lines.messages if line.startswith(("Task", "…"))] == [
        *("Task exception was never retrieved", "…", "…")
    ]


@pytest.fixture
def withheld() -> Iterator[None]:
    """The process's exception hooks, as the server sets them."""
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    logs.withhold_elsewhere()
    yield
    logging.captureWarnings(False)
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


def test_errors_of_threads_and_of_the_process_go_through_the_log(
    withheld: None, lines: Lines, capfd: pytest.CaptureFixture[str]
) -> None:
    thread = threading.Thread(target=fail, args=[ValueError(WORD)], name=WORD)
    thread.start()
    thread.join()
    error = ValueError(WORD)
    sys.excepthook(ValueError, error, None)
    assert WORD not in lines.text + capfd.readouterr().err
    assert [line for line in lines.messages if line] == [
        *("A thread ended by an error", "The process ends by an error")
    ]


def test_ctrl_c_is_no_error_of_the_process(withheld: None, lines: Lines, capsys: pytest.CaptureFixture[str]) -> None:
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert capsys.readouterr().err.splitlines()[-1] == "KeyboardInterrupt"
    assert lines.messages == []


def test_an_error_of_a_finaliser_goes_through_the_log(withheld: None, lines: Lines) -> None:
    class Unlucky:
        def __del__(self) -> None:
            raise ValueError(WORD)

    del (made := [Unlucky()])[0]
    assert made == []
    assert (WORD in lines.text, lines.messages[0]) == (False, "An error could not be raised")


def test_a_warning_is_logged_by_kind_and_place(withheld: None, lines: Lines) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn(WORD, RuntimeWarning, stacklevel=1)
    assert WORD not in lines.messages[0]
    assert lines.messages[0].startswith(f"RuntimeWarning at {__file__}:")


def test_a_line_that_cannot_be_written_is_named_only(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(io.StringIO):
        def write(self, _text: str) -> int:
            raise ValueError(WORD)

    handler = logs.LineHandler(Broken())
    handler.setFormatter(logs.LineFormatter())
    handler.handle(logging.LogRecord("accounts", logging.ERROR, "x.py", 7, WORD, (), None))
    assert capsys.readouterr().err == "A line of accounts could not be logged (x.py:7).\n"


def test_the_pool_says_why_the_database_cannot_be_reached(lines: Lines) -> None:
    logging.getLogger("psycopg.pool").warning("error connecting in %r: %s", "pool-1", OSError("no route to host"))
    assert lines.messages == ["error connecting in 'pool-1': no route to host"]


def test_a_database_that_is_away_takes_one_line(lines: Lines) -> None:
    try:
        with connection.wrap_database_errors:
            raise DatabaseAway
    except OperationalError:
        logging.getLogger("agents").exception("looking after jobs failed")

    _, error = lines.text.splitlines()
    assert error == "adiuva.database.availability.DatabaseAway"


@pytest.mark.parametrize(("level", "ours", "others"), [("DEBUG", "DEBUG", "INFO"), ("ERROR", "ERROR", "ERROR")])
def test_libraries_never_speak_below_info(level: str, ours: str, others: str) -> None:
    made = logs.configuration(level=level, everything=False)
    root, loggers = made["root"], made["loggers"]
    assert isinstance(root, dict)
    assert isinstance(loggers, dict)
    assert (root["level"], {loggers[name]["level"] for name in logs.OURS}) == (others, {ours})


def test_a_broker_that_is_away_is_no_error_and_one_line_for_each_attempt() -> None:
    """The two libraries log each attempt three times. Errors are reported, too."""
    spoken = [
        logging.getLogger("aiormq.connection").isEnabledFor(logging.ERROR),
        logging.getLogger("aio_pika.robust_connection").isEnabledFor(logging.INFO),
        logging.getLogger("aio_pika.robust_connection").isEnabledFor(logging.WARNING),
    ]
    assert spoken == [False, False, True]
