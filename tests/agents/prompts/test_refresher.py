"""The cache is refreshed in the background, and its failures do not affect turns."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from accounts.database import in_database
from accounts.models import User
from agents.prompts.langfuse import LangfusePrompts
from agents.prompts.names import PromptName, builtin_text
from agents.prompts.overrides import last_change, stop_overriding, write_override
from agents.prompts.refresher import PromptRefresher
from agents.prompts.rendering import IN_FORCE, PromptOrigin, get_prompt_or_fallback
from tests.langfuse_server.server import Fault, LangfuseServer

NAME = PromptName.SUMMARY_SYSTEM
JOB = PromptName.JOB_SYSTEM


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Kept:
    refresher: PromptRefresher
    clock: Clock = field(default_factory=Clock)

    async def asked(self) -> str:
        """The prompt in force after a request to Langfuse."""
        await self.refresher.ask_source()
        return get_prompt_or_fallback(NAME, "nothing")


@pytest.fixture
def kept(source: LangfusePrompts) -> Kept:
    clock = Clock()
    return Kept(refresher=PromptRefresher(source=source, clock=clock), clock=clock)


@asynccontextmanager
async def running(refresher: PromptRefresher) -> AsyncIterator[None]:
    refresher.begin()
    try:
        yield
    finally:
        await refresher.aclose()


async def test_changes_in_langfuse_come_into_force_at_next_refresh(kept: Kept, langfuse_server: LangfuseServer) -> None:
    assert await kept.asked() == builtin_text(NAME)
    langfuse_server.prompts.put(NAME, "One.")
    assert await kept.asked() == "One."
    langfuse_server.prompts.put(NAME, "Two.")
    assert await kept.asked() == "Two."
    page = IN_FORCE.find(NAME)
    assert page is not None
    assert (page.origin, page.version) == (PromptOrigin.LANGFUSE, 2)
    langfuse_server.prompts.remove(NAME)
    assert await kept.asked() == builtin_text(NAME)


@pytest.mark.parametrize("fault", Fault)
async def test_any_langfuse_failure_keeps_previous_text(
    kept: Kept,
    source: LangfusePrompts,
    impatient: LangfusePrompts,
    langfuse_server: LangfuseServer,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
) -> None:
    langfuse_server.fault, kept.refresher._source = fault, impatient
    assert await kept.asked() == builtin_text(NAME)
    langfuse_server.fault, kept.refresher._source = None, source
    langfuse_server.prompts.put(NAME, "One.")
    assert await kept.asked() == "One."
    langfuse_server.fault, kept.refresher._source = fault, impatient
    assert await kept.asked() == "One."

    assert [record.levelno for record in caplog.records if record.name.startswith("agents")] == [logging.WARNING]


async def test_unavailable_langfuse_is_asked_for_only_one_prompt(kept: Kept, langfuse_server: LangfuseServer) -> None:
    langfuse_server.fault = Fault.ERROR
    await kept.asked()
    assert len(langfuse_server.requests) == 1


async def test_warning_is_logged_once_a_minute_and_names_problems(
    kept: Kept, langfuse_server: LangfuseServer, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse_server.prompts.put(JOB, "Say what came of it.")
    langfuse_server.prompts.put(NAME, [{"role": "system", "content": "One."}], kind="chat")
    for seconds in (0.0, 59.0, 1.0):
        kept.clock.now += seconds
        assert await kept.asked() == builtin_text(NAME)

    assert IN_FORCE.langfuse_problems == (
        "summary_system: It is a chat prompt, and has to be a text prompt.",
        "job_system: The text has to use {{ now }}, {{ timezone }}.",
    )
    sentence = " ".join(("The prompts before stay in force.", *IN_FORCE.langfuse_problems))
    assert [record.getMessage() for record in caplog.records] == [sentence, sentence]


@pytest.mark.django_db(transaction=True)
async def test_override_takes_precedence_over_langfuse(kept: Kept, langfuse_server: LangfuseServer, sam: User) -> None:
    langfuse_server.prompts.put(NAME, "Langfuse's.")
    await in_database(lambda: write_override(NAME, "Ours.", actor=sam))
    assert await kept.asked() == "Ours."
    await in_database(lambda: stop_overriding(NAME, actor=sam, seen=last_change(NAME)))
    assert get_prompt_or_fallback(NAME, "nothing") == "Langfuse's."


@pytest.mark.django_db(transaction=True)
async def test_another_process_sees_change_after_reading(sam: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.prompts.refresher._FIRST_READ_S", 30)
    await in_database(lambda: write_override(NAME, "Ours.", actor=sam))
    IN_FORCE.clear()
    refresher = PromptRefresher(source=None)
    async with running(refresher):
        await refresher.known()
        assert get_prompt_or_fallback(NAME, "nothing") == "Ours."


@pytest.mark.django_db(transaction=True)
async def test_hanging_langfuse_delays_neither_start_nor_shutdown(
    impatient: LangfusePrompts, langfuse_server: LangfuseServer
) -> None:
    langfuse_server.fault = Fault.SLOW
    refresher = PromptRefresher(source=impatient)
    async with asyncio.timeout(30), running(refresher):
        await refresher.known()
        await asyncio.to_thread(langfuse_server.wait_for_requests, 1)
        assert get_prompt_or_fallback(NAME, "nothing") == builtin_text(NAME)
    assert len(langfuse_server.requests) == 1


async def test_fetch_after_close_does_nothing(kept: Kept, langfuse_server: LangfuseServer) -> None:
    langfuse_server.prompts.put(NAME, "One.")
    await kept.refresher.aclose()
    async with asyncio.timeout(30):
        assert await kept.asked() == builtin_text(NAME)
    assert langfuse_server.requests == []


async def test_database_failure_is_logged_and_harmless(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise OSError("a secret of the database")

    monkeypatch.setattr("agents.prompts.refresher.read_overrides", broken)
    monkeypatch.setattr("agents.prompts.refresher._FIRST_READ_S", 30)
    refresher = PromptRefresher(source=None)
    async with running(refresher):
        await refresher.known()

    assert [record.getMessage() for record in caplog.records] == [
        "The prompts before stay in force. The overrides cannot be read: OSError."
    ]
