"""The ledger and the marks over REST and in the database."""

import json
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from cryptography.fernet import Fernet
from django.urls import include, path
from django.utils import timezone as clock
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.auth.tokens import issue_tokens
from accounts.cursors import Cursor, encode_cursor
from accounts.erasure import forget
from accounts.errors import AccountGone
from accounts.export import export_account
from accounts.keys.rotation import rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import User
from agents.calls import Table
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.disclosures import Occasion, Sent, record, row_ids_in
from agents.permissions.models import Disclosure, SharingMarks
from agents.permissions.quotas import QuotaService
from agents.permissions.sharing import Marks, marks_of, replace_marks
from agents.requests import RequestKind, RequestOrigin
from agents.rest.urls import addresses
from tests.accounts.device_rows import stored_device

DISCLOSURES, SHARING = "/api/v1/disclosures", "/api/v1/sharing"
urlpatterns = [path("api/v1/", include(addresses(ApprovalService(), QuotaService())))]
pytestmark = pytest.mark.urls(__name__)
MARKS = Marks(tables=frozenset({Table.NOTES}), projects=frozenset({"p1", "the secret project"}))


@pytest.fixture
def as_alice(alice: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(alice).access}")
    return client


def disclose(
    user: User,
    rows: Mapping[Table, set[str]],
    *,
    request: str = "r1",
    model: str = "m1",
    job_id: UUID | None = None,
    device_id: str = "",
) -> None:
    origin = RequestOrigin(user_id=user.id, request_id=request, device_id=device_id)
    source = RequestKind.HOME if job_id is None else RequestKind.JOB
    record(
        Occasion(origin=origin, source=source, job_id=job_id),
        Sent(model=model, rows={table: frozenset(ids) for table, ids in rows.items()}),
        left_server=model != "offline",
    )


def test_list_contains_own_disclosures_with_row_ids(as_alice: APIClient, alice: User, bob: User) -> None:
    laptop = stored_device(alice, "laptop")
    disclose(alice, {Table.TASKS: {"task-two", "task-one"}}, device_id=str(laptop.id))
    disclose(bob, {Table.NOTES: {"n1"}})

    body = as_alice.get(DISCLOSURES).json()

    [shown] = body["results"]
    row = Disclosure.objects.get(user=alice)
    assert shown == {
        "id": str(row.id),
        "request_id": "r1",
        "device_id": "laptop",
        "source": "home",
        "job_id": None,
        "model": "m1",
        "left_server": True,
        "table": "tasks",
        "row_count": 2,
        "rows": ["task-one", "task-two"],
        "at": row.at.isoformat().replace("+00:00", "Z"),
    }
    assert body["next"] is None
    assert "task-one" not in row.row_ids_encrypted


def test_pages_are_newest_first_and_stable_while_disclosures_are_added(as_alice: APIClient, alice: User) -> None:
    for number in range(5):
        disclose(alice, {Table.TASKS: {"t"}}, request=f"r{number}")
    seen, query = [], {"limit": "2"}
    for _ in range(3):
        page = as_alice.get(DISCLOSURES, query).json()
        seen += [shown["request_id"] for shown in page["results"]]
        query["cursor"] = page["next"]
        disclose(alice, {Table.TASKS: {"t"}}, request="new")

    assert seen == ["r4", "r3", "r2", "r1", "r0"]
    assert query["cursor"] is None


def test_disclosures_of_same_time_are_listed_once_each(as_alice: APIClient, alice: User) -> None:
    disclose(alice, {table: {"x"} for table in Table})
    tables, query = [], {"limit": "1"}
    for _ in Table:
        page = as_alice.get(DISCLOSURES, query).json()
        tables += [shown["table"] for shown in page["results"]]
        query["cursor"] = page["next"]

    assert sorted(tables) == sorted(Table)
    assert query["cursor"] is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"request_id": "r1"}, {"r1"}),
        ({"table": "notes"}, {"r2"}),
        ({"model": "offline"}, {"r3"}),
        ({"since": "2020-01-01T00:00:00Z"}, {"r1", "r2", "r3"}),
        ({"model": "m1", "table": "notes"}, {"r2"}),
        ({"model": "none"}, set()),
    ],
)
def test_disclosures_are_filtered(as_alice: APIClient, alice: User, query: dict[str, str], found: set[str]) -> None:
    disclose(alice, {Table.TASKS: {"t1"}}, request="r1")
    disclose(alice, {Table.NOTES: {"n1"}}, request="r2")
    disclose(alice, {Table.TASKS: {"t1"}}, request="r3", model="offline")
    old = Disclosure.objects.create(
        user=alice,
        request_id="r0",
        source=RequestKind.HOME,
        model="m0",
        left_server=True,
        table=Table.CLIENTS,
        row_count=1,
        row_ids_encrypted="?",
        at=clock.now() - timedelta(days=9999),
    )

    assert {shown["request_id"] for shown in as_alice.get(DISCLOSURES, query).json()["results"]} == found
    assert as_alice.get(DISCLOSURES, {"model": "m0"}).json()["results"][0]["rows"] is None
    assert Disclosure.objects.filter(id=old.id).exists()


def test_cursor_works_after_its_disclosure_is_deleted(as_alice: APIClient, alice: User) -> None:
    for number in range(4):
        disclose(alice, {Table.TASKS: {"t"}}, request=f"r{number}")
    page = as_alice.get(DISCLOSURES, {"limit": "2"}).json()
    Disclosure.objects.filter(request_id__in=["r0", "r2"]).delete()
    rest = as_alice.get(DISCLOSURES, {"cursor": page["next"]}).json()

    assert [[shown["request_id"] for shown in each["results"]] for each in (page, rest)] == [["r3", "r2"], ["r1"]]


def test_cursor_of_another_user_lists_own_disclosures(as_alice: APIClient, alice: User, bob: User) -> None:
    disclose(alice, {Table.TASKS: {"t1"}})
    disclose(bob, {Table.TASKS: {"t1"}})
    bobs = Disclosure.objects.get(user=bob)

    cursor = encode_cursor(Cursor(at=bobs.at, id=bobs.id))
    assert [shown["id"] for shown in as_alice.get(DISCLOSURES, {"cursor": cursor}).json()["results"]] == [
        str(Disclosure.objects.get(user=alice).id)
    ]


@pytest.mark.parametrize("cursor", ["page 2", "00000000-0000-0000-0000-000000000000", "1.", f"١.{'0' * 32}"])
def test_invalid_cursor_is_refused(as_alice: APIClient, cursor: str) -> None:
    answer = as_alice.get(DISCLOSURES, {"cursor": cursor})

    assert (answer.status_code, answer.json()["details"]) == (
        400,
        {"cursor": ["This is not the `next` of an earlier page."]},
    )


def test_repeated_job_discloses_no_row_twice(alice: User) -> None:
    job_id = uuid4()
    disclose(alice, {Table.TASKS: {"t1", "t2"}}, job_id=job_id)
    disclose(alice, {Table.TASKS: {"t2", "t3"}, Table.NOTES: {"t2"}}, job_id=job_id)
    disclose(alice, {Table.TASKS: {"t2"}}, job_id=job_id)
    disclose(alice, {Table.TASKS: {"t2"}}, job_id=job_id, model="m2")
    disclose(alice, {Table.TASKS: {"t2"}}, job_id=uuid4())

    vault = open_vault(alice.id)
    rows = Disclosure.objects.filter(job_id=job_id).order_by("at")
    assert sorted((row.model, row.table, row_ids_in(row, vault)) for row in rows) == [
        ("m1", "notes", ["t2"]),
        ("m1", "tasks", ["t1", "t2"]),
        ("m1", "tasks", ["t3"]),
        ("m2", "tasks", ["t2"]),
    ]


def test_disclosure_of_erased_account_fails(alice: User) -> None:
    forget(alice.id)

    with pytest.raises(AccountGone):
        disclose(alice, {Table.TASKS: {"t1"}})


def test_marks_are_read_and_replaced(as_alice: APIClient, alice: User, bob: User) -> None:
    replace_marks(bob.id, Marks(projects=frozenset({"bobs"})))
    assert as_alice.get(SHARING).json() == {"tables": [], "projects": []}

    body = {"tables": ["tasks", "notes", "tasks"], "projects": ["secret garden", " p1"]}
    answer = as_alice.put(SHARING, body, format="json")

    marked = {"tables": ["notes", "tasks"], "projects": [" p1", "secret garden"]}
    assert answer.json() == as_alice.get(SHARING).json() == marked
    assert as_alice.put(SHARING, {**body, "tables": []}, format="json").json()["tables"] == []
    assert "secret garden" not in SharingMarks.objects.get(user=alice).marks_encrypted
    assert as_alice.put(SHARING, {"tables": [], "projects": []}, format="json").json()["tables"] == []
    assert not SharingMarks.objects.filter(user=alice).exists()
    assert marks_of(bob.id).projects == {"bobs"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tables": ["dreams"], "projects": []},
        {"tables": [], "projects": [""]},
        {"tables": [], "projects": ["p"] * 501},
    ],
)
def test_invalid_marks_are_refused_and_existing_ones_kept(as_alice: APIClient, alice: User, body: object) -> None:
    replace_marks(alice.id, MARKS)

    assert as_alice.put(SHARING, body, format="json").status_code == 400
    assert marks_of(alice.id) == MARKS


def test_marks_are_unavailable_without_key_of_account(as_alice: APIClient, alice: User, settings: Settings) -> None:
    replace_marks(alice.id, MARKS)
    kept, settings.MASTER_KEYS = settings.MASTER_KEYS, Fernet.generate_key().decode()

    answers = [as_alice.get(SHARING), as_alice.put(SHARING, {"tables": ["notes"], "projects": []}, format="json")]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(503, "key_unavailable")] * 2
    settings.MASTER_KEYS = kept
    assert marks_of(alice.id) == MARKS


def test_damaged_marks_are_unreadable_and_can_be_replaced(as_alice: APIClient, alice: User) -> None:
    replace_marks(alice.id, MARKS)
    row = SharingMarks.objects.get()
    SharingMarks.objects.update(marks_encrypted=f"{row.marks_encrypted[:-6]}AAAA==")

    answer = as_alice.get(SHARING)

    assert (answer.status_code, answer.json()["code"]) == (409, "unreadable")
    assert as_alice.put(SHARING, {"tables": ["notes"], "projects": []}, format="json").status_code == 200
    assert as_alice.get(SHARING).json() == {"tables": ["notes"], "projects": []}


def test_disclosures_and_marks_require_authentication() -> None:
    client = APIClient()
    assert {client.get(DISCLOSURES).status_code, client.get(SHARING).status_code} == {401}
    assert client.put(SHARING, {"tables": [], "projects": []}, format="json").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_key_rotation_reencrypts_disclosures_and_marks(alice: User) -> None:
    disclose(alice, {Table.TASKS: {"t1"}})
    replace_marks(alice.id, MARKS)

    rotate_user_key(alice.id)

    row, marks = Disclosure.objects.get(), SharingMarks.objects.get()
    assert {row.row_ids_encrypted[:3], marks.marks_encrypted[:3]} == {"v2:"}
    assert row_ids_in(row, open_vault(alice.id)) == ["t1"]
    assert marks_of(alice.id) == MARKS


@pytest.mark.django_db(transaction=True)
def test_export_contains_disclosures_and_marks_of_owner(alice: User, bob: User) -> None:
    disclose(alice, {Table.TASKS: {"t1"}})
    replace_marks(alice.id, MARKS)
    disclose(bob, {Table.TASKS: {"t9"}})

    found = json.loads("".join(export_account(alice.id)))

    [told] = found["agents_disclosure"]
    assert (told["table"], told["rows"], told["model"]) == ("tasks", ["t1"], "m1")
    [marks] = found["agents_sharingmarks"]
    assert (marks["tables"], marks["projects"]) == (["notes"], ["p1", "the secret project"])


@pytest.mark.django_db(transaction=True)
def test_erasure_deletes_disclosures_and_marks_of_user_only(alice: User, bob: User) -> None:
    for user in (alice, bob):
        disclose(user, {Table.TASKS: {"t1"}})
        replace_marks(user.id, MARKS)

    forget(alice.id)

    assert [row.user_id for row in Disclosure.objects.all()] == [bob.id]
    assert [row.user_id for row in SharingMarks.objects.all()] == [bob.id]


@pytest.mark.django_db(transaction=True)
def test_undecryptable_disclosure_is_listed_without_row_ids(as_alice: APIClient, alice: User) -> None:
    disclose(alice, {Table.TASKS: {"t1"}})
    row = Disclosure.objects.get()
    Disclosure.objects.update(row_ids_encrypted=f"{row.row_ids_encrypted[:-6]}AAAA==")

    [shown] = as_alice.get(DISCLOSURES).json()["results"]
    assert (shown["rows"], shown["row_count"]) == (None, 1)
