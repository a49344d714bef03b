"""What a home answer and a popup show of what models really write."""

import json
import re
from pathlib import Path

import pytest

from chat.formatters.blocks import BlockPart, BlockType, Entity, Row, TextPart
from chat.formatters.formatter import Formatter
from chat.formatters.json_stream import MAX_BLOCK, MAX_DEPTH
from chat.formatters.reader import MAX_READ_AGAIN
from tests.chat.formatters.writing import ROWS, answer, home, logged, parts_of, shown, text_of

TABLE = '{"type":"table","headers":["a"],"rows":[["b"]]}'
LONG = "x" * MAX_BLOCK
CANNOT_READ = "The answer cannot be shown: the model did not write it as it should have."
NO_CHART = "A chart belongs here, but it cannot be drawn."
NO_TABLE = "A table belongs here, but it cannot be shown."
SHOWN_TABLE = (BlockType.TABLE, {"headers": ["a"], "rows": [["b"]]})


def nested(depth: int) -> str:
    """A chart with arrays of this depth in it."""
    return f'{{"type":"chart","data":{"[" * depth}1{"]" * depth}}}'


@pytest.mark.parametrize(
    "written",
    [
        '[{"type":"text","content":"Hi"},%s,{"type":"text","content":"Bye"}]',
        '{"type":"text","content":"Hi"}\n%s\n{"type":"text","content":"Bye"}\n',
        '{"type":"text","content":"Hi"}%s{"content":"Bye","type":"text"}',
        '```json\n[\n {"type": "text", "content": "Hi"},\n %s, {"content": "Bye", "type": "text"}\n]\n```\n',
        '\n\n```\n{"type":"text","content":"Hi"}%s{"type":"text","content":"Bye"}```',
        '[{"type":"text","content":"Hi"}]\n[%s]\n\n{"type":"text","content":"Bye"}',
        '{"type":"text","content":"Hi"}\n```json\n%s\n```\n```json\n{"type":"text","content":"Bye"}\n```',
        '{"type":"text","x":{"type":[1,{"content":"no"}]},"content":"Hi"}%s{"type":"text","content":"Bye"}',
    ],
)
def test_blocks_however_they_are_put_together_are_shown_in_order(written: str) -> None:
    assert answer(written.replace("%s", TABLE)) == ["Hi", SHOWN_TABLE, "Bye"]
    assert logged(written.replace("%s", TABLE)) == []


@pytest.mark.parametrize(
    "written",
    [
        "You have two tasks.",
        "  indented\n",
        "[a link](https://example.org) and more",
        "[1] a footnote, [2] another",
        "[[wiki]] link",
        "{curly} braces",
        "{",
        "[",
        "[]",
        '{"note" broken',
        '```python\nprint({"a": {"type": "text"}})\n```',
        "```\n{\n  color: red\n}\n```\nIn CSS.",
        "``not a fence``",
        "```json",
        "```json\n[1, 2]\n```",
    ],
)
def test_what_is_no_block_is_prose(written: str) -> None:
    assert answer(written) == [written]
    assert logged(written) == []


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"type":"text","text":"Hi"}', ["Hi"]),
        ('{"type":"markdown","content":"Hi"}', ["Hi"]),
        ('{"type":"heading","content":"Hi"}', ["Hi"]),
        ('{"type":"text","content":["Hi","there"]}', ["- Hi\n- there"]),
        ('{"content":"Hello"}', ["Hello"]),
        ('{"answer":"Hello","status":"ok"}', ["Hello"]),
        ('["just","strings"]', ["- just\n- strings"]),
        ('[["nested"]]', ["- nested"]),
        ('{"a": 1} and', ["a: 1 and"]),
        ('```json\n{"title":"Buy milk","status":"todo","id":"t1","projectId":"p1"}\n```', ["Buy milk (status: todo)"]),
        (
            '{"tasks":[{"title":"Buy milk"},{"title":"Call Anna","done":false}]}',
            ["- Buy milk\n- Call Anna (done: false)"],
        ),
        ('Found:\n[{"id":"t1","title":"Buy milk"}, {"title":"Call Anna"}]', ["Found:\nBuy milkCall Anna"]),
        ('{"type":"list","items":["a","b"]}\nBye', ["- a\n- b\n\nBye"]),
        ('Here you are:\n```json\n[{"type":"text","content":"x"}]\n```', ["Here you are:\nx"]),
        (', {"type":"text","content":"x"}', [", x"]),
        (f"Here you are: {TABLE}", ["Here you are: ", SHOWN_TABLE]),
        ('{"headers":["a"],"rows":[["b"]]}', [SHOWN_TABLE]),
        (f"```json\n{TABLE[:-1]},}}\n```", [SHOWN_TABLE]),
        (f"Well. {TABLE[:-1]}", ["Well. ", SHOWN_TABLE]),
        ('```table\n{"columns":["a"],"data":[["b"]]}\n```\nSo.', [SHOWN_TABLE, "\nSo."]),
        ("{}", ["There is nothing to show."]),
        ('```table with {"columns":["a"],"data":[["b"]]}\n```', [SHOWN_TABLE]),
        ("```table\n| a |\n|---|\n| b |\n```\nSo.", ["| a |\n|---|\n| b |\n\nSo."]),
        ('{"type":"entity_ref","entity":"note"}', ["There is nothing to show."]),
        ('```json\n{"name": broken}\n```', [CANNOT_READ]),
        ('{"type":"chart","chartType":"bar"}', [NO_CHART]),
        ('{"type":"chart","chartType":"bar"} So.', [f"{NO_CHART}\n\n So."]),
        ('Look: {"type":"chart","chartType":"bar"}', [f"Look: \n\n{NO_CHART}"]),
    ],
)
def test_json_that_is_no_block_is_told_in_words(written: str, expected: list[object]) -> None:
    assert answer(written) == expected


def test_prose_is_shown_at_once_except_what_may_begin_a_block() -> None:
    formatter = home()
    assert [formatter.feed(token) for token in ["Two", " tasks", " {", "x"]] == [
        [TextPart(text="Two")],
        [TextPart(text=" tasks")],
        [],
        [TextPart(text=" {x")],
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("%s\n\nThat is all.", [SHOWN_TABLE, "\n\nThat is all."]),
        ("%s and then\n%s", [SHOWN_TABLE, " and then\n", SHOWN_TABLE]),
        ('[%s, {"a":1}, %s]', [SHOWN_TABLE, "a: 1", SHOWN_TABLE]),
        ("%s see [x](y) and {z} and `c`", [SHOWN_TABLE, " see [x](y) and {z} and `c`"]),
        ("%s ```python\nprint()\n```", [SHOWN_TABLE, " ```python\nprint()\n```"]),
        ("%s\n```", [SHOWN_TABLE, "\n```"]),
        ("```json\n%s\nand\n```", [SHOWN_TABLE, "\nand\n"]),
        ("%s [", [SHOWN_TABLE, " ["]),
        ("%s [, and", [SHOWN_TABLE, " [, and"]),
        ('%s {"a" "b"} %s', [SHOWN_TABLE, ' {"a" "b"} ', SHOWN_TABLE]),
    ],
)
def test_prose_among_blocks_is_text(written: str, expected: list[object]) -> None:
    assert answer(written.replace("%s", TABLE)) == expected


def test_nothing_is_put_between_two_text_blocks() -> None:
    assert answer('[{"type":"text","content":"a"},\n{"type":"text","content":""},{"type":"text","content":"b"}]') == [
        "ab"
    ]


def test_text_before_its_type_is_shown_once_the_type_is_known() -> None:
    formatter = home()
    assert formatter.feed('{"content":"Hello') == []
    assert formatter.feed(' there","type":"te') == []
    assert formatter.feed('xt"') == [TextPart(text="Hello there")]


@pytest.mark.parametrize(
    ("block", "said", "log"),
    [
        ('{"type":"heading","content":"x"}', "x", "(heading): there is no such type"),
        ('{"type":"Bob owes 5","content":"x"}', "x", "(nameless): there is no such type"),
        ('{"type":7}', "", "(nameless): there is nothing in it"),
        ('{"type":"entity_ref","entity":"note"}', "", "(entity_ref): no tool returned such rows"),
        ('{"type":"table","headers":["a"],"rows":5}', f"\n\n{NO_TABLE}", "(table): rows: list_type"),
    ],
)
def test_bad_block_is_logged_and_the_answer_goes_on(block: str, said: str, log: str) -> None:
    written = f'[{{"type":"text","content":"a"}},{block},{TABLE},{{"type":"text","content":"b"}}]'
    assert answer(written) == [f"a{said}", SHOWN_TABLE, "b"]
    assert logged(written) == [f"Skipped a block {log}."]


@pytest.mark.parametrize(
    "block",
    [
        '{"type":"chart","data": 01}',
        '{"type":"chart","data": +}',
        '{"type":"chart" "data"}',
        '{"type":"chart","data":\'x\'}',
    ],
)
def test_broken_block_is_logged_and_told_at_the_end(block: str) -> None:
    written = f'[{{"type":"text","content":"a"}},{block},{TABLE},{{"type":"text","content":"b"}}]'
    assert answer(written) == ["a", SHOWN_TABLE, f"b\n\n{NO_CHART}"]
    assert logged(written) == ["Skipped a block (chart): it is not JSON."]


def test_block_inside_a_broken_one_is_found() -> None:
    written = '[{"type":"chart","data":[{"a":1},{"type":"text","content":"Hello"},5,' + TABLE
    assert answer(written) == ["Hello", SHOWN_TABLE, NO_CHART]
    assert logged(written) == ["Skipped a block (chart): it breaks off."]


def test_blocks_inside_broken_ones_are_looked_for_within_a_budget() -> None:
    broken = f'{{"type":"chart","a":{{"type":"text","content":"found"}},"b":"{"x" * (MAX_READ_AGAIN // 2)}":}}'
    assert answer(broken + TABLE + broken + TABLE) == ["found", SHOWN_TABLE, SHOWN_TABLE, NO_CHART]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('{"type":"text","content":"Hello wor', "Hello wor"),
        ('{"type":"text","content":"Hello\\u00', "Hello"),
        ('{"type":"text","content":"Hello\\ud83d', "Hello\ufffd"),
        ('{"type":"text","content":"Hello"', "Hello"),
        ('{"content":"Hello wor', "Hello wor"),
        ('{"content":"Hello","type":"te', "Hello"),
        ('[{"type":"text","content":"Hello"},{"type":"ta', "Hello"),
    ],
)
def test_answer_that_breaks_off_shows_the_text_there_is(written: str, text: str) -> None:
    assert answer(written) == [text]


def test_text_that_breaks_off_is_no_skipped_block() -> None:
    assert logged('{"type":"text","content":"Hello wor') == []


@pytest.mark.parametrize("written", ["", "  \n"])
def test_empty_message_shows_nothing(written: str) -> None:
    assert answer(written) == []


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"type":"text"', CANNOT_READ),
        ('{"type":"entity_ref","entity":"ta', CANNOT_READ),
        ('[{"type":5}]', "There is nothing to show."),
        ('{"content":"not of a chart","type":"chart"', NO_CHART),
        ('{"type":"table","headers":["a"],"rows":[["b"],] {"x":1} and {"y" more', NO_TABLE),
        ('{"type":"table",}', NO_TABLE),
    ],
)
def test_message_that_cannot_be_shown_says_so(written: str, said: str) -> None:
    assert answer(written) == [said]
    assert len(logged(written)) == 1


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('{"type":"table","headers":["a"],"rows":[["b"],]}', SHOWN_TABLE),
        ('{"type":"table","headers":["a"],"rows":[["b"]', SHOWN_TABLE),
        ('{"type":"table","headers":["a"],"rows":[["b', SHOWN_TABLE),
        ("{\"type\":\"table\",'headers':['a'],'rows':[['b']]}", SHOWN_TABLE),
        ('{"type":"text","content": Hello there}', "Hello there"),
    ],
)
def test_broken_message_is_mended(written: str, expected: object) -> None:
    assert answer(written) == [expected]
    assert answer('{"type":"text","content":"Hello"}' + written)[-1] in (expected, f"Hello{expected}")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('He said "hi" to me', 'He said "hi" to me'),
        ('"hi"', '"hi"'),
        ('the "x" \n "y"', 'the "x" \n "y"'),
        ('a "b', 'a "b'),
    ],
)
def test_quotes_that_the_model_forgot_to_escape_are_text(content: str, text: str) -> None:
    assert answer(f'[{{"type":"text","content":"{content}"}},{TABLE}]') == [text, SHOWN_TABLE]


def test_text_is_shown_as_it_comes() -> None:
    formatter = home()
    said = {
        '{"type":"text","content":"She said': "She said",
        " yes": " yes",
        ' "': "",
        'no"': ' "no',
        "  ": "",
        'and left."}': '"  and left.',
    }
    assert {token: text_of(formatter.feed(token)) for token in said} == said


@pytest.mark.parametrize("seam", ["\n", " ", "]"])
def test_text_block_without_its_closing_brace_ends_before_the_next_block(seam: str) -> None:
    assert answer('{"type":"text","content":"a"' + seam + TABLE) == ["a", SHOWN_TABLE]


def test_first_of_repeated_keys_counts() -> None:
    assert answer('{"type":"text","content":"a","content":"b","type":"table"}') == ["a"]


@pytest.mark.parametrize(
    ("block", "reason", "said"),
    [
        (json.dumps({"type": "chart", "title": LONG}), "(chart): it is too large", [NO_CHART]),
        (nested(MAX_DEPTH), "(chart): it is nested too deeply", [NO_CHART]),
        (nested(10_000), "(chart): it is nested too deeply", [NO_CHART]),
        (json.dumps({"a": LONG}), "(nameless): it is too large", []),
        ('{"a":' + "[" * 10_000 + "]", "(nameless): it is nested too deeply", []),
    ],
)
def test_block_beyond_the_limits_is_logged_and_skipped(block: str, reason: str, said: list[str]) -> None:
    assert answer(block + TABLE) == [SHOWN_TABLE, *said]
    assert logged(block + TABLE) == [f"Skipped a block {reason}."]


def test_block_is_taken_up_to_the_limit_and_not_beyond() -> None:
    cell = "x" * (MAX_BLOCK - len(TABLE) + 1)
    assert answer(TABLE.replace('"b"', f'"{cell}"')) == [(BlockType.TABLE, {"headers": ["a"], "rows": [[cell]]})]
    assert answer(TABLE.replace('"b"', f'"{cell}x"')) == [NO_TABLE]


def test_text_of_any_length_is_taken_wherever_its_type_stands() -> None:
    text = "x" * (2 * MAX_BLOCK)
    assert answer(json.dumps({"type": "text", "content": text})) == [text]
    assert answer(json.dumps({"content": text, "type": "text"})) == [text]


def test_object_too_large_to_be_prose_shows_its_content() -> None:
    assert answer(json.dumps({"content": LONG})) == [LONG]
    assert answer(f'{{"content":"{LONG}",}}') == [LONG]


def test_rows_are_those_known_when_the_block_is_whole() -> None:
    rows: dict[Entity, list[Row]] = {Entity.TASK: []}
    formatter = Formatter(lambda _: None, rows=rows.__getitem__)
    assert formatter.feed('{"type":"entity_ref","entity":"task"') == []
    rows[Entity.TASK] = ROWS[Entity.TASK]
    assert formatter.feed("}") == [
        BlockPart(block_type=BlockType.ENTITY_REF, data={"entity": "task", "items": ROWS[Entity.TASK]})
    ]


def test_prose_then_blocks_in_the_next_message_are_both_shown() -> None:
    formatter = home()
    parts = parts_of(formatter, ["Let me look. "]) + parts_of(formatter, [TABLE]) + parts_of(formatter, ["{Done}"])
    assert shown(parts) == ["Let me look. ", SHOWN_TABLE, "{Done}"]


def test_message_that_cannot_be_shown_says_so_whatever_earlier_messages_showed() -> None:
    formatter = home()
    assert shown(parts_of(formatter, ["Let me look."])) == ["Let me look."]
    assert shown(parts_of(formatter, ['{"type":"table",}'])) == [NO_TABLE]


def test_halves_of_a_character_in_two_tokens_are_joined() -> None:
    assert shown(parts_of(home(), ["a\ud83d", "\ude00b\ud83d"])) == ["a😀b\ufffd"]
    assert shown(parts_of(home(), ['{"type":"text","content":"a\ud83d', '\ude00"}'])) == ["a😀"]
    assert shown(parts_of(home(), ['{"type":"text","content":"aa', "\ud83d", "b"])) == ["aa\ufffdb"]


def test_example_of_the_documentation_is_shown_whole() -> None:
    page = (Path(__file__).parents[3] / "docs" / "blocks.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```json\n.*?```", page, re.DOTALL)
    kinds = [part if isinstance(part, str) else part[0] for part in answer(example)]
    assert kinds == [
        "Two tasks are due **today**.",
        BlockType.ENTITY_REF,
        BlockType.CHART,
        BlockType.TABLE,
        BlockType.TIMELINE,
    ]
    assert logged(example) == []


def test_plain_text_passes_a_popup_at_once() -> None:
    formatter = Formatter(lambda _: None, shows_blocks=False)
    assert formatter.feed("Two ") == [TextPart(text="Two")]
    assert formatter.feed("tasks") == [TextPart(text=" tasks")]
    assert formatter.end_message() == []


def test_blocks_of_a_disobedient_model_show_only_their_text_in_a_popup() -> None:
    log: list[str] = []
    written = '```json\n[{"type":"text","content":"Two"},{"type":"chart"},{"type":"text","content":" tasks"}]\n```'
    assert shown(parts_of(Formatter(log.append, shows_blocks=False), [written])) == ["Two tasks"]
    assert log == ["Skipped a block (chart): a popup shows text only."]


@pytest.mark.parametrize(
    "written",
    [
        '- "Launch" (Tue 2026-03-03 18:00, project "Garden" [id p1]) [id c1]\n- "Party" (Wed 2026-03-04) [id c2]',
        "1. Launch (Tue 2026-03-03 18:00)\n2. Party",
        "* **Launch**\n* **Party**",
    ],
)
def test_timeline_of_lines_that_a_tool_returned_is_shown(written: str) -> None:
    rows: list[Row] = [
        {"id": f"full-{number}", "title": title, "date": 1_772_000_000_000 + number}
        for number, title in enumerate(("Launch", "Party"), 1)
    ]
    log: list[str] = []
    formatter = Formatter(
        log.append,
        rows={**ROWS, Entity.CHECKPOINT: rows}.__getitem__,
        row_id={"c1": "full-1", "c2": "full-2"}.get,
    )

    assert shown(parts_of(formatter, [f"Here it is:\n```timeline\n{written}\n```"])) == [
        "Here it is:\n",
        (BlockType.TIMELINE, {"checkpoints": rows}),
    ]


@pytest.mark.parametrize("written", ["- nothing of the user's\n", "No list at all", "- Launch\nand more"])
def test_timeline_of_other_lines_is_not_shown(written: str) -> None:
    parts = parts_of(home(), [f"```timeline\n{written}\n```"])

    assert shown(parts) == ["A timeline belongs here, but it cannot be shown."]
