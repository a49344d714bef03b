"""Prompts are tried out on an example question and rows, compared, and shown with evaluation results."""

import html
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from agents.adapters.base import SystemMessage, ToolMessage
from agents.errors import ModelUnavailable
from agents.prompts.evaluations import Outcome, text_digest, write_outcome
from agents.prompts.models import PromptVersion
from agents.prompts.names import PromptName, builtin_text
from agents.prompts.overrides import LinePair, last_change, side_by_side, write_override
from agents.prompts.tryout import QUESTION, ROWS, TRY_OUT
from tests.accounts.admin.conftest import may, signed_in
from tests.agents.scripts import ScriptedAdapter, says

PROMPTS = "/admin/agents/promptsetting/"
TEXT = f"{builtin_text(PromptName.HOME_SYSTEM)}\n\nBe brief."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedAdapter:
    adapter = ScriptedAdapter([says("The invoice: ", "it is overdue.")])
    monkeypatch.setattr(TRY_OUT, "adapter", adapter)
    return adapter


@pytest.fixture
def as_sam(sam: User) -> Client:
    may(sam, "agents.view_promptsetting", "agents.change_promptsetting")
    return signed_in(sam)


def tried(client: Client, name: PromptName = PromptName.HOME_SYSTEM, text: str = TEXT) -> HttpResponse:
    return client.post(f"{PROMPTS}{name}/change/", {"text": text, "seen": "0", "_try": "1"})  # type: ignore[return-value]


def words(answer: HttpResponse) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def test_text_is_tried_on_example_and_not_saved(as_sam: Client, model: ScriptedAdapter) -> None:
    shown = words(tried(as_sam))

    assert ("The invoice: it is overdue." in shown, QUESTION in shown, ROWS[0]["title"] in shown) == (True, True, True)
    assert f"{model.name} answered in" in shown
    assert PromptVersion.objects.count() == 0
    [request] = model.requests
    [system, *_, rows] = request.messages
    assert isinstance(system, SystemMessage)
    assert "Be brief." in system.text
    assert isinstance(rows, ToolMessage)
    assert ROWS[0]["title"] in rows.text
    assert request.tools == []


def test_role_is_tried_within_its_prompt(as_sam: Client, model: ScriptedAdapter) -> None:
    tried(as_sam, PromptName.TASK_AGENT_SYSTEM, "You count tasks.")
    [request] = model.requests
    [system, *_] = request.messages
    assert isinstance(system, SystemMessage)
    assert "You count tasks." in system.text
    assert builtin_text(PromptName.HOME_SYSTEM).split("\n")[0] in system.text


@pytest.mark.parametrize("name", [PromptName.ROUTER_SYSTEM, PromptName.SUMMARY_SYSTEM, PromptName.HOME_BLOCKS])
def test_prompt_that_answers_no_question_cannot_be_tried(
    as_sam: Client, model: ScriptedAdapter, name: PromptName
) -> None:
    assert "Try out" not in words(as_sam.get(f"{PROMPTS}{name}/change/"))  # type: ignore[arg-type] # a response
    assert "This prompt cannot be tried out here." in words(tried(as_sam, name, builtin_text(name)))
    assert (model.requests, PromptVersion.objects.count()) == ([], 0)


def test_failure_of_model_is_shown_with_text(as_sam: Client, model: ScriptedAdapter) -> None:
    model.replies = [[ModelUnavailable("The model is away.")]]
    shown = words(tried(as_sam))
    assert ("The model did not answer: The model is away." in shown, "Be brief." in shown) == (True, True)


def test_invalid_text_is_not_tried(as_sam: Client, model: ScriptedAdapter) -> None:
    assert "The text is empty." in words(tried(as_sam, text=""))
    assert model.requests == []


def test_try_out_requires_change_permission(sam: User, model: ScriptedAdapter) -> None:
    may(sam, "agents.view_promptsetting")
    assert tried(signed_in(sam)).status_code == 403
    assert model.requests == []


def test_try_out_is_not_offered_without_model(as_sam: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TRY_OUT, "adapter", None)
    assert "Try out" not in words(as_sam.get(f"{PROMPTS}home_system/change/"))  # type: ignore[arg-type] # a response


def test_versions_are_shown_side_by_side(as_sam: Client, sam: User) -> None:
    name = PromptName.SUMMARY_SYSTEM
    for text in ("One.\nSame.", "Two.\nSame.", "Three.\nSame."):
        write_override(name, text, actor=sam, seen=last_change(name))
    page = f"{PROMPTS}summary_system/versions/1/"

    in_force, second = (as_sam.get(page, given).context["pairs"] for given in ({}, {"beside": "2"}))

    same = LinePair(before="Same.", after="Same.")
    assert in_force == [LinePair(before="Three.", after="One."), same]
    assert second == [LinePair(before="Two.", after="One."), same]
    assert as_sam.get(page, {"beside": "9"}).status_code == 404
    assert as_sam.get(page, {"beside": "x"}).context["other"] is None


def test_line_of_only_one_text_has_no_counterpart() -> None:
    assert side_by_side("a\nb\nc", "a\nc\nd") == [
        LinePair(before="a", after="a"),
        LinePair(before="b", after=None),
        LinePair(before="c", after="c"),
        LinePair(before=None, after="d"),
    ]


def test_versions_show_their_evaluation_results(as_sam: Client, sam: User, tmp_path: Path, settings: Settings) -> None:
    settings.EVALUATION_RESULTS = str(tmp_path)
    name = PromptName.SUMMARY_SYSTEM
    for text in ("One.", "Two."):
        write_override(name, text, actor=sam, seen=last_change(name))
    for run, text, passed in (("a", "One.", 7), ("b", builtin_text(name), 8)):
        (tmp_path / run).mkdir()
        prompts = {name.value: text_digest(text)}
        write_outcome(tmp_path / run, Outcome(model="small", attempts=10, passed=passed, prompts=prompts))

    answer = as_sam.get(f"{PROMPTS}summary_system/change/")

    assert [(version.number, len(outcomes)) for version, outcomes in answer.context["versions"]] == [(2, 0), (1, 1)]
    shown = words(answer)  # type: ignore[arg-type] # a response
    assert "7 of 10 conversations passed with small" in shown
    assert "8 of 10 conversations passed with small" in shown
