"""The answers of the benchmarks' model about slow tools and within them."""

import json
from collections.abc import Mapping
from datetime import date
from zoneinfo import ZoneInfo

import pytest

from agents.adapters.base import Purpose
from agents.tools.overviews import ProjectSection, WeekSection, request_for
from agents.tools.plans import read_plan
from agents.tools.rows import ToolResult
from benchmarks.job_scripts import REVIEW_S, TASKS, answer_about_jobs, asking_in, plan_my_project, titles
from benchmarks.plans import message, response
from tests.model_server.scripts import Chunk, Step

DAY = date(2026, 3, 29)
PROJECT = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"


def words(asked: str, done: int = 0) -> str:
    """The model's text, without its calls."""
    said = answer_about_jobs(asked, done)
    assert said is not None
    return "".join(_text(step) for step in said[0])


def _text(step: Step) -> str:
    return str(step.delta.get("content", "")) if isinstance(step, Chunk) else ""


def said_in(purpose: Purpose, sections: Mapping[str, str]) -> str:
    return request_for(purpose, DAY, {title: ToolResult(text=body) for title, body in sections.items()}).text


def test_a_project_is_planned_by_the_slow_tool() -> None:
    said = answer_about_jobs(plan_my_project(PROJECT), 0)

    assert said is not None
    encoded = b"".join(step.encoded() for step in said[0] if isinstance(step, Chunk))
    assert b"plan_project" in encoded


def test_a_plan_has_its_tasks_and_others_each_time_it_is_asked_for() -> None:
    sections: dict[str, str] = {ProjectSection.GOAL: f"Reach {PROJECT}", ProjectSection.PROJECT: "Garden"}
    asked = said_in(Purpose.PROJECT_PLAN, sections)
    first, second = (
        [suggestion.title for suggestion in read_plan(words(asked), ZoneInfo("UTC")).suggestions] for _ in range(2)
    )

    assert len(first) == len(second) == TASKS
    assert set(first).isdisjoint(second)
    assert {asking_in(title)[0] for title in [*first, *second]} == {PROJECT}
    assert titles(*asking_in(first[0])) == first


def test_the_answer_after_the_plan_is_another_each_time() -> None:
    assert words(plan_my_project(PROJECT), 1) != words(plan_my_project(PROJECT), 1)


def test_a_review_takes_its_time() -> None:
    asked = said_in(Purpose.WEEKLY_REVIEW, {WeekSection.DONE: "Nothing."})

    assert response({"messages": [{"role": "user", "content": asked}]}).before_s == REVIEW_S


@pytest.mark.parametrize("asked", [message("words"), message("review"), json.dumps({"user": plan_my_project("p")})])
def test_what_has_to_do_with_no_job_is_left_to_the_plans(asked: str) -> None:
    assert answer_about_jobs(asked, 0) is None
