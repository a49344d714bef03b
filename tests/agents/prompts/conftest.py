from collections.abc import Iterator

import pytest

from agents.prompts.langfuse import LangfusePrompts
from agents.prompts.rendering import IN_FORCE, PromptCache
from tests.langfuse_server.fixtures import langfuse_server
from tests.langfuse_server.server import PUBLIC_KEY, SECRET_KEY, LangfuseServer

__all__ = ["langfuse_server"]


@pytest.fixture(autouse=True)
def prompt_cache() -> Iterator[PromptCache]:
    """The cache of this process, reset to the built-in texts before and after the test."""
    IN_FORCE.clear()
    yield IN_FORCE
    IN_FORCE.clear()


@pytest.fixture
def source(langfuse_server: LangfuseServer) -> Iterator[LangfusePrompts]:
    """The real SDK with generous time-outs."""
    made = source_of(langfuse_server, timeout_s=30)
    yield made
    made.close()


@pytest.fixture
def impatient(langfuse_server: LangfuseServer) -> Iterator[LangfusePrompts]:
    """The real SDK with a short time-out, for a server that does not answer in time."""
    made = source_of(langfuse_server, timeout_s=0.5)
    yield made
    made.close()


def source_of(server: LangfuseServer, *, timeout_s: float) -> LangfusePrompts:
    return LangfusePrompts(
        public_key=PUBLIC_KEY, secret_key=SECRET_KEY, host=server.url, label="production", timeout_s=timeout_s
    )
