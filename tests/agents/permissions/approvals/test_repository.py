import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from accounts.encryption import encrypted_columns
from accounts.errors import CorruptedText
from accounts.keys.vault import open_vault
from accounts.models import User
from agents.errors import ApprovalSettled, TooManyQuestions, UnknownApproval
from agents.permissions.approvals import repository
from agents.permissions.approvals.repository import Answer, Preview, ProposedCall, Question
from agents.permissions.models import FOLLOWED_WITHIN, Approval, ApprovalState, ToolPolicy
from agents.requests import RequestOrigin
from agents.tools.spec import Risk

NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
LIFETIME = timedelta(minutes=5)
PRESENCE, A_MOMENT = timedelta(seconds=10), timedelta(milliseconds=1)
REQUEST = str(uuid.uuid4())
YES, NO = Answer(approved=True), Answer(approved=False, reason="Not that one, please")
ROW = {"id": "t1", "title": "Secret roses", "dueDate": None}


def proposed(*, tool: str = "delete_task", risk: Risk = Risk.DESTRUCTIVE, plan: str = "the plan") -> ProposedCall:
    return ProposedCall(
        tool=tool,
        risk=risk,
        arguments={"task_id": "t1"},
        summary="Delete the task “Secret roses” for good.",
        preview=Preview(before=ROW, after=None),
        plan=plan,
    )


def ask(user: User, wanted: ProposedCall | None = None, *, now: datetime = NOW, device: str = "laptop") -> Question:
    origin = RequestOrigin(user_id=user.id, request_id=REQUEST, session_id="s", device_id=device)
    return repository.open_question(origin, wanted or proposed(), now=now, lifetime=LIFETIME)


def state_of(question: Question) -> str:
    return Approval.objects.get(id=question.id).state


def test_question_is_read_back_as_asked(alice: User) -> None:
    question = ask(alice)

    assert question == Question(
        id=question.id,
        request_id=REQUEST,
        tool="delete_task",
        risk=Risk.DESTRUCTIVE,
        arguments={"task_id": "t1"},
        summary="Delete the task “Secret roses” for good.",
        preview=Preview(before=ROW, after=None),
        expires_at=NOW + LIFETIME,
    )
    assert repository.open_questions(alice.id, "laptop", now=NOW, waited_since=None) == [question]


def test_row_contains_no_plaintext_of_request_or_answer(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, NO, now=NOW)
    [stored] = Approval.objects.values()

    assert {name for name in stored if name.endswith("_encrypted")} == {*encrypted_columns(Approval)}
    for word in ("roses", "title", "task_id", "Not that one", "the plan"):
        assert [name for name, value in stored.items() if word in str(value)] == []


def test_digests_are_keyed(alice: User, bob: User) -> None:
    for user in (alice, bob):
        ask(user)
    first, second = Approval.objects.order_by("created_at", "id")

    assert first.arguments_hash != second.arguments_hash
    assert first.call_key != second.call_key


def test_columns_cannot_be_swapped_between_rows(alice: User) -> None:
    first, second = ask(alice), ask(alice, proposed(plan="another"))
    moved = Approval.objects.get(id=first.id)
    moved.summary_encrypted = Approval.objects.get(id=second.id).summary_encrypted

    with pytest.raises(CorruptedText):
        repository.question_in(moved, open_vault(alice.id))


@pytest.mark.parametrize(("given", "state"), [(YES, ApprovalState.APPROVED), (NO, ApprovalState.REFUSED)])
def test_question_is_answered_once(alice: User, given: Answer, state: ApprovalState) -> None:
    question = ask(alice)
    answered = repository.answer(alice.id, question.id, given, now=NOW)

    assert (answered.state, answered.remembered, answered.request_id) == (state, False, REQUEST)
    status = repository.status(question.id, waiting_at=NOW)
    assert (status.state, status.reason) == (state, given.reason)
    with pytest.raises(ApprovalSettled, match=f"it is {state}"):
        repository.answer(alice.id, question.id, YES, now=NOW)


def test_question_of_another_user_is_unknown(alice: User, bob: User) -> None:
    question = ask(alice)
    for approval_id in (question.id, uuid.uuid4()):
        with pytest.raises(UnknownApproval, match="There is no such approval"):
            repository.answer(bob.id, approval_id, YES, now=NOW)
    assert state_of(question) == ApprovalState.PENDING


def test_late_answer_is_rejected(alice: User) -> None:
    question = ask(alice)

    with pytest.raises(ApprovalSettled, match="it is expired"):
        repository.answer(alice.id, question.id, YES, now=NOW + LIFETIME)
    assert state_of(question) == ApprovalState.EXPIRED


def test_same_call_in_request_finds_its_question_in_any_state(alice: User) -> None:
    question = ask(alice)
    assert ask(alice).id == question.id
    repository.answer(alice.id, question.id, NO, now=NOW)
    assert ask(alice).id == question.id

    other = RequestOrigin(user_id=alice.id, request_id=str(uuid.uuid4()))
    assert repository.open_question(other, proposed(), now=NOW, lifetime=LIFETIME).id != question.id
    assert ask(alice, proposed(plan="for another row")).id != question.id


def test_used_approval_makes_same_call_a_new_question(alice: User) -> None:
    question = ask(alice)
    assert repository.take(question.id, now=NOW) is False
    repository.answer(alice.id, question.id, YES, now=NOW)

    assert [repository.take(question.id, now=NOW) for _ in range(2)] == [True, False]
    again = ask(alice)
    assert (again.id != question.id, state_of(again)) == (True, ApprovalState.PENDING)
    assert ask(alice).id == again.id


def ask_for_program(
    user: User, wanted: ProposedCall | None = None, *, program: str = "mcp: notes", device: str = "laptop"
) -> Question:
    origin = RequestOrigin(user_id=user.id, request_id=str(uuid.uuid4()), device_id=device, program=program)
    return repository.open_question(origin, wanted or proposed(), now=NOW, lifetime=LIFETIME)


def test_repeated_program_call_finds_its_open_question(alice: User, bob: User) -> None:
    question = ask_for_program(alice)
    assert [ask_for_program(alice) for _ in range(30)] == [question] * 30

    others = [
        ask_for_program(bob),
        ask_for_program(alice, program="mcp: other"),
        ask_for_program(alice, device="phone"),
        ask_for_program(alice, proposed(plan="another")),
        ask(alice),
    ]
    assert len({question.id, *(other.id for other in others)}) == 6


def test_program_call_after_approval_or_cancellation_is_a_new_question(alice: User) -> None:
    answered, ended = ask_for_program(alice), ask_for_program(alice, proposed(plan="another"))
    repository.answer(alice.id, answered.id, YES, now=NOW)
    repository.close(ended.id, ApprovalState.CANCELLED)

    assert ask_for_program(alice).id != answered.id
    assert ask_for_program(alice, proposed(plan="another")).id != ended.id


def test_refused_program_call_is_not_asked_again_until_question_expires(alice: User) -> None:
    refused = ask_for_program(alice)
    repository.answer(alice.id, refused.id, NO, now=NOW)

    assert ask_for_program(alice) == refused
    assert ask_for_program(alice, program="mcp: other").id != refused.id
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, device_id="laptop", program="mcp: notes")
    assert repository.open_question(origin, proposed(), now=NOW + LIFETIME, lifetime=LIFETIME).id != refused.id


def test_program_does_not_find_expired_question(alice: User) -> None:
    question = ask_for_program(alice)
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, device_id="laptop", program="mcp: notes")

    assert repository.open_question(origin, proposed(), now=NOW + LIFETIME, lifetime=LIFETIME).id != question.id


def test_open_questions_of_programs_are_limited_without_blocking_user(alice: User) -> None:
    asked = [
        ask_for_program(alice, proposed(plan=f"plan {number}"), program=f"mcp: notes{number}")
        for number in range(repository.MAX_OF_PROGRAMS)
    ]
    with pytest.raises(TooManyQuestions, match="answer those first"):
        ask_for_program(alice)
    assert ask_for_program(alice, proposed(plan="plan 0"), program="mcp: notes0") == asked[0]
    assert ask(alice).request_id == REQUEST

    repository.answer(alice.id, asked[0].id, NO, now=NOW)
    assert ask_for_program(alice).id not in {question.id for question in asked}


def test_unused_approval_expires_and_used_one_stays(alice: User) -> None:
    unused, used = ask(alice), ask(alice, proposed(plan="another"))
    for question in (unused, used):
        repository.answer(alice.id, question.id, YES, now=NOW)
    repository.take(used.id, now=NOW)
    lapses = NOW + LIFETIME + FOLLOWED_WITHIN

    repository.expire_overdue(alice.id, now=lapses - A_MOMENT)
    assert [state_of(question) for question in (unused, used)] == [ApprovalState.APPROVED] * 2
    repository.expire_overdue(alice.id, now=lapses)
    assert [state_of(question) for question in (unused, used)] == [ApprovalState.EXPIRED, ApprovalState.APPROVED]
    assert repository.take(unused.id, now=lapses) is False


def orphans(*, now: datetime = NOW + LIFETIME) -> list[uuid.UUID]:
    return [answered.id for answered in repository.orphaned(now=now, unseen_since=now - PRESENCE)]


@pytest.mark.parametrize(
    ("waited", "answered", "found"),
    [
        (None, PRESENCE + A_MOMENT, True),
        (None, PRESENCE, False),  # the process that took the answer may be about to use it
        (PRESENCE + A_MOMENT, PRESENCE + A_MOMENT, True),
        (PRESENCE, PRESENCE + A_MOMENT, False),  # its turn was there
    ],
)
def test_approval_is_orphaned_if_its_turn_has_stopped_waiting(
    alice: User, waited: timedelta | None, answered: timedelta, *, found: bool
) -> None:
    question, now = ask(alice), NOW + LIFETIME
    if waited is not None:
        repository.status(question.id, waiting_at=now - waited)
    repository.answer(alice.id, question.id, YES, now=now - answered)

    assert orphans(now=now) == ([question.id] if found else [])


def test_approval_is_not_orphaned_once_it_has_lapsed(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW + LIFETIME - A_MOMENT)
    lapses = NOW + LIFETIME + FOLLOWED_WITHIN

    assert [orphans(now=now) for now in (lapses - A_MOMENT, lapses)] == [[question.id], []]


def test_refused_used_cancelled_and_pending_approvals_are_not_orphaned(alice: User) -> None:
    ask(alice)
    refused, used, withdrawn = (ask(alice, proposed(plan=plan)) for plan in ("refused", "used", "withdrawn"))
    repository.answer(alice.id, refused.id, NO, now=NOW)
    for question in (used, withdrawn):
        repository.answer(alice.id, question.id, YES, now=NOW)
    repository.take(used.id, now=NOW)
    repository.close(withdrawn.id, ApprovalState.CANCELLED)

    assert orphans() == []


def test_orphans_of_all_users_are_found_in_one_query_by_answer_time(alice: User, bob: User) -> None:
    for late, user in enumerate((bob, alice)):
        question = ask(user)
        repository.answer(user.id, question.id, YES, now=NOW + late * A_MOMENT)
    with CaptureQueriesContext(connection) as queries:
        found = repository.orphaned(now=NOW + LIFETIME, unseen_since=NOW + LIFETIME)

    assert len(queries) == 1
    assert [answered.user_id for answered in found] == [bob.id, alice.id]


def test_orphan_query_uses_expiry_index(alice: User) -> None:
    old = [
        Approval(
            user=alice,
            request_id=str(number),
            state=ApprovalState.APPROVED,
            created_at=NOW - LIFETIME,
            expires_at=NOW - FOLLOWED_WITHIN - number * A_MOMENT,
            answered_at=NOW - LIFETIME,
        )
        for number in range(500)
    ]
    Approval.objects.bulk_create(old)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE agents_approval")

    found = Approval.objects.orphaned(NOW, unseen_since=NOW)
    assert "agents_approval_expires" in found.explain()
    assert not found.exists()


def test_waiting_time_is_recorded_until_approval_is_used(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)
    repository.status(question.id, waiting_at=NOW + A_MOMENT)
    assert Approval.objects.get().waited_at == NOW + A_MOMENT

    repository.take(question.id, now=NOW)
    repository.status(question.id, waiting_at=NOW + LIFETIME)
    assert Approval.objects.get().waited_at == NOW + A_MOMENT


def test_cancelling_request_cancels_its_pending_and_unused_approvals(alice: User, bob: User) -> None:
    approved, used, refused = (ask(alice, proposed(plan=plan)) for plan in ("approved", "used", "refused"))
    bobs = ask(bob)
    for question, given in ((approved, YES), (used, YES), (refused, NO)):
        repository.answer(alice.id, question.id, given, now=NOW)
    repository.take(used.id, now=NOW)
    pending = ask(alice)
    other = repository.open_question(
        RequestOrigin(user_id=alice.id, request_id=str(uuid.uuid4())), proposed(), now=NOW, lifetime=LIFETIME
    )

    assert repository.cancel(alice.id, REQUEST) == 2
    assert [state_of(question) for question in (approved, used, refused, pending, bobs, other)] == [
        "cancelled",
        "approved",
        "refused",
        "cancelled",
        "pending",
        "pending",
    ]


def test_close_returns_earlier_answer(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)
    assert repository.close(question.id, ApprovalState.EXPIRED).state is ApprovalState.APPROVED

    assert repository.close(question.id, ApprovalState.CANCELLED).state is ApprovalState.CANCELLED
    assert repository.take(question.id, now=NOW) is False


def test_used_approval_cannot_be_cancelled(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)
    repository.take(question.id, now=NOW)

    assert repository.close(question.id, ApprovalState.CANCELLED).state is ApprovalState.APPROVED


def test_remembered_answer_writes_policy_unless_tool_is_destructive(alice: User) -> None:
    create, delete = ask(alice, proposed(tool="create_task", risk=Risk.WRITE)), ask(alice, proposed(plan="another"))
    given = Answer(approved=True, remember=True)

    assert repository.answer(alice.id, create.id, given, now=NOW).remembered is True
    assert repository.answer(alice.id, delete.id, given, now=NOW).remembered is False
    assert [(policy.tool, policy.decision, policy.remembered) for policy in ToolPolicy.objects.all()] == [
        ("create_task", "auto", True)
    ]


def test_device_gets_only_its_own_open_questions(alice: User, bob: User) -> None:
    waiting, left = ask(alice), ask(alice, proposed(plan="another"))
    ask(alice, proposed(plan="elsewhere"), device="phone")
    ask(bob)
    repository.status(waiting.id, waiting_at=NOW)
    settled = ask(alice, proposed(plan="settled"))
    repository.answer(alice.id, settled.id, NO, now=NOW)

    asked = [question.id for question in repository.open_questions(alice.id, "laptop", now=NOW, waited_since=None)]
    assert sorted(asked) == sorted([waiting.id, left.id])
    [live] = repository.open_questions(alice.id, "laptop", now=NOW, waited_since=NOW - timedelta(seconds=10))
    assert live.id == waiting.id
    assert repository.open_questions(alice.id, "laptop", now=NOW, waited_since=NOW + timedelta(seconds=1)) == []
    assert repository.open_questions(alice.id, "laptop", now=NOW + LIFETIME, waited_since=None) == []


def test_devices_with_open_questions_are_found_in_one_query(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    waiting = ask(alice)
    ask(alice, proposed(plan="another"))
    ask(alice, proposed(plan="elsewhere"), device="phone")
    ask(bob)
    repository.status(waiting.id, waiting_at=NOW)
    repository.answer(alice.id, ask(alice, proposed(plan="settled"), device="tablet").id, NO, now=NOW)

    def devices(*users: User, now: datetime = NOW, waited_since: datetime | None = None) -> set[tuple[UUID, str]]:
        with django_assert_num_queries(1):
            return repository.asked_devices({user.id for user in users}, now=now, waited_since=waited_since)

    assert devices(alice) == {(alice.id, "laptop"), (alice.id, "phone")}
    assert devices(alice, bob) == {(alice.id, "laptop"), (alice.id, "phone"), (bob.id, "laptop")}
    assert devices(alice, bob, waited_since=NOW) == {(alice.id, "laptop")}
    assert devices(alice, bob, now=NOW + LIFETIME) == set()


def test_long_text_is_truncated_in_preview(alice: User) -> None:
    long = Preview(before=None, after={"title": "Book", "content": "x" * 50_000})
    wanted = ProposedCall(tool="create_note", risk=Risk.WRITE, arguments={}, summary="s", preview=long, plan="p")
    preview = ask(alice, wanted).preview

    assert preview is not None
    assert preview.after == {"title": "Book", "content": "x" * 10_000 + "…"}


def test_preview_of_long_text_shows_changed_part(alice: User) -> None:
    pages = "x" * 20_000
    price, other = ({"title": "Book", "content": f"{pages}The price is {each}.{pages}"} for each in (500, 9000))
    long = Preview(before=price, after=other)
    wanted = ProposedCall(tool="update_note", risk=Risk.WRITE, arguments={}, summary="s", preview=long, plan="p")
    preview = ask(alice, wanted).preview

    assert preview is not None
    for row, amount in ((preview.before, "500"), (preview.after, "9000")):
        shown = str((row or {})["content"])
        assert f"xThe price is {amount}.x" in shown
        assert (shown[0], shown[-1], len(shown)) == ("…", "…", 10_002)


@pytest.mark.parametrize("name", ["a\0b", "half \ud800"])
def test_unstorable_session_name_does_not_prevent_question(alice: User, name: str) -> None:
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, session_id=name)

    question = repository.open_question(origin, proposed(), now=NOW, lifetime=LIFETIME)
    assert state_of(question) == ApprovalState.PENDING


def test_questions_are_deleted_with_user(alice: User) -> None:
    question = ask(alice)
    alice.delete()

    assert Approval.objects.count() == 0
    with pytest.raises(UnknownApproval):
        repository.status(question.id, waiting_at=NOW)


def race(*steps: Callable[[], object]) -> list[object]:
    """The result or exception of each of ``steps``, all begun at the same moment."""
    start = threading.Barrier(len(steps), timeout=10)
    outcomes: list[object] = [None] * len(steps)

    def run(position: int, step: Callable[[], object]) -> None:
        start.wait()
        try:
            outcomes[position] = step()
        except ApprovalSettled as settled:
            outcomes[position] = settled
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=entry) for entry in enumerate(steps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(5))
def test_one_of_concurrent_answers_and_expiry_wins(alice: User, attempt: int) -> None:
    question = ask(alice)
    outcomes = race(
        lambda: repository.answer(alice.id, question.id, YES, now=NOW).state,
        lambda: repository.answer(alice.id, question.id, NO, now=NOW).state,
        lambda: repository.close(question.id, ApprovalState.EXPIRED).state,
    )
    final = ApprovalState(state_of(question))

    taken = [outcome for outcome in outcomes[:2] if not isinstance(outcome, ApprovalSettled)]
    assert taken in ([final], [])
    assert outcomes[2] is final
    assert (taken == []) is (final is ApprovalState.EXPIRED)


@pytest.mark.django_db(transaction=True)
def test_approval_is_taken_once_by_concurrent_callers(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)

    assert sorted(map(bool, race(*[lambda: repository.take(question.id, now=NOW)] * 3))) == [False, False, True]


@pytest.mark.django_db(transaction=True)
def test_concurrent_identical_calls_make_one_question(alice: User) -> None:
    first, second = race(lambda: ask(alice).id, lambda: ask(alice).id)

    assert first == second
    assert Approval.objects.count() == 1
