"""Every action of the protocol, from frames to answers; no input makes it raise."""

import json
import logging
import sqlite3
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.calls import Action
from device.executor import Executor
from device.store import Store
from device.tables import TableName
from tests.effort import tries

_FIELDS = ["row", "rows", "results", "deleted", "ok", "error"]


def _call(action: str, table: str | None = "tasks", **fields: Any) -> dict[str, Any]:
    frame = {"type": "tool_call", "id": f"call {action}", "request_id": "r", "action": action, "table": table, **fields}
    return {name: value for name, value in frame.items() if value is not None}


def test_row_lives_from_insert_to_delete(executor: Executor) -> None:
    row: Any = executor.execute(_call("insert", data={"title": "Buy milk", "dueDate": 5}))["row"]
    assert executor.execute(_call("get", data={"id": row["id"]})) == {"row": row}
    assert executor.execute(_call("select", filters={"search": "MILK"}, limit=500)) == {"rows": [row]}
    done = {**row, "status": "done", "dueDate": None}
    changes = {"id": row["id"], "updates": {"status": "done", "dueDate": None}}
    assert executor.execute(_call("update", data=changes)) == {"row": done}
    assert executor.execute(_call("delete", data={"id": row["id"]})) == {"deleted": True}
    assert executor.execute(_call("delete", data={"id": row["id"]}, id="another")) == {"deleted": False}
    assert executor.execute(_call("get", data={"id": row["id"]})) == {"row": None}
    assert executor.execute(_call("update", data=changes, id="later")) == {"row": None}


def test_select_without_limit_gives_five_hundred_rows(store: Store, executor: Executor) -> None:
    with store.transaction():
        for number in range(501):
            store.insert(TableName.TASKS, {"title": f"task {number}"})
    rows: Any = executor.execute(_call("select"))["rows"]
    assert len(rows) == 500
    assert [row["title"] for row in rows[:2]] == ["task 0", "task 1"]


def test_vectors_are_stored_searched_and_deleted_with_their_note(executor: Executor) -> None:
    note: Any = executor.execute(_call("insert", "notes", data={"title": "Ideas", "content": "Bread"}))["row"]
    data = {"id": note["id"], "projectId": None, "content": "Bread"}
    assert executor.execute(_call("vector_upsert", "notes", data=data, vector=[3, 4])) == {"ok": True}
    search = _call("vector_search", "notes", vector=[3.0, 4.0], limit=10, filters={})
    assert executor.execute(search) == {"results": [{"id": note["id"], "content": "Bread", "score": 1.0}]}
    elsewhere = {**search, "filters": {"projectId": "p"}}
    assert executor.execute(elsewhere) == {"results": []}
    executor.execute(_call("delete", "notes", data={"id": note["id"]}))
    assert executor.execute(search) == {"results": []}


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        ({}, "id must be text, not null."),
        ({"id": 5, "action": "select"}, "id must be text, not 5."),
        (_call("drop"), 'There is no action "drop".'),
        (_call("select", "users"), 'There is no table "users".'),
        (_call("select", "_journal"), 'There is no table "_journal".'),
        (_call("select", None), "select needs a table."),
        (_call("select", limit="many"), 'limit must be a whole number, not "many".'),
        (_call("select", limit=True), "limit must be a whole number, not true."),
        (_call("select", limit=2**70), "limit must be a whole number, not 1180591620717411303424."),
        (_call("select", filters=["status"]), 'filters must be an object, not ["status"].'),
        (_call("get"), "get needs data.id."),
        (_call("get", data={"id": None}), "data.id must be text, not null."),
        (_call("get", data={"id": "\ud800"}), "data.id holds half a surrogate pair, which is no character."),
        (_call("insert"), "tasks need a title."),
        (_call("update", data={"id": "t"}), "update needs an object data.updates, not null."),
        (_call("vector_search", "notes"), "vector_search needs a vector."),
        (_call("vector_search", vector="x"), 'vector must be a list of numbers, not "x".'),
        (_call("vector_search", vector=[1, "x"]), 'vector must hold numbers only, not "x".'),
        (_call("vector_search", vector=[True]), "vector must hold numbers only, not true."),
        (
            _call("vector_search", vector=[10**400]),
            f"vector holds a number that is too large: 1{'0' * 59}….",
        ),
        (_call("vector_search", vector=[1], filters={"a": 1}), 'A search by vector cannot be filtered by "a".'),
        (_call("vector_upsert", vector=[1], data={"id": "n"}), "vector_upsert needs data.content."),
        (
            _call("vector_upsert", vector=[1], data={"id": "n", "content": "", "projectId": 1}),
            "data.projectId must be text, not 1.",
        ),
    ],
)
def test_call_that_cannot_be_done_is_answered_with_one_sentence(
    executor: Executor, frame: dict[str, Any], sentence: str
) -> None:
    assert executor.execute(frame) == {"error": sentence}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(
    max_examples=tries(80, long=2_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    frame=st.fixed_dictionaries(
        {"id": st.just("c") | _JSON},
        optional={
            "action": st.sampled_from(list(Action)) | _JSON,
            "table": st.sampled_from(list(TableName)) | _JSON,
            "data": _JSON | st.fixed_dictionaries({"id": st.text(), "updates": _JSON, "entityType": st.text()}),
            "filters": _JSON,
            "vector": _JSON,
            "limit": _JSON,
        },
    )
)
def test_any_frame_gets_exactly_one_answer_that_can_be_sent(executor: Executor, frame: dict[str, Any]) -> None:
    answer = executor.execute(frame)
    assert [name for name in _FIELDS if name in answer] == list(answer)
    assert len(answer) == 1
    json.dumps(answer, allow_nan=False, ensure_ascii=False).encode()


def test_answer_that_is_too_large_becomes_an_error(store: Store, executor: Executor) -> None:
    store.insert(TableName.NOTES, {"title": "Long", "content": "é" * 600})
    select = _call("select", "notes")
    answer = executor.execute(select)
    size = len(json.dumps(answer, ensure_ascii=False).encode())
    assert executor.execute(select, max_bytes=size) == answer
    assert executor.execute(select, max_bytes=size - 1) == {
        "error": f"The answer would be larger than {size - 1} bytes: ask for less."
    }


def test_answer_over_four_mebibytes_becomes_an_error(store: Store, executor: Executor) -> None:
    for _ in range(5):
        store.insert(TableName.NOTES, {"title": "Long", "content": "x" * 1024 * 1024})
    assert executor.execute(_call("select", "notes")) == {
        "error": "The answer would be larger than 4194304 bytes: ask for less."
    }
    assert list(executor.execute(_call("select", "notes", limit=3))) == ["rows"]


def test_write_whose_answer_would_be_too_large_does_not_happen(store: Store, executor: Executor) -> None:
    answer = executor.execute(_call("insert", data={"title": "x" * 500}), max_bytes=400)
    assert answer == {"error": "The answer would be larger than 400 bytes: ask for less."}
    assert store.counts()[TableName.TASKS] == 0


def test_trouble_of_the_database_is_an_error(store: Store, executor: Executor) -> None:
    store.run("DROP TABLE tasks")
    assert executor.execute(_call("select")) == {
        "error": "The device's database could not do it: no such table: tasks."
    }


def test_unexpected_error_is_logged_and_answered(
    store: Store, executor: Executor, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(store, "select", broken)
    with caplog.at_level(logging.ERROR):
        assert executor.execute(_call("select")) == {"error": "Something went wrong on the device."}
    assert [record.message for record in caplog.records] == ["A call failed"]


def test_locked_database_is_an_error_and_the_store_stays_usable(store: Store, executor: Executor) -> None:
    store.run("PRAGMA busy_timeout = 0")
    [file] = store.run("PRAGMA database_list")
    other = sqlite3.connect(str(file["file"]), isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        insert = _call("insert", data={"title": "Buy milk"})
        assert executor.execute(insert) == {"error": "The device's database could not do it: database is locked."}
        other.execute("ROLLBACK")
        assert list(executor.execute(insert)) == ["row"]
    finally:
        other.close()
