"""A scripted server of the Chat Completions and embeddings APIs over real HTTP on loopback.

It runs on a thread with a loop of its own, so that it can serve the test's own process and other processes alike. It
records every request, and whether the client went away before the answer ended.

    with ModelServer() as server:
        server.reply(calls(wants("list_tasks")), says("You have two."))
        server.when(lambda request: "note" in request.asked, lambda body: says(body["messages"][-1]["content"]))
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Self

from tests.model_server.http import Connection, listen
from tests.model_server.playing import play
from tests.model_server.recorded import Recorded
from tests.model_server.rules import Rules
from tests.model_server.scripts import Answering, Script, Status, Step

WAIT_S: Final = 10.0


class ModelServer:
    """``with ModelServer() as server:`` serves at ``server.base_url`` until the block ends.

    Without ``keeps_requests`` it can serve for hours; ``requests`` stays empty.
    """

    def __init__(self, *, keeps_requests: bool = True) -> None:
        self._keeps_requests = keeps_requests
        self.requests: list[Recorded] = []
        self.embedding_requests: list[Recorded] = []
        self.other_requests: list[Recorded] = []
        self.connections = 0
        """The number of connections that clients have opened so far."""
        self._chats = Rules()
        self._embeddings = Rules(default=())
        self._pages: dict[str, Script] = {}
        self._gates: dict[str, asyncio.Event] = {}
        self._arrived = threading.Condition()
        self._failures: list[Exception] = []
        self._address: Future[str] = Future()
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="model server", daemon=True)

    @property
    def base_url(self) -> str:
        """The value for ``OPENAI_BASE_URL``."""
        return f"{self._address.result(WAIT_S)}/v1"

    def reply(self, *scripts: Answering) -> None:
        """Answer the next requests that match no rule with these, in order."""
        self._chats.queue(*scripts)

    def when(self, fits: Callable[[Recorded], bool], *scripts: Answering) -> None:
        """Answer matching requests with these, in order; the last one is repeated. Takes precedence over ``reply``."""
        self._chats.add(fits, *scripts)

    def otherwise(self, script: Answering) -> None:
        """Answer requests that neither a rule nor the queue answers with this."""
        self._chats.default = script

    def reply_to_embedding(self, *scripts: Answering) -> None:
        """Answer the next requests for vectors with these: a ``Status``, ``Json`` or ``BreakOff``, a ``Hold``."""
        self._embeddings.queue(*scripts)

    def when_embedding(self, fits: Callable[[Recorded], bool], *scripts: Answering) -> None:
        """As ``when``, but for requests for vectors, with the scripts of ``reply_to_embedding``."""
        self._embeddings.add(fits, *scripts)

    def serve(self, path: str, *script: Step) -> None:
        """Answer requests for ``path`` with this; without it, only those of models and vectors are answered."""
        self._pages[path] = script

    def open(self, gate: str = "gate") -> None:
        """Release the answers that hold at ``gate``, now and later."""
        self._loop.call_soon_threadsafe(lambda: self._gate(gate).set())

    def wait_for_requests(self, count: int) -> list[Recorded]:
        """The chat requests, once there are ``count``. Raises ``TimeoutError``."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout=WAIT_S):
                raise TimeoutError(f"{len(self.requests)} of {count} requests came")
            return list(self.requests)

    def __enter__(self) -> Self:
        self._thread.start()
        self._address.result(WAIT_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server. Raises what went wrong in the test's own scripts."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(WAIT_S)
        if self._failures and error is None:
            raise self._failures[0]

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve_until_over())

    async def _serve_until_over(self) -> None:
        opened: dict[Connection, asyncio.Task[None]] = {}
        async with asyncio.TaskGroup() as tasks:
            listening = await listen(
                lambda connection: opened.update({connection: tasks.create_task(self._serve(connection))})
            )
            host, port = listening.sockets[0].getsockname()
            self._address.set_result(f"http://{host}:{port}")
            await self._over.wait()
            listening.close()
            for task in opened.values():
                task.cancel()
        for connection in opened:
            await connection.close()

    async def _serve(self, connection: Connection) -> None:
        self.connections += 1
        try:
            while (request := await connection.receive()) is not None:
                await self._answer(request, connection)
        except ConnectionError:
            pass  # the script broke off, or the client has left
        except Exception as failure:  # noqa: BLE001 - raised where the test ends; the other connections go on
            self._failures.append(failure)
        finally:
            await connection.close()

    async def _answer(self, request: Recorded, connection: Connection) -> None:
        """Play the script while the client is connected."""
        playing = asyncio.create_task(play(self._script(request), request, connection, self._wait_at))
        leaving = asyncio.create_task(connection.gone.wait())
        try:
            await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not playing.done() or isinstance(playing.exception(), ConnectionResetError | BrokenPipeError):
                request.abandoned.set()
            else:
                playing.result()
        finally:
            playing.cancel()
            leaving.cancel()
            await asyncio.gather(playing, leaving, return_exceptions=True)

    def _script(self, request: Recorded) -> Script:
        self._record(request)
        if not (request.is_chat or request.is_embedding):
            return self._pages.get(request.path, [Status(404)])
        rules = self._chats if request.is_chat else self._embeddings
        try:
            answering = rules.next_for(request)
            return answering(request.body) if callable(answering) else answering
        except Exception as failure:  # noqa: BLE001 - the test's own code: it is raised where the test ends
            self._failures.append(failure)
            return [Status(400, "script_failed", str(failure))]

    def _record(self, request: Recorded) -> None:
        if not self._keeps_requests:
            return
        with self._arrived:
            if request.is_chat:
                self.requests.append(request)
            else:
                (self.embedding_requests if request.is_embedding else self.other_requests).append(request)
            self._arrived.notify_all()

    async def _wait_at(self, name: str) -> None:
        await self._gate(name).wait()

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())
