import pytest
from httpx import AsyncClient, ConnectError
from pytest_django import Settings

from adiuva.errors import PortTaken
from adiuva.wiring.worker_page import WorkerPage
from tests.adiuva.servers import reserved_port

TOKEN = "scrape-me-with-this"


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.mark.parametrize(
    ("path", "authorization", "status"),
    [
        ("/metrics", f"Bearer {TOKEN}", 200),
        ("/metrics", "Bearer wrong", 404),
        ("/metrics", None, 404),
        ("/healthz", None, 200),
        ("/", f"Bearer {TOKEN}", 404),
    ],
)
async def test_worker_shows_its_metrics_to_the_bearer_of_the_token(
    path: str, authorization: str | None, status: int
) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    with reserved_port() as port:
        page = WorkerPage(("127.0.0.1", port))
        page.begin()
        async with AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            answer = await client.get(path, headers=headers)
        await page.aclose()
        async with AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            with pytest.raises(ConnectError):
                await client.get(path)
    assert answer.status_code == status
    assert ("adiuva_job_queue_seconds_bucket" in answer.text) == (path == "/metrics" and status == 200)


async def test_taken_port_is_reported() -> None:
    with reserved_port() as port:
        page = WorkerPage(("127.0.0.1", port))
        page.begin()
        with pytest.raises(
            PortTaken, match=rf"^Cannot listen on 127\.0\.0\.1 port {port} \([^()]*\): set ADIUVA_WORKER"
        ):
            WorkerPage(("127.0.0.1", port)).begin()
        await page.aclose()


async def test_without_an_address_there_is_no_page() -> None:
    page = WorkerPage(None)
    page.begin()
    await page.aclose()
