"""What a killed server leaves behind, and how to tell it from a running one."""

import os
import subprocess
from pathlib import Path

_PID_FILE = "postmaster.pid"
_PROCESSES = Path("/proc")
_LOG_LIMIT_BYTES = 10 * 1024 * 1024


def living_server(data: Path) -> int | None:
    """The process id of the server that runs on ``data``, or None.

    The number in ``postmaster.pid`` alone proves nothing: after a crash it may name any process of this machine.
    """
    pid = _first_number(data / _PID_FILE)
    return pid if pid is not None and _is_server_of(data, pid) else None


def disown_locks(data: Path, sockets: Path) -> None:
    """Let the next server start despite the lock files of a dead one.

    PostgreSQL refuses to start while any process with the id in the file is alive, except its own parent. So our own id
    replaces the dead one. The rest of the file stays, and with it PostgreSQL's check that no session of the dead server
    still holds the shared memory; deleting the file would remove that protection.
    """
    for path in (data / _PID_FILE, *sockets.glob(".s.PGSQL.*.lock")):
        pid = _first_number(path)
        if pid is not None and not _is_server(pid):
            _replace_first_line(path, str(os.getpid()))


def keep_log_small(log: Path) -> None:
    """Rotate a log over 10 MiB; only the previous one is kept."""
    if log.exists() and log.stat().st_size > _LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".old.log"))


def _first_number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def _replace_first_line(path: Path, line: str) -> None:
    _, separator, rest = path.read_text(encoding="utf-8").partition("\n")
    # In place: the file keeps its owner, which PostgreSQL checks.
    with path.open("r+", encoding="utf-8") as file:
        file.write(line + separator + rest)
        file.truncate()


def _is_server_of(data: Path, pid: int) -> bool:
    return _is_server(pid) and str(data) in _command(pid)


def _is_server(pid: int) -> bool:
    command = _command(pid)
    return bool(command) and Path(command[0]).name == "postgres"


def _command(pid: int) -> list[str]:
    """The program and arguments of a process; empty if it is gone or a zombie."""
    if _PROCESSES.exists():
        try:
            return os.fsdecode((_PROCESSES / str(pid) / "cmdline").read_bytes()).rstrip("\0").split("\0")
        except OSError:
            return []
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S603, S607
    return shown.stdout.split()
