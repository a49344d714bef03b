"""Prompts in the application: known from its first event, kept up to date until it leaves."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from accounts.models import User
from adiuva import wiring
from adiuva.asgi import Application
from adiuva.prompt_wiring import prompt_source
from adiuva.wiring import Parts
from agents.prompts.book import IN_FORCE
from agents.prompts.keeper import PromptKeeper
from agents.prompts.langfuse import LangfusePrompts
from agents.prompts.names import PromptName
from agents.prompts.overrides import write_override
from agents.prompts.registry import get_prompt_or_fallback
from memory.threads import in_thread
from tests.adiuva.test_asgi import probe
from tests.chat.sockets import Server

NAME = PromptName.SUMMARY_SYSTEM


@pytest.fixture(autouse=True)
def _fresh_book() -> Iterator[None]:
    IN_FORCE.clear()
    yield
    IN_FORCE.clear()


@pytest.mark.django_db(transaction=True)
async def test_overrides_are_known_when_the_first_event_is_answered(sam: User) -> None:
    await in_thread(lambda: write_override(NAME, "Ours.", actor=sam))
    IN_FORCE.clear()
    application = Application(Parts(services=Server().services, memory=None, prompts=PromptKeeper(source=None)))

    assert await probe(application) == 200
    assert get_prompt_or_fallback(NAME, "nothing") == "Ours."
    await application.drain()


def test_langfuse_is_asked_where_its_keys_are_set(settings: Settings) -> None:
    assert prompt_source() is None
    settings.LANGFUSE_PUBLIC_KEY, settings.LANGFUSE_SECRET_KEY = "pk", "sk"
    source = prompt_source()
    assert isinstance(source, LangfusePrompts)
    source.close()


def test_every_process_keeps_its_prompts() -> None:
    assert isinstance(wiring.parts().prompts, PromptKeeper)
    assert isinstance(wiring.workplace(slots=1).prompts, PromptKeeper)
