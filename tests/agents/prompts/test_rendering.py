import re

import pytest

from agents.prompts.names import PromptName, builtin_text
from agents.prompts.rendering import get_prompt_or_fallback, render, system_message


@pytest.mark.parametrize("name", PromptName)
def test_every_prompt_has_text(name: PromptName) -> None:
    assert len(builtin_text(name)) > 80


def test_missing_prompt_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert get_prompt_or_fallback("unheard_of", "be kind") == "be kind"  # type: ignore[arg-type]


def test_variables_are_filled_once_and_unknown_ones_stay() -> None:
    assert render("{{ a }} {{b}} {{ c }}", {"a": "{{ b }}", "b": "2"}) == "{{ b }} 2 {{ c }}"


@pytest.mark.parametrize("name", [PromptName.JOB_SYSTEM, PromptName.WEEKLY_REVIEW_SYSTEM])
def test_prompts_without_role_are_filled(name: PromptName) -> None:
    variables = {"now": "Sunday", "timezone": "Europe/Rome"}

    prompt = system_message(name, variables, language="it").text

    assert re.findall(r"\{\{.*?\}\}", prompt) == []
    assert "It is Sunday in the user's time zone, Europe/Rome." in prompt
    assert prompt.endswith("The user's language is Italian (it). Answer in it.")


@pytest.mark.parametrize("name", [PromptName.HOME_SYSTEM, PromptName.POPUP_SYSTEM, PromptName.CHAT_SYSTEM])
def test_no_variable_is_left_unfilled(name: PromptName) -> None:
    variables = {"now": "Sunday", "timezone": "Europe/Rome", "role": "You sweep.", "scope": "the floor"}

    prompt = system_message(name, variables, language="it-IT").text

    assert re.findall(r"\{\{.*?\}\}", prompt) == []
    assert "You sweep." in prompt
    assert prompt.endswith("The user's language is Italian (it-IT). Answer in it.")


def test_language_without_name_is_given_by_tag() -> None:
    assert system_message(PromptName.ROUTER_SYSTEM, {}, language="tlh").text.endswith(
        "The user's language is tlh. Answer in it."
    )


def test_language_name_does_not_need_translation_catalogue() -> None:
    assert system_message(PromptName.ROUTER_SYSTEM, {}, language="sv").text.endswith("Swedish (sv). Answer in it.")
