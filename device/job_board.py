"""The jobs of a terminal: where they stand, shown quietly, and how they ended, shown once."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from rich.text import Text

from device.frames import JobUpdate
from device.job_lines import Job, job_end, job_line
from device.jobs import ShownJobs
from device.screen import Screen

logger = logging.getLogger(__name__)


class JobBoard:
    """The ``JobWatcher`` of a terminal. An end is shown between two answers, not in the midst of one."""

    def __init__(self, screen: Screen, shown: ShownJobs) -> None:
        self._screen = screen
        self._shown = shown
        self._jobs: dict[str, Job] = {}
        self._told: set[str] = set()
        self._delivering = 0
        self._failure: OSError | sqlite3.Error | None = None
        self._news = asyncio.Event()
        self._followers: list[Callable[[], None]] = []

    def note(self, update: JobUpdate) -> None:
        known = self._jobs.get(update.job_id)
        job = Job.first(update) if known is None else known.moved(update)
        self._jobs[update.job_id] = job
        if known is None and not job.is_over and not self._screen.redraws:
            with self._failing():
                self._screen.interject(f"{job.name} goes on in the background.")
        if job != known:
            self._moved()

    async def deliver(self, update: JobUpdate) -> bool:
        self._delivering += 1
        try:
            async with self._screen.answering:
                with self._failing():
                    self._tell_once(update)
        finally:
            self._delivering -= 1
            self._moved()
        return update.job_id in self._told

    def running(self) -> list[Text]:
        """A line for each running job."""
        return [job_line(job) for job in self._jobs.values() if not job.is_over]

    def known(self) -> list[Text]:
        """A line for each job of this session."""
        return [job_line(job) for job in self._jobs.values()]

    def unfinished(self, request_ids: Collection[str]) -> list[Job]:
        """The jobs of these requests whose end was not shown."""
        return [job for job_id, job in self._of(request_ids) if not self._is_settled(job_id, job)]

    async def finished(self, request_ids: Collection[str]) -> bool:
        """Wait until all jobs of these requests have ended, and all ends that came were shown. Whether they ended well.

        Raises what kept an end from being shown: ``OSError`` or ``sqlite3.Error``.
        """
        while True:
            self._news.clear()
            if self._failure is not None:
                raise self._failure
            if not self._delivering and not self.unfinished(request_ids):
                return all(job.ended_well for _, job in self._of(request_ids))
            await self._news.wait()

    @contextmanager
    def followed(self, show: Callable[[], None]) -> Iterator[None]:
        """Call ``show`` now and whenever a job moves on."""
        self._followers.append(show)
        try:
            show()
            yield
        finally:
            self._followers.remove(show)

    def _of(self, request_ids: Collection[str]) -> list[tuple[str, Job]]:
        return [(job_id, job) for job_id, job in self._jobs.items() if job.request_id in request_ids]

    def _is_settled(self, job_id: str, job: Job) -> bool:
        # Of what was delivered elsewhere this device is not told again.
        return job_id in self._told or job.state == "delivered"

    def _tell_once(self, update: JobUpdate) -> None:
        if update.job_id in self._told:
            return
        if update.job_id not in self._shown:
            self._tell(self._jobs[update.job_id], update.response)
        # First in memory: should the file fail, what was shown is at least not shown again by this terminal.
        self._told.add(update.job_id)
        self._shown.add(update.job_id)

    def _tell(self, job: Job, response: str | None) -> None:
        sentence = job_end(job, response)
        if not job.ended_well:
            self._screen.complain(sentence)
            return
        self._screen.notify(sentence)
        if response:
            self._screen.tell(response)

    def _moved(self) -> None:
        self._news.set()
        for show in self._followers:
            show()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """The output is closed, or the data file failed: callers get the error, and the connection stays open."""
        try:
            yield
        except (BrokenPipeError, sqlite3.Error) as error:
            self._failure = error
            logger.info("A job could not be shown: %s", type(error).__name__)
