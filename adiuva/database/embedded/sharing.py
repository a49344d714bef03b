"""Sharing one embedded server between processes.

Each process that uses the server holds a shared lock on a file. Joining and leaving are serialized by a second lock,
the gate. A leaving process that finds the first lock free stops the server. The kernel releases the locks of a killed
process, so it never keeps the server from stopping or starting.
"""

import atexit
import fcntl
import logging
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from adiuva.database.embedded.cluster import Cluster
from adiuva.database.embedded.paths import database_folder, make_socket_folder
from adiuva.database.embedded.programs import SYSTEM_HOME, SystemUser, programs_for, server_user
from adiuva.errors import EmbeddedPostgresError

logger = logging.getLogger(__name__)

_GATE_PATIENCE_S = 300.0


def _tell(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


@contextmanager
def running(data_dir: Path, *, tell: Callable[[str], None] = _tell) -> Iterator[None]:
    """Keep the embedded server of ``data_dir`` running; ``tell`` announces a slow first start.

    Raises ``EmbeddedPostgresError`` with a sentence that names the problem.
    """
    with ExitStack() as stack:
        try:
            leave = _join(data_dir, tell=tell)
        except PermissionError as error:
            raise EmbeddedPostgresError(
                f"The embedded database may not use {error.filename}: run Adiuva as the user who owns {data_dir}, "
                "or set ADIUVA_DATA_DIR to a folder of your own."
            ) from None
        stack.callback(leave)
        yield


def ensure_running(data_dir: Path) -> None:
    """Keep the server running until this process exits, for commands that cannot wrap their work in ``running``."""
    stack = ExitStack()
    stack.enter_context(running(data_dir))
    atexit.register(stack.close)


def start_again(data_dir: Path) -> None:
    """Start the server if it was killed, for a process that keeps it running. A failure is logged."""
    try:
        # Left at once: what this process holds keeps the server, unless it has left in the meantime.
        with running(data_dir):
            pass
    except EmbeddedPostgresError as error:
        logger.error("the embedded database could not be started again: %s", error)  # noqa: TRY400 - without a traceback


def _join(data_dir: Path, *, tell: Callable[[str], None]) -> Callable[[], None]:
    """Start or join the server; the returned function leaves it."""
    user = server_user()
    folder = database_folder(data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    gate = folder / "gate.lock"
    with _locked(gate), ExitStack() as undo:
        cluster = Cluster(
            user=user,
            programs=programs_for(user),
            folder=cluster_folder(folder, user),
            sockets=make_socket_folder(data_dir, uid=user.uid, gid=user.gid),
        )
        holder = undo.enter_context((folder / "holders.lock").open("a"))
        fcntl.flock(holder, fcntl.LOCK_SH)
        undo.callback(_stop_if_last, cluster, holder)
        if not cluster.exists:
            tell("Preparing the database (first start)…")
            cluster.make()
        cluster.start()
        undo.pop_all()

    def leave() -> None:
        with holder, _locked(gate):
            _stop_if_last(cluster, holder)

    return leave


def _stop_if_last(cluster: Cluster, holder: IO[str]) -> None:
    with suppress(BlockingIOError):  # another process uses it
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        cluster.stop()
        with suppress(OSError):  # not empty: a server that would not stop
            cluster.sockets.rmdir()


def cluster_folder(folder: Path, user: SystemUser, *, home: Path = SYSTEM_HOME) -> Path:
    """The folder of the data: beside the locks, unless the database's user cannot access it (a checkout in ``/root``).

    Then it is in ``home`` under a random name, which the file ``elsewhere`` contains. The choice is permanent, so that
    later changes of permissions never make a database seem to be lost.
    """
    elsewhere = folder / "elsewhere"
    if elsewhere.exists():
        return Path(elsewhere.read_text(encoding="utf-8").strip())
    here = folder / "cluster"
    if user.may("x", folder):
        return here
    if here.exists():
        raise EmbeddedPostgresError(
            f"The user {user.name} cannot reach its database in {here}: let it pass the folders."
        )
    home.mkdir(mode=0o755, parents=True, exist_ok=True)
    away = home / secrets.token_hex(8)
    elsewhere.write_text(f"{away}\n", encoding="utf-8")
    return away


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        deadline = time.monotonic() + _GATE_PATIENCE_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EmbeddedPostgresError(f"Another process keeps {path} for too long: stop it.") from None
                time.sleep(0.05)
        yield
