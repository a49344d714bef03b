import uuid

from tests.chat.cluster.grounds import Ground

ALICE = uuid.uuid4()


class TestMailbox:
    async def test_call_goes_one_way_and_the_answer_the_other(self, ground: Ground) -> None:
        one, other, call = ground.commons().mailbox, ground.commons().mailbox, str(uuid.uuid4())
        await one.post(ALICE, call, "the call é \ud800")
        assert await one.waits(call) is True
        letter = await other.take(ALICE, call)
        assert letter is not None
        assert (letter.text, letter.first) == ("the call é \ud800", True)
        assert await one.collect(ALICE, call) is None

        assert await other.answer(ALICE, call, "the answer") is True
        assert await other.waits(call) is True
        assert await one.collect(ALICE, call) == "the answer"
        assert await other.waits(call) is False
        assert await one.collect(ALICE, call) == "the answer"

    async def test_only_who_takes_a_call_first_is_told_so(self, ground: Ground) -> None:
        box, call = ground.commons().mailbox, str(uuid.uuid4())
        await box.post(ALICE, call, "the call")
        await box.post(ALICE, call, "the same again")
        letters = [await box.take(ALICE, call) for _ in range(3)]
        assert [(letter.text, letter.first) for letter in letters if letter is not None] == [
            ("the call", True),
            ("the call", False),
            ("the call", False),
        ]

    async def test_call_that_was_answered_is_not_taken_again(self, ground: Ground) -> None:
        box, call = ground.commons().mailbox, str(uuid.uuid4())
        await box.post(ALICE, call, "the call")
        await box.take(ALICE, call)
        await box.answer(ALICE, call, "the answer")

        assert await box.take(ALICE, call) is None
        await box.post(ALICE, call, "the call")
        assert await box.collect(ALICE, call) == "the answer"
        assert await box.take(ALICE, call) is None

    async def test_what_was_never_posted_is_neither_taken_nor_answered(self, ground: Ground) -> None:
        box, call = ground.commons().mailbox, str(uuid.uuid4())
        assert await box.take(ALICE, call) is None
        assert await box.answer(ALICE, call, "an answer") is False
        assert await box.collect(ALICE, call) is None
        assert await box.waits(call) is False

    async def test_answer_of_four_mebibytes_passes(self, ground: Ground) -> None:
        one, other, call = ground.commons().mailbox, ground.commons().mailbox, str(uuid.uuid4())
        await one.post(ALICE, call, "the call")
        long = "0123456789abcdef" * (4 * 1024 * 1024 // 16)
        await other.answer(ALICE, call, long)
        assert await one.collect(ALICE, call) == long
