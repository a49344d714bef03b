"""The invariant of the formatters: how a message is cut into chunks does not change what is shown."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from chat.formatters import json_stream, reader
from chat.formatters.formatter import Formatter
from tests.chat.formatters.writing import (
    FRAGMENTS,
    PROSE,
    TEXTS,
    Block,
    answer,
    cut,
    expected,
    home,
    mutations,
    outputs,
    parts_of,
    shown,
    text_of,
)
from tests.costs import coverage_paused
from tests.effort import tries

MARKS = ("", " ", *"{[(<`iI|'’", *"tcpnTCPN")
"""What an object, an array, an id (also between quotes or after “task's”), a tag, a fence or a table may begin with."""
PLACES = st.lists(st.integers(0, 10_000), max_size=12)
WRITTEN = st.one_of(outputs().map(lambda output: output[0]), mutations(), FRAGMENTS, PROSE)


@pytest.fixture(autouse=True)
def _coverage_paused() -> Iterator[None]:
    with coverage_paused():
        yield


@settings(max_examples=tries(100, long=2_000), deadline=None)
@given(written=WRITTEN, places=PLACES)
@example(written='{"type":"text","content":"\\ud83d\\ude00"}', places=[])
@example(written='```json\n[{"type":"chart","title":"x}\n{"type":"text","content":"y"}]```', places=[3])
def test_answer_cut_anywhere_is_the_same(written: str, places: list[int]) -> None:
    whole_log: list[str] = []
    whole = shown(parts_of(home(whole_log), [written]))
    for tokens in (cut(written, places), list(written)):
        log: list[str] = []
        assert shown(parts_of(home(log), tokens)) == whole
        assert log == whole_log


@settings(max_examples=tries(75, long=2_000), deadline=None)
@given(written=WRITTEN, places=PLACES)
def test_answer_beyond_the_limits_cut_anywhere_is_the_same(written: str, places: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "MAX_BLOCK", 40)
        patch.setattr(json_stream, "MAX_DEPTH", 3)
        patch.setattr(reader, "MAX_BLOCK", 50)
        patch.setattr(reader, "MAX_READ_AGAIN", 60)
        whole = answer(written)
        for tokens in (cut(written, places), list(written)):
            assert shown(parts_of(home(), tokens)) == whole


@settings(max_examples=tries(50, long=1_000), deadline=None)
@given(written=WRITTEN, places=PLACES)
def test_popup_cut_anywhere_is_the_same(written: str, places: list[int]) -> None:
    whole = text_of(parts_of(Formatter(lambda _: None, shows_blocks=False), [written]))
    for tokens in (cut(written, places), list(written)):
        assert text_of(parts_of(Formatter(lambda _: None, shows_blocks=False), tokens)) == whole


@settings(max_examples=tries(75, long=2_000), deadline=None)
@given(output=outputs())
def test_valid_output_shows_what_its_values_say(output: tuple[str, list[Block]]) -> None:
    written, blocks = output
    log: list[str] = []
    said = expected(blocks)
    assume(any(not isinstance(part, str) or part.strip() for part in said))
    assert shown(parts_of(home(log), [written])) == said
    assert log == []


@settings(max_examples=tries(60, long=1_000), deadline=None)
@example(messages=["`", '[{"type": "text", "content": ""}]'], places=[])
@given(messages=st.lists(WRITTEN, max_size=3), places=PLACES)
def test_messages_do_not_touch_each_other(messages: list[str], places: list[int]) -> None:
    formatter = home()
    together = [shown(parts_of(formatter, cut(message, places))) for message in messages]
    assert together == [answer(message) for message in messages]


@settings(max_examples=tries(60, long=1_000), deadline=None)
@given(text=TEXTS, ensure_ascii=st.booleans(), type_first=st.booleans())
def test_open_text_is_shown_as_far_as_it_is_written(*, text: str, ensure_ascii: bool, type_first: bool) -> None:
    """After every character of the source, all decoded ones are emitted but an incomplete escape and a begun mark."""
    assume(text.strip())
    fields = {"type": "text", "content": text} if type_first else {"content": text, "type": "text"}
    written = json.dumps(fields, ensure_ascii=ensure_ascii)
    formatter = home()
    out = ""
    begin = written.index('"content": "') + len('"content": "')
    end = begin + len(json.dumps(text, ensure_ascii=ensure_ascii)) - 2
    for position, character in enumerate(written, start=1):
        out += text_of(formatter.feed(character))
        if type_first and begin <= position <= end:
            decoded = decoded_so_far(written[begin:position])
            assert decoded.startswith(out)
            assert decoded[len(out) :][:1] in MARKS
    assert out + text_of(formatter.end_message()) == text


def decoded_so_far(source: str) -> str:
    """The longest decodable prefix of an open JSON string, without a lone surrogate."""
    for length in range(len(source), -1, -1):
        try:
            decoded: str = json.loads(f'"{source[:length]}"')
        except ValueError:
            continue
        if not decoded or not "\ud800" <= decoded[-1] <= "\udbff":
            return decoded
    raise AssertionError("the empty beginning can always be decoded")
