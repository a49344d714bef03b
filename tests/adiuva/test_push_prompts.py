"""Prompts missing in Langfuse are created there by the real SDK; existing ones are left alone."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from agents.prompts.names import PromptName, builtin_text
from tests.langfuse_server.fixtures import langfuse_server
from tests.langfuse_server.server import PUBLIC_KEY, SECRET_KEY, Fault, LangfuseServer

__all__ = ["langfuse_server"]

ALL = len(PromptName)


@pytest.fixture(autouse=True)
def _configured(settings: Settings, langfuse_server: LangfuseServer) -> None:
    settings.LANGFUSE_PUBLIC_KEY, settings.LANGFUSE_SECRET_KEY = PUBLIC_KEY, SECRET_KEY
    settings.LANGFUSE_HOST = langfuse_server.url


def pushed(*options: str) -> str:
    said = StringIO()
    call_command("push_prompts", *options, stdout=said)
    return said.getvalue().splitlines()[-1]


def test_missing_prompts_are_created_and_a_second_time_none(langfuse_server: LangfuseServer) -> None:
    langfuse_server.prompts.put("router_system", "Ours, unfinished.", label="draft")

    assert pushed() == (f"Created {ALL - 1} prompts with the label production; 1 prompt there already, left as before.")
    [made] = langfuse_server.prompts.versions("home_system")
    assert (made.prompt, made.labels) == (builtin_text(PromptName.HOME_SYSTEM), ["production"])
    [left] = langfuse_server.prompts.versions("router_system")
    assert (left.prompt, left.labels) == ("Ours, unfinished.", ["draft"])

    assert pushed() == f"Created 0 prompts with the label production; {ALL} prompts there already, left as before."


def test_a_dry_run_creates_nothing(langfuse_server: LangfuseServer) -> None:
    assert pushed("--dry-run", "--label", "staging") == (
        f"Would have created {ALL} prompts with the label staging; 0 prompts there already, left as before. "
        "Nothing was changed."
    )
    assert [request.method for request in langfuse_server.requests] == ["GET"]


def test_a_langfuse_that_is_away_is_reported(langfuse_server: LangfuseServer) -> None:
    langfuse_server.fault = Fault.ERROR
    with pytest.raises(CommandError, match=r"^Langfuse answers with an error \(500\)\."):
        pushed()


def test_without_langfuse_the_command_says_what_to_set(settings: Settings) -> None:
    settings.LANGFUSE_SECRET_KEY = ""
    with pytest.raises(CommandError, match="set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"):
        pushed()
