"""The server with a clock that stands still, which tells what its turns asked of models and tools.

``python -m benchmarks.evaluation.server MOMENT [PROMPTS]`` serves on a free port. For its turns it is always MOMENT
(ISO 8601, with an offset). Texts in the folder PROMPTS take the place of the release's. After each turn it writes a
``Record`` to standard output, as a line of JSON.
"""

import os
import sys
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from unittest import mock

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from adiuva.server import serve
from adiuva.wiring import composition, jobs
from adiuva.wiring.observation import Observation, observation
from agents.engine.run import RunDependencies
from agents.prompts.names import builtin_text
from agents.prompts.rendering import IN_FORCE, CachedPrompt, PromptOrigin
from agents.telemetry.turns import ObservedTurn, Observers
from benchmarks.evaluation.record import LINE, RECORD, record_of
from benchmarks.evaluation.results import texts_of_prompts


def main(moment: datetime, prompts: Path | None = None) -> int:
    """Serve until a signal; gives the exit code."""

    def now() -> datetime:
        return moment

    # As if they came from Langfuse, which is not asked here.
    IN_FORCE.put_langfuse(
        {
            name: CachedPrompt(text=text, origin=PromptOrigin.LANGFUSE, version=1, since=moment)
            for name, text in texts_of_prompts(prompts).items()
            if text != builtin_text(name)
        }
    )
    with (
        mock.patch.object(composition, "RunDependencies", partial(RunDependencies, clock=now)),
        mock.patch.object(composition, "observation", _telling),
        # Else the leases of jobs, which begin at that moment, would have ended long ago.
        mock.patch.object(jobs, "utc_now", now),
    ):
        return serve.main(["--port", "0"])


def _telling() -> Observation:
    chosen = observation()
    return replace(chosen, observers=Observers(listeners=(*chosen.observers.listeners, _tell), keep_content=True))


def _tell(turn: ObservedTurn) -> None:
    sys.stdout.write(f"{LINE}{RECORD.dump_json(record_of(turn)).decode()}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(datetime.fromisoformat(sys.argv[1]), *map(Path, sys.argv[2:])))
