"""A test device: its own file, a clock set by hand, sequential ids."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from device.executor import Executor
from device.store import Store
from tests.device.clocks import ManualClock, SequentialIds


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
