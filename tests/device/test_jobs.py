"""Which ends of jobs were shown."""

from contextlib import closing
from pathlib import Path

from device.jobs import ShownJobs
from device.store import Store


def test_shown_job_is_known_from_then_on_and_after_a_restart(data_file: Path) -> None:
    with closing(Store(data_file)) as store, closing(Store(data_file)) as other:
        shown = ShownJobs(store)
        assert "j" not in shown
        shown.add("j")
        ShownJobs(other).add("j")
        assert "j" in shown
    with closing(Store(data_file)) as again:
        assert "j" in ShownJobs(again)
        assert "k" not in ShownJobs(again)
