"""What the user has to say before anything can be done, if the model does not ask it. Pure."""

import json
import re
from collections.abc import Sequence
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import Table
from agents.engine.claims import asks_which, finds_nothing
from agents.engine.findings import Done
from agents.engine.intents import asks_of_notes, asks_only, orders_change, orders_update
from agents.titles import has_words
from agents.tools.client import NOTHING_GIVEN
from agents.tools.rows import NOUNS

_WHICH: Final = gettext_noop("Which one do you mean: {titles}?")
_WHICH_ROW: Final = gettext_noop("Which one do you mean? Please tell me its title.")
_WHICH_PROJECT: Final = gettext_noop("Which project do you mean?")
_NOT_FOUND: Final = gettext_noop("I found nothing called “{name}”.")
_TO_WHAT: Final = gettext_noop("What should I change, and to what?")
_NO_ROW: Final = re.compile(r'There is no (?P<noun>[a-z]+) with the id or title (?P<name>"(?:[^"\\]|\\.)*")')
"""The result of a call about a row that does not exist."""


def open_question(done: Sequence[Done], message: str, answer: str, *, language: str) -> str:
    """The question that the user, who said ``message``, has to answer, or which row does not exist.

    ``done`` are the calls. Empty if these have changed something, or if ``answer`` says so itself.
    """
    # What was read may be all that the user asked for.
    is_read = any(each.outcome.ok for each in done) and asks_only(message)
    if not done or is_read or any(each.changed for each in done):
        return ""
    gettext = translations(language).gettext
    choices = next((each.choices for each in reversed(done) if each.choices), ())
    if len(choices) > 1:
        is_asked = asks_which(answer) or sum(has_words(answer, choice) for choice in choices) > 1
        return "" if is_asked else gettext(_WHICH).format(titles=", ".join(choices))
    failed = [each.outcome.text for each in done]
    if done[-1].correctable or any(each.outcome.ok for each in done):
        return ""
    missing = [found for text in failed if (found := _NO_ROW.match(text))]
    if missing:
        name = str(json.loads(missing[-1]["name"]))
        question = _for_missing_row(missing[-1]["noun"], name, message, answer)
    else:
        is_asked = "?" in answer or not failed[-1].startswith(NOTHING_GIVEN)
        name, question = "", None if is_asked or not orders_update(message) else _TO_WHAT
    return gettext(question).format(name=name) if question else ""


def _for_missing_row(noun: str, name: str, message: str, answer: str) -> str | None:
    """What to say of the row that does not exist, and that the model called ``name``; None for nothing."""
    if asks_only(message) and not asks_of_notes(message):
        # It may be known from elsewhere, such as the memory.
        return None
    if has_words(message, name):
        return None if has_words(answer, name) and finds_nothing(answer) else _NOT_FOUND
    if "?" in answer or not orders_change(message):
        return None
    if noun == NOUNS[Table.PROJECTS]:
        return _WHICH_PROJECT
    return _WHICH_ROW if orders_update(message) else None
