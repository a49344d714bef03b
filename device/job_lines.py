"""Jobs in words: a line for a running one, a sentence for one that has ended. Pure."""

import math
from dataclasses import dataclass, replace
from typing import Final, Self

from rich.text import Text

from device.frames import JobUpdate, TurnError
from device.wording import one_line

_WIDTH: Final = 20
"""Cells of a bar."""
_STATES: Final = {
    "waiting_approval": "waiting for approval",
    "queued": "queued",
    "running": "running",
    "waiting_device": "waiting for this device",
    "delivered": "done",
}
_OVER: Final = frozenset({"done", "failed", "cancelled", "delivered"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A job as far as it is known. ``title`` is the first label that it had, ``label`` the latest."""

    request_id: str
    state: str
    title: str = ""
    label: str = ""
    fraction: float | None = None
    error: TurnError | None = None

    @classmethod
    def first(cls, update: JobUpdate) -> Self:
        """The job that ``update`` is the first notification of."""
        label = one_line(update.label)
        return cls(
            request_id=update.request_id,
            state=update.state,
            title=label,
            label=label,
            fraction=_share(update.fraction),
            error=update.error,
        )

    def moved(self, update: JobUpdate) -> "Job":
        """The job after ``update``; fields that it leaves out stay, and a job that has ended does not start again."""
        if self.is_over:
            return self
        label, share = one_line(update.label), _share(update.fraction)
        return replace(
            self,
            state=update.state,
            title=self.title or label,
            label=label or self.label,
            fraction=self.fraction if share is None else share,
            error=update.error,
        )

    @property
    def is_over(self) -> bool:
        return self.state in _OVER

    @property
    def ended_well(self) -> bool:
        """Whether it is over and did what it was to do."""
        return self.state in {"done", "delivered"}

    @property
    def name(self) -> str:
        return f"The job “{self.title}”" if self.title else "The job"


def job_line(job: Job) -> Text:
    """A job on one line, with a bar while it runs and says how far it is."""
    if job.is_over:
        return _labelled(job.title, job.state)
    if job.fraction is None or job.state != "running":
        return _labelled(job.label, job.state)
    full = round(job.fraction * _WIDTH)
    # Not as the line's own style, which all of it would have.
    line = Text().append("━" * full, style="cyan")
    line.append("─" * (_WIDTH - full), style="dim")
    line.append(f" {job.fraction:4.0%}  {job.label or _STATES['running']}", style="dim")
    return line


def job_end(job: Job, response: str | None) -> str:
    """One sentence about how a job ended. Of one that failed, ``response`` is the reason where there is no other."""
    if job.state == "cancelled":
        return f"{job.name} was cancelled."
    if job.ended_well:
        return f"{job.name} is done."
    reason = one_line(response if job.error is None else job.error.message)
    again = " Asking again may help." if job.error is not None and job.error.retryable else ""
    return f"{job.name} failed: {reason}{again}" if reason else f"{job.name} failed."


def _labelled(label: str, state: str) -> Text:
    said = _STATES.get(state, one_line(state).replace("_", " "))
    return Text(f"{label} ({said})" if label else said.capitalize(), style="dim")


def _share(fraction: float | None) -> float | None:
    """``fraction`` from 0 to 1; JSON as Python reads it has numbers that are none."""
    return min(1.0, max(0.0, fraction)) if fraction is not None and math.isfinite(fraction) else None
