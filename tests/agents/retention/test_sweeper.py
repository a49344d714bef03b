"""Old rows of every kind are deleted; recent ones and those still needed stay."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Model

from accounts.idempotency import IdempotentAnswer
from accounts.models import User
from accounts.session_models import Device, TokenFamily
from agents.dialogues.models import Dialogue
from agents.jobs.models import JobState, ToolJob, ToolJobStep
from agents.permissions.models import Approval, ApprovalState, Disclosure
from agents.retention import (
    BATCH,
    RULES,
    RetentionDays,
    RetentionRule,
    count_old,
    cutoffs,
    delete_batch,
    delete_old,
    listed,
)
from agents.telemetry.models import TurnRecord, TurnTool
from memory.revisions import ForgottenRows
from tests.agents.retention.aged import (
    A_MOMENT,
    DAY,
    KEPT,
    NOW,
    approval,
    device,
    dialogue,
    disclosure,
    forgotten_rows,
    job,
    job_under_way,
    kept_answer,
    locked_elsewhere,
    staff_session,
    turn,
)

pytestmark = pytest.mark.django_db(transaction=True)

OVER = (JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.DELIVERED)
UNDER_WAY = tuple(state for state in JobState if state not in OVER)
NOTHING = dict.fromkeys((kind.name for kind in RULES), 0)
MANY = 50_000


class Count:
    """Progress that records its calls."""

    def __init__(self) -> None:
        self.expected, self.done = 0, list[int]()

    def expect(self, count: int) -> None:
        self.expected += count

    def advance(self, count: int) -> None:
        self.done.append(count)


def forgotten(kept: RetentionDays = KEPT) -> dict[str, int]:
    """The numbers of deleted rows, without zeros."""
    return {name: count for name, count in delete_old(kept, now=NOW).items() if count}


def ids(model: type[Model]) -> set[object]:
    return set(model._default_manager.values_list("pk", flat=True))


@pytest.mark.parametrize("state", OVER)
def test_finished_job_is_deleted_with_its_steps_after_its_period(alice: User, state: JobState) -> None:
    job(alice, NOW - 90 * DAY - A_MOMENT, state=state, steps=2)
    young = job(alice, NOW - 90 * DAY, state=state, steps=1)

    assert forgotten() == {"jobs": 1, "steps of jobs": 2}
    assert ids(ToolJob) == {young.id}
    assert list(ToolJobStep.objects.values_list("job", flat=True)) == [young.id]


@pytest.mark.parametrize("state", UNDER_WAY)
def test_unfinished_job_is_kept_at_any_age(alice: User, state: JobState) -> None:
    kept = job_under_way(alice, state, NOW - 1000 * DAY)

    assert forgotten() == {}
    assert ids(ToolJob) == {kept.id}
    assert ToolJobStep.objects.count() == 1


@pytest.mark.parametrize("state", ApprovalState)
def test_approval_is_deleted_when_period_after_expiry_has_passed(alice: User, state: ApprovalState) -> None:
    approval(alice, NOW - 90 * DAY - A_MOMENT, state=state)
    young = approval(alice, NOW - 90 * DAY, state=state)

    assert forgotten() == {"approvals": 1}
    assert ids(Approval) == {young.id}


def test_only_removed_device_is_deleted_after_its_period(alice: User) -> None:
    old = device(alice, "phone", removed=NOW - 90 * DAY - A_MOMENT)
    TokenFamily.objects.create(device=old, family=uuid4())
    young, present = device(alice, "tablet", removed=NOW - 90 * DAY), device(alice, "laptop", removed=None)

    assert forgotten() == {"removed devices": 1}
    assert ids(Device) == {young.id, present.id}
    assert not TokenFamily.objects.exists()


def test_staff_session_is_deleted_a_day_after_expiry() -> None:
    staff_session(NOW - DAY - A_MOMENT)
    young = staff_session(NOW - DAY)

    assert forgotten() == {"staff sessions": 1}
    assert ids(Session) == {young.pk}


def test_log_of_forgotten_rows_is_deleted_after_a_day(alice: User) -> None:
    forgotten_rows(alice, NOW - DAY - A_MOMENT)
    young = forgotten_rows(alice, NOW - DAY)

    assert forgotten() == {"log of forgotten rows": 1}
    assert ids(ForgottenRows) == {young.pk}


def test_idempotent_answer_is_deleted_after_a_day(alice: User) -> None:
    kept_answer(alice, NOW - DAY - A_MOMENT)
    young = kept_answer(alice, NOW - DAY)

    assert forgotten() == {"answers by idempotency key": 1}
    assert ids(IdempotentAnswer) == {young.id}


def test_approval_that_can_still_be_answered_is_kept(alice: User) -> None:
    approval(alice, NOW + A_MOMENT, state=ApprovalState.PENDING)

    assert forgotten(RetentionDays(jobs=1, disclosures=1, turns=1, dialogues=1, removed_devices=1)) == {}


def test_approval_is_kept_as_long_as_job_of_its_request(alice: User, bob: User) -> None:
    long_ago = NOW - 200 * DAY
    job_under_way(alice, JobState.WAITING_APPROVAL, long_ago, request="waits")
    job(alice, NOW - 89 * DAY, request="ended")
    job(alice, long_ago, request="old")
    kept = {approval(alice, long_ago, request=request).id for request in ("waits", "ended")}
    approval(alice, long_ago, request="old")
    approval(bob, long_ago, request="waits")

    assert forgotten() == {"jobs": 1, "approvals": 2}
    assert ids(Approval) == kept


def test_old_disclosure_is_deleted_unless_its_job_is_unfinished(alice: User) -> None:
    border = NOW - 365 * DAY
    running, over = job_under_way(alice, JobState.QUEUED, border - DAY), job(alice, NOW)
    disclosure(alice, border - A_MOMENT)
    disclosure(alice, border - A_MOMENT, job_id=over.id)
    kept = {disclosure(alice, border).id, disclosure(alice, border - DAY, job_id=running.id).id}

    assert forgotten() == {"disclosures": 2}
    assert ids(Disclosure) == kept


def test_turn_is_deleted_with_its_tools(alice: User) -> None:
    turn(alice, NOW - 60 * DAY - A_MOMENT, "list_tasks", "create_task")
    young = turn(alice, NOW - 60 * DAY, "list_tasks")

    assert forgotten() == {"turns": 1, "tools of turns": 2}
    assert ids(TurnRecord) == {young.id}
    assert list(TurnTool.objects.values_list("turn", flat=True)) == [young.id]


def test_conversation_is_deleted_when_period_after_last_message_has_passed(alice: User) -> None:
    dialogue(alice, NOW - 30 * DAY - A_MOMENT)
    young = dialogue(alice, NOW - 30 * DAY)

    assert forgotten() == {"conversations": 1}
    assert ids(Dialogue) == {young.id}


def one_of_each(user: User) -> None:
    long_ago = NOW - 1000 * DAY
    job(user, long_ago, steps=1)
    approval(user, long_ago)
    disclosure(user, long_ago)
    turn(user, long_ago, "list_tasks")
    dialogue(user, long_ago)
    device(user, "phone", removed=long_ago)
    staff_session(long_ago)
    kept_answer(user, long_ago)
    forgotten_rows(user, long_ago)


@pytest.mark.parametrize(
    ("endless", "stay"),
    [
        ("jobs", {"steps of jobs", "jobs", "approvals"}),
        ("disclosures", {"disclosures"}),
        ("turns", {"tools of turns", "turns"}),
        ("removed_devices", {"removed devices"}),
        ("dialogues", {"conversations"}),
    ],
)
def test_zero_days_mean_unlimited_retention(alice: User, endless: str, stay: set[str]) -> None:
    one_of_each(alice)

    assert set(delete_old(replace(KEPT, **{endless: 0}), now=NOW)) == set(NOTHING) - stay
    left = {kind.name for kind in RULES if kind.old(NOW).exists()}
    assert left == stay


def test_second_run_deletes_nothing(alice: User) -> None:
    one_of_each(alice)

    assert [delete_old(KEPT, now=NOW) for _ in range(2)] == [dict.fromkeys(NOTHING, 1), NOTHING]


def test_count_old_returns_what_delete_old_would_delete(alice: User) -> None:
    one_of_each(alice)
    approval(alice, NOW - 1000 * DAY, request="its job goes, too")
    job(alice, NOW - 1000 * DAY, request="its job goes, too", steps=2)
    counted = count_old(KEPT, now=NOW)

    assert counted == {**dict.fromkeys(NOTHING, 1), "steps of jobs": 3, "jobs": 2, "approvals": 2}
    assert delete_old(KEPT, now=NOW) == counted


def test_rows_are_deleted_in_batches_oldest_first(alice: User) -> None:
    turns = [turn(alice, NOW - (100 + number) * DAY) for number in range(5)]
    [kind] = [kind for kind in RULES if kind.name == "turns"]

    assert delete_batch(kind, NOW - 60 * DAY, batch=2) == 2
    assert ids(TurnRecord) == {row.id for row in turns[:3]}
    count = Count()
    delete_old(KEPT, now=NOW, batch=2, progress=count)
    assert (count.expected, count.done, ids(TurnRecord)) == (3, [2, 1], set())


def test_locked_rows_are_left_for_next_run(alice: User) -> None:
    held, free = (job(alice, NOW - 100 * DAY, steps=1) for _ in range(2))
    silent, other = (dialogue(alice, NOW - 100 * DAY) for _ in range(2))
    with locked_elsewhere(held.steps.get(), silent):
        assert forgotten() == {"steps of jobs": 1, "jobs": 1, "conversations": 1}
    assert (ids(ToolJob), ids(Dialogue)) == ({held.id}, {silent.id})
    assert {free.id, other.id}.isdisjoint(ids(ToolJob) | ids(Dialogue))
    assert forgotten() == {"steps of jobs": 1, "jobs": 1, "conversations": 1}


def test_sweep_does_not_wait_for_lock_on_user(alice: User) -> None:
    one_of_each(alice)
    with locked_elsewhere(alice):
        assert delete_old(KEPT, now=NOW) == dict.fromkeys(NOTHING, 1)


def test_concurrent_sweeps_delete_each_row_once(alice: User) -> None:
    for number in range(30):
        job(alice, NOW - 100 * DAY, steps=2)
        turn(alice, NOW - (100 + number) * DAY, "list_tasks")

    def forget(_: int) -> dict[str, int]:
        try:
            return delete_old(KEPT, now=NOW, batch=3)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(forget, range(2)))
    last = delete_old(KEPT, now=NOW)
    together = {name: sum(each[name] for each in (*both, last)) for name in last}
    assert together == {**NOTHING, "steps of jobs": 60, "jobs": 30, "tools of turns": 30, "turns": 30}
    assert all(model._default_manager.count() == 0 for model in (ToolJob, ToolJobStep, TurnRecord, TurnTool))


def test_list_leaves_out_zero_counts() -> None:
    assert listed({"jobs": 2, "turns": 0, "conversations": 1234}) == "jobs 2, conversations 1,234"


INDEXES = {
    "steps of jobs": "agents_tooljob_finished",
    "jobs": "agents_tooljob_finished",
    "approvals": "agents_approval_expires",
    "disclosures": "agents_disclosure_at",
    "tools of turns": "agents_turntool_started",
    "turns": "agents_turnrecord_started",
    "conversations": "agents_dialogue_updated",
    "removed devices": "accounts_device_removed",
    "staff sessions": "django_session_expire_date",
    "log of forgotten rows": "memory_forgotten_rows_oldest",
    "answers by idempotency key": "accounts_idempotentanswer_created_at",
}
TABLES = ("tooljob", "tooljobstep", "approval", "disclosure", "turnrecord", "turntool", "dialogue")


def multiply(row: Model, rows: str = f"generate_series(1, {MANY}) AS whole (number)", **different: str) -> None:
    """Copy ``row`` for each of ``rows``; ``different`` are the columns with other values, as SQL."""
    columns = [str(field.column) for field in row._meta.concrete_fields]
    values = ", ".join(different.get(column, f'old."{column}"') for column in columns)
    names, table, key = ", ".join(f'"{column}"' for column in columns), row._meta.db_table, row._meta.pk.column
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} AS old, {rows} WHERE old.{key} = %s",  # noqa: S608
            [row.pk],
        )


@pytest.mark.django_db
def test_each_rule_uses_its_index(alice: User) -> None:
    """A tenth of the rows are too old, as in the first run, or none, as in all others."""
    whole = job(alice, NOW, steps=1)
    of_turn = turn(alice, NOW, "list_tasks")
    new, number = "gen_random_uuid()", "'r' || whole.number"
    ago = f"timestamptz '{NOW.isoformat()}' - whole.number * interval '100 days' / {MANY}"
    multiply(whole, id=new, request_id=number, finished_at=ago)
    multiply(whole.steps.get(), "agents_tooljob AS whole", id=new, job_id="whole.id", name="'another'", number="7")
    multiply(approval(alice, NOW), id=new, request_id=number, expires_at=ago, created_at=f"{ago} - interval '1 hour'")
    multiply(disclosure(alice, NOW, job_id=whole.id), id=new, at=ago)
    multiply(of_turn, id=new, started_at=ago)
    multiply(
        of_turn.tools.get(),
        "agents_turnrecord AS whole",
        id="old.id + 1 + row_number() OVER ()",
        turn_id="whole.id",
        started_at="whole.started_at",
        tool="'another'",
    )
    multiply(dialogue(alice, NOW), id=new, updated_at=ago)
    digest = "decode(md5(whole.number::text), 'hex')"
    multiply(device(alice, "laptop", removed=NOW), id=new, removed_at=ago, device_digest=digest)
    multiply(staff_session(NOW), session_key="md5(whole.number::text)", expire_date=ago)
    multiply(kept_answer(alice, NOW), id=new, key_digest="md5(whole.number::text)", created_at=ago)
    logged = forgotten_rows(alice, NOW)
    multiply(logged, id="old.id + whole.number", revision="old.revision + whole.number", created_at=ago)
    with connection.cursor() as cursor:
        others = "accounts_device, accounts_idempotentanswer, django_session, memory_forgottenrows, "
        cursor.execute(f"ANALYZE {others}" + ", ".join(f"agents_{table}" for table in TABLES))

    for days in (90, 200):
        kept = RetentionDays(jobs=days, disclosures=days, turns=days, dialogues=days, removed_devices=days)
        plans = {kind.name: plan(kind, moment) for kind, moment in cutoffs(kept, now=NOW)}
        assert {name: INDEXES[name] in told for name, told in plans.items()} == dict.fromkeys(INDEXES, True), plans
        assert [name for name, told in plans.items() if "Seq Scan" in told] == [], plans


def plan(kind: RetentionRule, moment: datetime) -> str:
    """The query plan of a batch."""
    return kind.due(moment).select_for_update(skip_locked=True, of=("self",))[:BATCH].explain()
