import pytest

from agents.engine.repetition import Runaway
from tests.effort import tries


def ends_after(text: str, *, size: int) -> int | None:
    """The number of characters after which ``text``, in pieces of ``size``, counts as endless, or None."""
    runaway = Runaway()
    for at in range(0, len(text), size):
        if runaway.feed(text[at : at + size]) is not None:
            return at + size
    return None


@pytest.mark.parametrize("size", [1, 3, 64, 5000])
@pytest.mark.parametrize(
    "begun", ["", "The tasks:\n\n- “Buy milk”\n", '```json\n{"name": "list_tasks", "arguments": {}}\n```']
)
@pytest.mark.parametrize("again", ["\n", " \n", "ha", "I will do it now.\n", "- “Buy milk” (todo, due tomorrow)\n" * 3])
def test_endless_text_is_detected(again: str, begun: str, size: int) -> None:
    known = ends_after(begun + again * (20_000 // len(again)), size=size)

    assert known is not None
    assert known <= len(begun) + 4096 + 256 + 2 * size


@pytest.mark.parametrize("size", [1, 7, 5000])
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"- “Task {number}”, due on the {number % 28 + 1}.\n" for number in range(tries(400, long=4000))),
        "".join(f"| {'short':<400} | {number} |\n" for number in range(50)),
        "- nothing\n" * 100,
        "One.\n\n\nTwo.\n" + "\n" * 20 + "Three.",
        "-" * 1000,
        "Non devo parlare in classe.\n" * 100,
        "|  |  |  |\n" * 110,
    ],
    ids=["list", "padded table", "equal lines", "blank lines", "rule", "repeated sentence", "empty table"],
)
def test_long_legitimate_text_is_not_endless(text: str, size: int) -> None:
    assert ends_after(text, size=size) is None
