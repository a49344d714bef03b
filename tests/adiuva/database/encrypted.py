"""PostgreSQL over TLS: the embedded one speaks none, so TLS ends at a relay in front of it."""

import select
import socket
import socketserver
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

_SSL_REQUEST: Final = struct.pack("!II", 8, 80877103)
"""What a client sends first that wants TLS: https://www.postgresql.org/docs/18/protocol-message-formats.html"""


@contextmanager
def over_tls(url: str, context: ssl.SSLContext) -> Iterator[str]:
    """The address of the database ``url``, without options, at a port of 127.0.0.1 that takes nothing in the clear."""
    target = conninfo_to_dict(url)

    class Relay(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if self.request.recv(len(_SSL_REQUEST)) != _SSL_REQUEST:
                return
            self.request.sendall(b"S")
            with (
                suppress(OSError),
                context.wrap_socket(self.request, server_side=True) as client,
                _connected(str(target["host"]), int(target.get("port") or 5432)) as server,
            ):
                _pass_on(client, server)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Relay) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        who = ":".join(quote(str(target.get(part) or ""), safe="") for part in ("user", "password"))
        yield f"postgresql://{who}@127.0.0.1:{listener.server_address[1]}/{target['dbname']}"
        listener.shutdown()


def _connected(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port))
    connected = socket.socket(socket.AF_UNIX)
    connected.connect(f"{host}/.s.PGSQL.{port}")
    return connected


def _pass_on(client: ssl.SSLSocket, server: socket.socket) -> None:
    """Until either closes."""
    while True:
        # What is decrypted already is in no buffer that select sees.
        ready = [client] if client.pending() else select.select([client, server], [], [])[0]
        for source in ready:
            if not (data := source.recv(65_536)):
                return
            (server if source is client else client).sendall(data)
