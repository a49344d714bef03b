"""Charts in text, exactly."""

from io import BytesIO, TextIOWrapper
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from device.charts import chart_of
from tests.device.drawing import drawn


def _chart(data: list[Any], **config: Any) -> dict[str, Any]:
    return {"chartType": "bar", "title": "Tasks", "data": data, "config": config}


def test_chart_draws_a_bar_a_row() -> None:
    rows = [{"state": "To do", "n": 8}, {"state": "In progress", "n": 2.5}, {"state": "Done", "n": 0}]
    assert drawn(chart_of(_chart(rows, n={"label": "Number", "color": "#112233"})), width=30) == [
        "Tasks",
        "To do       █████████████ 8",
        "In progress ████ 2.5",
        "Done         0",
    ]


def test_chart_bars_are_never_longer_than_forty_cells() -> None:
    assert drawn(chart_of(_chart([{"a": "x", "n": 1}])), width=200) == ["Tasks", f"x {'█' * 40} 1"]


def test_chart_with_two_series_names_them() -> None:
    rows = [{"day": "Mon", "open": 4, "done": 1}, {"day": "A very long name of a day", "open": 2, "done": None}]
    config = {"open": {"label": "Open", "color": "red"}, "done": {"label": "Done", "color": "green"}}
    assert drawn(chart_of(_chart(rows, **config)), width=40) == [
        "Tasks",
        "Mon Open                 ████████████ 4",
        "Mon Done                 ███ 1",
        "A very long name o… Open ██████ 2",
    ]


def test_chart_draws_only_what_has_a_label() -> None:
    rows = [{"name": "a", "n": 1, "id": 900}]
    assert drawn(chart_of(_chart(rows, n={"label": "N", "color": "#000000"})), width=20) == ["Tasks", f"a {'█' * 15} 1"]


def test_chart_without_names_uses_the_series() -> None:
    assert drawn(chart_of(_chart([{"open": 1}], open={"label": "Open", "color": ""})), width=20) == [
        "Tasks",
        f"Open {'█' * 12} 1",
    ]


def test_chart_of_negative_numbers_shows_how_large_they_are() -> None:
    rows = [{"name": "a", "n": -2}, {"name": "b", "n": 1}]
    assert drawn(chart_of(_chart(rows)), width=21) == ["Tasks", f"a {'█' * 15} -2", f"b {'█' * 7}▌ 1"]


def test_chart_aligns_wide_characters() -> None:
    rows = [{"name": "日本", "n": 1}, {"name": "Italia", "n": 1}]
    assert drawn(chart_of(_chart(rows)), width=18) == ["Tasks", f"日本   {'█' * 8} 1", f"Italia {'█' * 8} 1"]


def test_chart_says_when_there_is_nothing() -> None:
    assert drawn(chart_of(_chart([]))) == ["Tasks", "(no data)"]
    assert drawn(chart_of({"title": "None"})) == ["None", "(no data)"]


def test_chart_leaves_out_what_is_no_number() -> None:
    rows = [{"n": True}, {"n": float("nan")}, {"n": 10**400}, {"n": "5"}, "row", {"name": "a", "n": 0}]
    assert drawn(chart_of(_chart(rows))) == ["Tasks", "a  0"]


def test_chart_uses_the_colour_of_its_series() -> None:
    rows = [{"a": "x", "n": 1}]
    colours = [
        chart_of(_chart(rows, n={"label": "N", "color": colour})).bars[0].color
        for colour in ("#Ff8800", "hsl(var(--chart-1))", "[bold]")
    ]
    assert colours == ["#Ff8800", "cyan", "cyan"]


def test_chart_on_a_terminal_without_unicode_uses_ascii() -> None:
    file = TextIOWrapper(BytesIO(), encoding="ascii")
    console = Console(file=file, width=20, _environ={})
    console.print(chart_of(_chart([{"name": "a", "n": 1}])))
    file.flush()
    assert file.buffer.getvalue().decode().splitlines() == ["Tasks", f"a {'#' * 15} 1"]


_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)


@given(
    data=st.lists(st.dictionaries(st.text(max_size=3), _SCALARS, max_size=4), max_size=4),
    config=st.dictionaries(
        st.text(max_size=3), st.fixed_dictionaries({"label": _SCALARS, "color": _SCALARS}) | _SCALARS
    ),
    width=st.integers(20, 100),
)
def test_chart_of_anything_fits_its_width(data: Any, config: Any, width: int) -> None:
    lines = drawn(chart_of({"title": "Tasks", "data": data, "config": config}), width=width)
    assert lines[0] == "Tasks"
    assert len(lines) > 1


@pytest.mark.parametrize(("value", "said"), [(1.0, "1"), (2.5, "2.5"), (1e20, "1e+20"), (1 / 3, "0.3333"), (-4, "-4")])
def test_chart_says_numbers_shortly(value: float, said: str) -> None:
    assert drawn(chart_of(_chart([{"name": "a", "n": value}])))[1].rpartition(" ")[2] == said
