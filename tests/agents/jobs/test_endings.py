import pytest

from agents.jobs.endings import Ending, ending_text


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_is_in_users_language_or_english(ending: Ending) -> None:
    english, italian = (ending_text(ending, language) for language in ("en", "it"))

    assert english != italian
    assert [ending_text(ending, language) for language in ("it-CH", "IT", "en-GB", "de", "")] == [
        *[italian] * 2,
        *[english] * 3,
    ]


def test_texts_of_endings_are_distinct() -> None:
    assert len({ending_text(ending, language) for ending in Ending for language in ("en", "it")}) == 2 * len(Ending)
