"""``python -m benchmarks [--quick | --long] [--beside CHECKOUT] [NAME …]``: measure everything, or what is named.

The tables go to standard output, progress to standard error. The exit code is 1 when a limit does not hold.
"""

import argparse
import signal
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Final

from rich.console import Console

from benchmarks import comparison, environment, tables
from benchmarks.environment import FULL, LONG, QUICK, Environment
from benchmarks.figures import (
    abuse,
    crowd,
    cuts,
    dashboard,
    first_text,
    formatting,
    idle,
    jobs_beside,
    jobs_killed,
    jobs_queue,
    journal,
    many_devices,
    many_processes,
    mcp_calls,
    memory_quality,
    navigation,
    outages,
    prompts,
    recall,
    returning,
    rotation,
    round_trips,
    slow_reader,
    soak,
    tracing,
    turn_cpu,
    turn_database,
    workspace,
)
from benchmarks.memory_quality.conversations import conversations_in

BENCHMARKS: Final = MappingProxyType(
    {
        "first-text": (first_text.TITLE, first_text.measure),
        "round-trip": (round_trips.TITLE, round_trips.measure),
        "mcp": (mcp_calls.TITLE, mcp_calls.measure),
        "turn-cpu": (turn_cpu.TITLE, turn_cpu.measure),
        "turn-database": (turn_database.TITLE, turn_database.measure),
        "tracing": (tracing.TITLE, tracing.measure),
        "crowd": (crowd.TITLE, crowd.measure),
        "idle": (idle.TITLE, idle.measure),
        "returning": (returning.TITLE, returning.measure),
        "outages": (outages.TITLE, outages.measure),
        "slow-reader": (slow_reader.TITLE, slow_reader.measure),
        "abuse": (abuse.TITLE, abuse.measure),
        "cuts": (cuts.TITLE, cuts.measure),
        "recall": (recall.TITLE, recall.measure),
        "memory-quality": (memory_quality.TITLE, memory_quality.measure),
        "rotation": (rotation.TITLE, rotation.measure),
        "navigation": (navigation.TITLE, navigation.measure),
        "many-processes": (many_processes.TITLE, many_processes.measure),
        "many-devices": (many_devices.TITLE, many_devices.measure),
        "desk": (dashboard.TITLE, dashboard.measure),
        "jobs-beside": (jobs_beside.TITLE, jobs_beside.measure),
        "jobs-killed": (jobs_killed.TITLE, jobs_killed.measure),
        "jobs-queue": (jobs_queue.TITLE, jobs_queue.measure),
        "journal": (journal.TITLE, journal.measure),
        "soak": (soak.TITLE, soak.measure),
        "prompts": (prompts.TITLE, prompts.measure),
        "formatter": (formatting.TITLE, formatting.measure),
        "workspace": (workspace.TITLE, workspace.measure),
    }
)


def main() -> int:
    options = _options()
    # Told to stop, it leaves as when it is done: with no process, queue or data behind it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.beside is not None:
        titles = {name: BENCHMARKS[name][0] for name in options.names or BENCHMARKS}
        return comparison.run(options.beside, titles, _passed_on(options))
    sizes = QUICK if options.quick else LONG if options.long else FULL
    with environment.opened(sizes, options.frameworks, options.data) as opened:
        held = [_run(name, opened) for name in options.names or BENCHMARKS]
    return 0 if all(held) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks", description="Measures Adiuva, each figure beside its floor.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHMARKS)}")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="less of everything: a look, not a measurement")
    size.add_argument(
        "--long", action="store_true", help="as without, but longer where it says so: a soak of two hours"
    )
    parser.add_argument(
        "--frameworks",
        type=Path,
        default=Path(sys.executable),
        metavar="PYTHON",
        help="the interpreter in whose environment agent frameworks are installed (this one)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="a folder with your copy of LoCoMo and BEAM, for memory-quality (they are left out)",
    )
    parser.add_argument(
        "--beside",
        type=Path,
        metavar="CHECKOUT",
        help="another checkout, such as of the release before: each benchmark there and here in turn, in one table",
    )
    options = parser.parse_args()
    if options.beside is not None and not (options.beside / "benchmarks" / "__main__.py").is_file():
        parser.error(f"{options.beside} is no checkout with benchmarks")
    if options.data is not None and not any(conversations_in(options.data)):
        parser.error(f"{options.data} has no conversations of LoCoMo or BEAM; docs/benchmarks.md says what is read")
    unknown = set(options.names) - BENCHMARKS.keys()
    if unknown:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    return options


def _passed_on(options: argparse.Namespace) -> list[str]:
    """The options that both checkouts are measured with."""
    sizes = [f"--{each}" for each in ("quick", "long") if getattr(options, each)]
    # Absolute: the other checkout is measured in its own folder. A link to an interpreter tells its environment.
    paths = {"--frameworks": options.frameworks, "--data": options.data}
    return [
        *sizes,
        *(part for name, path in paths.items() if path is not None for part in (name, str(path.absolute()))),
    ]


def _run(name: str, opened: Environment) -> bool:
    """Measure and show; whether every limit holds."""
    title, measure = BENCHMARKS[name]
    opened.say(f"{name}:")
    figures = list(measure(opened))
    tables.show(title, figures, Console(width=180))
    return all(figure.holds is not False for figure in figures)


if __name__ == "__main__":
    sys.exit(main())
