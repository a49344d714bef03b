from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone as clock

from accounts.models import User
from memory.models import MemoryProactive
from tests.memory.test_patterns import ask

pytestmark = pytest.mark.django_db


def ask_weekly(user: User) -> None:
    now = clock.now()
    for week in range(4):
        ask(user, "Asked for the sales report.", at=now - timedelta(weeks=week))


def run(*arguments: str) -> str:
    written = StringIO()
    call_command("mine_patterns", *arguments, stdout=written, stderr=StringIO())
    return written.getvalue()


def test_all_users_habits_are_mined(alice: User, bob: User, capsys: pytest.CaptureFixture[str]) -> None:
    ask_weekly(alice)
    ask_weekly(bob)

    assert run() == "Found 2 new habits; confirmed: 0, aged: 0, dropped: 0.\n"

    assert MemoryProactive.objects.values("user").distinct().count() == 2
    assert capsys.readouterr().err == "Users: 2 of 2\n"


def test_one_users_alone(alice: User, bob: User) -> None:
    ask_weekly(alice)
    ask_weekly(bob)
    assert run("--user", "ALICE@example.com").startswith("Found 1 new habit;")
    assert MemoryProactive.objects.get().user == alice


def test_a_dry_run_writes_nothing(alice: User) -> None:
    ask_weekly(alice)
    assert run("--dry-run").startswith("Would have found 1 new habit;")
    assert MemoryProactive.objects.count() == 0


def test_a_user_whose_key_cannot_be_opened_is_reported_and_the_others_are_mined(alice: User, bob: User) -> None:
    ask_weekly(alice)
    ask_weekly(bob)
    User.objects.filter(id=alice.id).update(encryption_key="damaged")
    with pytest.raises(CommandError, match="The keys of 1 user cannot be opened"):
        run()
    assert MemoryProactive.objects.get().user == bob


def test_who_is_not_there_or_wants_no_memory_is_refused(alice: User) -> None:
    User.objects.update(memory_enabled=False)
    for email in ("alice@example.com", "nobody@example.com"):
        with pytest.raises(CommandError, match=email):
            run("--user", email)
    assert run().startswith("Found 0 new habits;")
