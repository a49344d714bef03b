"""Errors reported to a server of Sentry's protocol, over real HTTP: where something failed, and no word of a user's."""

import asyncio
import gzip
import json
import logging
import logging.config
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import pytest
from django.db import OperationalError
from django.test import AsyncClient, Client
from django.urls import path
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from adiuva.database.availability import DatabaseAway, DatabaseMonitor, availability
from adiuva.server import logs
from adiuva.server.error_reports import ErrorReporter
from agents.jobs.models import JobState
from tests.adiuva.servers import reserved_port
from tests.agents.jobs.test_worker import harness_with, job_of, until
from tests.chat.sockets import Server
from tests.chat.test_consumer import home
from tests.receiver import receiving

CANARY = "Zwetschgendatschi"
KEY = "0123456789abcdef0123456789abcdef"


@dataclass
class Inbox:
    """What a Sentry with one project was sent."""

    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)

    @property
    def dsn(self) -> str:
        return self.url.replace("://", f"://{KEY}@") + "/7"

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events in the envelopes: each has a line of its own, after one that says how long it is."""
        lines = [json.loads(line) for body in self.bodies for line in body.splitlines() if line]
        return [line for line in lines if "level" in line]

    def take(self, address: str, headers: Mapping[str, str], body: bytes) -> int:
        if address != "/api/7/envelope/" or KEY not in headers.get("x-sentry-auth", ""):
            return 404
        self.headers += [f"{name}: {value}" for name, value in headers.items()]
        self.bodies.append(gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body)
        return 200


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    inbox = Inbox()
    with receiving(inbox.take) as inbox.url:
        yield inbox


@pytest.fixture
def reporter(inbox: Inbox) -> Iterator[ErrorReporter]:
    """A reporter that hears all that is logged."""
    made, root = ErrorReporter(dsn=inbox.dsn, environment="staging", release="7"), logging.getLogger()
    root.addHandler(made)
    yield made
    root.removeHandler(made)
    made.close()


def fail(word: str) -> NoReturn:
    """Fails with a private word in a local variable, in the message and in a cause."""
    private, nothing = f"{word} in a local", dict[str, str]()
    try:
        nothing[private]
    except KeyError as error:
        raise RuntimeError(f"{private}, said again") from error
    raise AssertionError


def raised(word: str) -> RuntimeError:
    try:
        fail(word)
    except RuntimeError as error:
        return error


class FailingView(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)

    def post(self, request: Request) -> Response:
        said: dict[str, str] = request.data  # type: ignore[assignment] # JSON
        fail(said["message"])


class AwayView(APIView):
    permission_classes = (AllowAny,)

    def get(self, _: Request) -> Response:
        raise OperationalError from DatabaseAway()


urlpatterns = [path("fails/", FailingView.as_view()), path("api/away/", AwayView.as_view())]


def reported(inbox: Inbox, reporter: ErrorReporter, logger: str) -> dict[str, Any]:
    """The one event of ``logger``; nothing that was sent has the canary."""
    reporter.flush()
    sent = b"\n".join([*inbox.bodies, *(header.encode() for header in inbox.headers)])
    assert CANARY.encode() not in sent
    [event] = [event for event in inbox.events if event["logger"] == logger]
    return event


def functions(event: dict[str, Any]) -> list[str]:
    return [frame["function"] for frame in event["exception"]["values"][-1]["stacktrace"]["frames"]]


def test_a_foreign_host_name_is_not_reported(inbox: Inbox, reporter: ErrorReporter) -> None:
    assert Client().get("/", headers={"host": f"{CANARY}.example"}).status_code == 400

    reporter.flush()
    assert inbox.events == []


@pytest.mark.urls(__name__)
async def test_a_database_that_is_away_is_reported_once(
    inbox: Inbox, reporter: ErrorReporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = threading.Event()
    monkeypatch.setattr(availability, "away", False)
    nowhere = {"host": "127.0.0.1", "port": reserved_port()}
    monitor = DatabaseMonitor(lambda: nowhere, gone.set, away_after_s=0.1)
    monitor.begin()
    assert await asyncio.to_thread(gone.wait, 30)

    for _ in range(3):
        assert (await AsyncClient().get("/api/away/")).status_code == 503
    (error := OperationalError()).__cause__ = DatabaseAway()
    logging.getLogger("chat.devices.jobs").error("looking after jobs failed; it is tried again", exc_info=error)
    await monitor.aclose()

    assert reported(inbox, reporter, "adiuva.database.availability")["level"] == "error"
    assert len(inbox.events) == 1


async def test_a_turn_that_fails_is_reported_without_what_was_said(inbox: Inbox, reporter: ErrorReporter) -> None:
    server = Server([[raised(CANARY)]])
    async with server.device() as device:
        asked = home(f"What of the {CANARY}?")
        await device.send(asked)
        await device.until("stream_end")

    event = reported(inbox, reporter, "chat.turns.answering")
    assert event["tags"]["request_id"] == asked["request_id"]
    assert [each["type"] for each in event["exception"]["values"]] == ["KeyError", "RuntimeError"]
    assert functions(event)[-1] == "fail"
    assert (event["environment"], event["release"]) == ("staging", "7")


@pytest.mark.urls(__name__)
def test_a_rest_view_that_fails_is_reported_without_its_request(inbox: Inbox, reporter: ErrorReporter) -> None:
    browser = Client(raise_request_exception=False)
    answer = browser.post(
        f"/fails/?q={CANARY}",
        {"message": CANARY},
        content_type="application/json",
        headers={"authorization": f"Bearer {CANARY}", "x-note": CANARY, "cookie": f"sessionid={CANARY}"},
    )
    assert answer.status_code == 500

    event = reported(inbox, reporter, "accounts.rest.errors")
    assert functions(event)[-2:] == ["post", "fail"]
    assert "request" not in event
    assert "user" not in event


@pytest.mark.django_db(transaction=True)
async def test_a_job_that_fails_is_reported_without_what_it_works_on(
    inbox: Inbox, reporter: ErrorReporter, alice: User
) -> None:
    harness = harness_with(*[[raised(CANARY)]] * 3)
    harness.device.project["name"] = CANARY
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.FAILED)

    reporter.flush()
    assert len([event for event in inbox.events if event["logger"] == "agents.jobs.running"]) == 3
    assert CANARY.encode() not in b"\n".join(inbox.bodies)


def test_what_libraries_log_is_reported_as_the_log_has_it(inbox: Inbox, reporter: ErrorReporter) -> None:
    logging.getLogger("a.library").error("it could not send %s to %d", CANARY, 7)
    logging.getLogger("a.library").error(f"{CANARY} did not work")  # noqa: G004 - as some libraries do
    reporter.flush()
    assert CANARY.encode() not in b"\n".join(inbox.bodies)
    assert [event["logentry"]["formatted"] for event in inbox.events] == ["it could not send … to 7", "…"]


def test_members_of_a_group_are_reported_before_it(inbox: Inbox, reporter: ErrorReporter) -> None:
    group = ExceptionGroup(CANARY, [raised(CANARY), ValueError(CANARY)])
    logging.getLogger("chat").error("two things failed", exc_info=group)
    event = reported(inbox, reporter, "chat")
    kinds = [each["type"] for each in event["exception"]["values"]]
    assert kinds == ["KeyError", "RuntimeError", "ValueError", "ExceptionGroup"]


def test_warnings_and_what_the_sdk_logs_are_not_reported(inbox: Inbox, reporter: ErrorReporter) -> None:
    logging.getLogger("chat").warning("the model failed")
    logging.getLogger("sentry_sdk.errors").error("it does not work")
    reporter.flush()
    assert inbox.bodies == []


def test_nothing_is_reported_without_a_setting() -> None:
    without = logs.configuration(level="INFO", everything=False)
    assert (list(without["handlers"]), without["root"]["handlers"]) == (["stderr"], ["stderr"])  # type: ignore[call-overload, index] # a dictionary as Django has it


def test_a_setting_makes_the_reporter(inbox: Inbox) -> None:
    given = {"dsn": inbox.dsn, "environment": "", "release": ""}
    made = logs.configuration(level="INFO", everything=False, reports=given)
    maker = logging.config.DictConfigurator({**made, "version": 1})
    handler = maker.configure_handler(dict(made["handlers"]["reports"]))  # type: ignore[index] # as above
    assert isinstance(handler, ErrorReporter)
    handler.close()
