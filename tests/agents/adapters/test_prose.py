"""The prose and the JSON in a model's answer."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters.base import json_values, prose, spoken


@pytest.mark.parametrize(
    "words",
    [
        "All is well.",
        "  All is well.\n",
        "<think>Hm, {overdue}?</think>\nAll is well.",
        "<THINK>one</THINK><think>two</think>All is well.",
        "the user wants a summary</think>All is well.",
        "```markdown\nAll is well.\n```",
        '{"summary": "All is well.", "mood": "good"}',
        '```json\n{"type": "text", "content": "All is well."}\n```',
        '[{"type": "text", "content": "All is well."}]',
        "All is \ud83dwell.",
    ],
)
def test_prose_excludes_thoughts_fences_and_json(words: str) -> None:
    assert prose(words, 100) == "All is well."


def test_prose_with_its_own_markup_is_unchanged() -> None:
    text = "- one\n- `two`\n\n```\ncode\n```\n\n[link](x) {braces}"
    assert prose(text, 1_000) == text


@pytest.mark.parametrize("words", ["", " \n", "<think>and on and on", "```\n```", '""', '{"summary": ""}'])
def test_empty_answer_gives_empty_prose(words: str) -> None:
    assert prose(words, 100) in {"", '""'}


def test_prose_is_truncated_between_words() -> None:
    assert prose("one two three " * 100, 20) == "one two three one…"


@pytest.mark.parametrize("filling", [" ", "\n", "`", "<think>", '"a" ', "{"])
def test_very_long_answers_are_read_quickly(filling: str) -> None:
    words = f"```\n{filling * 100_000}x"
    assert len(prose(words, 1_000)) <= 1_000


def test_json_is_found_anywhere_in_text() -> None:
    text = 'Sure {of course}: {"a": [1]} and [2] [3'
    assert list(json_values(text)) == [("Sure {of course}: ", {"a": [1]}), (" and ", [2]), (" [3", None)]


def test_whole_parts_of_truncated_json_are_found() -> None:
    assert [value for _, value in json_values('{"tasks": [{"a": 1}, {"a": 2}, {"a":')] == [
        {"a": 1},
        {"a": 2},
        None,
    ]


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 100_000, '{"a":' * 20_000, "[1," * 30_000, "9" * 10_000])
def test_search_in_invalid_json_ends(text: str) -> None:
    assert list(json_values(text)) == [(text, None)]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_encoded(words: str) -> None:
    spoken(words).encode()
    prose(words, 50).encode()
    prose(json.dumps([words]), 50).encode()
