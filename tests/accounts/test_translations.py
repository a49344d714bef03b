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
def test_text_is_in_language_of_tag_or_english(language: str, said: str) -> None:
    assert translations(language).gettext("the task") == said


@pytest.mark.parametrize(("count", "said"), [(0, "commenti"), (1, "commento"), (2, "commenti")])
def test_plural_form_follows_count(count: int, said: str) -> None:
    assert translations("it").ngettext("comment", "comments", count) == said


def test_context_selects_between_translations_of_one_english_text() -> None:
    italian = translations("it")
    assert italian.gettext("due {day}") == "scadenza {day}"
    assert italian.pgettext("tasks", "due {day}") == "in scadenza {day}"
    assert italian.gettext("never translated") == "never translated"


def test_noop_marker_returns_text_unchanged() -> None:
    assert (gettext_noop("the task"), pgettext_noop("column", "title")) == ("the task", "title")


def test_selectable_languages_are_english_and_those_with_catalogue() -> None:
    catalogues = {path.name for path in LOCALE.iterdir() if path.is_dir()}
    assert {code for code, _ in settings.LANGUAGES} == {"en", *catalogues}
    assert ("it", "Italiano") in settings.LANGUAGES
