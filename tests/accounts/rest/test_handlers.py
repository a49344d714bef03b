import pytest
from django.test import Client
from pytest_django import Settings

from tests.problems import own

pytestmark = pytest.mark.urls("tests.accounts.rest.views")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def test_unknown_address_is_json_below_api_and_a_page_elsewhere(client: Client) -> None:
    answer = client.get("/api/v1/nothing")
    assert (answer.status_code, own(answer)) == (404, {"code": "not_found", "message": "Not found."})
    page = client.get("/nothing")
    assert (page.status_code, page["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_denial_outside_rest_framework_is_json_below_api_and_a_page_elsewhere(client: Client) -> None:
    answer = client.get("/api/plain-denied")
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert client.get("/plain-denied")["Content-Type"] == "text/html; charset=utf-8"


def test_suspicious_request_is_json_below_api_and_a_page_elsewhere(client: Client, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    refused = client.get("/api/echo/", headers={"Host": "evil.example"})
    assert (refused.status_code, own(refused)) == (
        400,
        {"code": "malformed", "message": "Malformed request."},
    )
    assert client.get("/echo/", headers={"Host": "evil.example"})["Content-Type"] == "text/html; charset=utf-8"


def test_error_outside_rest_framework_is_json_below_api_and_a_page_elsewhere(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get("/api/plain")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    number = answer.json()["message"].removesuffix(".").rpartition(" ")[2]
    [logged] = [record.getMessage() for record in caplog.records if record.name == "accounts.rest.errors"]
    assert logged == f"Error {number} in a REST request"
    page = client.get("/plain")
    assert (page.status_code, page["Content-Type"]) == (500, "text/html; charset=utf-8")
