"""``./dev audit``, with programs in place of pip-audit and npm that print what those print."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.forks import ROOT

KNOWN = {"name": "django", "version": "5.2", "vulns": []}
FLAWED = {"name": "idna", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": []}]}
SKIPPED = {"name": "ours", "skip_reason": "Dependency not found"}


@pytest.fixture
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / "deploy" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["audit"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def audited(audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, pip: object, npm: object) -> int:
    """The exit code when pip-audit and npm print this; None: they cannot connect."""
    folder = tmp_path / "clients" / "typescript"
    folder.mkdir(parents=True)
    (folder / "package-lock.json").write_text("{}")
    program = tmp_path / "npm"
    for path, report in ((tmp_path / "pip.py", pip), (program, npm)):
        ends = f"print({json.dumps(report)!r})" if report is not None else "sys.exit('no route to the database')"
        path.write_text(f"#!{sys.executable}\nimport sys\n{ends}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(audit, "PIP_AUDIT", (sys.executable, str(tmp_path / "pip.py")))
    code: int = audit.main(tmp_path)
    return code


def flaws(**severities: str) -> object:
    return {"vulnerabilities": {name: {"range": "<2", "severity": level} for name, level in severities.items()}}


def test_nothing_known(
    audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = {"dependencies": [KNOWN, SKIPPED]}
    assert audited(audit, tmp_path, monkeypatch, pip=pip, npm=flaws(quiet="low")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Python: no known vulnerability",
        "Python: not audited, because the database does not know them: ours",
        "clients/typescript: no known vulnerability",
    ]


def test_a_vulnerability_fails_the_audit(
    audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited(audit, tmp_path, monkeypatch, pip={"dependencies": [KNOWN, FLAWED]}, npm=flaws(vite="high")) == 1
    assert capsys.readouterr().out.splitlines() == [
        "Python: idna 1.0: PYSEC-1, fixed in 1.1",
        "clients/typescript: vite <2: high",
    ]


@pytest.mark.parametrize(
    ("pip", "npm"), [(None, None), ({"dependencies": [SKIPPED]}, {"message": "405 Method Not Allowed"})]
)
def test_databases_that_cannot_be_reached_are_named_and_no_failure(
    audit: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pip: object,
    npm: object,
) -> None:
    assert audited(audit, tmp_path, monkeypatch, pip=pip, npm=npm) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" cannot be reached")[0] for line in lines] == [
        f"{name}: not audited, because the database of vulnerabilities" for name in ("Python", "clients/typescript")
    ]
