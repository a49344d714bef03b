"""A port that forwards to another and records all bytes in both directions."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from socketserver import BaseRequestHandler, ThreadingTCPServer
from typing import Final

_CHUNK: Final = 65_536


@dataclass
class Overheard:
    """The recorded bytes: one part per direction of each connection, so that no word is split by other bytes."""

    port: int
    parts: list[bytearray] = field(default_factory=list)

    def part(self) -> bytearray:
        """A part for one more direction."""
        self.parts.append(bytearray())
        return self.parts[-1]

    def holds(self, words: str) -> int:
        """How often ``words`` have passed."""
        return sum(part.count(words.encode()) for part in self.parts)


class _Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextmanager
def overheard(behind: int, *, port: int = 0) -> Iterator[Overheard]:
    """Forward everything to the local port ``behind`` until the end of the block; ``port`` 0 is any free one."""

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            with closing(socket.create_connection(("127.0.0.1", behind))) as far:
                back = threading.Thread(target=_pass_on, args=(far, self.request, heard.part()), daemon=True)
                back.start()
                _pass_on(self.request, far, heard.part())
                back.join()

    with _Server(("127.0.0.1", port), Handler) as server:
        heard = Overheard(server.server_address[1])
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield heard
        server.shutdown()
        serving.join()


def _pass_on(source: socket.socket, target: socket.socket, kept: bytearray) -> None:
    with suppress(OSError):  # either end has gone
        while data := source.recv(_CHUNK):
            kept += data
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
