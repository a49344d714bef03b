import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.titles import plain


@given(st.text(st.sampled_from("aéİǆßﬁ\u0301\u0316\u0344\u0345 ")))
def test_titles_are_compared_without_case_and_accents(text: str) -> None:
    letters = unicodedata.normalize("NFKD", text.casefold())
    assert plain(text) == " ".join("".join(each for each in letters if not unicodedata.combining(each)).split())


def test_marks_are_not_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in_order: list[str] = []

    def noted(_: str, text: str) -> str:
        put_in_order.append(text)
        return text

    monkeypatch.setattr(unicodedata, "normalize", noted)
    plain("E" + "\u0301" * 3 + "\u0316" * 3)
    assert put_in_order == ["e"]
