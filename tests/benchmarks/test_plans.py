"""Which request the benchmarks' model answers with what."""

import json

import pytest

from benchmarks.plans import PLANS, message, pause_before_vectors, plan_of, response, stamp_in, stamped


@pytest.mark.parametrize("name", PLANS)
def test_a_message_names_its_plan(name: str) -> None:
    assert plan_of(message(name)) is PLANS[name]


def test_an_unknown_plan_is_refused() -> None:
    with pytest.raises(KeyError):
        plan_of("List my tasks, plan nothing.")


def test_calls_come_before_the_answer_round_by_round() -> None:
    asked = {"role": "user", "content": message("turn")}
    called = {"role": "assistant", "tool_calls": [{}]}
    sizes = [len(response({"messages": [asked, *[called] * done]}).pieces) for done in range(3)]

    assert sizes == [1, 1, 202]


def test_a_request_for_a_summary_gets_one_with_any_plan_in_it() -> None:
    exchange = {"user": message("turn"), "assistant": "Done."}
    said = response({"messages": [{"role": "user", "content": json.dumps(exchange)}]})

    assert said.pause_s == 0
    assert b"The user asked for the tasks." in b"".join(piece for piece in said.pieces if isinstance(piece, bytes))


def test_an_answers_first_piece_says_when_it_was_made() -> None:
    first, second = (json.loads(stamped().removeprefix(b"data: ")) for _ in range(2))
    times = [stamp_in(each["choices"][0]["delta"]["content"]) for each in (first, second)]

    assert None not in times
    assert sorted(times, key=int) == times  # type: ignore[arg-type] # None is not among them
    assert stamp_in("no stamp") is None


def test_an_answer_that_is_watched_to_its_end_says_when_its_last_piece_was_made() -> None:
    said = response({"messages": [{"role": "user", "content": message("stamped")}]})

    assert said.pieces[0] is said.pieces[-2] is stamped


@pytest.mark.parametrize(
    ("text", "seconds"), [("any text", 0.0), ("the vector after 50 please", 0.05), ("The vector after never", 3600.0)]
)
def test_a_text_names_the_pause_before_its_vector(text: str, seconds: float) -> None:
    assert pause_before_vectors([text]) == seconds
