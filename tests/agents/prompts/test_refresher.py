"""The book is kept up to date in the background, and nothing that goes wrong there reaches a turn."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from accounts.models import User
from agents.prompts.book import IN_FORCE, Origin
from agents.prompts.builtin import builtin_text
from agents.prompts.keeper import PromptKeeper
from agents.prompts.langfuse import LangfusePrompts
from agents.prompts.names import PromptName
from agents.prompts.overrides import last_change, stop_overriding, write_override
from agents.prompts.registry import get_prompt_or_fallback
from memory.threads import in_thread
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
    keeper: PromptKeeper
    clock: Clock = field(default_factory=Clock)

    async def asked(self) -> str:
        """What is in force once Langfuse has been asked."""
        await self.keeper.ask_source()
        return get_prompt_or_fallback(NAME, "nothing")


@pytest.fixture
def kept(source: LangfusePrompts) -> Kept:
    clock = Clock()
    return Kept(keeper=PromptKeeper(source=source, clock=clock), clock=clock)


@asynccontextmanager
async def running(keeper: PromptKeeper) -> AsyncIterator[None]:
    keeper.begin()
    try:
        yield
    finally:
        await keeper.aclose()


async def test_langfuse_is_asked_again_and_its_changes_come_into_force(
    kept: Kept, langfuse_server: LangfuseServer
) -> None:
    assert await kept.asked() == builtin_text(NAME)
    langfuse_server.prompts.put(NAME, "One.")
    assert await kept.asked() == "One."
    langfuse_server.prompts.put(NAME, "Two.")
    assert await kept.asked() == "Two."
    page = IN_FORCE.find(NAME)
    assert page is not None
    assert (page.origin, page.version) == (Origin.LANGFUSE, 2)
    langfuse_server.prompts.remove(NAME)
    assert await kept.asked() == builtin_text(NAME)


@pytest.mark.parametrize("fault", Fault)
async def test_whatever_is_wrong_with_langfuse_the_text_before_stays(
    kept: Kept,
    source: LangfusePrompts,
    impatient: LangfusePrompts,
    langfuse_server: LangfuseServer,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
) -> None:
    langfuse_server.fault, kept.keeper._source = fault, impatient
    assert await kept.asked() == builtin_text(NAME)
    langfuse_server.fault, kept.keeper._source = None, source
    langfuse_server.prompts.put(NAME, "One.")
    assert await kept.asked() == "One."
    langfuse_server.fault, kept.keeper._source = fault, impatient
    assert await kept.asked() == "One."

    assert [record.levelno for record in caplog.records if record.name.startswith("agents")] == [logging.WARNING]


async def test_langfuse_that_is_away_is_asked_for_one_prompt_only(kept: Kept, langfuse_server: LangfuseServer) -> None:
    langfuse_server.fault = Fault.ERROR
    await kept.asked()
    assert len(langfuse_server.requests) == 1


async def test_a_warning_comes_once_a_minute_and_names_what_is_wrong(
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
async def test_an_override_goes_before_langfuse(kept: Kept, langfuse_server: LangfuseServer, sam: User) -> None:
    langfuse_server.prompts.put(NAME, "Langfuse's.")
    await in_thread(lambda: write_override(NAME, "Ours.", actor=sam))
    assert await kept.asked() == "Ours."
    await in_thread(lambda: stop_overriding(NAME, actor=sam, seen=last_change(NAME)))
    assert get_prompt_or_fallback(NAME, "nothing") == "Langfuse's."


@pytest.mark.django_db(transaction=True)
async def test_another_process_sees_a_change_after_reading(sam: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.prompts.keeper._PATIENCE_S", 30)
    await in_thread(lambda: write_override(NAME, "Ours.", actor=sam))
    IN_FORCE.clear()
    keeper = PromptKeeper(source=None)
    async with running(keeper):
        await keeper.known()
        assert get_prompt_or_fallback(NAME, "nothing") == "Ours."


@pytest.mark.django_db(transaction=True)
async def test_a_langfuse_that_hangs_holds_up_neither_the_beginning_nor_the_end(
    impatient: LangfusePrompts, langfuse_server: LangfuseServer
) -> None:
    langfuse_server.fault = Fault.SLOW
    keeper = PromptKeeper(source=impatient)
    async with asyncio.timeout(30), running(keeper):
        await keeper.known()
        await asyncio.to_thread(langfuse_server.wait_for_requests, 1)
        assert get_prompt_or_fallback(NAME, "nothing") == builtin_text(NAME)
    assert len(langfuse_server.requests) == 1


async def test_a_database_that_is_away_is_said_and_harms_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise OSError("a secret of the database")

    monkeypatch.setattr("agents.prompts.keeper.read_overrides", broken)
    monkeypatch.setattr("agents.prompts.keeper._PATIENCE_S", 30)
    keeper = PromptKeeper(source=None)
    async with running(keeper):
        await keeper.known()

    assert [record.getMessage() for record in caplog.records] == [
        "The prompts before stay in force. The overrides cannot be read: OSError."
    ]
