"""Recording disclosures before they are sent to a model."""

from uuid import uuid4

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.errors import AccountGone
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import Vault, open_vault
from accounts.models import User
from agents.calls import Table
from agents.permissions import disclosures as repository
from agents.permissions.disclosures import Occasion, Sent
from agents.permissions.models import Disclosure
from agents.requests import RequestKind, RequestOrigin

SENT = Sent(model="large", rows={Table.TASKS: frozenset({"t2", "t1"}), Table.PROJECTS: frozenset({"p1"})})


def occasion(user: User) -> Occasion:
    origin = RequestOrigin(user_id=user.id, request_id="r1", session_id="", device_id="laptop")
    return Occasion(origin=origin, source=RequestKind.HOME)


def read(user: User) -> dict[str, list[str]]:
    vault = open_vault(user.id)
    return {row.table: repository.row_ids_in(row, vault) for row in Disclosure.objects.for_user(user.id)}


def test_disclosure_is_recorded_per_table(alice: User) -> None:
    repository.record(occasion(alice), SENT, left_server=True)

    assert read(alice) == {"tasks": ["t1", "t2"], "projects": ["p1"]}
    row = Disclosure.objects.get(table="tasks")
    assert (row.user, row.request_id, row.device_id, row.source) == (alice, "r1", "laptop", "home")
    assert (row.model, row.left_server, row.row_count, row.job_id) == ("large", True, 2, None)


def test_recording_takes_two_statements(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(2):
        repository.record(occasion(alice), SENT, left_server=True)


def test_key_rotated_during_recording_is_read_again(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []

    def opening(user_id: object) -> Vault:
        vault = open_vault(alice.id)
        opened.append(vault.key.version)
        if len(opened) == 1:
            rotate_user_key(alice.id)
        return vault

    monkeypatch.setattr(repository, "open_vault", opening)
    repository.record(occasion(alice), SENT, left_server=False)

    assert opened == [1, 2]
    assert set(Disclosure.objects.values_list("row_ids_encrypted", flat=True)) == {
        row.row_ids_encrypted for row in Disclosure.objects.all() if row.row_ids_encrypted.startswith("v2:")
    }
    assert read(alice) == {"tasks": ["t1", "t2"], "projects": ["p1"]}


def test_nothing_is_recorded_for_erased_account(alice: User) -> None:
    gone = occasion(alice)
    User.objects.filter(id=alice.id).update(encryption_key="")

    with pytest.raises(AccountGone):
        repository.record(gone, SENT, left_server=True)
    assert not Disclosure.objects.exists()


def test_second_run_of_job_records_only_new_rows(alice: User) -> None:
    job = Occasion(origin=occasion(alice).origin, source=RequestKind.JOB, job_id=uuid4())
    repository.record(job, Sent(model="large", rows={Table.TASKS: frozenset({"t1"})}), left_server=True)
    for _ in range(2):
        repository.record(job, SENT, left_server=True)

    vault = open_vault(alice.id)
    recorded = [(row.table, repository.row_ids_in(row, vault)) for row in Disclosure.objects.order_by("at")]
    assert sorted(recorded) == [("projects", ["p1"]), ("tasks", ["t1"]), ("tasks", ["t2"])]
