from collections.abc import Iterator
from pathlib import Path

import pytest

from adiuva.database.embedded import running
from tests.adiuva.servers import open_data_dir, put_cluster, silent


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder that does not exist yet; a server still running on it is killed at the end."""
    with open_data_dir() as folder:
        yield folder


@pytest.fixture
def cluster(data_dir: Path, _original_data_dir: Path) -> None:
    """Fill ``data_dir`` as its first start would, by copying: for tests of later starts."""
    put_cluster(data_dir, copied_from=_original_data_dir)


@pytest.fixture(scope="session")
def _original_data_dir() -> Iterator[Path]:
    with open_data_dir() as folder:
        with running(folder, tell=silent):
            pass
        yield folder
