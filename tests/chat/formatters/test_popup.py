"""What a popup shows."""

from chat.formatters.parts import TextPart
from chat.formatters.popup import PopupFormatter
from tests.chat.formatters.writing import parts_of, shown


def test_plain_text_passes_at_once() -> None:
    formatter = PopupFormatter(lambda _: None)
    assert formatter.feed("Two ") == [TextPart(text="Two ")]
    assert formatter.feed("tasks") == [TextPart(text="tasks")]
    assert formatter.end_message() == []


def test_blocks_of_a_disobedient_model_show_only_their_text() -> None:
    log: list[str] = []
    written = '```json\n[{"type":"text","content":"Two"},{"type":"chart"},{"type":"text","content":" tasks"}]\n```'
    assert shown(parts_of(PopupFormatter(log.append), [written])) == ["Two tasks"]
    assert log == ["Skipped a block (chart): a popup shows text only."]
