import uuid

from tests.chat.cluster.backends import Backend

ALICE = uuid.uuid4()


class TestCallStore:
    async def test_call_goes_one_way_and_the_answer_the_other(self, backend: Backend) -> None:
        one, other, call = backend.ports().calls, backend.ports().calls, str(uuid.uuid4())
        await one.post(ALICE, call, "the call é \ud800")
        assert await one.waits(call) is True
        stored = await other.take(ALICE, call)
        assert stored is not None
        assert (stored.text, stored.first) == ("the call é \ud800", True)
        assert await one.collect(ALICE, call) is None

        assert await other.answer(ALICE, call, "the answer") is True
        assert await other.waits(call) is True
        assert await one.collect(ALICE, call) == "the answer"
        assert await other.waits(call) is False
        assert await one.collect(ALICE, call) == "the answer"

    async def test_only_the_first_to_take_a_call_gets_it(self, backend: Backend) -> None:
        store, call = backend.ports().calls, str(uuid.uuid4())
        await store.post(ALICE, call, "the call")
        await store.post(ALICE, call, "the same again")
        taken = [await store.take(ALICE, call) for _ in range(3)]
        assert [(stored.text, stored.first) for stored in taken if stored is not None] == [
            ("the call", True),
            ("the call", False),
            ("the call", False),
        ]

    async def test_call_that_was_answered_is_not_taken_again(self, backend: Backend) -> None:
        store, call = backend.ports().calls, str(uuid.uuid4())
        await store.post(ALICE, call, "the call")
        await store.take(ALICE, call)
        await store.answer(ALICE, call, "the answer")

        assert await store.take(ALICE, call) is None
        await store.post(ALICE, call, "the call")
        assert await store.collect(ALICE, call) == "the answer"
        assert await store.take(ALICE, call) is None

    async def test_what_was_never_posted_is_neither_taken_nor_answered(self, backend: Backend) -> None:
        store, call = backend.ports().calls, str(uuid.uuid4())
        assert await store.take(ALICE, call) is None
        assert await store.answer(ALICE, call, "an answer") is False
        assert await store.collect(ALICE, call) is None
        assert await store.waits(call) is False

    async def test_answer_of_four_mebibytes_passes(self, backend: Backend) -> None:
        one, other, call = backend.ports().calls, backend.ports().calls, str(uuid.uuid4())
        await one.post(ALICE, call, "the call")
        long = "0123456789abcdef" * (4 * 1024 * 1024 // 16)
        await other.answer(ALICE, call, long)
        assert await one.collect(ALICE, call) == long
