"""Which variables a prompt must and may use."""

import re

import pytest

from agents.prompts.names import EXAMPLES, MAX_PROMPT_CHARS, PromptName, builtin_text, required, text_problems
from agents.prompts.rendering import render

SUMMARY = PromptName.SUMMARY_SYSTEM
JOB = PromptName.JOB_SYSTEM


@pytest.mark.parametrize("name", PromptName)
def test_every_built_in_text_is_valid(name: PromptName) -> None:
    assert text_problems(name, builtin_text(name)) == ()
    assert required(name) <= name.variables <= EXAMPLES.keys()
    assert name.purpose
    assert re.findall(r"\{\{.*?\}\}", render(builtin_text(name), EXAMPLES)) == []


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (SUMMARY, " \n", "The text is empty."),
        (JOB, "It is {{ now }}.", "The text has to use {{ timezone }}."),
        (
            JOB,
            "It is {{ now }}, {{timezone}}, {{ mood }}.",
            "Nothing is known of {{ mood }}: only {{ now }}, {{ timezone }} can be used here.",
        ),
        (SUMMARY, "{{ now }}", "Nothing is known of {{ now }}: this prompt has no variables."),
        (
            SUMMARY,
            "Dear {{ user.name }}",
            "A “{{” begins no variable: write variables as {{ name }}, and nothing else between two braces.",
        ),
        (SUMMARY, "half \ud800", "The text holds characters that are not text."),
        (SUMMARY, "nothing \0", "The text holds characters that are not text."),
        (
            SUMMARY,
            "x" * (MAX_PROMPT_CHARS + 1),
            f"The text has {MAX_PROMPT_CHARS + 1:,} characters; at most {MAX_PROMPT_CHARS:,} are allowed.",
        ),
    ],
)
def test_unusable_text_is_refused_with_reason(name: PromptName, text: str, sentence: str) -> None:
    assert text_problems(name, text) == (sentence,)


def test_json_braces_are_not_variables() -> None:
    assert text_problems(SUMMARY, 'Answer with {"a":{"b":{"c":1}}} or {"a":{}}.') == ()
