"""``manage.py doctor [--ask-model] [--timeout S]``"""

import sys
from argparse import ArgumentParser
from collections import Counter
from typing import Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.management.people import counted
from adiuva.database import embedded
from adiuva.doctor.examination import TIMEOUT_S, examine
from adiuva.doctor.findings import Verdict

_MAX_WAIT_S: Final = 3600


class Command(BaseCommand):
    help = (
        "Examines the settings, PostgreSQL, the master keys, Redis, RabbitMQ, the mail server and the model, and says "
        "one sentence about each thing. It changes nothing. The exit code is 1 if there is a problem."
    )
    requires_system_checks = ()  # they are part of the examination

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--ask-model", action="store_true", help="send a short request to the model")
        parser.add_argument(
            "--timeout", type=float, default=TIMEOUT_S, metavar="S", help=f"seconds for each part ({TIMEOUT_S:g})"
        )

    def handle(self, *, ask_model: bool, timeout: float, **_: object) -> None:
        if not 0 < timeout <= _MAX_WAIT_S:
            raise CommandError(f"--timeout must be more than 0 and at most {_MAX_WAIT_S:,} seconds.")
        if not settings.DATABASE_URL:
            embedded.ensure_running(settings.DATA_DIR)
        found = self._say(ask_model=ask_model, timeout_s=timeout)
        problems, warnings = counted(found[Verdict.PROBLEM], "problem"), counted(found[Verdict.WARNING], "warning")
        self.stdout.write(f"{problems}, {warnings}.")
        if found[Verdict.PROBLEM]:
            sys.exit(1)

    def _say(self, *, ask_model: bool, timeout_s: float) -> Counter[Verdict]:
        styles = {
            Verdict.OK: self.style.SUCCESS,
            Verdict.WARNING: self.style.WARNING,
            Verdict.PROBLEM: self.style.ERROR,
        }
        found = Counter[Verdict]()
        for finding in examine(ask_model=ask_model, timeout_s=timeout_s):
            found[finding.verdict] += 1
            self.stdout.write(f"{styles[finding.verdict](f'{finding.verdict:7}')}  {finding.sentence}")
        return found
