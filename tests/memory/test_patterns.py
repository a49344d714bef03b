"""Habits in the database: found, confirmed, aged, corrected, dismissed."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.errors import MissingMasterKey
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import User
from memory.errors import InvalidMemory, MemoryNotFound, UnreadableRow
from memory.models import MemoryEpisodic, MemoryProactive, Source
from memory.patterns import Mined, mine
from memory.tiers import HabitEntry, delete_habit, edit_habit, list_habits
from tests.memory.tampering import damage

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 11, 16, 8, 20, tzinfo=UTC)
WEEK = timedelta(weeks=1)
REPORT = "On Mondays around 8:00 the user asks about: report, sales."


def ask(user: User, text: str, *, at: datetime) -> None:
    row = MemoryEpisodic(user=user, created_at=at)
    row.summary_encrypted = open_vault(user.id).seal(row, "summary_encrypted", text)
    row.save(force_insert=True)


def ask_weekly(user: User, text: str = "Asked for the sales report.", *, weeks: int = 4) -> None:
    for week in range(weeks):
        ask(user, text, at=MONDAY - week * WEEK)


def habits(user: User) -> list[HabitEntry]:
    return list(list_habits(user.id, after=None, limit=50).items)


def patterns(user: User) -> list[str]:
    return [habit.pattern for habit in habits(user)]


def test_what_recurs_becomes_a_habit_of_its_owner(alice: User, bob: User) -> None:
    ask_weekly(alice)
    ask_weekly(bob, weeks=2)

    assert mine(alice.id, now=MONDAY) == Mined(found=1)
    assert mine(bob.id, now=MONDAY) == Mined()

    [habit] = habits(alice)
    assert (habit.pattern, habit.source) == (REPORT, Source.MINED)
    assert 0.6 < habit.confidence < 1
    assert habits(bob) == []
    assert "report" not in str(MemoryProactive.objects.values().get())


def test_hours_are_those_where_the_user_is_and_words_of_the_users_language(alice: User) -> None:
    User.objects.filter(id=alice.id).update(timezone="Asia/Tokyo", language="it")
    for week in range(4):
        ask(alice, "Ha chiesto il rapporto.", at=MONDAY.replace(hour=20) - week * WEEK)

    mine(alice.id, now=MONDAY)

    # Monday evening in UTC is Tuesday morning in Tokyo.
    assert patterns(alice) == ["Il martedì verso le 5:00 l'utente chiede di: rapporto."]


def test_mining_again_changes_nothing(alice: User) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    before = MemoryProactive.objects.values().get()

    assert mine(alice.id, now=MONDAY) == Mined(confirmed=1)

    assert MemoryProactive.objects.values().get() == before


def test_a_dry_run_tells_and_writes_nothing(alice: User) -> None:
    ask_weekly(alice)
    assert mine(alice.id, now=MONDAY, dry_run=True) == Mined(found=1)
    assert habits(alice) == []


def test_confidence_grows_with_evidence_and_ages_without(alice: User) -> None:
    ask_weekly(alice, weeks=3)
    mine(alice.id, now=MONDAY)
    [first] = habits(alice)
    ask(alice, "Asked for the sales report.", at=MONDAY + WEEK)
    mine(alice.id, now=MONDAY + WEEK)
    [grown] = habits(alice)
    assert grown.confidence > first.confidence

    assert mine(alice.id, now=MONDAY + 8 * WEEK) == Mined(confirmed=1)
    [faded] = habits(alice)
    assert faded.confidence < 0.6

    MemoryEpisodic.objects.all().delete()
    assert mine(alice.id, now=MONDAY + 9 * WEEK) == Mined(aged=1)
    [aged] = habits(alice)
    assert aged.confidence < faded.confidence
    assert mine(alice.id, now=MONDAY + 9 * WEEK) == Mined(aged=1)
    assert habits(alice)[0].confidence == pytest.approx(aged.confidence)

    assert mine(alice.id, now=MONDAY + 40 * WEEK) == Mined(dropped=1)
    assert habits(alice) == []


def test_a_habit_that_moves_by_an_hour_is_the_same(alice: User) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    MemoryEpisodic.objects.all().delete()
    for week in range(4):
        ask(alice, "Asked for the sales report.", at=MONDAY.replace(hour=9) - week * WEEK)

    assert mine(alice.id, now=MONDAY) == Mined(confirmed=1)


def test_a_habit_that_was_deleted_does_not_come_back_while_it_goes_on(alice: User, bob: User) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    [habit] = habits(alice)
    assert not delete_habit(bob.id, habit.id)
    assert delete_habit(alice.id, habit.id)
    assert not delete_habit(alice.id, habit.id)
    assert MemoryProactive.objects.get().pattern_encrypted == ""

    ask(alice, "Asked for the sales report.", at=MONDAY + WEEK)
    assert mine(alice.id, now=MONDAY + WEEK) == Mined()
    assert habits(alice) == []

    MemoryEpisodic.objects.all().delete()
    assert mine(alice.id, now=MONDAY + WEEK) == Mined(dropped=1)
    assert MemoryProactive.objects.count() == 0


def test_what_the_owner_has_worded_is_left_alone(alice: User, bob: User) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    [habit] = habits(alice)
    with pytest.raises(MemoryNotFound):
        edit_habit(bob.id, habit.id, pattern="x")

    changed = edit_habit(alice.id, habit.id, pattern=" Likes the report early. ", confidence=1.0)
    assert (changed.pattern, changed.confidence, changed.source) == ("Likes the report early.", 1.0, Source.OWNER)

    assert mine(alice.id, now=MONDAY) == Mined()
    MemoryEpisodic.objects.all().delete()
    assert mine(alice.id, now=MONDAY + 40 * WEEK) == Mined()
    assert patterns(alice) == ["Likes the report early."]


@pytest.mark.parametrize(("pattern", "confidence"), [(" ", None), ("x" * 501, None), (None, -0.1), (None, 1.1)])
def test_what_is_no_habit_is_refused(alice: User, pattern: str | None, confidence: float | None) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    [habit] = habits(alice)
    with pytest.raises(InvalidMemory):
        edit_habit(alice.id, habit.id, pattern=pattern, confidence=confidence)
    assert habits(alice) == [habit]


def test_nothing_is_mined_while_memory_is_off_or_of_who_is_gone(alice: User) -> None:
    ask_weekly(alice)
    User.objects.filter(id=alice.id).update(memory_enabled=False)
    assert mine(alice.id, now=MONDAY) == Mined()
    user_id = alice.id
    alice.delete()
    assert mine(user_id, now=MONDAY) == Mined()


def test_an_episode_that_cannot_be_opened_counts_for_nothing(alice: User) -> None:
    ask_weekly(alice, weeks=3)
    damage(MemoryEpisodic.objects.order_by("created_at")[0], "summary_encrypted")
    assert mine(alice.id, now=MONDAY) == Mined()


def test_a_habit_that_cannot_be_opened_stays_as_it_is(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    row = MemoryProactive.objects.get()
    damaged = damage(row, "basis_encrypted")

    assert mine(alice.id, now=MONDAY) == Mined()
    assert MemoryProactive.objects.get().basis_encrypted == damaged
    assert f"The row {row.id} of memory_memoryproactive cannot be opened." in caplog.text

    damaged = damage(row, "pattern_encrypted")
    assert [(habit.pattern, habit.unreadable) for habit in habits(alice)] == [("", True)]
    with pytest.raises(UnreadableRow):
        edit_habit(alice.id, row.id, pattern="x")
    assert delete_habit(alice.id, row.id)


@pytest.mark.django_db(transaction=True)
def test_habits_are_the_same_after_a_change_of_key(alice: User) -> None:
    ask_weekly(alice)
    mine(alice.id, now=MONDAY)
    before = MemoryProactive.objects.get().pattern_index
    assert rotate_user_key(alice.id).finished

    assert mine(alice.id, now=MONDAY) == Mined(confirmed=1)

    row = MemoryProactive.objects.get()
    assert row.pattern_index != before
    assert patterns(alice) == [REPORT]


def test_without_the_master_key_mining_says_so(alice: User, settings: "object") -> None:
    ask_weekly(alice)
    settings.MASTER_KEYS = "Nd1yHUuVc5vpjXKFVdeq2TzkYmYhBjqVvdd8G3EHmrQ="  # type: ignore[attr-defined]
    with pytest.raises(MissingMasterKey):
        mine(alice.id, now=MONDAY)
