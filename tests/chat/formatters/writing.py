"""What models write, well-formed or not, and what a formatter shows of it."""

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from chat.formatters.blocks import BlockPart, BlockType, Entity, Part, Row, TextPart
from chat.formatters.formatter import Formatter

ROWS: dict[Entity, list[Row]] = {
    Entity.TASK: [{"id": "t1", "title": "Buy milk", "status": "todo"}, {"id": "t2", "title": "Call Anna"}],
    Entity.PROJECT: [{"id": "p1", "name": "Garden", "status": "active"}],
    Entity.NOTE: [],
    Entity.CHECKPOINT: [],
}

Shown = list[str | tuple[BlockType, object]]
"""An answer as the user sees it: texts joined, blocks between them."""


def home(log: list[str] | None = None) -> Formatter:
    """A home formatter of a turn whose tools returned ``ROWS``."""
    return Formatter((log if log is not None else []).append, rows=ROWS.__getitem__)


def shown(parts: Iterable[Part]) -> Shown:
    """The parts with their texts joined where no block is between them."""
    answer: Shown = []
    for part in parts:
        if isinstance(part, BlockPart):
            answer.append((part.block_type, part.data))
        elif answer and isinstance(answer[-1], str):
            answer[-1] += part.text
        else:
            answer.append(part.text)
    return answer


def parts_of(formatter: Formatter, tokens: Iterable[str]) -> list[Part]:
    """All parts of one message that arrives as ``tokens``."""
    parts = [part for token in tokens for part in formatter.feed(token)]
    return parts + formatter.end_message()


def answer(written: str) -> Shown:
    """What is shown of a message that arrives in one piece."""
    return shown(parts_of(home(), [written]))


def logged(written: str) -> list[str]:
    """The log's lines for a message that arrives in one piece."""
    log: list[str] = []
    parts_of(home(log), [written])
    return log


def text_of(parts: Sequence[Part]) -> str:
    """The text of the parts, without the blocks."""
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def cut(written: str, places: Iterable[int]) -> list[str]:
    """The tokens of ``written`` when cut at ``places``."""
    edges = [0, *sorted({place % (len(written) + 1) for place in places}), len(written)]
    return [written[start:end] for start, end in pairwise(edges)]


TEXTS = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [
                "\n",
                '"',
                "\\",
                "{",
                "}",
                "[",
                "]",
                "```",
                "```json\n",
                "😀",
                "é",
                "[link](x)",
                '{"type":"text"}',
                "\u2028",
            ]
        ),
    ),
    max_size=6,
).map("".join)

_NUMBERS = st.one_of(st.none(), st.booleans(), st.integers(-999, 999), st.floats(-9, 9))
_CELLS = st.one_of(_NUMBERS, TEXTS)
_TABLES = st.integers(1, 3).flatmap(
    lambda width: st.fixed_dictionaries(
        {
            "type": st.just("table"),
            "headers": st.lists(TEXTS, min_size=width, max_size=width),
            "rows": st.lists(st.lists(_CELLS, min_size=width, max_size=width), max_size=3),
        }
    )
)
_CHARTS = st.fixed_dictionaries(
    {
        "type": st.just("chart"),
        "chartType": st.sampled_from(["area", "bar", "line", "pie", "radar", "radial"]),
        "title": TEXTS,
        "data": st.lists(st.dictionaries(TEXTS, _NUMBERS, max_size=2), max_size=3),
        "config": st.dictionaries(
            TEXTS, st.fixed_dictionaries({"label": TEXTS, "color": TEXTS}), min_size=1, max_size=2
        ),
    }
)
_TIMELINES = st.fixed_dictionaries(
    {
        "type": st.just("timeline"),
        "checkpoints": st.lists(
            st.fixed_dictionaries({"id": TEXTS, "title": TEXTS, "date": st.integers(10**11, 10**13)}), max_size=2
        ),
    }
)
_REFS = st.fixed_dictionaries(
    {"type": st.just("entity_ref"), "entity": st.sampled_from(["task", "project"])},
    optional={"id": st.just(None)},
)
_TEXT_BLOCKS = st.fixed_dictionaries({"type": st.just("text"), "content": TEXTS})

Block = dict[str, object]


def _in_any_order(block: Block) -> st.SearchStrategy[Block]:
    return st.permutations(list(block.items())).map(dict)


BLOCKS: st.SearchStrategy[Block] = st.one_of(_TEXT_BLOCKS, _TEXT_BLOCKS, _TABLES, _CHARTS, _TIMELINES, _REFS).flatmap(
    _in_any_order
)


def expected(blocks: Iterable[Block]) -> Shown:
    """The display of valid blocks, computed from their values."""
    parts: list[Part] = []
    for block in blocks:
        fields = {key: value for key, value in block.items() if key != "type"}
        match block["type"]:
            case "text":
                if block["content"]:
                    parts.append(TextPart(text=str(block["content"])))
            case "entity_ref":
                data = {"entity": block["entity"], "items": ROWS[Entity(str(block["entity"]))]}
                parts.append(BlockPart(block_type=BlockType.ENTITY_REF, data=data))
            case kind:
                parts.append(BlockPart(block_type=BlockType(str(kind)), data=fields))
    return shown(parts)


@st.composite
def outputs(draw: st.DrawFn) -> tuple[str, list[Block]]:
    """A well-formed message and its blocks: an array, one per line, or concatenated; maybe fenced; any spacing."""
    blocks = draw(st.lists(BLOCKS, min_size=1, max_size=4))
    ensure_ascii, indent = draw(st.booleans()), draw(st.sampled_from([None, 0, 2]))
    sources = [json.dumps(block, ensure_ascii=ensure_ascii, indent=indent) for block in blocks]
    opening, between, closing = draw(
        st.sampled_from(
            [
                ("[", ",", "]"),
                ("[\n", " ,\n", "\n]\n"),
                ("", "\n", "\n"),
                ("", "", ""),
                ("", ", ", ""),
                ("", "\r\n\r\n", ""),
            ]
        )
    )
    written = opening + between.join(sources) + closing
    fence = draw(st.sampled_from(["{}", "```json\n{}\n```", "```\n{}```\n", " \n```JSON {} ```", "\n\n{}"]))
    return fence.replace("{}", written), blocks


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A well-formed message in which something has been deleted, duplicated or inserted."""
    written, _ = draw(outputs())
    for _ in range(draw(st.integers(1, 3))):
        start, length = draw(st.integers(0, len(written))), draw(st.integers(0, 12))
        inserted = draw(st.one_of(st.just(""), st.just(written[start : start + 2 * length]), _FRAGMENTS))
        written = written[:start] + inserted + written[start + length :]
    return written


_FRAGMENTS = st.one_of(
    st.sampled_from(
        [
            *'{}[],:"\\`/ \n\t',
            *("```", "```json\n", '{"type":', '"text"', '"content":', '{"content":"', '","type":"text"}', '"type"'),
            *('{"type":"text","content":"', '{"type":"table","headers":["a"],"rows":[["b"]]}', '{"type":"chart",'),
            *('{"type":"entity_ref","entity":"task"}', '{"a":{"b":[1,', "\\u", "\\ud83d", "\\ude00", "\\u00e9", "\\q"),
            *(
                "true",
                "-1.5e3",
                "NaN",
                "nul",
                "01",
                "prose",
                "[link](x)",
                "\ud83d",
                "\ude00",
                "😀",
                '"}',
                '"}]',
                "\u00a0",
            ),
            *("[" * 70, '{"a":' * 70, "]" * 70),
        ]
    ),
    st.text(max_size=3),
)
FRAGMENTS = st.lists(_FRAGMENTS, max_size=20).map("".join)
PROSE = st.tuples(
    st.sampled_from(
        ["[link](x) ", "{braces} ", "{ ", "Hello ", "[1] ", '["a"] ', '{"a": 1} ', "```python\n", "`", "# "]
    ),
    FRAGMENTS,
).map("".join)
