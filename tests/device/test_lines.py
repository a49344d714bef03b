"""Lines of a pipe; those of a terminal are tested in ``test_terminal_prompt``."""

import asyncio
import errno
import threading
from collections.abc import Iterator
from io import BytesIO, StringIO, TextIOWrapper
from typing import IO, cast

import pytest

from device.errors import UsageError
from device.lines import Pipe


async def test_pipe_gives_its_lines_without_their_ends() -> None:
    pipe = Pipe(StringIO("one\r\n\n two \nthree"))
    assert [await pipe.next() for _ in range(5)] == ["one", "", " two ", "three", None]


async def test_mark_of_utf8_is_no_part_of_the_first_line() -> None:
    pipe = Pipe(TextIOWrapper(BytesIO(b"\xef\xbb\xbf/tables\n\xef\xbb\xbftwo\n"), encoding="utf-8"))
    assert [await pipe.next() for _ in range(3)] == ["/tables", "\ufefftwo", None]


async def test_pipe_goes_on_after_bytes_that_are_no_characters() -> None:
    pipe = Pipe(TextIOWrapper(BytesIO(b"one\nperch\xe9\ntwo\n"), encoding="utf-8"))
    assert [await pipe.next() for _ in range(4)] == ["one", "perch\udce9", "two", None]


async def test_pipe_that_cannot_be_read_any_further_says_so() -> None:
    def lines() -> Iterator[str]:
        yield "one\n"
        raise OSError(errno.EIO, "Input/output error")

    pipe = Pipe(cast("IO[str]", lines()))
    assert await asyncio.wait_for(pipe.next(), timeout=20) == "one"
    with pytest.raises(UsageError, match=r"^The input cannot be read: Input/output error\.$"):
        await asyncio.wait_for(pipe.next(), timeout=20)


def test_pipe_that_goes_on_when_no_one_listens_any_more_ends_quietly() -> None:
    no_listener = threading.Event()
    readers: list[threading.Thread] = []

    def lines() -> Iterator[str]:
        readers.append(threading.current_thread())
        yield "one\n"
        assert no_listener.wait(timeout=20)
        yield "two\n"

    # An unhandled exception of the thread would be a warning, and warnings are errors.
    assert asyncio.run(Pipe(cast("IO[str]", lines())).next()) == "one"
    no_listener.set()
    readers[0].join(timeout=20)
    assert not readers[0].is_alive()
