"""A model with scripted answers, which records what it is sent from the memory."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from agents.prompts.rendering import CLOSING, OPENING
from tests.model_server.bodies import completion, encoded
from tests.model_server.http import Connection, listen
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import DONE, Chunk, usage

LARGE: Final = "benchmark-large"
SMALL: Final = "benchmark-small"
SETTINGS: Final = {
    "OPENAI_MODEL": LARGE,
    "OPENAI_SMALL_MODEL": SMALL,
    "OPENAI_EMBEDDING_MODEL": "hashing",
    "OPENAI_API": "chat_completions",
    "OPENAI_DIALECT": "compatible",
    **{name: value for name, value in os.environ.items() if name.startswith("OPENAI_EMBEDDING_")},
}
"""The settings of a server that uses this model. Vectors come from hashing, unless the environment names a model."""

_REMEMBERED: Final = re.compile(f"{re.escape(OPENING)}(.*?){re.escape(CLOSING)}", re.DOTALL)
_SUMMARY_CHARS: Final = 300


class ScriptedModel:
    """Answers every request to the large model with ``answer``.

    ``remembered`` has the JSON document of the memory in each of these requests, in order; empty if there was none.
    """

    def __init__(self) -> None:
        self.answer = ""
        self.remembered: list[str] = []

    async def serve(self, connection: Connection) -> None:
        """Serve one client until it closes."""
        try:
            with suppress(ConnectionError):
                while (request := await connection.receive()) is not None:
                    if not request.is_chat:
                        await connection.send_json(404, encoded({}))
                    elif request.streams:
                        await self._stream(connection, self._answer_to(request))
                    else:
                        await connection.send_json(200, encoded(completion(_script(self._answer_to(request)))))
        finally:
            await connection.close()

    def _answer_to(self, request: Recorded) -> str:
        if request.body["model"] != LARGE:
            return _summary(request.messages[-1]["content"])
        prompt = "\n".join(_texts([message["content"] for message in request.messages]))
        found = _REMEMBERED.search(prompt)
        self.remembered.append(found[1] if found else "")
        return self.answer

    async def _stream(self, connection: Connection, answer: str) -> None:
        for step in _script(answer):
            await connection.send_piece(step.encoded())
        await connection.send_piece(usage().encoded() + DONE.encoded())
        await connection.end_stream()


def _summary(exchange: object) -> str:
    """The beginning of an exchange, which the small model is sent as a JSON object."""
    text = " ".join(_texts(exchange))
    with suppress(ValueError):
        text = " ".join(_texts(json.loads(text)))
    return text[:_SUMMARY_CHARS]


@asynccontextmanager
async def scripted_model() -> AsyncIterator[tuple[ScriptedModel, str]]:
    """A running model, and its base URL."""
    model = ScriptedModel()
    async with asyncio.TaskGroup() as connections:
        server = await listen(lambda connection: _begin(model, connection, connections, begun))
        begun: set[asyncio.Task[None]] = set()
        host, port = server.sockets[0].getsockname()
        try:
            yield model, f"http://{host}:{port}/v1"
        finally:
            server.close()
            for task in begun:
                task.cancel()


def _begin(
    model: ScriptedModel, connection: Connection, connections: asyncio.TaskGroup, begun: set[asyncio.Task[None]]
) -> None:
    task = connections.create_task(model.serve(connection))
    begun.add(task)
    task.add_done_callback(begun.discard)


def _script(answer: str) -> list[Chunk]:
    return [Chunk({"role": "assistant", "content": answer}), Chunk({}, "stop")]


def items_of(document: str) -> list[str]:
    """The items in the JSON document of the memory: each string, and the joined values of each object in a list."""
    return list(_items(json.loads(document))) if document else []


def _items(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _objects(each)
        case dict():
            for each in value.values():
                yield from _items(each)


def _objects(value: object) -> Iterator[str]:
    """As ``_items``, but an object is one item."""
    if isinstance(value, dict):
        yield " ".join(_texts(value))
    else:
        yield from _items(value)


def _texts(value: object) -> Iterator[str]:
    """All strings in ``value``, at any depth."""
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for each in value.values():
                yield from _texts(each)
