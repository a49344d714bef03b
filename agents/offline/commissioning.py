"""Sentences that have a project summarised or planned, or the week reviewed."""

from dataclasses import replace

from agents.offline.commands import (
    Command,
    Entity,
    Incomplete,
    Missing,
    PlanProject,
    ReviewWeek,
    SummarizeProject,
    Target,
)
from agents.offline.reading import Reading

_COLON = r"(?:\s*:(?!\d)\s?|\n){goal}"
"""A colon between figures is a time of day."""


def read_commission(reading: Reading) -> Command | None:
    """What takes minutes to write; ``Incomplete`` for a plan without a goal."""
    words = reading.grammar.jobs
    if any(reading.matches(words.reviews)):
        return ReviewWeek()
    return _plan(reading) or _summary(reading)


def _summary(reading: Reading) -> Command | None:
    for match in reading.matches(reading.grammar.jobs.summaries):
        target = _project(reading, match["target"], bare=True)
        if target is not None:
            return SummarizeProject(target=target) if isinstance(target, Target) else target
    return None


def _plan(reading: Reading) -> Command | None:
    words = reading.grammar.jobs
    target = f"(?:{words.plan}){{target}}"
    # Without the noun only a colon makes it a project: "plan X to Friday" is a change of date.
    forms = ((f"{target}{_COLON}", True), (f"{target},? (?:{words.aim}){{goal}}", False), (target, False))
    for form, bare in forms:
        for match in reading.matches((form,)):
            project = _project(reading, match["target"], bare=bare)
            if isinstance(project, Target):
                goal = match.groupdict().get("goal", "")
                return _planned(reading, project, goal)
            if project is not None:
                return project
    return None


def _planned(reading: Reading, project: Target, words: str) -> Command:
    goal = reading.content(words)
    if not goal or reading.when(words):
        return Incomplete(missing=Missing.GOAL, entity=Entity.PROJECT)
    return PlanProject(target=project, goal=goal)


def _project(reading: Reading, words: str, *, bare: bool) -> Target | Command | None:
    """The project that ``words`` mean, None when they mean none. ``bare``: a name alone is enough."""
    target = reading.target(words)
    if isinstance(target, Target):
        if target.entity is None and bare and target.name == target.literal:
            return replace(target, entity=Entity.PROJECT)
        return target if target.entity is Entity.PROJECT else None
    if isinstance(target, Incomplete):
        return target if target.entity in {None, Entity.PROJECT} else None
    return target if reading.pattern(r".*\b{project_noun}").fullmatch(words) else None
