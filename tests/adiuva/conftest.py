from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adiuva.servers import open_data_dir


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder still to be made; a server left running on it is killed at the end."""
    with open_data_dir() as folder:
        yield folder
