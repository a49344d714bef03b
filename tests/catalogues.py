"""The gettext catalogues in ``locale/``: ``./dev generate`` collects the texts of the server's code and compiles them.

A new language is a folder of ``locale/`` with an empty ``LC_MESSAGES/adiuva.po``. Babel is for development only: the
server reads the compiled files with Python alone.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from accounts.translations import DOMAIN, LOCALE

_ROOT: Final = LOCALE.parent
_PACKAGES: Final = ("accounts", "memory", "agents", "chat", "adiuva")
_HEADER: Final = "# Texts of Adiuva. Write the translations here; `./dev generate` keeps the rest fresh."
_HAS_TEXTS: Final = re.compile(r"gettext|context\.say\(")
_KEYWORDS: Final = {
    "gettext": None,
    "gettext_noop": None,
    "say": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_noop": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}


def update() -> None:
    """Write the ``.po`` and ``.mo`` file of each language."""
    for path in _catalogues():
        catalogue = _merged(path)
        path.write_bytes(_as_po(catalogue))
        path.with_suffix(".mo").write_bytes(_as_mo(catalogue))


def stale() -> list[str]:
    """A sentence for each thing that ``update`` would change, and for each message without a translation."""
    return [sentence for path in _catalogues() for sentence in _stale(path)]


def _stale(path: Path) -> Iterator[str]:
    name, catalogue, compiled = path.relative_to(LOCALE), _merged(path), path.with_suffix(".mo")
    if path.read_bytes() != _as_po(catalogue):
        yield f"{name} does not hold the messages of the code: run ./dev generate."
    elif not compiled.exists() or compiled.read_bytes() != _as_mo(catalogue):
        yield f"{name.with_suffix('.mo')} is not compiled from {name}: run ./dev generate."
    for message in catalogue:
        if message.id and (message.fuzzy or not all(_texts(message.string))):
            yield f"{name} has no translation of {_texts(message.id)[0]!r}."


def _texts(text: str | Sequence[str] | None) -> tuple[str, ...]:
    return (text or "",) if isinstance(text, str | None) else tuple(text)


def _catalogues() -> list[Path]:
    return sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def _merged(path: Path) -> Catalog:
    """The messages of the code with their translations in ``path``."""
    with path.open("rb") as file:
        translated = read_po(file, locale=path.parts[-3])
    merged = _Catalogue(locale=path.parts[-3], header_comment=_HEADER, fuzzy=False)
    for message, context in _messages():
        known = translated.get(message, context)
        merged.add(message, known.string if known else "", flags=known.flags if known else (), context=context)
    return merged


class _Catalogue(Catalog):
    """With a header that is the same on every day and for every version of Babel."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale)),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
            ("Plural-Forms", self.plural_forms),
        ]


@cache
def _messages() -> tuple[tuple[str | tuple[str, ...], str | None], ...]:
    """Each text of the code, one with a plural as two, and its context."""
    return tuple(
        (message, context)
        for package in _PACKAGES
        for path in sorted((_ROOT / package).rglob("*.py"))
        if _HAS_TEXTS.search(path.read_text("utf-8"))
        for _line, message, _comments, context in extract_from_file("python", path, keywords=_KEYWORDS)
    )


def _as_po(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalogue, width=120, no_location=True, sort_output=True)
    return file.getvalue()


def _as_mo(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()
