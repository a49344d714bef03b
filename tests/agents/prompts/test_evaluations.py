"""Outcomes of evaluations, found by the text of a prompt."""

import logging
from pathlib import Path

import pytest

from agents.prompts.evaluations import OUTCOME, Outcome, outcomes_of, text_digest, write_outcome
from agents.prompts.names import PromptName

NAME = PromptName.HOME_SYSTEM


def written(folder: Path, run: str, text: str, *, model: str = "small", passed: int = 9) -> Outcome:
    outcome = Outcome(model=model, attempts=10, passed=passed, prompts={NAME.value: text_digest(text)})
    (folder / run).mkdir()
    write_outcome(folder / run, outcome)
    return outcome


def test_text_has_outcomes_of_its_runs_with_best_first(tmp_path: Path) -> None:
    worse, better = written(tmp_path, "a", "Be kind.", passed=5), written(tmp_path, "b", "Be kind.\n", model="large")
    other = written(tmp_path, "c", "Be brief.")
    assert outcomes_of(tmp_path, NAME) == {
        text_digest("Be kind."): [better, worse],
        text_digest("Be brief."): [other],
    }
    assert outcomes_of(tmp_path, PromptName.ROUTER_SYSTEM) == {}


def test_missing_folder_has_no_outcomes(tmp_path: Path) -> None:
    assert outcomes_of(None, NAME) == {}
    assert outcomes_of(tmp_path / "missing", NAME) == {}


def test_unreadable_outcome_is_skipped_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / OUTCOME).write_text("{")
    whole = written(tmp_path, "whole", "Be kind.")
    with caplog.at_level(logging.WARNING):
        assert outcomes_of(tmp_path, NAME) == {text_digest("Be kind."): [whole]}
    assert caplog.messages == ["results of an evaluation cannot be read: broken (ValidationError)"]
