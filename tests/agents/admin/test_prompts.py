"""The pages of prompts: the text in force and its source, overrides with previews, versions, permissions."""

import html

import pytest
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import AuditEvent, User
from agents.prompts.langfuse import LangfusePrompts
from agents.prompts.models import PromptChange, PromptVersion
from agents.prompts.names import PromptName, builtin_text
from agents.prompts.overrides import last_change, write_override
from agents.prompts.rendering import IN_FORCE
from agents.prompts.source import fetch_all
from tests.accounts.admin.conftest import may, signed_in
from tests.langfuse_server.server import LangfuseServer

PROMPTS = "/admin/agents/promptsetting/"
NAME = PromptName.SUMMARY_SYSTEM
PAGE = f"{PROMPTS}summary_system/change/"
STOP = f"{PROMPTS}summary_system/stop/"
VERSION_1 = f"{PROMPTS}summary_system/versions/1/"


@pytest.fixture
def as_sam(sam: User) -> Client:
    """Staff with the permission to change prompts only."""
    may(sam, "agents.view_promptsetting", "agents.change_promptsetting")
    return signed_in(sam)


@pytest.fixture
def as_reader(sam: User) -> Client:
    may(sam, "agents.view_promptsetting")
    return signed_in(sam)


def seen_on(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def posted(client: Client, address: str, **fields: str) -> HttpResponse:
    return client.post(address, {"seen": str(last_change(NAME)), **fields})  # type: ignore[return-value]


def said(answer: HttpResponse) -> list[str]:
    return [str(each) for each in get_messages(answer.wsgi_request)]  # type: ignore[attr-defined]


def test_every_prompt_is_listed_with_source_of_its_text(
    as_sam: Client, sam: User, source: LangfusePrompts, langfuse_server: LangfuseServer
) -> None:
    langfuse_server.prompts.put(PromptName.ROUTER_SYSTEM, "Answer with general_agent.")
    langfuse_server.prompts.put(PromptName.JOB_SYSTEM, "It is over.")
    IN_FORCE.put_langfuse(*fetch_all(source, {}, wanted=lambda: True))
    write_override(NAME, "One.", actor=sam)

    shown = seen_on(as_sam, PROMPTS)

    assert [name for name in PromptName if f"{PROMPTS}{name}/change/" not in shown] == []
    counts = [shown.count(source) for source in ("Override, version 1", "Langfuse, version 1", "Built-in")]
    assert counts == [1, 1, len(PromptName) - 2]
    assert "job_system: The text has to use {{ now }}, {{ timezone }}." in shown


@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_overrides(
    as_sam: Client, sam: User, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for name in list(PromptName)[-5 : number - 5]:
        write_override(name, builtin_text(name), actor=sam)
    with django_assert_num_queries(5):
        as_sam.get(PROMPTS)


def test_preview_shows_filled_text_and_saves_nothing(as_sam: Client) -> None:
    text = f"{builtin_text(PromptName.JOB_SYSTEM)}\n\nBe brief."
    answer = as_sam.post(f"{PROMPTS}job_system/change/", {"text": text, "seen": "0", "_preview": "1"})
    shown = html.unescape(answer.content.decode())

    assert "It is Tuesday 2026-11-24 09:30 in the user's time zone, Europe/Rome." in shown
    assert "Be brief.\n\nThe user's language is English (en). Answer in it." in shown
    assert PromptVersion.objects.count() == 0


def test_text_is_saved_with_note_and_takes_effect(as_sam: Client, sam: User) -> None:
    answer = posted(as_sam, PAGE, text="One.\r\nTwo.", note="for a try")
    assert (answer.status_code, said(answer)) == (302, ["summary_system: version 1 is in force."])
    version = PromptVersion.objects.get()
    assert (version.text, version.note, version.author) == ("One.\nTwo.", "for a try", sam)
    shown = seen_on(as_sam, PAGE)
    assert [part in shown for part in ("Override, version 1", "for a try", "sam@example.com wrote version 1")] == [
        True
    ] * 3


def test_text_with_wrong_placeholders_is_refused_with_all_reasons(as_sam: Client) -> None:
    answer = as_sam.post(f"{PROMPTS}job_system/change/", {"text": "It is {{ nwo }}, {{timezone}}.", "seen": "0"})
    shown = html.unescape(answer.content.decode())
    assert "The text has to use {{ now }}." in shown
    assert "Nothing is known of {{ nwo }}: only {{ now }}, {{ timezone }} can be used here." in shown
    assert "It is {{ nwo }}" in shown
    assert PromptVersion.objects.count() == 0


def test_concurrent_edit_is_warned_of_and_may_be_saved_again(as_sam: Client, sam: User) -> None:
    as_sam.get(PAGE)
    write_override(NAME, "Somebody else's.", actor=sam)
    answer = as_sam.post(PAGE, {"text": "Mine.", "seen": "0"})
    shown = answer.content.decode()
    assert "Another user has changed this prompt" in shown
    assert [text in shown for text in ("Somebody else&#x27;s.", "Mine.", f'value="{last_change(NAME)}"')] == [True] * 3
    assert posted(as_sam, PAGE, text="Mine.").status_code == 302


@pytest.mark.django_db(transaction=True)
def test_older_version_is_compared_and_restored(as_sam: Client, sam: User) -> None:
    posted(as_sam, PAGE, text="Always\nOne.")
    posted(as_sam, PAGE, text="Always\nTwo.")
    shown = seen_on(as_sam, VERSION_1)
    assert [part in shown for part in ("Go back to this one", "Two.")] == [True, True]

    answer = posted(as_sam, VERSION_1)
    assert (answer.status_code, said(answer)[-1]) == (302, "summary_system: version 1 is in force again.")
    assert "Go back to this one" not in seen_on(as_sam, VERSION_1)
    assert "sam@example.com went back to version 1" in seen_on(as_sam, PAGE)


@pytest.mark.django_db(transaction=True)
def test_stopping_override_restores_builtin_text(as_sam: Client) -> None:
    assert "Stop overriding" not in seen_on(as_sam, PAGE)
    posted(as_sam, PAGE, text="One.")
    assert "Stop overriding" in seen_on(as_sam, PAGE)
    assert "The built-in text is in force then" in seen_on(as_sam, STOP)
    assert said(posted(as_sam, STOP))[-1] == "summary_system: no longer overridden."
    assert "in force: the text of this release" in seen_on(as_sam, PAGE)
    assert said(posted(as_sam, STOP))[-1].startswith("Another user has changed this prompt")
    assert [event.action for event in AuditEvent.objects.order_by("created_at")] == ["write-prompt", "stop-prompt"]


def test_view_permission_allows_no_change(as_reader: Client, bob: User) -> None:
    write_override(NAME, "One.", actor=bob)
    shown = seen_on(as_reader, PAGE)
    assert ("Save and put in force" in shown, "Stop overriding" in shown, "Version 1" in shown) == (False, False, True)
    assert "Go back to this one" not in seen_on(as_reader, VERSION_1)
    answers = [posted(as_reader, address, text="Two.") for address in (PAGE, VERSION_1, STOP)]
    assert [answer.status_code for answer in answers] == [403] * 3
    assert PromptChange.objects.count() == 1


@pytest.mark.parametrize("address", [PROMPTS, PAGE, VERSION_1, STOP])
def test_staff_without_permission_are_refused(sam: User, address: str) -> None:
    may(sam, "agents.view_approval")
    assert signed_in(sam).get(address).status_code == 403


@pytest.mark.parametrize(
    "address", [f"{PROMPTS}no_system/change/", f"{PROMPTS}no_system/stop/", f"{PROMPTS}summary_system/versions/7/"]
)
def test_unknown_prompt_or_version_is_not_found(as_sam: Client, address: str) -> None:
    assert as_sam.get(address).status_code == 404


@pytest.mark.parametrize("address", [f"{PROMPTS}add/", f"{PROMPTS}summary_system/delete/"])
def test_prompts_are_neither_added_nor_deleted(as_sam: Client, address: str) -> None:
    assert as_sam.get(address).status_code in (302, 403)


@pytest.mark.parametrize("seen", ["", "x", "²", "9" * 30, "-1"])
def test_invalid_seen_value_changes_nothing(as_sam: Client, seen: str) -> None:
    assert "Another user has changed" in as_sam.post(PAGE, {"text": "One.", "seen": seen}).content.decode()
    assert PromptVersion.objects.count() == 0
