"""The text about a job."""

from typing import Any

import pytest
from rich.console import Console

from device.frames import JobUpdate, TurnError
from device.job_lines import Job, job_end, job_line
from tests.device.drawing import drawn


def _update(state: str, **fields: Any) -> JobUpdate:
    return JobUpdate(job_id="j", request_id="r", state=state, **fields)


def _job(*updates: JobUpdate) -> Job:
    job = Job.first(updates[0])
    for update in updates[1:]:
        job = job.moved(update)
    return job


@pytest.mark.parametrize(
    ("updates", "line"),
    [
        ([_update("queued")], "Queued"),
        ([_update("queued", label="Counting\n\x1b[2J")], "Counting [2J (queued)"),
        ([_update("waiting_device", label="Counting", fraction=0.5)], "Counting (waiting for this device)"),
        ([_update("waiting_approval")], "Waiting for approval"),
        ([_update("running")], "Running"),
        ([_update("running", label="Counting")], "Counting (running)"),
        ([_update("running", fraction=0.0)], "────────────────────   0%  running"),
        ([_update("running", fraction=0.5, label="Counting")], "━━━━━━━━━━──────────  50%  Counting"),
        ([_update("running", fraction=1.0, label="Counting")], "━━━━━━━━━━━━━━━━━━━━ 100%  Counting"),
        ([_update("running", fraction=7.0)], "━━━━━━━━━━━━━━━━━━━━ 100%  running"),
        ([_update("running", fraction=float("nan"))], "Running"),
        ([_update("brand_new", label="Counting")], "Counting (brand new)"),
        # The latest label describes the current step; the first one the whole job.
        ([_update("queued", label="Week"), _update("running", label="Reading")], "Reading (running)"),
        ([_update("queued", label="Week"), _update("running", label="Reading"), _update("done")], "Week (done)"),
        ([_update("running", label="Reading", fraction=0.5), _update("running")], "━━━━━━━━━━──────────  50%  Reading"),
        ([_update("failed", label="Week"), _update("running")], "Week (failed)"),
        ([_update("delivered")], "Done"),
    ],
)
def test_line_says_where_a_job_stands(updates: list[JobUpdate], line: str) -> None:
    assert drawn(job_line(_job(*updates)), width=80) == [line]


def test_colour_is_that_of_what_is_done_alone() -> None:
    line = job_line(_job(_update("running", fraction=0.5, label="Counting")))
    colours = [line.get_style_at_offset(Console(), place).color for place in range(len(line.plain))]

    assert [colour is not None for colour in colours] == [True] * 10 + [False] * (len(colours) - 10)


@pytest.mark.parametrize(
    ("update", "response", "sentence"),
    [
        (_update("done", label="Week"), "A lot.", "The job “Week” is done."),
        (_update("done"), None, "The job is done."),
        (_update("cancelled", label="Week"), None, "The job “Week” was cancelled."),
        (_update("failed"), None, "The job failed."),
        (_update("failed", label="Week"), "There is no week.", "The job “Week” failed: There is no week."),
        (
            _update("failed", error=TurnError(code="c", message="No\nmodel.", retryable=True)),
            "Not this.",
            "The job failed: No model. Asking again may help.",
        ),
    ],
)
def test_end_is_one_sentence(update: JobUpdate, response: str | None, sentence: str) -> None:
    assert job_end(_job(update), response) == sentence
