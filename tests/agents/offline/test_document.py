"""The offline assistant understands every sentence in its documentation and its help."""

from pathlib import Path

import pytest

from agents.offline.commands import Incomplete, Talk
from agents.offline.understanding import understand
from tests.agents.offline.expected import TODAY
from tests.agents.offline.world import World, say

pytestmark = pytest.mark.contracts

PAGE = (Path(__file__).parents[3] / "docs" / "offline.md").read_text(encoding="utf-8")


def _sentences() -> list[tuple[str, str]]:
    section = PAGE.partition("## What it understands")[2].partition("\n## ")[0]
    rows = [line.split("|")[2:4] for line in section.split("\n") if line.startswith("| ")][1:]
    return [
        (sentence.strip(), language)
        for row in rows
        for cell, language in zip(row, ("en", "it"), strict=True)
        for sentence in cell.split("·")
    ]


@pytest.mark.parametrize(("sentence", "language"), _sentences())
def test_documented_sentence_is_understood(sentence: str, language: str) -> None:
    command, understood_in = understand(sentence, language=language, today=TODAY)
    assert not isinstance(command, Talk | Incomplete)
    assert understood_in == language


@pytest.mark.parametrize(("asked", "language"), [("help", "en"), ("aiuto", "it"), ("hello", "en"), ("xyz", "en")])
async def test_example_of_help_is_understood(asked: str, language: str) -> None:
    said = await say(World(), asked, language=language)
    examples = [line.removeprefix("- ") for line in said.text.split("\n") if line.startswith("- ")]
    assert len(examples) == 5
    for example in examples:
        command, understood_in = understand(example, language=language, today=TODAY)
        assert not isinstance(command, Talk | Incomplete)
        assert understood_in == language
