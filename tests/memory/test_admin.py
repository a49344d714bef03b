"""Episodes in the admin: no text, unless a permitted user reveals it and gives a reason."""

import logging
from uuid import UUID, uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.contrib.sessions.models import Session
from django.db import transaction
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.audit import reason_of
from accounts.keys.vault import vault_for_writing
from accounts.models import AuditEvent, User
from memory.models import MemoryEpisodic
from tests.accounts.admin.conftest import may, signed_in

EPISODES = "/admin/memory/memoryepisodic/"
TEXT = "Asked about the quincunx and was told of marmalade."
REASON = "They asked us by letter what we keep."


def episode_of(user: User, text: str = TEXT) -> MemoryEpisodic:
    with transaction.atomic():
        episode = MemoryEpisodic(user=user, session_id="s-17", attempts=2)
        episode.summary_encrypted = vault_for_writing(user.id).seal(episode, "summary_encrypted", text)
        episode.save(force_insert=True)
    return episode


def address(episode_id: UUID) -> str:
    return f"{EPISODES}{episode_id}/reveal/"


@pytest.fixture
def as_sam(sam: User) -> Client:
    """Staff with the permissions to list episodes and to reveal one."""
    may(sam, "memory.view_memoryepisodic", "memory.reveal_memoryepisodic")
    return signed_in(sam)


@pytest.mark.parametrize("page", ["", "{id}/change/", "{id}/reveal/"])
def test_pages_say_whose_and_when_and_hold_no_text(as_sam: Client, alice: User, page: str) -> None:
    episode = episode_of(alice)
    shown = as_sam.get(EPISODES + page.format(id=episode.id)).content.decode()
    secrets = (TEXT, "marmalade", episode.summary_encrypted, alice.encryption_key)
    assert ("alice@example.com" in shown, "s-17" in shown, [secret in shown for secret in secrets]) == (
        *(True, True),
        [False] * 4,
    )


@pytest.mark.parametrize("number", [1, 3])
def test_the_list_costs_the_same_for_any_number_of_episodes(
    as_sam: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(number):
        episode_of(User.objects.create_user(f"user{position}@example.com"))
    with django_assert_num_queries(7):
        as_sam.get(EPISODES)


def test_revealing_takes_a_reason_is_recorded_and_shows_the_text_once(
    as_sam: Client, sam: User, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    episode = episode_of(alice)
    caplog.set_level(logging.DEBUG)
    revealed = as_sam.post(address(episode.id), {"reason": REASON})
    assert TEXT in revealed.content.decode()
    assert "no-store" in revealed.headers["Cache-Control"]
    [event] = AuditEvent.objects.all()
    assert (event.actor, event.subject_id, event.action, event.object_id) == (sam, alice.id, "reveal", episode.id)
    assert reason_of(event) == REASON
    # Only in that response.
    assert TEXT not in as_sam.get(address(episode.id)).content.decode()
    assert (LogEntry.objects.exists(), list(get_messages(revealed.wsgi_request))) == (False, [])
    assert [TEXT in str(session.get_decoded()) for session in Session.objects.all()] == [False]
    ours = [record for record in caplog.records if not record.name.startswith("django.db")]
    assert [TEXT in record.getMessage() for record in ours] == [False] * len(ours)


@pytest.mark.parametrize("reason", ["", "too short"])
def test_without_a_reason_nothing_is_revealed(as_sam: Client, alice: User, reason: str) -> None:
    refused = as_sam.post(address(episode_of(alice).id), {"reason": reason, "confirmed": "yes"})
    assert (refused.status_code, list(refused.context["form"].errors)) == (200, ["reason"])
    assert (TEXT in refused.content.decode(), AuditEvent.objects.exists()) == (False, False)


def test_revealing_is_for_those_who_may(sam: User, alice: User) -> None:
    episode = episode_of(alice)
    may(sam, "memory.view_memoryepisodic")
    client = signed_in(sam)
    assert client.get(EPISODES).status_code == 200
    assert "Reveal" not in client.get(f"{EPISODES}{episode.id}/change/").content.decode()
    assert client.post(address(episode.id), {"reason": REASON}).status_code == 403
    assert signed_in(alice).post(address(episode.id), {"reason": REASON}).status_code == 302
    assert not AuditEvent.objects.exists()


def test_an_episode_that_cannot_be_read_is_reported_by_its_id(as_sam: Client, alice: User) -> None:
    episode, other = episode_of(alice), episode_of(alice, "another text")
    MemoryEpisodic.objects.filter(id=episode.id).update(summary_encrypted=other.summary_encrypted)
    shown = as_sam.post(address(episode.id), {"reason": REASON}).content.decode()
    assert f"The row {episode.id} of memory_memoryepisodic cannot be opened." in shown
    assert "another text" not in shown
    # The attempt to read it stays recorded.
    assert AuditEvent.objects.get().object_id == episode.id


def test_where_the_key_cannot_be_opened_nothing_is_revealed(as_sam: Client, alice: User) -> None:
    episode = episode_of(alice)
    User.objects.filter(id=alice.id).update(master_key_id="0" * 16)
    shown = as_sam.post(address(episode.id), {"reason": REASON})
    assert "The master key with the fingerprint 0000000000000000 is not configured." in shown.content.decode()
    assert (shown.status_code, AuditEvent.objects.exists()) == (200, False)


def test_while_its_account_is_being_erased_nothing_is_revealed(as_sam: Client, alice: User) -> None:
    episode = episode_of(alice)
    User.objects.filter(id=alice.id).update(encryption_key="", email_encrypted="")
    shown = as_sam.post(address(episode.id), {"reason": REASON})
    assert (shown.status_code, "This account is being erased." in shown.content.decode()) == (410, True)
    assert not AuditEvent.objects.exists()


def test_an_episode_that_never_was_is_not_found(as_sam: Client) -> None:
    assert as_sam.get(address(uuid4())).status_code == 404


def test_episodes_cannot_be_added_changed_or_deleted(sam: User, alice: User) -> None:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    client, episode = signed_in(sam), episode_of(alice)
    statuses = [client.get(f"{EPISODES}add/").status_code]
    statuses += [
        client.post(f"{EPISODES}{episode.id}/{verb}/", {"post": "yes"}).status_code for verb in ("change", "delete")
    ]
    assert (statuses, MemoryEpisodic.objects.filter(id=episode.id).exists()) == ([403] * 3, True)
