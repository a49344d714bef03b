"""Which texts are the same key of a preference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.preference_keys import key_meant, normal_key

KNOWN = ("favourite tea", "favourite_tea", "“home”", "-")


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("Favourite  Tea", "favourite tea"),
        ("FAVOURITE_TEA", "favourite_tea"),
        ('"favourite-tea"', "favourite tea"),
        ("favourite\u200b tea\n", "favourite tea"),
        ("Home", "“home”"),
        ("-", "-"),
        ("tea", ""),
        ("favourite teas", ""),
        (" ", ""),
        ('""', ""),
    ],
)
def test_a_key_means_itself_or_the_first_with_the_same_words(key: str, meant: str) -> None:
    assert key_meant(key, KNOWN) == meant


@given(st.lists(st.text(st.sampled_from("aé \"_-'ﬁ")), max_size=5), st.text(st.sampled_from("aé \"_-'ﬁ"), min_size=1))
def test_a_known_key_means_itself_in_any_company(others: list[str], key: str) -> None:
    if normal_key(key):
        assert normal_key(key_meant(key, [*others, key])) == normal_key(key)
