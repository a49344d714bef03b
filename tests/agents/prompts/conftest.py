from collections.abc import Iterator

import pytest

from agents.prompts.book import IN_FORCE, PromptBook
from agents.prompts.langfuse import LangfusePrompts
from tests.langfuse_server.fixtures import langfuse_server
from tests.langfuse_server.server import PUBLIC_KEY, SECRET_KEY, LangfuseServer

__all__ = ["langfuse_server"]


@pytest.fixture(autouse=True)
def book() -> Iterator[PromptBook]:
    """The process's book with built-in texts only, before and after."""
    IN_FORCE.clear()
    yield IN_FORCE
    IN_FORCE.clear()


@pytest.fixture
def source(langfuse_server: LangfuseServer) -> Iterator[LangfusePrompts]:
    """The real SDK, with patience for a machine that stalls."""
    made = source_of(langfuse_server, timeout_s=30)
    yield made
    made.close()


@pytest.fixture
def impatient(langfuse_server: LangfuseServer) -> Iterator[LangfusePrompts]:
    """The same, for a server that does not answer in time."""
    made = source_of(langfuse_server, timeout_s=0.5)
    yield made
    made.close()


def source_of(server: LangfuseServer, *, timeout_s: float) -> LangfusePrompts:
    return LangfusePrompts(
        public_key=PUBLIC_KEY, secret_key=SECRET_KEY, host=server.url, label="production", timeout_s=timeout_s
    )
