"""Texts in the user's language."""

import pytest
from django.conf import settings

from accounts.translations import LOCALE, gettext_noop, pgettext_noop, translations


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("it", "l'attività"),
        ("it-IT", "l'attività"),
        ("IT", "l'attività"),
        ("en", "the task"),
        ("en-GB", "the task"),
        ("de", "the task"),
        ("", "the task"),
        ("../it", "the task"),
    ],
)
def test_text_is_in_the_language_of_the_tag_else_in_english(language: str, said: str) -> None:
    assert translations(language).gettext("the task") == said


@pytest.mark.parametrize(("count", "said"), [(0, "commenti"), (1, "commento"), (2, "commenti")])
def test_text_is_in_the_number_of_what_is_counted(count: int, said: str) -> None:
    assert translations("it").ngettext("comment", "comments", count) == said


def test_context_tells_apart_what_english_does_not() -> None:
    italian = translations("it")
    assert italian.gettext("due {day}") == "scadenza {day}"
    assert italian.pgettext("tasks", "due {day}") == "in scadenza {day}"
    assert italian.gettext("never translated") == "never translated"


def test_marking_a_text_leaves_it_as_it_is() -> None:
    assert (gettext_noop("the task"), pgettext_noop("column", "title")) == ("the task", "title")


def test_users_choose_among_english_and_the_languages_with_a_catalogue() -> None:
    catalogues = {path.name for path in LOCALE.iterdir() if path.is_dir()}
    assert {code for code, _ in settings.LANGUAGES} == {"en", *catalogues}
    assert ("it", "Italiano") in settings.LANGUAGES
