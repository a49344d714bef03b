"""``python -m adiuva.serve``: the server process, in development and in production.

uvicorn, on uvloop if it is installed, with WebSockets that honour backpressure. It stops in this order: no new
connections; the application ends its turns and closes its sockets (``application.drain``); uvicorn closes what is left;
the embedded database stops.
"""

import argparse
import asyncio
import contextlib
import ctypes
import gc
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from functools import partial
from types import FrameType
from typing import NoReturn

import django
import uvicorn
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from adiuva.errors import AdiuvaError, PortTaken
from adiuva.server.slow_clients import ClientLimits, protocols
from agents.images import MAX_BYTES

logger = logging.getLogger(__name__)

_GRACE_S = 25
"""For turns and sockets to end after the signal; platforms usually kill after 30 s."""

SWITCH_S = 0.001
"""How long a thread may keep another one waiting that wants to run Python."""
_GARBAGE_THRESHOLDS = (2_000, 10, 5)
"""When Python looks for garbage (``gc.set_threshold``), with every version the same. With the thresholds of 3.11 and
3.12 that takes a quarter of the CPU time in which 5,000 devices come back; with larger ones, as 3.13 has them, what
ended turns leave stays for longer."""
_M_MMAP_THRESHOLD = -3
"""glibc's number of this option (``man mallopt``)."""
_LARGE_BUFFER_BYTES = 512 * 1024
_LAST_PORT = 65535

Drain = Callable[[], Awaitable[None]]


class Server(uvicorn.Server):
    """uvicorn that announces when it is ready, drains the application first, and returns after a signal."""

    def __init__(self, config: uvicorn.Config, *, drain: Drain | None, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._drain = drain
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        deadline = time.monotonic() + _GRACE_S
        for server in self.servers:
            server.close()
        if self._drain is not None:
            await self._drained(self._drain, deadline)
        self.config.timeout_graceful_shutdown = max(1, round(deadline - time.monotonic()))
        await super().shutdown(sockets=sockets)

    async def _drained(self, drain: Drain, deadline: float) -> None:
        """Await ``drain`` until the deadline, or until Ctrl-C is pressed again."""
        draining = asyncio.ensure_future(drain())
        while not draining.done() and not self.force_exit and time.monotonic() < deadline:
            await asyncio.wait({draining}, timeout=0.1)
        draining.cancel()
        (outcome,) = await asyncio.gather(draining, return_exceptions=True)
        if isinstance(outcome, Exception):  # an error does not keep the server from stopping
            logger.error("The application did not drain", exc_info=outcome)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        # uvicorn would raise the signal again at the end, which ends the process before the database is stopped.
        with stopping(self.handle_exit):
            yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until a signal. The exit code is 0 after SIGINT or SIGTERM, 2 with a sentence if it cannot serve."""
    parser = argparse.ArgumentParser(prog="adiuva.serve", description="Serves Adiuva until SIGINT or SIGTERM.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    parser.add_argument("--port", default=8000, type=_port, help="the port to listen on (8000; 0 for any free one)")
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
    try:
        with stopping(_interrupt):
            _serve(options.host, options.port)
    except (ImproperlyConfigured, AdiuvaError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except KeyboardInterrupt:
        return 0
    return 0


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= _LAST_PORT:  # the system would take it modulo 65536
        raise argparse.ArgumentTypeError(f"{text} is not a port: choose one from 0 to {_LAST_PORT}")
    return number


@contextlib.contextmanager
def stopping(handler: Callable[[int, FrameType | None], None]) -> Generator[None, None, None]:
    """Handle the signals that stop a server: from Ctrl-C, from a supervisor, and when the terminal is closed.

    Ignored signals stay ignored (``nohup``). The former handlers are restored at the end.
    """
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {
        number: signal.signal(number, handler) for number in numbers if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)


def _interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _serve(host: str, port: int) -> None:
    # Imported here, because these modules need settings.
    django.setup()
    from adiuva import checks
    from adiuva.server import logs, starting

    if not settings.LOG_EVERYTHING:
        logs.withhold_elsewhere()
    checks.refuse_bad_start()
    with listening(host, port) as listener, starting.database():
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        starting.prepare()
        # The application is created last, because it may use the database.
        from adiuva.server.asgi import application

        server = Server(
            server_config(application),
            drain=getattr(application, "drain", None),
            on_ready=partial(starting.announce, address),
        )
        # Modules and settings stay until the end. Looking through them for garbage stops all turns for 0.1 s.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_GARBAGE_THRESHOLDS)
        # Threads read the database, hash and index. By default one may keep the event loop waiting for 5 ms at a time.
        sys.setswitchinterval(SWITCH_S)
        _return_large_buffers()
        server.run(sockets=[listener])


def _return_large_buffers() -> None:
    """Have the system take large buffers back as soon as they are freed.

    Once one has been freed, glibc makes those that follow a part of the heap, which hardly ever shrinks: a few frames
    of 4 MiB would take their memory for good.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:  # not with another C library
        set_option(_M_MMAP_THRESHOLD, _LARGE_BUFFER_BYTES)


def server_config(application: object) -> uvicorn.Config:
    """uvicorn's configuration for ``application``, from settings."""
    http, sockets = protocols(client_limits())
    return uvicorn.Config(
        application,  # type: ignore[arg-type] # Channels' and uvicorn's types of an application differ
        http=http,
        ws=sockets,
        timeout_keep_alive=settings.KEEP_ALIVE_S,
        ws_max_size=settings.MAX_FRAME_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        timeout_graceful_shutdown=_GRACE_S,
        proxy_headers=bool(settings.TRUSTED_PROXIES),
        forwarded_allow_ips=settings.TRUSTED_PROXIES,
        access_log=False,  # ours logs pages, not addresses
        log_config=None,
        server_header=False,
        workers=1,
    )


def client_limits() -> ClientLimits:
    """What the settings allow clients."""
    return ClientLimits(
        head_s=settings.HEAD_TIMEOUT_S,
        body_s=settings.BODY_TIMEOUT_S,
        bytes_per_s=settings.MIN_BYTES_PER_S,
        send_s=settings.SEND_TIMEOUT_S,
        most_bytes=2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE,
        larger={"/api/v1/images": MAX_BYTES + settings.DATA_UPLOAD_MAX_MEMORY_SIZE},
        per_address=settings.CONNECTIONS_PER_ADDRESS,
        trusted=tuple(settings.TRUSTED_PROXIES),
    )


@contextlib.contextmanager
def listening(host: str, port: int) -> Generator[socket.socket, None, None]:
    """A socket bound to ``host`` and ``port``, which refuses connections until the server listens.

    Bound before anything slow starts, so that a taken port is reported at once. Raises ``PortTaken``.
    """
    try:
        family, kind, protocol, _, address = min(
            socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE),
            key=lambda found: found[0] != socket.AF_INET,  # "localhost" is 127.0.0.1 rather than ::1
        )
    except (OSError, UnicodeError):
        raise PortTaken(f"There is no address {host}: set --host to an address of this machine.") from None
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError as error:
            raise PortTaken(
                f"Cannot listen on {host} port {port} ({error.strerror}): choose another with --port."
            ) from None
        yield listener


if __name__ == "__main__":
    sys.exit(main())
