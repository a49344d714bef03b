import shutil
from pathlib import Path

import pytest

from adiuva.database.embedded import running
from adiuva.database.embedded.cluster import keep_log_small, living_server
from tests.adiuva.servers import cluster_data, silent


def test_large_log_is_put_aside(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"x" * (10 * 1024 * 1024))
    keep_log_small(log)
    assert log.exists()
    log.write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    keep_log_small(log)
    assert [path.name for path in tmp_path.iterdir()] == ["server.old.log"]


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs the program ps")
@pytest.mark.usefixtures("cluster")
def test_living_server_is_known_without_a_process_file_system(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.database.embedded.cluster._PROCESSES", data_dir / "none")
    with running(data_dir, tell=silent):
        assert living_server(cluster_data(data_dir)) is not None
    assert living_server(cluster_data(data_dir)) is None
