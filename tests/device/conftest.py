"""A test device: its own file, a clock set by hand, sequential ids."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path
from typing import Any

import pytest

from device.executor import Executor
from device.store import Store
from tests.device import running
from tests.device.clocks import ManualClock, SequentialIds
from tests.device.scripted_server import Script


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    return tmp_path / "device.sqlite3"


@pytest.fixture
def store(data_file: Path, clock: ManualClock) -> Iterator[Store]:
    with closing(Store(data_file, clock=clock, new_id=SequentialIds())) as store:
        yield store


@pytest.fixture
def executor(store: Store) -> Executor:
    return Executor(store)


@pytest.fixture
def at_terminal(data_file: Path) -> running.AtTerminal:
    def started(script: Script, *arguments: str, **more: Any) -> AbstractAsyncContextManager[running.Pty]:
        return running.at_terminal(script, data_file, *arguments, **more)

    return started
