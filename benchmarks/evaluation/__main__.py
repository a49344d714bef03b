"""``./dev eval [options] [NAME …]``: how well the assistant does what it is asked, as figures.

Plays the tasks against the model that OPENAI_BASE_URL and the other settings name, or against the offline assistant.
Progress goes to standard error, the figures to standard output. The exit code is 0 when all tasks were played, however
many failed, 1 when the server or that of the model was gone, and 2 when there is nothing that could be played.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx
from rich.console import Console

from agents.adapters.transport import UNREACHABLE
from agents.prompts.evaluations import write_outcome
from benchmarks.evaluation.conversation import Conversation
from benchmarks.evaluation.judge import judge
from benchmarks.evaluation.player import Stage, play, stage
from benchmarks.evaluation.report import report
from benchmarks.evaluation.results import Attempt, Results, ResultsUnusable, Run, settings_of_models, this_run
from benchmarks.evaluation.summary import TIMES, Prices, differences, percent, summary, table
from benchmarks.evaluation.task import Task, UnreadableTask, chosen, read_tasks
from benchmarks.evaluation.world import Snapshot, World, seeded_rows
from device.errors import DeviceError
from tests.forks import ROOT

_RESULTS: Final = ROOT / "var" / "evaluation"


class ModelAway(Exception):
    """The server of the model cannot be reached."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the evaluation and gives the exit code."""
    options = _options(arguments)
    try:
        tasks = chosen(read_tasks(), options.names, everything=options.all)
        settings = settings_of_models(os.environ)
        run = this_run(settings, options.prompts)
        folder = options.results or _RESULTS / _folder_name(run)
        # Before ``--again`` replaces what may be these.
        before = None if options.compare is None else Results.read(options.compare)
        results = Results.opened(folder, run, again=options.again)
    except (UnreadableTask, ResultsUnusable) as error:
        print(error, file=sys.stderr)
        return 2
    missing = [
        (task, number)
        for number in range(1, options.attempts + 1)
        for task in tasks
        if (task.id, number) not in results.attempts
    ]
    if missing and not _played(missing, results, settings, options):
        return 1
    _show(results, tasks, Prices(**dict(zip(("input", "cached", "output"), options.price, strict=True))), before)
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev eval", description="Measures how well the assistant does its tasks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a task (reads/overdue) or a category (reads)")
    parser.add_argument("--all", action="store_true", help="all tasks, not only those of the usual run")
    parser.add_argument("--attempts", type=int, default=TIMES, metavar="N", help="conversations a task (%(default)s)")
    parser.add_argument(
        "--side-by-side", type=int, default=1, metavar="N", help="conversations at a time (%(default)s)"
    )
    parser.add_argument(
        "--patience", type=float, default=600.0, metavar="S", help="seconds an answer may take (%(default)g)"
    )
    parser.add_argument("--results", type=Path, metavar="DIR", help="where the results are kept (var/evaluation/MODEL)")
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="texts of prompts (NAME.md) in place of the release's"
    )
    parser.add_argument("--again", action="store_true", help="replace the results that are there")
    parser.add_argument("--compare", type=Path, metavar="DIR", help="say what differs from these results")
    parser.add_argument(
        "--price",
        type=float,
        nargs=3,
        default=(0.0, 0.0, 0.0),
        metavar=("INPUT", "CACHED", "OUTPUT"),
        help="dollars for a million tokens",
    )
    options = parser.parse_args(arguments)
    if options.attempts < 1 or options.side_by_side < 1 or not options.patience > 0:
        parser.error("--attempts, --side-by-side and --patience are positive")
    return options


def _folder_name(run: Run) -> str:
    return "".join(character if character.isalnum() or character in "-._" else "-" for character in run.model)


def _played(
    missing: Sequence[tuple[Task, int]], results: Results, settings: Mapping[str, str], options: argparse.Namespace
) -> bool:
    """Play the attempts on a fresh server; whether it, and the model, were there until the end."""
    there = True
    try:
        with stage(World.read(), settings, patience_s=options.patience, prompts=options.prompts) as opened:
            asyncio.run(_play_all(missing, opened, results, side_by_side=options.side_by_side))
    except* ModelAway:
        _tell(f"{UNREACHABLE} Once it can be, the same command goes on where this one was.")
        there = False
    except* (DeviceError, httpx.HTTPError) as failed:
        _tell(f"The server cannot be reached: {failed.exceptions[0]}")
        there = False
    return there


async def _play_all(missing: Sequence[tuple[Task, int]], opened: Stage, results: Results, *, side_by_side: int) -> None:
    """Play the attempts in order, ``side_by_side`` at a time; each is kept as soon as it is over."""
    rows, waiting = seeded_rows(opened.world), iter(enumerate(missing, start=1))

    async def play_next() -> None:
        for place, (task, number) in waiting:
            attempt = await _attempt(task, number, opened, rows)
            results.add(attempt)
            _tell(f"{place} of {len(missing)}: {task.id} ({number}) {_in_words(attempt)}")

    async with asyncio.TaskGroup() as playing:
        for _ in range(side_by_side):
            playing.create_task(play_next())


async def _attempt(task: Task, number: int, opened: Stage, rows: Snapshot) -> Attempt:
    conversation = await play(task, opened)
    await asyncio.to_thread(_was_answered, conversation, opened)
    faults = judge(task, conversation, opened.world, rows)
    return Attempt(task=task.id, number=number, conversation=conversation, faults=faults)


def _was_answered(conversation: Conversation, opened: Stage) -> None:
    """Whatever broke off because a server is gone says nothing of the model, and is not kept.

    Raises ``ModelAway``, or ``httpx.HTTPError`` if it is ours.
    """
    failed = [exchange.ended for exchange in conversation.exchanges if exchange.ended != "done"]
    if any(ended.endswith(UNREACHABLE) for ended in failed):
        raise ModelAway
    if failed:
        opened.server.register()


def _in_words(attempt: Attempt) -> str:
    seconds = sum(exchange.seconds for exchange in attempt.conversation.exchanges)
    outcome = (
        "passed" if attempt.passed else "failed: " + "; ".join(f"{one.kind} ({one.words})" for one in attempt.faults)
    )
    return f"{outcome} [{seconds:.1f} s]"


def _show(results: Results, tasks: Sequence[Task], prices: Prices, before: Results | None) -> None:
    attempts = results.of(tasks)
    figures = summary(attempts, prices)
    console = Console(width=180)
    console.print(table(figures))
    if before is not None:
        then = before.of(tasks)
        console.print(f"Before, with {before.run.model} at {before.run.commit or 'an unknown commit'}:")
        console.print(table(summary(then, prices)))
        for each in differences(attempts, then):
            console.print(f"{each.task}: {percent(each.before)} before, {percent(each.now)} now", highlight=False)
    page = results.folder / "report.html"
    page.write_text(report(results.run, figures, attempts), encoding="utf-8")
    write_outcome(results.folder, results.outcome())
    console.print(f"Every failed conversation is in {page}", highlight=False, soft_wrap=True)


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    # Ends like Ctrl-C, so that the server is stopped.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        _tell("Stopped: the same command goes on where this one was.")
        sys.exit(130)
