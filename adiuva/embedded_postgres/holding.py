"""Using one embedded server from several processes.

Each process that uses the server holds a shared lock on a file. Joining and leaving happen one at a time behind a
second lock, the gate. Who finds on leaving that nobody else holds the first lock stops the server. The kernel gives
locks back when a process dies, so a killed one never keeps the server from being stopped, nor from being started.
"""

import atexit
import fcntl
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from adiuva.embedded_postgres.cluster import Cluster
from adiuva.embedded_postgres.places import Places, database_folder, make_socket_folder
from adiuva.embedded_postgres.programs import SYSTEM_HOME, programs_for
from adiuva.embedded_postgres.system_user import SystemUser, server_user
from adiuva.errors import EmbeddedPostgresError

_GATE_PATIENCE_S = 300.0


def _tell(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


@contextmanager
def running(data_dir: Path, *, tell: Callable[[str], None] = _tell) -> Iterator[None]:
    """Keeps the embedded server of ``data_dir`` running, starting it if need be; ``tell`` hears of a slow first start.

    Raises ``EmbeddedPostgresError`` with a sentence that says what is in the way.
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
    """Keeps the server running until this process exits, for commands that cannot wrap their work in ``running``."""
    stack = ExitStack()
    stack.enter_context(running(data_dir))
    atexit.register(stack.close)


def _join(data_dir: Path, *, tell: Callable[[str], None]) -> Callable[[], None]:
    """Starts or joins the server; gives what to call to leave it."""
    user = server_user()
    folder = database_folder(data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder / "gate.lock"), ExitStack() as undo:
        cluster = _cluster(data_dir, user)
        holder = undo.enter_context(cluster.places.holders.open("a"))
        fcntl.flock(holder, fcntl.LOCK_SH)
        undo.callback(_stop_if_last, cluster, holder)
        if not cluster.exists:
            tell("Preparing the database (first start)…")
            cluster.make()
        cluster.start()
        undo.pop_all()
    return lambda: _leave(cluster, holder)


def _leave(cluster: Cluster, holder: IO[str]) -> None:
    with holder, _locked(cluster.places.gate):
        _stop_if_last(cluster, holder)


def _stop_if_last(cluster: Cluster, holder: IO[str]) -> None:
    with suppress(BlockingIOError):  # somebody else uses it
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        cluster.stop()
        with suppress(OSError):  # not empty: a server that would not stop
            cluster.sockets.rmdir()


def _cluster(data_dir: Path, user: SystemUser) -> Cluster:
    folder = database_folder(data_dir)
    return Cluster(
        user=user,
        programs=programs_for(user),
        places=Places(folder=folder, cluster=cluster_folder(folder, user)),
        sockets=make_socket_folder(data_dir, uid=user.uid, gid=user.gid),
    )


def cluster_folder(folder: Path, user: SystemUser, *, home: Path = SYSTEM_HOME) -> Path:
    """Where the data is: beside the locks, unless the database's user cannot get there (a checkout under ``/root``).

    Then it is in ``home`` under a random name, and the file ``elsewhere`` says which. The choice is made once: later
    changes of permissions must not make a database seem to be gone.
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
