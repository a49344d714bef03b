"""The Langfuse server as a fixture."""

from collections.abc import Iterator

import pytest

from tests.langfuse_server.server import LangfuseServer


@pytest.fixture
def langfuse_server() -> Iterator[LangfuseServer]:
    """A Langfuse server for one test."""
    with LangfuseServer() as server:
        yield server
