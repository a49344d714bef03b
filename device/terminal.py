"""``python -m device.terminal``: the device for a terminal. One question and its answer, or a conversation."""

import asyncio
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from enum import IntEnum
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO
from zoneinfo import ZoneInfo

from rich.console import Console

from device.approving import TerminalApprover, keyboard
from device.conversation import Conversation
from device.embedding import embed_notes
from device.errors import AnswerLost, DeviceError, RequestRejected
from device.examples import fill_with_examples
from device.executor import Executor
from device.hello import Hello
from device.job_board import JobBoard
from device.jobs import ShownJobs
from device.lines import Pipe
from device.link import Account, Link
from device.machine import machine_platform, machine_timezone
from device.options import DEMO_EMAIL, Options, read_options
from device.pruning import pruned
from device.refusals import refusal_of
from device.screen import Screen
from device.store import Store


class ExitCode(IntEnum):
    """How the terminal ended."""

    ANSWERED = 0
    FAILED = 1
    NOT_ASKED = 2
    INTERRUPTED = 130
    """As shells count SIGINT."""
    BROKEN_PIPE = 141
    """As shells count SIGPIPE."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the terminal and gives its exit code."""
    _open_missing_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # what the terminal's encoding lacks must not end the answer
    try:
        return asyncio.run(_run(read_options(arguments, os.environ)))
    except DeviceError as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.NOT_ASKED
    except sqlite3.Error as error:
        sys.stderr.write(f"The data file cannot be used: {error}.\n")
        return ExitCode.NOT_ASKED
    except (KeyboardInterrupt, asyncio.CancelledError):  # Ctrl-C; a second one during an answer
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return ExitCode.BROKEN_PIPE
    except OSError as error:  # the disk is full to which the output goes
        _drop_output()
        sys.stderr.write(f"The output cannot be written: {error.strerror or error}.\n")
        return ExitCode.FAILED


def _open_missing_streams() -> None:
    """For streams that were closed before the start: Python has None for them, and files would get their numbers.

    From such an input nothing comes, writing to such an output fails, and errors are told to no one.
    """
    if sys.stdin is None:
        sys.stdin = _nowhere(os.O_RDONLY, "r")
    if sys.stdout is None:
        sys.stdout = _nowhere(os.O_RDONLY, "w")
    if sys.stderr is None:
        sys.stderr = _nowhere(os.O_WRONLY, "w")


def _nowhere(flags: int, mode: str) -> TextIO:
    return TextIOWrapper(os.fdopen(os.open(os.devnull, flags), f"{mode}b", closefd=False), encoding="utf-8")


def _drop_output() -> None:
    # Python would try to write the rest at its end, and fail loudly.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _run(options: Options) -> ExitCode:
    zone = machine_timezone()
    screen = Screen(_Console(highlight=False), _Console(stderr=True, highlight=False), zone=zone or UTC)
    account = Account(options.server, email=options.email, password=options.password)
    # Before the data file is created: a failed sign-in leaves no file behind.
    token = await account.access()
    with closing(Store(options.data)) as store:
        if store.is_new and options.email == DEMO_EMAIL:
            _fill(store, screen, zone)
            # Without vectors, notes are found by their words.
            with suppress(DeviceError):
                await embed_notes(options.server, token, store)
        hello = Hello(device_id=store.device_id, platform=machine_platform(), timezone=zone.key if zone else None)
        approve = TerminalApprover(screen, store, options.approval, keyboard())
        jobs = JobBoard(screen, ShownJobs(store))
        executor = Executor(store)
        async with (
            pruned(executor.journal),
            Link(account, token, executor=executor, hello=hello, approve=approve, jobs=jobs) as link,
        ):
            return await _talk(options, Conversation(link, screen, store, jobs), screen, jobs)


def _fill(store: Store, screen: Screen, zone: ZoneInfo | None) -> None:
    fill_with_examples(store, today=datetime.now(zone or UTC).date(), zone=zone or UTC)
    screen.notify("This data file is new: it was filled with example data.")


async def _talk(options: Options, conversation: Conversation, screen: Screen, jobs: JobBoard) -> ExitCode:
    if options.message is not None and options.popup is None and options.message.startswith("/"):
        done = await conversation.hold(Pipe(StringIO(options.message)))
    elif options.message is not None:
        done = await _answered(options.message, options.popup, conversation, screen)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        await _chat(conversation, screen, jobs, history=options.data.with_suffix(".history"))
        return ExitCode.ANSWERED
    else:
        done = await conversation.hold(Pipe(sys.stdin))
    # There is no further input: wait for the jobs that the answers started.
    done &= await conversation.finish(within_s=options.wait_s)
    return ExitCode.ANSWERED if done else ExitCode.FAILED


async def _chat(conversation: Conversation, screen: Screen, jobs: JobBoard, *, history: Path) -> None:
    # Not at the top: prompt_toolkit takes long to import, and a single answer does not need it.
    from device.prompt import Prompt

    screen.say("Ask anything; /help says what else there is.")
    prompt = Prompt(history, above=lambda: screen.drawn(jobs.running()), asking=screen.asking)
    with jobs.followed(prompt.refresh):
        await conversation.hold(prompt)
    screen.say("Goodbye.")


async def _answered(message: str, popup: str | None, conversation: Conversation, screen: Screen) -> bool:
    try:
        return await (conversation.ask(message) if popup is None else conversation.ask_popup(message, popup))
    except (AnswerLost, RequestRejected) as failure:
        screen.complain(refusal_of(failure, screen.zone))
        return False


class _Console(Console):
    """rich's console, without its own exit when the output is closed."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


if __name__ == "__main__":
    sys.exit(main())
