import string

from hypothesis import given
from hypothesis import strategies as st

from agents.sections import read_sections, write_sections

TITLES = st.text(string.ascii_letters + " ", min_size=1).map(lambda text: " ".join(text.split())).filter(bool)
LINES = st.one_of(st.text(st.characters(exclude_characters="\r"), max_size=20), st.just("== Tasks =="), st.just("=="))
BODIES = st.lists(LINES, min_size=1).map("\n".join).filter(lambda text: bool(text.strip()))


def moved_in(body: str) -> str:
    return "\n".join(f" {line}" if line.startswith("==") else line for line in body.strip().split("\n")).strip()


@given(st.dictionaries(TITLES, BODIES))
def test_whatever_rows_say_the_sections_stay_apart(sections: dict[str, str]) -> None:
    read = read_sections(write_sections(sections))

    assert read == {title: moved_in(body) for title, body in sections.items()}


def test_empty_sections_are_left_out() -> None:
    assert write_sections({"Tasks": "Found no tasks.", "Notes": " "}) == "== Tasks ==\nFound no tasks."


def test_what_stands_before_the_first_title_is_in_no_section() -> None:
    assert read_sections("Write it.\n\n== Tasks ==\none\n") == {"Tasks": "one"}
