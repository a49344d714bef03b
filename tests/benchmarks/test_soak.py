"""A soak without samples to its end proves nothing of what grows."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.figures import soak


def test_samples_that_end_early_are_no_silent_success(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(_: object) -> object:
        raise ConnectionError("the database is gone")

    monkeypatch.setattr(soak, "connect", connect)
    watch = soak.Watch(cast("Any", SimpleNamespace(data_dir=None)), cast("Any", None))

    with pytest.raises(ConnectionError, match="the database is gone"), watch:
        pass
