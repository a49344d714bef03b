"""Deleting old rows: by the command, by the servers, and how long rows are kept."""

import asyncio
import runpy
from io import StringIO
from typing import NoReturn

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.models import User
from adiuva.management.commands import forget_old
from adiuva.server.asgi import Application
from adiuva.wiring import composition
from adiuva.wiring.composition import Parts
from agents.permissions.models import Approval
from agents.retention import RetentionDays, RetentionSweeper
from agents.telemetry.models import TurnRecord
from tests.adiuva.server.test_asgi import probe
from tests.agents.retention.aged import DAY, KEPT, approval, job, turn
from tests.chat.sockets import Server
from tests.forks import ROOT


def run(*arguments: str) -> str:
    written = StringIO()
    call_command("forget_old", *arguments, stdout=written)
    return written.getvalue()


@pytest.mark.django_db(transaction=True)
class TestCommand:
    def test_it_deletes_what_is_old_and_says_how_much(self, alice: User, capsys: pytest.CaptureFixture[str]) -> None:
        now = clock.now()
        for age in (89, 91):
            job(alice, now - age * DAY, steps=2)
            turn(alice, now - age * DAY)
        approval(alice, now - 91 * DAY)
        told = "5 rows: steps of jobs 2, jobs 1, approvals 1, turns 1"

        assert run("--dry-run") == f"Would delete {told}. Nothing was changed.\n"
        assert (TurnRecord.objects.count(), Approval.objects.count()) == (2, 1)
        assert run("--batch", "1") == f"Deleted {told}.\n"
        assert capsys.readouterr().err == "Rows: 5 of 5\n"
        assert run() == "Deleted 0 rows.\n"
        assert (TurnRecord.objects.count(), Approval.objects.count()) == (1, 0)

    def test_settings_say_how_old(self, alice: User, settings: Settings) -> None:
        settings.KEEP_TURNS_DAYS = 0
        turn(alice, clock.now() - 1000 * DAY)
        assert run("--dry-run") == "Would delete 0 rows. Nothing was changed.\n"
        settings.KEEP_TURNS_DAYS = 31
        assert run() == "Deleted 1 row: turns 1.\n"

    def test_what_stops_it_is_said_and_that_it_can_go_on(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        def stop(*_: object, **__: object) -> NoReturn:
            raise KeyboardInterrupt

        monkeypatch.setattr(forget_old, "delete_old", stop)
        with pytest.raises(CommandError, match="Nothing is lost: run the command again, and it goes on"):
            run()

    @pytest.mark.parametrize("batch", ["0", "99999999999999999999"])
    def test_a_batch_has_a_row_and_not_too_many(self, batch: str) -> None:
        with pytest.raises(CommandError, match=r"^--batch must be from 1 to 100,000\.$"):
            run("--batch", batch)


def test_what_settings_say_is_what_is_kept(settings: Settings) -> None:
    assert composition.retention_days() == RetentionDays(
        jobs=90, disclosures=365, turns=90, dialogues=30, removed_devices=90
    )
    settings.KEEP_JOBS_DAYS, settings.KEEP_DISCLOSURES_DAYS = 40, 50
    settings.KEEP_TURNS_DAYS, settings.KEEP_DIALOGUES_DAYS = 60, 70
    settings.KEEP_REMOVED_DEVICES_DAYS = 80
    assert composition.retention_days() == RetentionDays(
        jobs=40, disclosures=50, turns=60, dialogues=70, removed_devices=80
    )


@pytest.mark.parametrize(
    ("variable", "days", "least"),
    [
        ("ADIUVA_KEEP_JOBS_DAYS", "29", 30),
        ("ADIUVA_KEEP_TURNS_DAYS", "1", 30),
        ("ADIUVA_KEEP_DISCLOSURES_DAYS", "-1", 0),
        ("ADIUVA_KEEP_DIALOGUES_DAYS", "-1", 0),
        ("ADIUVA_KEEP_REMOVED_DEVICES_DAYS", "30", 31),
    ],
)
def test_fewer_days_than_are_needed_stop_the_start(
    variable: str, days: str, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, days)
    with pytest.raises(ImproperlyConfigured, match=f"{variable} is {days}: set it to {least} or more"):
        runpy.run_path(str(ROOT / "adiuva" / "settings.py"))


async def test_a_server_forgets_from_its_first_event_to_its_end() -> None:
    def names() -> set[str]:
        return {task.get_name() for task in asyncio.all_tasks()}

    application = Application(Parts(services=Server().services, memory=None, retention=RetentionSweeper(KEPT)))
    async with asyncio.timeout(60):
        assert "deleting old rows" not in names()
        assert await probe(application) == 200
        assert "deleting old rows" in names()
        await application.drain()
    assert "deleting old rows" not in names()


def test_servers_forget(settings: Settings) -> None:
    sweeper = composition.parts().retention
    assert sweeper is not None
    assert sweeper._days == composition.retention_days()
