"""A test device: its own file, a clock set by hand, sequential ids."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from device.executor import Executor
from device.store import Store
from tests.device.clocks import CountedIds, SetClock


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def data_file(tmp_path: Path) -> Path:
    return tmp_path / "device.sqlite3"


@pytest.fixture
def store(data_file: Path, clock: SetClock) -> Iterator[Store]:
    with closing(Store(data_file, clock=clock, new_id=CountedIds())) as store:
        yield store


@pytest.fixture
def executor(store: Store) -> Executor:
    return Executor(store)
