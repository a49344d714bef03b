"""Arguments and tool names in other spellings, and ambiguous ones."""

import json
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, JsonValue, ValidationError

from agents.tools.model_calls import MAX_BROKEN_CHARACTERS, Arguments, as_object, find_name, like, read_arguments

PARAMETERS = ("title", "done", "name")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"title": "Milk"}', {"title": "Milk"}),
        ("", {}),
        ("  \n", {}),
        ("null", {}),
        ('{"title": "Milk",}', {"title": "Milk"}),
        ("{'title': 'Milk', 'done': true}", {"title": "Milk", "done": True}),
        ("{'title': 'Milk', 'done': True, 'name': None}", {"title": "Milk", "done": True, "name": None}),
        ("{title: 'Milk'}", {"title": "Milk"}),
        ('{"title": "two\nlines"}', {"title": "two\nlines"}),
        ('```json\n{"title": "Milk"}\n```', {"title": "Milk"}),
        ('```\n{"title": "Milk",}```', {"title": "Milk"}),
        (json.dumps('{"title": "Milk"}'), {"title": "Milk"}),
        (json.dumps("{'title': 'Milk'}"), {"title": "Milk"}),
        ('{"name": "Garden"}', {"name": "Garden"}),
    ],
)
def test_unambiguous_arguments_are_read(text: str, read: dict[str, JsonValue]) -> None:
    assert read_arguments(text, PARAMETERS) == read
    assert json.loads(as_object(text)) == read


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "Buy mi',
        '{"title": "Milk"',
        '{"title": "Milk"}}',
        '{"title": "say "hi" now"}',
        "{'title': 'it's'}",
        '{"title": "Milk" "done": true}',
        '{"done": NaN}',
        "{'title': {'a set'}}",
        "print('hello')",
        "[" * 100_000,
    ],
)
def test_ambiguous_arguments_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Invalid JSON"):
        read_arguments(text, PARAMETERS)
    assert as_object(text) == "{}"


@pytest.mark.parametrize("text", ["[1]", '"Milk"', "7", "true"])
def test_arguments_that_are_no_object_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Input should be an object"):
        read_arguments(text, PARAMETERS)


def test_long_arguments_are_read_only_as_valid_json() -> None:
    long = "x" * MAX_BROKEN_CHARACTERS
    assert read_arguments(f'{{"title": "{long}"}}', PARAMETERS) == {"title": long}
    with pytest.raises(ValueError, match="Invalid JSON"):
        read_arguments(f"{{'title': '{long}'}}", PARAMETERS)


def test_nested_arguments_are_unwrapped_unless_parameter_has_that_name() -> None:
    assert read_arguments('{"arguments": {"title": "Milk"}}', PARAMETERS) == {"title": "Milk"}
    assert read_arguments('{"name": "create_task", "parameters": {"title": "M"}}', PARAMETERS) == {"title": "M"}
    assert read_arguments('{"arguments": {"a": 1}}', ["arguments"]) == {"arguments": {"a": 1}}
    assert read_arguments('{"arguments": {"a": 1}, "title": "Milk"}', PARAMETERS) == {
        "arguments": {"a": 1},
        "title": "Milk",
    }


_VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _VALUES, max_size=4))
def test_valid_json_is_read_unchanged(value: dict[str, JsonValue]) -> None:
    parameters = [*value, *PARAMETERS]
    assert read_arguments(json.dumps(value), parameters) == value
    assert read_arguments(json.dumps(json.dumps(value)), parameters) == value
    assert as_object(json.dumps(value)) == json.dumps(value)


@given(st.text(max_size=200))
def test_any_text_becomes_an_object(text: str) -> None:
    assert isinstance(json.loads(as_object(text)), dict)


class Wanted(Arguments):
    limit: int = 10
    archived: bool = False
    flag: Literal[0, 1] = 0
    names: list[str] | None = None
    state: Literal["todo", "done"] = "todo"
    note: Annotated[str | None, Field(description="x")] = None


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"limit": "5", "archived": "true"}, {"limit": 5, "archived": True}),
        ({"limit": 5.0, "archived": "False"}, {"limit": 5, "archived": False}),
        ({"flag": "1"}, {"flag": 1}),
        ({"flag": True}, {"flag": 1}),
        ({"flag": "false"}, {"flag": 0}),
        ({"names": "Anna"}, {"names": ["Anna"]}),
        ({"names": '["Anna", "Bo"]'}, {"names": ["Anna", "Bo"]}),
        ({"names": "7"}, {"names": ["7"]}),
        ({"names": ""}, {"names": None}),
        ({"names": None, "note": None}, {"names": None, "note": None}),
        ({"limit": None, "state": None, "unknown": None}, {}),
        ({"limit": "null", "state": "", "archived": "None", "flag": ""}, {}),
        ({"note": "true"}, {"note": "true"}),
    ],
)
def test_values_of_convertible_type_are_accepted(given: dict[str, JsonValue], read: dict[str, JsonValue]) -> None:
    assert Wanted.model_validate(given).model_dump(exclude_unset=True) == read


@pytest.mark.parametrize(
    "given",
    [{"limit": "many"}, {"limit": 2.5}, {"archived": "perhaps"}, {"flag": "2"}, {"names": 7}, {"unknown": 1}],
)
def test_values_of_inconvertible_type_are_refused(given: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        Wanted.model_validate(given)


def test_tool_name_is_found_in_other_spelling() -> None:
    names = ("list_tasks", "get_note", "getnotes", "get_notes")
    said = ("list_tasks", "listTasks", "List-Tasks", "functions.list_tasks", "get_note", "Get_Notes", "lists", "")
    assert [find_name(each, names) for each in said] == [*["list_tasks"] * 4, "get_note", None, None, None]


def test_similar_names_are_suggested() -> None:
    assert like("create_tasks", ["create_task", "forget"]) == " Did you mean create_task?"
    assert like("fly", ["create_task", "forget"]) == ""


@pytest.mark.parametrize("text", [r'{"title": "Buy \ud83d bread"}', r"{'title': 'Buy \ud83d bread'}"])
def test_lone_surrogate_in_argument_is_replaced(text: str) -> None:
    assert read_arguments(text, ["title"]) == {"title": "Buy \ufffd bread"}
    assert read_arguments(r'{"title": "\ud83c\udf5e"}', ["title"]) == {"title": "🍞"}
