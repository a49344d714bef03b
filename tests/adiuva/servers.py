"""Servers and processes that tests start, stop and kill."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

import httpx
import psycopg
import pytest

from adiuva.database.embedded import django_database
from adiuva.database.embedded.cluster import living_server
from adiuva.database.embedded.paths import database_folder, socket_folder
from tests.forks import ROOT, Fork, forked

READY = "Adiuva is ready at "
_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 2 * 1024**3

Started: TypeAlias = Fork | subprocess.Popen[str]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who runs PostgreSQL as another user")


def silent(_sentence: str) -> None:
    """For a start whose progress does not matter."""


@contextmanager
def open_data_dir() -> Iterator[Path]:
    """A data folder that does not exist yet; unlike pytest's folders, every system user can enter its parent."""
    folder = Path(tempfile.mkdtemp(prefix="adiuva-", dir=_in_memory()))
    folder.chmod(0o755)
    data_dir = folder / "var"
    try:
        yield data_dir
    finally:
        pid = living_server(cluster_data(data_dir))
        if pid is not None:
            kill_and_wait(pid)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(socket_folder(data_dir), ignore_errors=True)


def _in_memory() -> Path | None:
    """The folder whose files are in memory, if there is room and programs may run there; None for the usual one.

    A cluster is more than a thousand files, and ext4 without a journal is slow to make files where others have just
    been deleted.
    """
    if not _MEMORY.is_dir():
        return None
    system = os.statvfs(_MEMORY)
    free_bytes = system.f_bavail * system.f_frsize
    return None if free_bytes < _ROOM_BYTES or system.f_flag & os.ST_NOEXEC else _MEMORY


def cluster_data(data_dir: Path) -> Path:
    return database_folder(data_dir) / "cluster" / "data"


def put_cluster(data_dir: Path, *, copied_from: Path) -> None:
    """Make ``data_dir`` a copy of another data folder, whose server is stopped."""
    subprocess.run(["cp", "-a", copied_from, data_dir], check=True)  # with owners and modes, as PostgreSQL demands


def connect(data_dir: Path) -> psycopg.Connection[tuple[object, ...]]:
    database = django_database(data_dir)
    return psycopg.connect(
        host=str(database["HOST"]), dbname=str(database["NAME"]), user=str(database["USER"]), autocommit=True
    )


def kill_and_wait(pid: int) -> None:
    """Kill a process with SIGKILL and wait until the kernel reports its end. It need not be a child of ours."""
    watched = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(watched, signal.SIGKILL)
        select.select([watched], [], [], 30)
    finally:
        os.close(watched)


def wait_for_end(pid: int) -> None:
    """Wait until the kernel reports the end of a process, which need not be a child of ours. Fails after 30 s."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([watched], [], [], 30)[0], f"process {pid} goes on"
    finally:
        os.close(watched)


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port reserved until the block ends. One server at a time can listen on it; no other program can get it."""
    with socket.socket() as holder:
        # A server that sets SO_REUSEPORT too can bind to the same port, as long as this socket does not listen.
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        port: int = holder.getsockname()[1]
        yield port


def readiness(address: str) -> httpx.Response:
    """What ``/readyz`` answers, asked again while a busy machine makes parts exceed their time-outs."""
    for _ in range(20):
        answer = httpx.get(f"{address}/readyz", timeout=30)
        if "no answer within" not in answer.text:
            break
    return answer


@contextmanager
def python(code: str, *arguments: str | Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs ``code`` in its own session; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def serving(*arguments: str, env: dict[str, str]) -> Iterator[Fork]:
    """A server process with standard error merged into the output; killed at the end if it still runs."""
    with forked("-m", "adiuva.serve", *arguments, env=env) as process:
        yield process


@contextmanager
def serving_by_command(*arguments: str, env: dict[str, str], checkout: Path = ROOT) -> Iterator[subprocess.Popen[str]]:
    """As ``serving``, but starts ``python -m adiuva.serve`` itself, from the sources in ``checkout``."""
    with subprocess.Popen(
        [sys.executable, "-m", "adiuva.serve", *arguments],
        cwd=checkout,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def serving_release(release: str, *arguments: str, env: dict[str, str]) -> AbstractContextManager[Started]:
    """As ``serving``; if ``ADIUVA_TEST_<release>`` names a checkout of another release, a server of that release.

    So the tests of several processes show that a rolling deployment works.
    """
    checkout = os.environ.get(f"ADIUVA_TEST_{release}")
    if checkout is None:
        return serving(*arguments, env=env)
    return serving_by_command(*arguments, env={**env, "PYTHONPATH": checkout}, checkout=Path(checkout))


def line(process: Started) -> str:
    """The next line of output; empty when the process has ended."""
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def lines_until_ready(process: Started) -> tuple[list[str], str]:
    """The lines before the server is ready, and its address. Fails if it ends instead."""
    said: list[str] = []
    assert process.stdout is not None
    for latest in process.stdout:
        if latest.startswith(READY):
            return said, latest.removeprefix(READY).rstrip("\n")
        said.append(latest.rstrip("\n"))
    raise AssertionError("\n".join(["the server ended:", *said]))
