"""Calls and thoughts that models write into their text."""

import json
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents.engine import model_text
from agents.engine.announcements import described_call
from agents.engine.model_text import ModelText
from agents.events import ToolCall
from tests.costs import calls_of
from tests.effort import tries

Read = list[str | tuple[str, str]]
CALL = '{"name": "read", "arguments": {"x": 1}}'
CALLED = ("read", '{"x": 1}')


def read(tokens: Iterable[str]) -> Read:
    """The pieces of a message: adjacent texts joined, and calls as name and arguments."""
    reader, found = ModelText({"read", "write"}), Read()
    pieces = [piece for token in tokens for piece in reader.feed(token)] + reader.end()
    for piece in pieces:
        if isinstance(piece, ToolCall):
            found.append((piece.name, piece.arguments))
        elif found and isinstance(found[-1], str):
            found[-1] += piece
        else:
            found.append(piece)
    return found


@pytest.mark.parametrize(
    "written",
    [
        CALL,
        f"\n {CALL}\n",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"<TOOLS>{CALL}</TOOLS>",
        f"```json\n{CALL}\n```",
        f"```\n{CALL}```",
        f"[{CALL}]",
        f"```json\n[\n  {CALL}\n]\n```",
        f'<think>I should call <tool_call>{{"name": "write"}}</tool_call></think>\n\n{CALL}',
        '{"name": "read", "parameters": {"x": 1}}',
        '{"arguments": {"x": 1}, "name": "read"}',
        '{"name": "read", "arguments": "{\\"x\\": 1}"}',
        '{"type": "function", "function": {"name": "read", "arguments": {"x": 1}}}',
        '{"type":"function","name":"read","parameters":{"x": 1}}',
        '{"tool_calls": [{"function": {"name": "read", "arguments": {"x": 1}}}]}',
        '{"tool": "read", "args": {"x": 1}}',
        '{"name": "read", "arguments": {"x": 1}',
        f"{{{CALL}}}",
        f"{{{CALL}}}}}",
        f"```json\n{{{CALL}}}\n```",
        '<tool_call>{"name": "read", "arguments": {"x": 1}',
    ],
)
def test_call_written_as_text_is_a_call(written: str) -> None:
    assert read([written]) == [CALLED]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (f"Let me look.\n\n{CALL}", ["Let me look.\n\n", CALLED]),
        (f"Let me look: {CALL} and wait.", ["Let me look: ", CALLED, " and wait."]),
        (f"```json\n{CALL}\n```\nOne moment.", [CALLED, "\nOne moment."]),
        (f"{CALL}\n{CALL.replace('read', 'write')}", [CALLED, ("write", '{"x": 1}')]),
        ('<tool_call>{"name": "read", "arguments": {"x": "a}]{"}}</tool_call>', [("read", '{"x": "a}]{"}')]),
        ('<tool_call>{"name": "read", "arguments": {"x": 1,}}</tool_call>', [("read", '{"x": 1,}')]),
        (
            "<tool_call>\n<function=read>\n<parameter=title>\nBuy milk\n</parameter>\n</function>\n</tool_call>",
            [("read", '{"title": "Buy milk"}')],
        ),
        ("<tools>\n  <read note_id=\"wifi\" x='1'/>\n</tools>", [("read", '{"note_id": "wifi", "x": "1"}')]),
        ("<tools></tools>", []),
        (
            'I use `read` with these arguments:\n```json\n{"name": "A"}\n``` Done.',
            ["I use `read` with these arguments:\n", ("read", '{"name": "A"}'), " Done."],
        ),
        ('Use read.\n```json\n{"x": 1}\n```', ['Use read.\n```json\n{"x": 1}\n```']),
        (
            "The parameters of read and write:\n```json\n{}\n```",
            ["The parameters of read and write:\n```json\n{}\n```"],
        ),
        ("<think>\nHm. {not} json\n</think>\n\nHello", ["\n\nHello"]),
        (f"{{{CALL}}}}} Done.", [CALLED, " Done."]),
        ("{{ name }} and {{x}}", ["{{ name }} and {{x}}"]),
        ("Hello <think>never ended", ["Hello "]),
        ("a</think>b", ["ab"]),
        ("<tool_response>\nIt is done.\n</tool_response>", ["\nIt is done.\n"]),
    ],
)
def test_text_around_calls_and_thoughts_is_kept(written: str, found: Read) -> None:
    assert read([written]) == found


LONG = (
    '{"name": "write", "arguments": {"note_id": "n1", "content": "The first part. The last part."}}',
    '{"type": "function", "function": {"name": "write", "arguments": {"tags": ["a", "b"], "title": "c"}}}',
    '[{"name": "write", "arguments": {"title": "a"}}, {"name": "write", "arguments": {"title": "b"}}]',
    "<function=write>\n<parameter=title>\na\n</parameter>\n<parameter=content>\nb\n</parameter>\n</function>",
    "<name>write</name>\n<arguments>\n<title>a</title>\n<content>b</content>\n</arguments>",
)


def cut(written: str, *, broken_off: bool) -> tuple[list[str], bool]:
    """The arguments of the calls in ``written``, and whether one was truncated."""
    reader = ModelText({"read", "write"})
    pieces = [*reader.feed(written), *reader.end(broken_off=broken_off)]
    return [piece.arguments for piece in pieces if isinstance(piece, ToolCall)], reader.cut


@pytest.mark.parametrize("call", LONG)
@pytest.mark.parametrize(("before", "after"), [("", ""), ("<tool_call>\n", "\n</tool_call>"), ("```json\n", "\n```")])
def test_truncated_call_is_never_completed(call: str, before: str, after: str) -> None:
    written = f"{before}{call}{after}"
    whole, _ = cut(written, broken_off=False)
    for end in range(len(written)):
        calls, is_cut = cut(written[:end], broken_off=True)
        assert not calls or (calls == whole and not is_cut)
    assert bool(whole) == (before == "<tool_call>\n" or call[0] != "<")


@pytest.mark.parametrize(
    ("written", "is_cut"),
    [
        ('{"name": "read", "arguments": {"x": 1}', False),
        ('{"name": "read", "arguments": {"x": "one', True),
        ('{"name": "read", "arguments": {"x": "one"', True),
        ('{"name": "read", "arguments": {"x": 1, "y": ', True),
        ('{"name": "read", "arguments": {"x": 1', True),
        ('{"name": "read", "arguments": ', True),
        ('<tool_call>{"name": "read", "arguments": {"x": "one</tool_call>', True),
        ("<tool_call><function=read><parameter=x>one</parameter>", True),
        ("<tool_call><function=read><parameter=x>one</parameter></function>", False),
        ('Use read with these arguments:\n```json\n{"x": "one', True),
    ],
)
def test_only_closing_brackets_are_added_to_call(written: str, is_cut: bool) -> None:
    calls, was_cut = cut(written, broken_off=False)
    assert (len(calls), was_cut) == (0 if is_cut else 1, is_cut)


def test_truncated_json_without_call_stays_text() -> None:
    written = '{"name": "Website", "content": "On'
    reader = ModelText({"read"})
    assert ["".join(map(str, [*reader.feed(written), *reader.end(broken_off=True)])), reader.cut] == [written, False]


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "drop_tables", "arguments": {}}',
        '<tool_call>{"name": "drop_tables", "arguments": {}}</tool_call>',
        "<tool_call>nonsense</tool_call>",
    ],
)
def test_call_of_unknown_tool_is_removed_and_not_run(written: str) -> None:
    assert read([written]) == []


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "Website", "status": "active"}',
        '{"name": "read"}',
        '{"title": "Buy milk"}',
        '{"type": "text", "content": "Hi"}',
        '{"type":"chart","data":[{"name":"A","value":1}]}',
        "[1] a footnote, [a link](https://example.org) and a < b <em>x</em> `code` {x}",
        '```python\nprint({"a": 1})\n```',
        "```\nplain\n```",
        '{"name',
        "```json",
        "<tool",
        "  indented\n",
    ],
)
def test_text_without_call_stays_text(written: str) -> None:
    assert read([written]) == [written]


def test_only_possible_calls_are_held_back() -> None:
    reader = ModelText({"read"})
    fed = [
        "Two",
        " < three `x`y",
        ' {"ti',
        'tle": 1} ',
        '{"name": "a',
        '", "status": 1}',
        "<thi",
        "s> <think>no</think>.",
    ]
    assert [reader.feed(token) for token in fed] == [
        ["Two"],
        [" ", "<", " three ", "`", "x", "`", "y"],
        [" ", "{", '"ti'],
        ['tle": 1} '],
        [],
        ['{"name": "a", "status": 1}'],
        [],
        ["<", "this> ", "."],
    ]


def test_text_too_long_for_call_stays_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_text, "MAX_HELD", 20)
    assert "".join(map(str, read(CALL))) == CALL


WRITTEN = st.lists(
    st.one_of(
        st.sampled_from(
            [
                CALL, f"{{{CALL}}}", f"<tool_call>{CALL}</tool_call>", f"```json\n{CALL}\n```", "<think>", "</think>",
                "<tool_call>", "</tool_call>", "<tool_response>", "```json\n", "```", "`", "{", "}", "[", "]",
                '{"name": "', '{"type": "fun', "\\", '"', '{"name": "read", "status": 1}', "\n", " ", "Hello", "<", "é",
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=8,
).map("".join)  # fmt: skip


@settings(max_examples=tries(200, long=5_000), deadline=None)
@given(written=WRITTEN, places=st.lists(st.integers(0, 400), max_size=8))
@example(written=f"```json\n{CALL}\n```", places=[3, 8, 50])
def test_message_is_read_the_same_in_any_pieces(written: str, places: list[int]) -> None:
    edges = [0, *sorted(place % (len(written) + 1) for place in places), len(written)]
    cut = [written[start:end] for start, end in pairwise(edges)]
    whole = read([written])
    assert read(cut) == whole
    assert read(written) == whole


@pytest.mark.parametrize(
    "begun", ['{"name": "read", "arguments": {"x": "', "<think>", "<tool_call>", "plain ", "`{", '{"name": "a"} ']
)
def test_cost_per_character_is_constant(begun: str) -> None:
    def cost(size: int) -> int:
        repeated = begun * (size // len(begun)) if begun[0] in "p`" else begun + "x" * size
        return calls_of(lambda: read(repeated))

    assert cost(4_000) < 6 * cost(1_000) + 1_000


@pytest.mark.parametrize(
    "written",
    [
        f"<tool_call><name>read</name><arguments><x>{' ' * 50_000}y<z></tool_call>",
        f"<tool_call><function=read>{'<parameter=x>y' * 150_000}</tool_call>",
        "<tool_call>" + "<function name='read' arguments='{}" * 50_000 + "</tool_call>",
    ],
    ids=["spaces in element", "unclosed parameters", "unclosed elements"],
)
def test_incomplete_calls_are_read_in_linear_time(monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    # If every part were searched to the end of the text, the test would time out.
    monkeypatch.setattr(model_text, "MAX_HELD", 4_000_000)
    assert all(isinstance(piece, tuple) for piece in read([written]))


@pytest.mark.parametrize("begun", ["{", "[" * 8, "```json", "```"])
def test_text_is_held_back_only_while_it_may_be_call(begun: str) -> None:
    reader = ModelText({"read"})
    told = reader.feed("Now: ") + reader.feed(begun) + reader.feed(" " * 300)
    assert "".join(map(str, told)).startswith(f"Now: {begun}")
    assert "".join(map(str, told + reader.end())) == f"Now: {begun}{' ' * 300}"


def test_letters_longer_in_lower_case_shift_no_position() -> None:
    written = '<tool_call>{"name": "read", "arguments": {"x": "İİİ"}}</tool_call>Done.'
    assert read([written]) == [("read", '{"x": "İİİ"}'), "Done."]


LISTED = """To move it, I used the `write` function with the following parameters:

- `task_id`: "t1"
- `due_date`: "Friday",
* **urgent**: true
- `assignee`: None
- search: “”

The response says that it was moved: fine."""


@pytest.mark.parametrize(
    ("text", "described"),
    [
        (LISTED, ("write", {"task_id": "t1", "due_date": "Friday", "urgent": True, "search": "“”"})),
        ("Call read with these arguments:\n- x = 1", ("read", {"x": 1})),
        ("Userò read con questi parametri:\n• x: uno", ("read", {"x": "uno"})),
        ("The parameters of read and write:\n- x: 1", None),
        ("The parameters of other:\n- x: 1", None),
        ("I used read with the following parameters:\nnone of them.\n- x: 1", None),
        ("I used read with the following parameters:\n- x: None", None),
        (f"{LISTED}\n{LISTED}", None),
        ("These are due:\n- x: 1", None),
    ],
)
def test_call_described_as_list_is_read(text: str, described: tuple[str, dict[str, object]] | None) -> None:
    found = described_call(text, {"read", "write"})
    assert (None if found is None else (found[0], json.loads(found[1]))) == described


def test_long_lines_are_not_searched_for_descriptions() -> None:
    assert described_call(f"{'parameters ' * 100_000}\n{'- ' * 100_000}:", {"read"}) is None
