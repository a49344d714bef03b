import json

from adiuva.dashboard.charts import Chart, ChartKind, Colour, Series


def chart(*values: float | None) -> Chart:
    series = Series(name="median", colour=Colour.BLUE, values=values)
    return Chart(title="First text", kind=ChartKind.LINE, labels=("a", "b", "c"), series=[series], unit="ms")


def test_a_chart_is_what_the_script_reads() -> None:
    data = json.loads(chart(1, None, 3).data)

    assert data["labels"] == ["a", "b", "c"]
    (dataset,) = data["datasets"]
    assert (dataset["label"], dataset["data"], dataset["suffixYAxis"]) == ("median", [1, None, 3], "ms")


def test_a_chart_has_a_text_for_screen_readers() -> None:
    assert chart(1, 300, 3).said == "First text. median: 3 ms at the end, 300 ms at most (b)"
    assert chart(None, None, None).said == "First text. median: nothing"


def test_a_chart_without_values_is_empty() -> None:
    assert chart(None, 0, None).empty
    assert not chart(None, 0, 1).empty


def dataset(*values: float | None) -> dict[str, object]:
    (drawn,) = json.loads(chart(*values).data)["datasets"]
    return {name: value for name, value in drawn.items() if name.startswith("point")}


def test_a_single_point_is_drawn_as_a_dot_and_more_as_a_line() -> None:
    assert dataset(None, None, 97) == {"pointStyle": "circle", "pointRadius": 4}
    assert dataset(None, 96, 97) == {}
    assert dataset(None, None, None) == {}
