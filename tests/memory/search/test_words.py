import tracemalloc
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.words import (
    PASSAGE_CHARS,
    asked_words,
    folded,
    language_of,
    passages_of,
    stems_of,
    words_of,
)


def stems(text: str, spoken: str = "en") -> list[str]:
    words = words_of(text)
    return stems_of(words, language_of(words, spoken))


@pytest.mark.parametrize(
    ("one", "other", "spoken"),
    [
        ("the cats are running", "a cat runs", "en"),
        ("Perché le città sono così belle", "perche la citta è così bella", "it"),
        ("the meeting's notes", "notes of the MEETING", "en"),
    ],
)
def test_the_same_in_other_forms_has_the_same_stems(one: str, other: str, spoken: str) -> None:
    assert set(stems(one, spoken)) == set(stems(other, spoken))


@pytest.mark.parametrize(
    ("text", "spoken", "language"),
    [
        ("We went to the lake with the children", "it", "en"),
        ("Siamo andati al lago con i bambini", "en", "it"),
        ("Minou", "it-IT", "it"),
        ("Wir waren gestern am See", "de", "de"),
        ("", "en", "en"),
    ],
)
def test_the_language_of_a_text_is_seen_by_its_stop_words(text: str, spoken: str, language: str) -> None:
    assert language_of(words_of(text), spoken) == language


def test_stemming_keeps_no_words() -> None:
    """Each thread would keep those of all users."""
    words = [f"wording{number}" for number in range(5_000)]
    stems_of(words[:1], "en")
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for word in words:
        stems_of([word], "en")
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()

    assert kept < 10_000


def test_words_of_a_language_without_stemmer_stay_as_they_are() -> None:
    assert stems_of(["words"], "xx") == ["words"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Can you tell me what Anna's cat is called?", ["anna", "cat"]),
        ("Puoi dirmi come si chiama il gatto di Anna?", ["gatto", "anna"]),
        ("What do you think?", ["think"]),
        ("Walk me through the order in which we discussed the garden.", ["garden"]),
        ("Who are you?", []),
    ],
)
def test_a_question_is_about_its_words_without_those_that_ask(question: str, words: list[str]) -> None:
    assert asked_words(question, "en") == words


def test_passages_end_with_sentences_and_lines() -> None:
    sentence = "This is a sentence of sixty characters, or of a little more."
    text = " ".join([sentence] * 4) + f"\n- {sentence}\n"
    assert [text[begin:end].strip() for begin, end in passages_of(text)] == [" ".join([sentence] * 4), f"- {sentence}"]


@given(st.text(alphabet=st.sampled_from("ab .\n\t!è🙂"), max_size=2_000))
def test_passages_are_short_in_order_and_leave_no_word_out(text: str) -> None:
    spans = list(passages_of(text))
    assert all(0 < end - begin <= PASSAGE_CHARS for begin, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    kept = "".join(text[begin:end] for begin, end in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_no_passage_ends_with_the_white_space_before_a_line() -> None:
    line = "We paint the gallery in March" + " again" * 40
    text = f"{line}  \t\r\n  {line} \n \n{line}"

    assert [text[begin:end] for begin, end in passages_of(text)] == [line, line, line]


def test_many_marks_are_not_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_order: list[str] = []

    def noted(_: str, text: str) -> str:
        put_in_order.append(text)
        return text

    monkeypatch.setattr(unicodedata, "normalize", noted)
    folded("E" + "\u0301" * 30 + "\u0316" * 30)
    assert put_in_order == ["e"]
