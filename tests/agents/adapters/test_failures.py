from typing import Any

import pytest

from agents.adapters.failures import ReportedError, facts_of, incapability, model_failure, reported
from agents.errors import ModelBroken, ModelError, ModelRefused, ModelUnavailable


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_transient_failure_is_retryable(status: int) -> None:
    assert type(model_failure(ReportedError(status=status))) is ModelUnavailable
    assert str(model_failure(ReportedError(status=status))) == "The model cannot answer right now."


@pytest.mark.parametrize(
    ("status", "code", "said"),
    [
        (401, "invalid_api_key", "refused the key"),
        (403, None, "refused the key"),
        (404, "model_not_found", "names of the models"),
        (400, "context_length_exceeded", "too long"),
        (413, None, "too long"),
        (429, "insufficient_quota", "no credit"),
        (400, None, "did not accept the request."),
        (422, "unknown_parameter", "did not accept the request."),
    ],
)
def test_permanent_failure_tells_staff_what_to_do(status: int, code: str | None, said: str) -> None:
    failure = model_failure(ReportedError(status=status, code=code))

    assert type(failure) is ModelError
    assert not failure.retryable
    assert said in str(failure)


@pytest.mark.parametrize(
    ("status", "code"), [(400, "content_filter"), (400, "ResponsibleAIPolicyViolation"), (None, "content_filter")]
)
def test_filtered_request_is_refused(status: int | None, code: str) -> None:
    assert type(model_failure(ReportedError(status=status, code=code))) is ModelRefused


@pytest.mark.parametrize(
    ("code", "kind", "expected"),
    [("503", None, ModelUnavailable), (429, None, ModelUnavailable), (None, "overloaded_error", ModelUnavailable),
     ("rate_limit_exceeded", "tokens", ModelUnavailable), (401, None, ModelError), (None, None, ModelBroken),
     ("oops", None, ModelBroken), (7, 8, ModelBroken)],
)  # fmt: skip
def test_failure_inside_stream_is_classified_by_code(code: object, kind: object, expected: type[ModelError]) -> None:
    assert type(model_failure(ReportedError(code=code, kind=kind))) is expected


@pytest.mark.parametrize("status", [None, 400, 404, 418, 422, 429, 500, 503])
@pytest.mark.parametrize("code", [None, "server_error", "unknown_parameter", "oops", 503])
def test_message_for_user_has_no_technical_details(status: int | None, code: object) -> None:
    said = str(model_failure(ReportedError(status=status, code=code, kind="internal_server_error")))
    assert not set("()_0123456789") & set(said)


@pytest.mark.parametrize(
    ("facts", "logged"),
    [
        ({"status": 500, "code": "server_error", "kind": None}, "500, server_error"),
        ({"code": 503, "kind": "overloaded_error"}, "503, overloaded_error"),
        ({"status": 400, "code": "Alice's secret plan", "kind": "x" * 100}, "400"),
        ({"code": ["a"], "kind": {}}, "no code"),
    ],
)
def test_log_has_numbers_and_identifiers_but_no_messages(facts: dict[str, Any], logged: str) -> None:
    assert facts_of(**facts) == logged


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            {"error": {"message": "m", "type": "invalid_request_error", "param": "temperature", "code": "c"}},
            ReportedError(code="c", kind="invalid_request_error", parameter="temperature", message="m"),
            id="OpenAI",
        ),
        pytest.param(
            [{"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED"}}],
            ReportedError(code=429, kind="RESOURCE_EXHAUSTED", message="m"),
            id="Gemini",
        ),
        pytest.param(
            {"type": "error", "error": {"type": "overloaded_error", "message": "m"}, "request_id": "r"},
            ReportedError(kind="overloaded_error", message="m"),
            id="Anthropic",
        ),
        pytest.param(
            {"object": "error", "message": {"detail": []}, "type": "invalid_request_error", "code": 3001},
            ReportedError(code=3001, kind="invalid_request_error"),
            id="Mistral",
        ),
        pytest.param("<html>", ReportedError(), id="a proxy"),
        pytest.param([], ReportedError(), id="nothing"),
        pytest.param({"error": "m"}, ReportedError(), id="a sentence"),
    ],
)
def test_error_objects_of_servers_are_understood(body: object, expected: ReportedError) -> None:
    assert reported(body) == expected


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "prompt is too long: 205000 tokens > 200000 maximum",
        "the request exceeds the available context size, try increasing it",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    ],
)
def test_context_overflow_is_recognized_by_message_if_there_is_no_code(message: str) -> None:
    assert "too long" in str(model_failure(ReportedError(status=400, message=message)))
    assert "too long" not in str(model_failure(ReportedError(status=500, message=message)))


@pytest.mark.parametrize(
    ("error", "parameter"),
    [
        (ReportedError(code="unsupported_value", parameter="temperature"), "temperature"),
        (ReportedError(parameter="max_output_tokens", message="Unsupported parameter: 'x'"), "max_tokens"),
        (ReportedError(parameter="tools", message="Unsupported parameter: 'x'"), None),
        (ReportedError(parameter="temperature", message="Too hot."), None),
    ],
)
def test_parameter_that_model_does_not_take_is_named(error: ReportedError, parameter: str | None) -> None:
    incapable = incapability("m", error)
    assert (incapable and incapable.parameter) == parameter
