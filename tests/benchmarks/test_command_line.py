"""``python -m benchmarks`` starts without settings: its processes set Django up themselves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import comparison
from benchmarks.__main__ import main
from tests.forks import ROOT


def test_the_command_starts_without_settings() -> None:
    env = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO_")}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "benchmarks", "--help"],
        cwd=ROOT,
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


def test_another_checkout_is_measured_with_the_same_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locomo.json").write_text('[{"sample_id": "a", "conversation": {}, "qa": []}]')
    passed_on: list[str] = []

    def run(_other: Path, _titles: object, options: list[str]) -> int:
        passed_on.extend(options)
        return 0

    monkeypatch.setattr(comparison, "run", run)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "argv", ["benchmarks", "--quick", "--beside", str(ROOT), "--data", ".", "--frameworks", "python", "recall"]
    )
    monkeypatch.setattr("signal.signal", lambda *_: None)

    assert main() == 0

    assert passed_on == ["--quick", "--frameworks", str(tmp_path / "python"), "--data", str(tmp_path)]
