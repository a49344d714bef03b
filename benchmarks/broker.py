"""A RabbitMQ of the benchmark's own, that may be killed and started again with what it had kept."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.services import is_there
from tests.adiuva.servers import reserved_port

_READY_S: Final = 90.0
_LOOK_S: Final = 0.1


class NoBroker(Exception):
    """There is no RabbitMQ on this machine to be started."""


@dataclass(kw_only=True, eq=False)
class Broker:
    """One node, whose data is in ``folder``. Not started yet."""

    program: Path
    folder: Path
    port: int
    distribution_port: int
    names_port: int
    _names: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _node: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Return when it accepts connections. Raises ``TimeoutError``."""
        if self._names is None:
            # Erlang's register of nodes. One that the node started by itself would stay when it is gone.
            command = ["epmd", "-address", "127.0.0.1", "-port", str(self.names_port)]
            self._names = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (self.folder / "enabled_plugins").write_text("[].\n")
        with (self.folder / "output").open("ab") as output:
            self._node = subprocess.Popen(
                [self.program], env=self._environment(), stdout=output, stderr=output, start_new_session=True
            )
        until = time.monotonic() + _READY_S
        while not is_there(self.port):
            if self._node.poll() is not None or time.monotonic() > until:
                raise TimeoutError(f"RabbitMQ did not start:\n{(self.folder / 'output').read_text()[-2000:]}")
            time.sleep(_LOOK_S)

    def kill(self) -> None:
        """End it with -9, as when the machine loses its power."""
        if self._node is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._node.pid, signal.SIGKILL)
            self._node.wait()
            self._node = None
            # Its parent has ended; it has ended itself once nothing listens there.
            until = time.monotonic() + _READY_S
            while is_there(self.port) and time.monotonic() < until:
                time.sleep(_LOOK_S)

    def close(self) -> None:
        """End it, and what it had started."""
        self.kill()
        if self._names is not None:
            self._names.kill()
            self._names.wait()

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RABBITMQ_", "ERL_"))}
        folder = self.folder
        return {
            **kept,
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(self.names_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "benchmark@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.distribution_port),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "config"),
            "RABBITMQ_CONFIG_FILE": str(folder / "none"),
            "RABBITMQ_CONF_ENV_FILE": os.devnull,
        }


@contextmanager
def own_broker() -> Iterator[Broker]:
    """A broker that runs, until the block ends; nothing is left of it. Raises ``NoBroker`` and ``TimeoutError``."""
    program = _program()
    if program is None or shutil.which("epmd") is None:
        raise NoBroker
    with (
        tempfile.TemporaryDirectory(prefix="adiuva-bench-", ignore_cleanup_errors=True) as folder,
        reserved_port() as port,
        reserved_port() as distribution_port,
        reserved_port() as names_port,
    ):
        broker = Broker(
            program=program,
            folder=Path(folder),
            port=port,
            distribution_port=distribution_port,
            names_port=names_port,
        )
        try:
            broker.start()
            yield broker
        finally:
            broker.close()


def _program() -> Path | None:
    # Distributions put a wrapper in the path, which becomes another user, whose data it would be.
    unwrapped = sorted(Path("/usr/lib/rabbitmq").glob("lib/rabbitmq_server-*/sbin/rabbitmq-server"))
    if unwrapped:
        return unwrapped[-1]
    found = shutil.which("rabbitmq-server")
    return None if found is None else Path(found)
