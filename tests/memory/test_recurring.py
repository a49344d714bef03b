from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.mining import Basis, Kind, Seen, aged, apart, recurring

MONDAY = datetime(2026, 11, 16, 9, 20, tzinfo=UTC)
TODAY = MONDAY.date()


def on(text: str, *, days: int = 0, hours: float = 0, weeks: int = 0) -> Seen:
    """An episode this long before a Monday at 9:20."""
    return Seen(text=text, at=MONDAY - timedelta(days=days, weeks=weeks) + timedelta(hours=hours))


def habits(*seen: Seen) -> list[Basis]:
    return [each.basis for each in recurring(seen, TODAY)]


def weekly(weeks: int, text: str = "Asked for the sales report.") -> list[Seen]:
    return [on(text, weeks=week) for week in range(weeks)]


def test_what_is_asked_on_the_same_weekday_and_hour_week_after_week_is_a_habit() -> None:
    assert habits(*weekly(3)) == [Basis(kind=Kind.WEEKLY, weekday=0, hour=9, words=("report", "sales"))]


def test_two_weeks_are_none() -> None:
    assert habits(*weekly(2)) == []


def test_three_times_on_one_day_are_one_week() -> None:
    assert habits(*(on("Asked for the report.", hours=hour / 4) for hour in range(3))) == []


def test_an_hour_more_or_less_does_not_matter_and_two_do() -> None:
    near = [on("Asked for the report.", weeks=week, hours=hour) for week, hour in enumerate((0, 1, -1))]
    far = [on("Asked for the report.", weeks=week, hours=hour) for week, hour in enumerate((0, 3, -3))]
    assert habits(*near) == [Basis(kind=Kind.WEEKLY, weekday=0, hour=9, words=("report",))]
    assert habits(*far) == []


def test_midnight_lies_between_neighbouring_hours() -> None:
    assert (apart(23, 0), apart(0, 23), apart(6, 18)) == (1, 1, 12)


def test_what_is_said_all_the_time_is_no_habit_of_an_hour() -> None:
    scattered = [on("Asked for the report.", days=day, hours=(day * 7) % 24 - 9) for day in range(1, 30)]
    assert habits(*weekly(3, "Asked for the report."), *scattered) == []


def test_what_is_asked_every_day_is_a_daily_habit_and_no_weekly_one_beside_it() -> None:
    every_day = [on("Asked what is overdue.", days=day) for day in range(28)]
    assert habits(*every_day) == [Basis(kind=Kind.DAILY, hour=9, words=("overdue",))]


def test_different_habits_of_one_hour_are_distinguished() -> None:
    seen = [*weekly(4), *(on("Wrote the invoices.", weeks=week, hours=0.5) for week in range(4))]
    assert {each.words for each in habits(*seen)} == {("report", "sales"), ("invoices", "wrote")}


def test_names_that_come_again_on_several_days() -> None:
    four = [on("Wrote a letter to Anna Rossi.", days=day * 5, hours=day * 3) for day in range(4)]
    assert Basis(kind=Kind.NAME, words=("Anna Rossi",)) in habits(*four)
    assert habits(*four[:3]) == []


def test_confidence_grows_with_evidence() -> None:
    sure = [recurring(weekly(weeks), TODAY)[0].confidence for weeks in range(3, 11)]
    assert sure == sorted(sure)
    assert 0.6 < sure[0] < 0.75
    assert 0.85 < sure[-1] < 1


def test_confidence_decays_without() -> None:
    def after(days: int) -> float:
        return recurring(weekly(4), TODAY + timedelta(days=days))[0].confidence

    assert after(0) > after(7) > after(42)
    assert after(42) < 0.6


def test_ageing_twice_is_ageing_once_for_as_long() -> None:
    once = aged(0.8, Kind.WEEKLY, days=20)
    assert aged(aged(0.8, Kind.WEEKLY, days=5), Kind.WEEKLY, days=15) == pytest.approx(once)
    assert aged(0.8, Kind.WEEKLY, days=42) == pytest.approx(0.4)


@given(
    st.lists(
        st.builds(
            Seen,
            text=st.text(alphabet="abc AB.ù", max_size=40),
            at=st.datetimes(datetime(2026, 9, 1), datetime(2026, 11, 16), timezones=st.just(UTC)),  # noqa: DTZ001
        ),
        max_size=40,
    ),
    st.randoms(use_true_random=False),
)
def test_habits_do_not_depend_on_the_order_of_episodes(seen: list[Seen], shuffle: "object") -> None:
    found = recurring(seen, TODAY)
    backwards = recurring(seen[::-1], TODAY)
    assert {(each.basis, each.confidence) for each in found} == {(each.basis, each.confidence) for each in backwards}
    assert all(0 <= each.confidence <= 1 for each in found)


@given(st.sampled_from(Kind), st.integers(-1, 6), st.integers(-1, 23), st.lists(st.text(), min_size=1, max_size=4))
def test_a_basis_is_read_as_it_was_written(kind: Kind, weekday: int, hour: int, words: list[str]) -> None:
    basis = Basis(kind=kind, weekday=weekday, hour=hour, words=tuple(words))
    assert Basis.from_text(basis.as_text()) == basis
    assert basis.means(basis)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Basis(kind=Kind.WEEKLY, weekday=0, hour=10, words=("report", "monthly")), True),
        (Basis(kind=Kind.WEEKLY, weekday=0, hour=11, words=("report",)), False),
        (Basis(kind=Kind.WEEKLY, weekday=1, hour=9, words=("report",)), False),
        (Basis(kind=Kind.WEEKLY, weekday=0, hour=9, words=("invoices",)), False),
        (Basis(kind=Kind.DAILY, hour=9, words=("report",)), False),
    ],
)
def test_a_habit_may_move_by_an_hour_and_change_a_word(other: Basis, same: bool) -> None:
    assert Basis(kind=Kind.WEEKLY, weekday=0, hour=9, words=("report", "sales")).means(other) == same


@pytest.mark.parametrize(
    ("basis", "language", "words"),
    [
        (
            Basis(kind=Kind.WEEKLY, weekday=0, hour=9, words=("report", "sales")),
            "en",
            "On Mondays around 9:00 the user asks about: report, sales.",
        ),
        (
            Basis(kind=Kind.WEEKLY, weekday=6, hour=9, words=("report",)),
            "it-IT",
            "La domenica verso le 9:00 l'utente chiede di: report.",
        ),
        (Basis(kind=Kind.DAILY, hour=0, words=("tasks",)), "xx", "Every day around 0:00 the user asks about: tasks."),
        (Basis(kind=Kind.NAME, words=("Anna",)), "it", "L'utente parla spesso di Anna."),
    ],
)
def test_a_habit_is_written_in_the_users_language(basis: Basis, language: str, words: str) -> None:
    assert basis.sentence(language) == words


def test_the_surest_comes_first() -> None:
    found = recurring([*weekly(9), *(on("Wrote invoices.", days=d, hours=4) for d in (1, 8, 15))], TODAY)
    assert [each.confidence for each in found] == sorted((each.confidence for each in found), reverse=True)
