"""Errors of REST as tests compare them."""

from typing import Any, Protocol


class Answer(Protocol):
    """What any HTTP client of the tests gets."""

    def json(self) -> Any: ...


def own(answer: Answer) -> dict[str, Any]:
    """The members of an error that are the server's own; those of RFC 9457 must agree with them."""
    problem: dict[str, Any] = dict(answer.json())
    standard = [problem.pop(name) for name in ("type", "detail")]
    assert standard == [f"/api/v1/docs/errors#{problem['code']}", problem["message"]]
    assert (problem.pop("title"), problem.pop("status")) != ("", None)
    return problem
