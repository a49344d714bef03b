"""``manage.py tool_worker [--concurrency N]``"""

import asyncio
import signal
from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from adiuva.wiring import composition


class Command(BaseCommand):
    help = (
        "Runs slow tools from the queue until SIGTERM or Ctrl-C, then finishes the running jobs and takes no more. "
        "After a second signal it hands them back, and other workers continue them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        slots = settings.TOOL_WORKER_SLOTS
        parser.add_argument("--concurrency", type=int, default=slots, metavar="N", help=f"jobs at a time ({slots})")

    def handle(self, *, concurrency: int, **_: object) -> None:
        if concurrency < 1:
            raise CommandError("--concurrency must be 1 or more.")
        missing = [name for name in ("AMQP_URL", "REDIS_URL") if not getattr(settings, name)]
        if missing:
            raise CommandError(
                f"A worker of its own needs {' and '.join(missing)}: without, jobs run in the server's own process."
            )
        asyncio.run(self._work(concurrency))

    async def _work(self, slots: int) -> None:
        process = composition.worker_process(slots=slots)
        working = asyncio.ensure_future(process.run())
        signalled = False

        def leave() -> None:
            nonlocal signalled
            if signalled:
                working.cancel()
            else:
                signalled = True
                self.stdout.write("Taking no more jobs; those that run are ended first.")
                process.stop()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, leave)
        self.stdout.write(f"Waiting for jobs, {slots} at a time.")
        await asyncio.wait({working})
        if not working.cancelled():
            working.result()  # a failure ends the command with a code that tells a supervisor to start it again
