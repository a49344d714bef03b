from datetime import UTC, datetime

from django.utils.formats import localize


def test_times_are_written_to_the_second_in_an_order_that_sorts() -> None:
    moment = datetime(2026, 3, 9, 14, 5, 7, tzinfo=UTC)
    shown = [localize(each) for each in (moment, moment.date(), moment.time())]
    assert shown == ["2026-03-09 14:05:07", "2026-03-09", "14:05:07"]
