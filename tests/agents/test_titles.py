import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from agents.titles import plain


@given(st.text(st.sampled_from("aéİǆßﬁ\u0301\u0316\u0344\u0345 ")))
def test_titles_are_compared_without_case_and_accents(text: str) -> None:
    letters = unicodedata.normalize("NFKD", text.casefold())
    assert plain(text) == " ".join("".join(each for each in letters if not unicodedata.combining(each)).split())
