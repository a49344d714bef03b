"""Prompts in the application: loaded at its first event, refreshed until it stops."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from accounts.database import in_database
from accounts.models import User
from adiuva.server.asgi import Application
from adiuva.wiring import composition
from adiuva.wiring.composition import Parts
from adiuva.wiring.models import prompt_source
from agents.prompts.langfuse import LangfusePrompts
from agents.prompts.names import PromptName
from agents.prompts.overrides import write_override
from agents.prompts.refresher import PromptRefresher
from agents.prompts.rendering import IN_FORCE, get_prompt_or_fallback
from tests.adiuva.server.test_asgi import probe
from tests.chat.sockets import Server

NAME = PromptName.SUMMARY_SYSTEM


@pytest.fixture(autouse=True)
def _fresh_book() -> Iterator[None]:
    IN_FORCE.clear()
    yield
    IN_FORCE.clear()


@pytest.mark.django_db(transaction=True)
async def test_overrides_are_known_when_the_first_event_is_answered(sam: User) -> None:
    await in_database(lambda: write_override(NAME, "Ours.", actor=sam))
    IN_FORCE.clear()
    application = Application(Parts(services=Server().services, memory=None, prompts=PromptRefresher(source=None)))

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
    assert isinstance(composition.parts().prompts, PromptRefresher)
    assert isinstance(composition.worker_process(slots=1).prompts, PromptRefresher)
