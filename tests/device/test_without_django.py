"""The device and all its tests run without the server's code and without Django."""

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


_IMPORT_ALL = """
import importlib, sys
import tests.device.no_django

for module in sys.argv[1:]:
    try:
        importlib.import_module(module)
    except ImportError as error:
        print(error)
    else:
        print(f"{module} can be imported")
"""


def test_guard_lets_nothing_of_the_server_in() -> None:
    modules = ["django.db", "channels", "chat.protocol.frames", "adiuva.settings"]
    said = subprocess.check_output([sys.executable, "-c", _IMPORT_ALL, *modules], cwd=_ROOT, text=True, timeout=60)
    assert said.splitlines() == [f"{module.partition('.')[0]} is not for a device" for module in modules]
