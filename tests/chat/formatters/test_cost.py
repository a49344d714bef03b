"""A character costs the same however long the message is."""

from collections.abc import Callable

import pytest

from chat.formatters.repair import repaired_value
from tests.chat.formatters.writing import home, parts_of
from tests.costs import calls_of

TEXT = '{"type":"text","content":"%s"}'

WRITTEN: dict[str, Callable[[int], str]] = {
    "plain text": lambda size: TEXT % ("lorem ip" * (size // 8)),
    "escaped text": lambda size: TEXT % ("\\n\\u00e9" * (size // 8)),
    "held text": lambda size: '{"content":"%s","type":"text"}' % ("lorem ip" * (size // 8)),
    "unescaped quotes": lambda size: TEXT % ('a"b ' * (size // 4)),
    "prose": lambda size: "lorem {} " * (size // 9),
    "prose among blocks": lambda size: TEXT % "a" + 'a {"b" [c] ' * (size // 11),
    "white space": lambda size: " " * size,
    "backticks": lambda size: TEXT % "a" + "`" * size,
    "small blocks": lambda size: '{"type":"table","headers":["a"],"rows":[]}\n' * (size // 44),
    "one large block": lambda size: '{"type":"table","headers":["a"],"rows":[%s["b"]]}' % ('["b"],' * (size // 6)),
    "a broken block": lambda size: '{"type":"table","rows":[%s' % ('{"a":"b"},' * (size // 10)),
    "broken blocks": lambda size: '{"type":"table","a":["b",]}\n' * (size // 28),
    "deep blocks": lambda size: '{"type":' * (size // 8),
    "deep broken blocks": lambda size: ('{"type":' * 60 + "}") * (size // 481),
    "brackets": lambda size: '{"type":"chart","data":' + "[" * size,
    "braces": lambda size: TEXT % "a" + "{" * size,
}


@pytest.mark.parametrize("token_size", [1, 4, 10**6])
@pytest.mark.parametrize("kind", WRITTEN)
def test_cost_of_a_message_grows_with_its_length_only(kind: str, token_size: int) -> None:
    def cost(size: int) -> int:
        written = WRITTEN[kind](size)
        tokens = [written[start : start + token_size] for start in range(0, len(written), token_size)]
        return calls_of(lambda: parts_of(home(), tokens))

    assert cost(4_000) < 6 * cost(1_000) + 1_000


@pytest.mark.parametrize(
    "cut",
    [
        '{"type":"table","rows":[["' + '\\"a\\": ' * 100_000,
        '{"type":"table","rows":[["' + '\\"a\\": ' * 100_000 + "\\",
        "{'type':'table','rows':[['" + "\\'a\\': " * 100_000,
        '{"type":"table","title":"' + " ,:" * 100_000 + "a",
    ],
    ids=["quotes", "quotes and half an escape", "quotes of Python", "marks between values"],
)
def test_a_text_that_is_cut_off_is_read_once(cut: str) -> None:
    # Where its end is looked for from each of its quotes, this takes longer than a test may.
    value = repaired_value(cut)
    assert value is None or isinstance(value, dict)
