from zoneinfo import ZoneInfo

import pytest

from device.errors import AnswerLost, RequestRejected
from device.refusals import refusal_of

ROME = ZoneInfo("Europe/Rome")


def rejected(code: str = "quota_exceeded", **details: str) -> RequestRejected:
    return RequestRejected("As the server says.", code=code, details=details)


def test_a_quota_is_said_with_the_persons_own_time() -> None:
    error = rejected(renews_at="2026-03-30T00:00:00Z", turns="3 of 3")
    assert refusal_of(error, ROME) == (
        "Your requests of the day are used up. There will be new ones on 30 Mar 2026 02:00."
    )


def test_all_that_is_used_up_is_said() -> None:
    error = rejected(renews_at="2026-03-30T00:00:00Z", turns="3 of 3", tokens="9 of 9")
    assert refusal_of(error, ROME).startswith("Your requests and tokens of the day are used up.")


@pytest.mark.parametrize(
    "error",
    [
        rejected(),
        rejected(renews_at="tomorrow"),
        rejected(renews_at="2026-03-30T00:00:00"),
        rejected("busy", renews_at="2026-03-30T00:00:00Z"),
        AnswerLost("As the server says."),
    ],
)
def test_anything_else_is_said_as_the_server_says_it(error: RequestRejected | AnswerLost) -> None:
    assert refusal_of(error, ROME) == "As the server says."
