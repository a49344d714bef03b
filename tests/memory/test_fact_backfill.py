"""Facts of older exchanges: drawn by the command, the oldest first, resumable at any point."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from signal import SIGKILL
from subprocess import TimeoutExpired

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone as clock

from accounts.database import in_database
from accounts.models import User
from adiuva.management.commands import backfill_facts as command
from agents.errors import ModelUnavailable
from memory.drawn import DrawnFact, KnownFact
from memory.exchange import Exchange
from memory.fact_backfill import Drawn, backfill_facts, without_facts
from memory.models import MemoryAssociative, MemoryEpisodic
from memory.pending import PendingFacts
from memory.recording import write_episode
from tests.adiuva.production import environment
from tests.databases import url_of
from tests.effort import LONG
from tests.forks import forked
from tests.memory.ports import Embedder
from tests.memory.tampering import damage
from tests.memory.test_backfill import Count

pytestmark = pytest.mark.django_db(transaction=True)
SAID = ("I live in Rome.", "I moved to Milan.", "Which tasks are due?")


def remember(user: User) -> list[MemoryEpisodic]:
    """Exchanges of an earlier release, the newest first."""
    now, rows = clock.now(), []
    for days, message in enumerate(reversed(SAID)):
        claim = write_episode(user.id, Exchange(message=message, response="Noted."))
        assert claim is not None
        found = MemoryEpisodic.objects.filter(id=claim.row_id)
        found.update(created_at=now - timedelta(days=days), summarised_at=now, next_attempt_at=None)
        rows.append(found.get())
    return rows


def current() -> int:
    return MemoryAssociative.objects.current().count()


class Away:
    """A reader of facts whose model is away."""

    async def read(self, exchange: Exchange, known: Sequence[KnownFact]) -> list[DrawnFact]:
        raise ModelUnavailable


async def test_the_oldest_are_read_first_and_a_second_run_does_nothing(alice: User, bob: User) -> None:
    await in_database(remember, alice)
    progress, work = Count(), PendingFacts(Embedder(), None)

    assert await backfill_facts(work, bob.id) == Drawn(drawn=0, looked_at=0)
    assert await backfill_facts(work, progress=progress) == Drawn(drawn=3, looked_at=3)

    assert (progress.expected, progress.done) == (3, 3)
    assert await in_database(current) == 1
    assert await MemoryAssociative.objects.filter(superseded_as="contradicts").acount() == 1
    assert await in_database(without_facts(alice.id).count) == 0
    assert await backfill_facts(work) == Drawn(drawn=0, looked_at=0)


async def test_what_cannot_be_opened_is_passed_over(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    rows = await in_database(remember, alice)
    await in_database(damage, rows[-1], "exchange_encrypted")
    assert await backfill_facts(PendingFacts(Embedder(), None)) == Drawn(drawn=2, looked_at=3)
    assert f"The row {rows[-1].id}" in caplog.text


async def test_exchanges_of_who_has_turned_the_memory_off_are_not_read(alice: User) -> None:
    await in_database(remember, alice)
    await User.objects.filter(id=alice.id).aupdate(memory_enabled=False)
    assert await backfill_facts(PendingFacts(Embedder(), None)) == Drawn(drawn=0, looked_at=0)


def run(*arguments: str) -> str:
    written = StringIO()
    call_command("backfill_facts", *arguments, stdout=written)
    return written.getvalue()


def test_the_command_counts_and_reads(alice: User) -> None:
    remember(alice)
    assert run("--dry-run") == "Would read 3 exchanges. Nothing was changed.\n"
    assert run("--user", alice.email) == "Read 3 exchanges.\n"
    assert current() == 1


def test_the_command_says_what_it_could_not_read_and_that_a_model_is_away(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = remember(alice)
    monkeypatch.setattr(command, "PendingFacts", lambda embedder, _: PendingFacts(embedder, Away()))
    with pytest.raises(CommandError, match="run the command again"):
        run()
    # What the rules have found is there.
    assert current() == 1

    monkeypatch.undo()
    damage(rows[0], "exchange_encrypted")
    with pytest.raises(CommandError, match=r"^1 exchange could not be opened"):
        run()


@pytest.mark.end_to_end
@pytest.mark.skipif(not LONG, reason="takes longer: run it with ./dev test --long")
def test_a_run_that_is_killed_is_gone_on_with_by_the_next(alice: User) -> None:
    _, held, _ = remember(alice)
    database_url = url_of(str(connection.settings_dict["NAME"]))
    env = environment(
        settings.DATA_DIR, ADIUVA_DEBUG="1", ADIUVA_MASTER_KEYS=settings.MASTER_KEYS, DATABASE_URL=database_url
    )
    # The second exchange waits for its row, when the first one has been read.
    with forked("manage.py", "backfill_facts", env=env) as process, transaction.atomic():
        MemoryEpisodic.objects.select_for_update().get(id=held.id)
        while without_facts(alice.id).count() == 3 and process.poll() is None:
            with suppress(TimeoutExpired):
                process.wait(0.02)
        process.kill()
        process.wait(30)

    assert process.returncode == -SIGKILL
    assert MemoryAssociative.objects.filter(said_in__isnull=False).count() == 1
    assert run() == "Read 2 exchanges.\n"
    assert (current(), MemoryAssociative.objects.filter(superseded_as="contradicts").count()) == (1, 1)
