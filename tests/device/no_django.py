"""A pytest plugin under which Django cannot be imported: ``-p no:django -p tests.device.no_django``."""

import importlib.abc
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest


class _Guard(importlib.abc.MetaPathFinder):
    """The first finder; it hides Django and our modules that need it."""

    forbidden = frozenset({"django", "channels", "rest_framework", "adiuva", "accounts", "memory", "agents", "chat"})

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in self.forbidden:
            raise ImportError(f"{fullname} is not for a device")
        return None


def pytest_addoption(parser: pytest.Parser) -> None:
    # pytest's settings name it, but pytest-django, which defines it, is off.
    parser.addini("DJANGO_SETTINGS_MODULE", "of no use without pytest-django")


sys.meta_path.insert(0, _Guard())
