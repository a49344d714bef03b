import logging
import re

import pytest
from django.test import Client

from tests.accounts.rest.views import ERRORS
from tests.problems import own

pytestmark = pytest.mark.urls("tests.accounts.rest.views")

NUMBERED = re.compile(r"Something went wrong on the server\. When you report it, name the number ([0-9a-f]{12})\.")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("http404", 404, {"code": "not_found", "message": "Not found."}),
        ("denied", 403, {"code": "forbidden", "message": "You do not have permission to perform this action."}),
        (
            "model",
            400,
            {
                "code": "invalid",
                "message": "The request is not valid.",
                "details": {"timezone": ["No such zone."], "_": ["Not together."]},
            },
        ),
        (
            "model-sentence",
            400,
            {"code": "invalid", "message": "The request is not valid.", "details": {"_": ["Not like this."]}},
        ),
        (
            "plain-validation",
            400,
            {"code": "invalid", "message": "The request is not valid.", "details": {"_": ["Not like this."]}},
        ),
        ("suspicious", 400, {"code": "malformed", "message": "Malformed request."}),
        ("bad", 400, {"code": "malformed", "message": "Malformed request."}),
        ("too-big", 413, {"code": "too_large", "message": "The body of the request is too large."}),
        ("coded", 404, {"code": "unknown_turn", "message": "There is no such turn."}),
        (
            "throttled",
            429,
            {"code": "rate_limited", "message": "Request was throttled. Expected available in 2 seconds."},
        ),
        ("throttled-for-good", 429, {"code": "rate_limited", "message": "Request was throttled."}),
        (
            "no-key",
            503,
            {
                "code": "key_unavailable",
                "message": "The server cannot open the key of this account, so nothing can be read or written.",
            },
        ),
        ("login", 401, {"code": "login_failed", "message": "The address or the password is wrong."}),
        ("gone", 401, {"code": "unauthorized", "message": "There is no such account."}),
        ("bare", 500, {"code": "internal_error", "message": "A server error occurred."}),
        ("dict", 503, {"code": "busy", "message": "Service Unavailable.", "details": {"queue": ["It is full."]}}),
    ],
)
def test_error_has_the_one_shape(client: Client, name: str, status: int, body: dict[str, object]) -> None:
    answer = client.get(f"/api/failing/{name}")
    assert (answer.status_code, own(answer)) == (status, body)


def test_throttled_answer_says_when_to_come_back(client: Client) -> None:
    assert client.get("/api/failing/throttled")["Retry-After"] == "2"
    assert not client.get("/api/failing/throttled-for-good").has_header("Retry-After")


@pytest.mark.parametrize("name", ["unforeseen", "account"])
def test_unforeseen_error_is_logged_with_the_number_the_client_gets(
    client: Client, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    answer = client.get(f"/api/failing/{name}")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    told = NUMBERED.fullmatch(answer.json()["message"])
    assert told is not None
    [record] = [record for record in caplog.records if record.name == "accounts.rest.errors"]
    assert record.getMessage() == f"Error {told[1]} in a REST request"
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None
    assert repr(record.exc_info[1]) == repr(ERRORS[name]())
    assert "s3cret" not in answer.content.decode()


def test_fields_of_nested_values_are_joined_by_dots(client: Client) -> None:
    body = {"items": [{"title": "a"}, {}, {"title": ""}]}
    assert client.post("/api/items", body, content_type="application/json").json()["details"] == {
        "items.1.title": ["This field is required."],
        "items.2.title": ["This field may not be blank."],
    }


def test_missing_token_is_unauthorized(client: Client) -> None:
    answer = client.get("/api/private")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer["WWW-Authenticate"] == 'Bearer realm="adiuva"'


def test_method_that_is_not_allowed_names_those_that_are(client: Client) -> None:
    answer = client.delete("/api/echo")
    assert (answer.status_code, own(answer)) == (
        405,
        {"code": "method_not_allowed", "message": 'Method "DELETE" not allowed.'},
    )
    assert answer["Allow"] == "POST, OPTIONS"


def test_media_type_that_is_not_json_is_refused(client: Client) -> None:
    answer = client.post("/api/echo", "<a/>", content_type="text/xml")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_answer_that_would_not_be_accepted_is_refused_in_json(client: Client) -> None:
    answer = client.post("/api/echo", {}, content_type="application/json", headers={"Accept": "text/html"})
    assert (answer.status_code, answer.json()["code"]) == (406, "not_acceptable")
