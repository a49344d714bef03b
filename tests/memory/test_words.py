import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining import names_in, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The user asked for the weekly report.", ["weekly", "report"]),
        ("Perché Anna chiama l'idraulico? Anna!", ["perche", "anna", "chiama", "idraulico"]),
        ("Show me what is due on Monday at 9.", ["due"]),
        ("", []),
    ],
)
def test_words_tell_what_a_text_is_about(text: str, words: list[str]) -> None:
    assert words_in(text) == words


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The user wrote to Anna Maria about the Villa Rossi project.", {"Anna Maria", "Villa Rossi"}),
        ("Anna came. Then came Bruno.", {"Bruno"}),
        ("The user said: “Call the plumber on Monday in March” The answer: “Done.”", set()),
        ("Ha scritto a Élodie e a Jean-Luc.", {"Élodie", "Jean-Luc"}),
        ("I said that I am here", set()),
        ("with Ugo, Ada", {"Ugo", "Ada"}),
    ],
)
def test_names_stand_capitalised_within_a_sentence(text: str, names: set[str]) -> None:
    assert names_in(text) == names


@given(st.text())
def test_any_text_has_words_and_names(text: str) -> None:
    assert len(set(words_in(text))) == len(words_in(text))
    assert "" not in names_in(text)
