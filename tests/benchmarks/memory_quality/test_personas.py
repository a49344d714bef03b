"""The personas are well-formed, and the search recalls what the held-out ones ask for, and seldom more."""

from pathlib import Path

import pytest

from benchmarks.memory_quality.personas import HELD_OUT, PERSONAS, Persona, persona_in, personas_in, recalled_numbers
from memory.search.question import Question

FILES = [*sorted(PERSONAS.glob("*.tsv")), *sorted(HELD_OUT.glob("*.tsv"))]
SAID = "said\tMy plumber is Nils.\tNoted.\n"


def _written(lines: str, folder: Path) -> Path:
    path = folder / "english.tsv"
    path.write_text(lines, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_personas_ask_nearly_as_often_for_what_they_said_as_in_general_each_once(path: Path) -> None:
    persona = persona_in(path)
    general = sum(not message.needs for message in persona.asked)

    assert len(persona.said) >= 80
    assert 70 <= len(persona.asked) - general <= general <= 110
    assert len({message.text for message in persona.asked}) == len(persona.asked)


@pytest.mark.parametrize(
    "line", ["said\tHello", "asks\tone\twho?", "asks\t1\t", "asks\t\twho?", "general", "told\ta\tb", ""]
)
def test_an_invalid_line_of_a_persona_is_reported(line: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"english\.tsv, line 2 has other fields than a persona"):
        persona_in(_written(f"{SAID}{line}\n", tmp_path))


@pytest.mark.parametrize("needs", ["0", "2", "1,2"])
def test_a_persona_cannot_ask_for_missing_exchanges(needs: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"english\.tsv asks for exchanges that it does not have"):
        persona_in(_written(f"{SAID}asks\t{needs}\tand the plumber?\n", tmp_path))


def test_what_a_persona_said_is_recalled(tmp_path: Path) -> None:
    persona = persona_in(_written(f"{SAID}asks\t1\twho is my plumber?\ngeneral\twho was Nils Bohr?\n", tmp_path))
    asked, general = persona.asked

    assert (asked.needs, general.needs) == ((1,), ())
    assert recalled_numbers(persona, persona.index(), asked) == {1}


def test_the_language_is_in_the_name() -> None:
    assert [Persona(name, [], []).language for name in ("english_a", "italian_b", "italian")] == ["en", "it", "it"]


def test_evidence_is_recalled_and_little_for_general_messages() -> None:
    found = needed = empty = general = silent = 0
    for persona in personas_in(HELD_OUT):
        index = persona.index()
        for message in persona.asked:
            numbers = recalled_numbers(persona, index, message)
            if message.needs:
                needed += 1
                found += numbers.issuperset(message.needs)
                empty += not numbers
            else:
                general += 1
                silent += not numbers

    assert (needed, general) == (660, 740)
    assert found >= 538
    assert empty <= 23
    assert silent >= 630


def test_classifier_of_wording_is_the_one_of_the_personas() -> None:
    right = [
        (Question(text=message.text, now=persona.question("").now, language=persona.language).wording > 0)
        == bool(message.needs)
        for persona in personas_in()
        for message in persona.asked[::7]
    ]

    assert sum(right) > 0.98 * len(right) > 800
