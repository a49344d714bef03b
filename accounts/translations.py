"""Texts in the user's language, from the gettext catalogues in ``locale/``.

Message ids are the English texts. The language is always given: none is in force for a thread or a task, so that one
process can serve users of several languages at once. ``./dev generate`` keeps the catalogues fresh. Pure but for
reading the catalogues.
"""

from functools import cache
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Final

from django.conf.locale import LANG_INFO

LOCALE: Final = Path(__file__).resolve().parents[1] / "locale"
DOMAIN: Final = "adiuva"
SOURCE: Final = "en"
"""The language of the message ids."""
_TRANSLATED: Final = frozenset(path.parts[-3] for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))
LANGUAGES: Final = [(code, LANG_INFO[code]["name_local"].capitalize()) for code in (SOURCE, *sorted(_TRANSLATED))]
"""The languages that users can choose, as Django's setting has them: English, and those with a catalogue."""


def translations(language: str) -> NullTranslations:
    """The catalogue for ``language``, an IETF tag; that of English, which is empty, where there is none."""
    code = language.partition("-")[0].casefold()
    return _catalogue(code if code in _TRANSLATED else SOURCE)


@cache
def _catalogue(code: str) -> NullTranslations:
    return translation(DOMAIN, LOCALE, [code], fallback=True)


def gettext_noop(message: str) -> str:
    """Mark ``message`` as a text to translate, where its language is not known yet."""
    return message


def pgettext_noop(context: str, message: str) -> str:  # noqa: ARG001 - read by what collects the messages
    """As ``gettext_noop``, for a message with another meaning elsewhere."""
    return message
