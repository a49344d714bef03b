"""The catalogues of texts, and the command that keeps them fresh."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from accounts.translations import LOCALE
from tests import catalogues

_PARTS = re.compile(r"\{\w+\}")


def _last(text: str | Sequence[str] | None) -> str:
    """The text, or its plural."""
    return text if isinstance(text, str) else (text or [""])[-1]


@pytest.fixture
def po(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An Italian catalogue in a folder of its own, as fresh as ours."""
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    path = tmp_path / "it" / "LC_MESSAGES" / "adiuva.po"
    path.parent.mkdir(parents=True)
    path.write_bytes((LOCALE / "it" / "LC_MESSAGES" / "adiuva.po").read_bytes())
    catalogues.update()
    return path


def test_every_catalogue_is_fresh_and_every_text_is_translated() -> None:
    assert catalogues.stale() == []


def test_translations_have_the_parts_of_their_texts() -> None:
    with (LOCALE / "it" / "LC_MESSAGES" / "adiuva.po").open("rb") as file:
        messages = [message for message in read_po(file, locale="it") if message.id]
    for message in messages:
        one, said = _last(message.id), _last(message.string)
        # Italian says the task itself where English says "the {title}".
        assert set(_PARTS.findall(said)) | {"{the}"} == set(_PARTS.findall(one)) | {"{the}"}, one


def test_update_adds_new_texts_and_drops_old_ones(po: Path) -> None:
    po.write_text(po.read_text("utf-8").replace('msgid "the task"', 'msgid "the chore"'), "utf-8")

    untranslated = "it/LC_MESSAGES/adiuva.po has no translation of 'the task'."
    assert catalogues.stale() == [
        "it/LC_MESSAGES/adiuva.po does not hold the messages of the code: run ./dev generate.",
        untranslated,
    ]
    catalogues.update()
    assert catalogues.stale() == [untranslated]
    assert "the chore" not in po.read_text("utf-8")


def test_catalogue_that_was_not_compiled_is_stale(po: Path) -> None:
    po.write_text(po.read_text("utf-8").replace('"l\'attività"', '"il compito"'), "utf-8")

    assert catalogues.stale() == [
        "it/LC_MESSAGES/adiuva.mo is not compiled from it/LC_MESSAGES/adiuva.po: run ./dev generate."
    ]
    catalogues.update()
    assert catalogues.stale() == []


def test_new_language_begins_with_an_empty_catalogue(po: Path) -> None:
    german = po.parents[2] / "de" / "LC_MESSAGES" / "adiuva.po"
    german.parent.mkdir(parents=True)
    german.write_text("")

    catalogues.update()
    assert len(catalogues.stale()) > 100
    assert 'msgid "the task"\nmsgstr ""' in german.read_text("utf-8")
