"""The system user PostgreSQL runs as: whoever runs Adiuva, except that PostgreSQL refuses to be root."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adiuva.errors import EmbeddedPostgresError

_NAME = "adiuva-postgres"


@dataclass(frozen=True, kw_only=True)
class SystemUser:
    """Who runs the server's programs. ``borrowed`` says that it is another user than the one who asks."""

    name: str
    uid: int
    gid: int
    borrowed: bool

    def run(
        self, command: Sequence[str | Path], *, cwd: Path = Path("/"), timeout_s: float = 180.0
    ) -> subprocess.CompletedProcess[str]:
        """Runs ``command`` as this user with a plain environment; its output is text in ``stdout``."""
        return subprocess.run(  # noqa: S603 - our own programs and paths, no shell
            [str(part) for part in command],
            cwd=cwd,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
            umask=0o077,
            user=self.uid if self.borrowed else None,
            group=self.gid if self.borrowed else None,
            extra_groups=[] if self.borrowed else None,
        )

    def may(self, letter: str, path: Path) -> bool:
        """Whether this user may read (``r``), write (``w``) or pass (``x``) ``path``."""
        return self.run(["test", f"-{letter}", path], timeout_s=10.0).returncode == 0

    def make_folder(self, path: Path) -> None:
        """Makes ``path`` a folder that only this user may enter. Its parent must exist."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.borrowed:
            os.chown(path, self.uid, self.gid)


def server_user() -> SystemUser:
    """The user to run PostgreSQL as; for root a user of its own, made when absent.

    Raises ``EmbeddedPostgresError`` when that user cannot be made or the present one has no name.
    """
    if os.geteuid() == 0:
        entry = _entry(_NAME) or _made()
        return SystemUser(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, borrowed=True)
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise EmbeddedPostgresError(
            f"The system knows no name for user {os.geteuid()}, which PostgreSQL needs: add one, or set DATABASE_URL."
        ) from None
    return SystemUser(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, borrowed=False)


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _made() -> pwd.struct_passwd:
    program = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin")
    if program:
        command = [program, "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", _NAME]
        subprocess.run(command, capture_output=True, timeout=60, check=False)  # noqa: S603 - a fixed command
    entry = _entry(_NAME)  # also when another process made it meanwhile
    if entry is None:
        raise EmbeddedPostgresError(
            f"PostgreSQL refuses to run as root and the system user {_NAME} cannot be made: "
            "run Adiuva as an ordinary user, or set DATABASE_URL."
        )
    return entry
