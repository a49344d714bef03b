import asyncio

from chat.turns.frame_log import MAX_CHARACTERS, TextGatherer


async def test_the_first_text_goes_out_at_once_and_later_text_together() -> None:
    emitted: list[str] = []
    gatherer = TextGatherer(emitted.append, gather_s=0.01)

    for text in ("a", "", "b", "c"):
        gatherer.add(text)
    assert emitted == ["a"]
    await asyncio.sleep(0.05)
    assert emitted == ["a", "bc"]
    await asyncio.sleep(0.05)
    gatherer.add("d")
    assert emitted == ["a", "bc", "d"]


async def test_flushing_emits_what_is_gathered_once() -> None:
    emitted: list[str] = []
    gatherer = TextGatherer(emitted.append, gather_s=0.01)

    gatherer.add("a")
    gatherer.add("b")
    gatherer.flush()
    gatherer.flush()
    await asyncio.sleep(0.03)

    assert emitted == ["a", "b"]


async def test_a_flood_is_not_gathered_without_bound() -> None:
    emitted: list[str] = []
    gatherer = TextGatherer(emitted.append, gather_s=30)

    gatherer.add("a")
    for _ in range(5):
        gatherer.add("b" * (MAX_CHARACTERS // 2))
    gatherer.flush()

    assert [len(text) for text in emitted] == [1, MAX_CHARACTERS, MAX_CHARACTERS, MAX_CHARACTERS // 2]
