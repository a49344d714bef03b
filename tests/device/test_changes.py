from zoneinfo import ZoneInfo

from pydantic import JsonValue

from device.changes import change_of
from device.frames import Preview
from tests.device.drawing import drawn

ROME = ZoneInfo("Europe/Rome")
TASK: dict[str, JsonValue] = {
    "id": "t1",
    "title": "Water the roses",
    "status": "todo",
    "description": None,
    "assignee": '["Anna", "Piero"]',
    "dueDate": 1774771200000,
    "projectId": "p1",
    "createdAt": 1,
    "isApproved": 1,
}


def lines(before: dict[str, JsonValue] | None, after: dict[str, JsonValue] | None) -> list[str]:
    return drawn(change_of(Preview(before=before, after=after), {"p1": "Garden"}, zone=ROME), width=60)


def test_row_that_goes_is_shown_whole_in_words() -> None:
    assert lines(TASK, None) == [
        "- title    Water the roses",
        "- status   todo",
        "- assignee Anna, Piero",
        "- dueDate  29 Mar 2026 10:00",
        "- project  Garden",
    ]


def test_row_that_comes_is_shown_whole() -> None:
    assert lines(None, {"title": "Buy milk", "priority": "high"}) == ["+ title    Buy milk", "+ priority high"]


def test_of_a_row_that_stays_only_what_differs_is_shown() -> None:
    after: dict[str, JsonValue] = {**TASK, "status": "done", "dueDate": None, "description": "All of them"}
    assert lines(TASK, after) == [
        "- status      todo",
        "+ status      done",
        "+ description All of them",
        "- dueDate     29 Mar 2026 10:00",
    ]


def test_long_text_is_compared_line_by_line() -> None:
    before: dict[str, JsonValue] = {"content": "one\ntwo\nthree\nfour"}
    assert lines(before, {"content": "one\ntwo\nTHREE\nfour"}) == [
        "  content two",
        "- content three",
        "+ content THREE",
        "          four",
    ]


def test_text_of_many_changed_lines_is_cut() -> None:
    before: dict[str, JsonValue] = {"content": "\n".join(map(str, range(30)))}
    shown = lines(before, {"content": ""})

    assert (len(shown), shown[-1].strip()) == (13, "… 18 more lines")


def test_nothing_in_a_row_can_speak_to_the_terminal() -> None:
    assert lines({"title": "a\x1b[2Jb", "content": "x\n\x1b]0;y"}, None) == ["- title   a[2Jb", "- content x ]0;y"]


def test_what_goes_is_red_and_what_comes_is_green() -> None:
    preview = Preview(before={"status": "todo"}, after={"status": "done"})
    shown = drawn(change_of(preview, {}, zone=ROME), terminal=True)

    assert ["\x1b[31m" in shown[0], "\x1b[32m" in shown[1]] == [True, True]
