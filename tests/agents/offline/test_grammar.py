"""Grammars, one file per language."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from agents.offline import grammar
from agents.offline.commands import Talk
from agents.offline.grammar import grammars
from agents.offline.understanding import understand
from tests.agents.offline.expected import TODAY

FOLDER = Path(grammar.__file__).with_name("grammars")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A temporary folder for grammars, with copies of those of the project."""
    for path in FOLDER.glob("*.toml"):
        (tmp_path / path.name).write_text(path.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(grammar, "_FOLDER", tmp_path)
    grammars.cache_clear()
    yield tmp_path
    grammars.cache_clear()


def test_grammars_are_named_by_their_files_with_english_first() -> None:
    assert [each.language for each in grammars()] == ["en", "it"]


def test_new_file_adds_language(folder: Path) -> None:
    english = (folder / "en.toml").read_text("utf-8")
    german = english.replace('greetings = "', 'greetings = "guten tag|')
    assert german != english
    (folder / "de.toml").write_text(german, "utf-8")

    assert [each.language for each in grammars()] == ["en", "de", "it"]
    assert understand("Guten Tag!", language="it", today=TODAY) == (Talk.GREETING, "de")
    assert understand("hello", language="de-AT", today=TODAY) == (Talk.GREETING, "de")
    assert understand("ciao", language="de", today=TODAY) == (Talk.GREETING, "it")


def test_grammar_file_without_required_entry_is_refused(folder: Path) -> None:
    (folder / "de.toml").write_text('marks = "der die das"\n', "utf-8")

    with pytest.raises(ValidationError, match="sentences"):
        grammars()
