"""``python -m benchmarks`` starts without settings: its processes set Django up themselves."""

import os
import subprocess
import sys

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
