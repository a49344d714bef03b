"""Overrides: written, reverted and removed; in force at once in this process, and audited."""

import pytest

from accounts.audit import reason_of
from accounts.models import AuditEvent, User
from agents.errors import PromptChanged, PromptRefused
from agents.prompts.models import PromptChange, PromptSetting, PromptVersion
from agents.prompts.names import PromptName, builtin_text
from agents.prompts.overrides import go_back, last_change, stop_overriding, write_override
from agents.prompts.refresher import read_overrides
from agents.prompts.rendering import IN_FORCE, PromptOrigin, get_prompt_or_fallback

NAME = PromptName.SUMMARY_SYSTEM


def in_force() -> str:
    return get_prompt_or_fallback(NAME, "nothing")


@pytest.mark.django_db(transaction=True)
def test_override_is_in_force_at_once_until_it_is_stopped(sam: User) -> None:
    write_override(NAME, "  One.\r\nTwo. ", actor=sam)
    assert in_force() == "One.\nTwo."
    write_override(NAME, "Three.", actor=sam, note="shorter", seen=last_change(NAME))
    assert in_force() == "Three."
    go_back(NAME, 1, actor=sam, seen=last_change(NAME))
    assert in_force() == "One.\nTwo."
    page = IN_FORCE.find(NAME)
    assert page is not None
    assert (page.origin, page.version) == (PromptOrigin.OVERRIDE, 1)

    stop_overriding(NAME, actor=sam, seen=last_change(NAME))
    assert in_force() == builtin_text(NAME)
    assert [(each.number, each.note, each.author) for each in PromptVersion.objects.order_by("number")] == [
        (1, "", sam),
        (2, "shorter", sam),
    ]
    assert [(str(each), each.actor) for each in PromptChange.objects.order_by("id")] == [
        ("wrote version 1", sam),
        ("wrote version 2", sam),
        ("went back to version 1", sam),
        ("stopped version 1", sam),
    ]


def test_every_change_is_recorded(sam: User) -> None:
    write_override(NAME, "One.", actor=sam)
    go_back(NAME, 1, actor=sam, seen=last_change(NAME))
    stop_overriding(NAME, actor=sam, seen=last_change(NAME))

    events = AuditEvent.objects.filter(actor=sam).order_by("created_at")
    assert [(each.action, reason_of(each)) for each in events] == [
        ("write-prompt", "summary_system: version 1"),
        ("go-back-to-prompt", "summary_system: version 1"),
        ("stop-prompt", "summary_system: version 1"),
    ]
    assert {each.object_id for each in events} == {PromptSetting.objects.get().id}


def test_change_based_on_stale_version_is_refused(sam: User) -> None:
    seen = last_change(NAME)
    write_override(NAME, "One.", actor=sam, seen=seen)
    for late in (
        lambda: write_override(NAME, "Two.", actor=sam, seen=seen),
        lambda: go_back(NAME, 1, actor=sam, seen=seen),
        lambda: stop_overriding(NAME, actor=sam, seen=seen),
    ):
        with pytest.raises(PromptChanged):
            late()
    assert (PromptVersion.objects.count(), AuditEvent.objects.count()) == (1, 1)


def test_missing_override_cannot_be_stopped(sam: User) -> None:
    with pytest.raises(PromptChanged):
        stop_overriding(NAME, actor=sam, seen=0)
    assert PromptSetting.objects.count() == 0


def test_text_with_unknown_variables_is_not_kept(sam: User) -> None:
    with pytest.raises(PromptRefused, match=r"this prompt has no variables\.$"):
        write_override(NAME, "It is {{ now }}.", actor=sam)
    assert PromptVersion.objects.count() == 0


def test_unusable_version_of_older_release_is_ignored(sam: User) -> None:
    write_override(NAME, "One.", actor=sam)
    PromptVersion.objects.update(text="It is {{ weather }}.")
    PromptSetting.objects.create(name="prompt_of_another_release", active=PromptVersion.objects.get())

    read_overrides()

    assert in_force() == builtin_text(NAME)
    with pytest.raises(PromptRefused):
        go_back(NAME, 1, actor=sam, seen=last_change(NAME))


def test_versions_outlive_their_author(sam: User, bob: User) -> None:
    write_override(NAME, "One.", actor=bob)
    bob.delete()
    assert PromptVersion.objects.get().author is None
    assert PromptChange.objects.get().actor is None
