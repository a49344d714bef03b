"""What the benchmarks' model says of slow tools and within them; never the same plan of a project twice. Pure."""

import json
import re
import uuid
from collections.abc import Sequence
from typing import Final

from agents.adapters.base import Purpose
from agents.tools.overviews import WORDS
from tests.model_server.scripts import Step, calls, says, wants

REVIEW_S: Final = 5.0
"""How long the model takes to begin a review of the week."""
TASKS: Final = 2
"""Of every plan of a project."""


def plan_my_project(word: str) -> str:
    """What a person writes to have the project of this id planned."""
    return f"Plan my project {word}."


def titles(word: str, asking: str) -> list[str]:
    """Of the tasks that the model suggests for a project when it is asked ``asking``, which names that one time."""
    return [f"{word} {asking} {number}" for number in range(TASKS)]


def asking_in(title: str) -> tuple[str, str]:
    """Project and asking of a task that the model suggested. Raises ``ValueError``."""
    word, asking, _ = title.split(" ")
    return word, asking


def answer_about_jobs(asked: str, done: int) -> tuple[Sequence[Step], float] | None:
    """What the model says, and after how many seconds, to ``asked`` after ``done`` rounds of calls.

    None if it has nothing to do with a job.
    """
    if asked.startswith(WORDS[Purpose.WEEKLY_REVIEW]):
        return says("All is well."), REVIEW_S
    if asked.startswith(WORDS[Purpose.PROJECT_PLAN]) and (goal := re.search(r"Reach ([\w-]+)", asked)) is not None:
        tasks = [{"title": title} for title in titles(goal[1], uuid.uuid4().hex)]
        return says(json.dumps({"tasks": tasks})), 0.0
    if (project := re.fullmatch(r"Plan my project ([\w-]+)\.", asked)) is None:
        return None
    if done == 0:
        return calls(wants("plan_project", project_id=project[1], goal=f"Reach {project[1]}")), 0.0
    return says(f"The project {project[1]} is planned, {uuid.uuid4().hex}."), 0.0
