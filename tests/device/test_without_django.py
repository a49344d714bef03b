"""The device and all its tests need nothing of the server: neither its code nor Django."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]


def test_device_passes_its_tests_where_django_cannot_be_imported(request: pytest.FixtureRequest) -> None:
    plugins = request.config.pluginmanager
    if not plugins.has_plugin("tests.device.no_django") and os.environ.get("CI") != "true":
        pytest.skip("needs ./dev test tests/device, which runs the device's tests without Django")

    assert (plugins.has_plugin("django"), "django" in sys.modules) == (False, False)


@pytest.mark.parametrize("module", ["django.db", "channels", "chat.frames", "adiuva.settings"])
def test_guard_lets_nothing_of_the_server_in(module: str) -> None:
    code = f"import tests.device.no_django, {module}"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=_ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stderr.splitlines()[-1] == f"ImportError: {module.partition('.')[0]} is not for a device"
