from hypothesis import given
from hypothesis import strategies as st

from memory.exchange import Exchange
from memory.models import MAX_SUMMARY_CHARS

any_text = st.text(alphabet=st.characters(), max_size=500)


@given(any_text, any_text, st.text(max_size=10))
def test_words_come_back_as_they_were(message: str, response: str, language: str) -> None:
    exchange = Exchange(message=message, response=response, language=language)
    assert Exchange.from_text(exchange.as_text()) == exchange


@given(any_text, any_text)
def test_a_plain_summary_is_one_line_that_fits(message: str, response: str) -> None:
    summary = Exchange(message=message * 20, response=response * 20).plain_summary()
    assert len(summary.splitlines()) == 1
    assert len(summary) <= MAX_SUMMARY_CHARS


def test_long_words_are_cut() -> None:
    exchange = Exchange(message="x" * 50_000, response="y\n" * 50_000)
    assert len(exchange.as_text()) < 61_000
    assert exchange.plain_summary().count("…") == 2


def test_an_answer_without_words_is_not_mentioned() -> None:
    assert Exchange(message="Hi {message}", response=" ").plain_summary() == "The user said: “Hi {message}”"
