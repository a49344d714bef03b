"""The device and all its tests need nothing of the server: neither its code nor Django."""

import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


def test_device_passes_its_tests_where_django_cannot_be_imported() -> None:
    plugins = ["-p", "no:django", "-p", "tests.device.no_django", "-p", "no:cacheprovider"]
    others = ["tests/device", "--ignore", str(Path(__file__))]  # this file would start itself without end
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "-q", "-x", *others],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-4000:]


@pytest.mark.parametrize("module", ["django.db", "channels", "chat.frames", "adiuva.settings"])
def test_guard_lets_nothing_of_the_server_in(module: str) -> None:
    code = f"import tests.device.no_django, {module}"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=_ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stderr.splitlines()[-1] == f"ImportError: {module.partition('.')[0]} is not for a device"
