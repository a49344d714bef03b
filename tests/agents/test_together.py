import asyncio

import pytest

from agents.errors import ClientAbsent
from agents.together import together


async def test_all_run_beside_each_other_and_answer_in_order() -> None:
    barrier = asyncio.Barrier(3)

    async def meet(name: str) -> str:
        await barrier.wait()
        return name

    assert await together(meet(name) for name in "abc") == ["a", "b", "c"]


async def test_a_failure_comes_as_it_is_and_ends_the_others() -> None:
    ended = asyncio.Event()

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ClientAbsent

    with pytest.raises(ClientAbsent):
        await together([wait(), fail()])
    assert ended.is_set()
