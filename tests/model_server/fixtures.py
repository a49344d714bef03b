"""The scripted model server as a fixture."""

from collections.abc import Iterator

import pytest

from tests.model_server.server import ModelServer


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model server for one test."""
    with ModelServer() as server:
        yield server
