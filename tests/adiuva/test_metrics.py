from dataclasses import replace
from uuid import uuid4

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from adiuva import metrics as module
from adiuva.metrics import Metrics
from agents.requests import RequestKind
from agents.telemetry.turns import UNKNOWN_TOOL, TurnOutcome
from tests.agents.turns import generation, turn, use

TOKEN = "scrape-me-with-this"


@pytest.fixture(autouse=True)
def counting(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Metrics:
    settings.ALLOWED_HOSTS, settings.METRICS_TOKEN = ["testserver"], TOKEN
    settings.SECURE_SSL_REDIRECT = False
    counting = Metrics()
    monkeypatch.setattr(module, "metrics", counting)
    return counting


async def scraped(client: AsyncClient) -> list[str]:
    answer = await client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain")
    lines: list[str] = answer.content.decode().splitlines()
    return lines


async def test_turns_are_counted(async_client: AsyncClient, counting: Metrics) -> None:
    counting.sockets = lambda: 3
    counting.count_lost(lambda: 2)
    counting(
        turn(
            uuid4(),
            generations=(
                generation(input_tokens=300, output_tokens=40),
                generation(),
                replace(generation(), ok=False, stopped=True),
            ),
            tools=(use("list_tasks"), use("list_tasks", ok=False), use("quincunx"), use(UNKNOWN_TOOL, ok=False)),
        )
    )
    counting(turn(uuid4(), kind=RequestKind.JOB, outcome=TurnOutcome.ERROR, error_code="failed", first_text_s=None))
    lines = await scraped(async_client)
    expected = {
        'adiuva_turns_total{kind="home",outcome="done"} 1.0',
        'adiuva_turns_total{kind="job",outcome="error"} 1.0',
        'adiuva_turn_seconds_bucket{kind="home",le="2.5"} 1.0',
        'adiuva_turn_seconds_bucket{kind="home",le="1.0"} 0.0',
        'adiuva_first_text_seconds_count{kind="home"} 1.0',
        'adiuva_tokens_total{direction="cached",model="large"} 0.0',
        'adiuva_tokens_total{direction="input",model="large"} 300.0',
        'adiuva_tokens_total{direction="output",model="large"} 40.0',
        'adiuva_model_requests_total{model="large",outcome="ok"} 2.0',
        'adiuva_model_requests_total{model="large",outcome="stopped"} 1.0',
        'adiuva_tool_calls_total{outcome="ok",tool="list_tasks"} 1.0',
        'adiuva_tool_calls_total{outcome="failed",tool="list_tasks"} 1.0',
        'adiuva_tool_calls_total{outcome="ok",tool="(unknown)"} 1.0',
        'adiuva_tool_calls_total{outcome="failed",tool="(unknown)"} 1.0',
        'adiuva_job_runs_total{outcome="error"} 1.0',
        'adiuva_errors_total{code="failed"} 1.0',
        "adiuva_turn_records_lost 2.0",
        "adiuva_sockets_connected 3.0",
    }
    assert expected - {*lines} == set()
    assert not any("_created" in line for line in lines)
    assert not any("quincunx" in line or 'first_text_seconds_count{kind="job"}' in line for line in lines)


async def test_latencies_are_in_histograms(async_client: AsyncClient, counting: Metrics) -> None:
    counting(turn(uuid4(), generations=(generation(), replace(generation(), first_text_s=None))))
    counting.request_answered("GET", "/api/v1/devices/<str:device_id>", 404, 0.02)
    counting.request_answered("GET", "/api/v1/devices/<str:device_id>", 403, 0.3)
    counting.thread_waited(0.2)
    counting.statement_waited(0.0001)
    counting.job_started(4.0)
    counting.oldest_job(7.0)
    expected = {
        'adiuva_model_seconds_bucket{le="0.5",model="large"} 0.0',
        'adiuva_model_seconds_bucket{le="1.0",model="large"} 2.0',
        'adiuva_model_first_text_seconds_bucket{le="0.1",model="large"} 0.0',
        'adiuva_model_first_text_seconds_bucket{le="0.25",model="large"} 1.0',
        'adiuva_model_first_text_seconds_count{model="large"} 1.0',
        'adiuva_http_seconds_bucket{le="0.025",method="GET",route="/api/v1/devices/<str:device_id>",status="4xx"} 1.0',
        'adiuva_http_seconds_count{method="GET",route="/api/v1/devices/<str:device_id>",status="4xx"} 2.0',
        'adiuva_pool_wait_seconds_bucket{le="0.1",pool="threads"} 0.0',
        'adiuva_pool_wait_seconds_bucket{le="0.5",pool="threads"} 1.0',
        'adiuva_pool_wait_seconds_bucket{le="0.001",pool="statements"} 1.0',
        'adiuva_job_queue_seconds_bucket{le="2.5"} 0.0',
        'adiuva_job_queue_seconds_bucket{le="5.0"} 1.0',
        "adiuva_oldest_queued_job_seconds 7.0",
    }
    assert expected - {*await scraped(async_client)} == set()


@pytest.mark.parametrize("given", [None, "Bearer", "Bearer wrong", f"bearer {TOKEN}", TOKEN, "Bearer caffè"])
async def test_who_does_not_name_the_token_finds_no_page(async_client: AsyncClient, given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given}
    there, nowhere = [await async_client.get(path, headers=headers) for path in ("/metrics", "/nothing")]
    assert (there.status_code, there.content) == (nowhere.status_code, nowhere.content)
    assert there.status_code == 404


async def test_without_a_token_there_is_no_page(async_client: AsyncClient, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    for given in ("Bearer ", "Bearer", ""):
        assert (await async_client.get("/metrics", headers={"Authorization": given})).status_code == 404


async def test_a_scraper_knows_no_host_name_and_no_https(async_client: AsyncClient, settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["adiuva.example"], True
    assert await scraped(async_client)
