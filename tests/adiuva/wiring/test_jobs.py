"""Where jobs run, and how the broker's state is reported."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from channels.db import database_sync_to_async
from pytest_django import Settings

from accounts.keys.vault import open_vault
from accounts.models import User
from adiuva.server import asgi
from adiuva.server.health import NotReady
from adiuva.wiring import composition, jobs
from agents.jobs.models import JobState, ToolJob
from agents.jobs.rabbitmq import RabbitQueue
from agents.jobs.records import Asked, asked_in
from agents.permissions.approvals.repository import Answer, ProposedCall
from agents.permissions.approvals.service import TurnFate
from agents.requests import RequestOrigin
from agents.tools.spec import Risk
from tests.adiuva.servers import reserved_port
from tests.agents.jobs.queue_backends import HASTY, RABBITMQ_PORT, url_at


@pytest.fixture
async def own_broker() -> AsyncIterator[None]:
    """A broker connection on this test's loop."""
    jobs.broker.cache_clear()
    yield
    await jobs.broker().aclose()
    jobs.broker.cache_clear()


async def test_a_broker_that_is_away_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = replace(HASTY, connect_s=0.05, reconnect_s=0.05)
    with reserved_port() as port:
        async with aclosing(RabbitQueue(url_at(port), waits=waits)) as broker:
            monkeypatch.setattr(jobs, "broker", lambda: broker)
            with pytest.raises(NotReady, match=r"^cannot be reached$"):
                await asgi.check_broker()


@pytest.mark.rabbitmq
async def test_a_broker_that_is_there_is_ready(own_broker: None, settings: Settings) -> None:
    settings.AMQP_URL = url_at(RABBITMQ_PORT)
    async with asyncio.timeout(30):
        await asgi.check_broker()


async def test_jobs_run_beside_the_sockets_unless_there_is_a_broker(own_broker: None, settings: Settings) -> None:
    settings.TOOL_WORKER_SLOTS = 3
    job_services = composition.parts().services.jobs
    assert job_services is not None
    assert job_services.worker is not None
    assert job_services.worker.slots == 3
    assert job_services.worker.dispatch is job_services.dispatch

    settings.AMQP_URL = url_at(RABBITMQ_PORT)
    job_services = composition.parts().services.jobs
    assert job_services is not None
    assert job_services.worker is None
    assert job_services.dispatch.queue is jobs.broker()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("timezone", "zone"), [("Asia/Tokyo", "Asia/Tokyo"), ("Mars/Olympus", "UTC")])
async def test_what_is_approved_too_late_becomes_a_job_that_speaks_as_the_account_says(
    alice: User, timezone: str, zone: str
) -> None:
    alice.language, alice.timezone = "it", timezone
    await alice.asave(update_fields=["language", "timezone"])
    approvals = composition.parts().services.turns.run.approvals
    origin = RequestOrigin(user_id=alice.id, request_id="5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70", device_id="laptop")
    proposed = ProposedCall(
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": "t1"},
        summary="Delete the task for good.",
        preview=None,
        plan="t1",
    )
    question = await approvals.open_question(origin, proposed)
    heard = await approvals.answer(alice.id, question.id, Answer(approved=True))

    assert heard.turn is TurnFate.QUEUED
    job = await ToolJob.objects.aget()
    assert (job.tool, job.device_id, job.state) == ("delete_task", "laptop", JobState.QUEUED)
    asked: Asked = await database_sync_to_async(lambda: asked_in(job, open_vault(alice.id)))()
    assert (asked.language, asked.timezone) == ("it", ZoneInfo(zone))
