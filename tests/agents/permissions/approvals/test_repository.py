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


def test_a_question_comes_back_as_it_was_asked(alice: User) -> None:
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


def test_the_row_contains_no_plain_request_or_answer(alice: User) -> None:
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
def test_an_answer_settles_a_question_once(alice: User, given: Answer, state: ApprovalState) -> None:
    question = ask(alice)
    answered = repository.answer(alice.id, question.id, given, now=NOW)

    assert (answered.state, answered.remembered, answered.request_id) == (state, False, REQUEST)
    status = repository.status(question.id, waiting_at=NOW)
    assert (status.state, status.reason) == (state, given.reason)
    with pytest.raises(ApprovalSettled, match=f"it is {state}"):
        repository.answer(alice.id, question.id, YES, now=NOW)


def test_anothers_question_reads_like_one_that_never_was(alice: User, bob: User) -> None:
    question = ask(alice)
    for approval_id in (question.id, uuid.uuid4()):
        with pytest.raises(UnknownApproval, match="There is no such approval"):
            repository.answer(bob.id, approval_id, YES, now=NOW)
    assert state_of(question) == ApprovalState.PENDING


def test_an_answer_that_comes_too_late_does_not_count(alice: User) -> None:
    question = ask(alice)

    with pytest.raises(ApprovalSettled, match="it is expired"):
        repository.answer(alice.id, question.id, YES, now=NOW + LIFETIME)
    assert state_of(question) == ApprovalState.EXPIRED


def test_the_same_call_of_a_turn_finds_its_question_in_any_state(alice: User) -> None:
    question = ask(alice)
    assert ask(alice).id == question.id
    repository.answer(alice.id, question.id, NO, now=NOW)
    assert ask(alice).id == question.id

    other = RequestOrigin(user_id=alice.id, request_id=str(uuid.uuid4()))
    assert repository.open_question(other, proposed(), now=NOW, lifetime=LIFETIME).id != question.id
    assert ask(alice, proposed(plan="for another row")).id != question.id


def test_an_approval_is_used_once_and_the_same_wish_is_then_a_new_question(alice: User) -> None:
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


def test_a_program_that_repeats_a_call_finds_its_open_question(alice: User, bob: User) -> None:
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


def test_a_call_of_a_program_after_an_approval_or_an_end_is_a_new_question(alice: User) -> None:
    answered, ended = ask_for_program(alice), ask_for_program(alice, proposed(plan="another"))
    repository.answer(alice.id, answered.id, YES, now=NOW)
    repository.close(ended.id, ApprovalState.CANCELLED)

    assert ask_for_program(alice).id != answered.id
    assert ask_for_program(alice, proposed(plan="another")).id != ended.id


def test_a_call_of_a_program_that_was_refused_is_not_asked_about_again_at_once(alice: User) -> None:
    refused = ask_for_program(alice)
    repository.answer(alice.id, refused.id, NO, now=NOW)

    assert ask_for_program(alice) == refused
    assert ask_for_program(alice, program="mcp: other").id != refused.id
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, device_id="laptop", program="mcp: notes")
    assert repository.open_question(origin, proposed(), now=NOW + LIFETIME, lifetime=LIFETIME).id != refused.id


def test_a_question_whose_time_is_over_is_not_found_by_a_program(alice: User) -> None:
    question = ask_for_program(alice)
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, device_id="laptop", program="mcp: notes")

    assert repository.open_question(origin, proposed(), now=NOW + LIFETIME, lifetime=LIFETIME).id != question.id


def test_programs_have_so_many_open_questions_and_the_user_asks_on(alice: User) -> None:
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


def test_an_approval_that_nothing_used_lapses_and_one_that_was_used_stays(alice: User) -> None:
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
def test_an_approval_is_an_orphan_if_its_turn_has_not_waited_lately(
    alice: User, waited: timedelta | None, answered: timedelta, *, found: bool
) -> None:
    question, now = ask(alice), NOW + LIFETIME
    if waited is not None:
        repository.status(question.id, waiting_at=now - waited)
    repository.answer(alice.id, question.id, YES, now=now - answered)

    assert orphans(now=now) == ([question.id] if found else [])


def test_an_approval_is_no_orphan_once_its_time_and_a_minute_are_over(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW + LIFETIME - A_MOMENT)
    lapses = NOW + LIFETIME + FOLLOWED_WITHIN

    assert [orphans(now=now) for now in (lapses - A_MOMENT, lapses)] == [[question.id], []]


def test_what_was_refused_used_withdrawn_or_never_answered_is_no_orphan(alice: User) -> None:
    ask(alice)
    refused, used, withdrawn = (ask(alice, proposed(plan=plan)) for plan in ("refused", "used", "withdrawn"))
    repository.answer(alice.id, refused.id, NO, now=NOW)
    for question in (used, withdrawn):
        repository.answer(alice.id, question.id, YES, now=NOW)
    repository.take(used.id, now=NOW)
    repository.close(withdrawn.id, ApprovalState.CANCELLED)

    assert orphans() == []


def test_orphans_of_all_users_are_found_in_one_query_the_oldest_answer_first(alice: User, bob: User) -> None:
    for late, user in enumerate((bob, alice)):
        question = ask(user)
        repository.answer(user.id, question.id, YES, now=NOW + late * A_MOMENT)
    with CaptureQueriesContext(connection) as queries:
        found = repository.orphaned(now=NOW + LIFETIME, unseen_since=NOW + LIFETIME)

    assert len(queries) == 1
    assert [answered.user_id for answered in found] == [bob.id, alice.id]


def test_orphans_are_looked_for_among_the_latest_questions_alone(alice: User) -> None:
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


def test_a_turn_that_uses_its_approval_is_seen_until_it_has_used_it(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)
    repository.status(question.id, waiting_at=NOW + A_MOMENT)
    assert Approval.objects.get().waited_at == NOW + A_MOMENT

    repository.take(question.id, now=NOW)
    repository.status(question.id, waiting_at=NOW + LIFETIME)
    assert Approval.objects.get().waited_at == NOW + A_MOMENT


def test_cancelling_a_request_ends_what_can_still_come_of_its_questions(alice: User, bob: User) -> None:
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


def test_closing_returns_an_earlier_answer(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)
    assert repository.close(question.id, ApprovalState.EXPIRED).state is ApprovalState.APPROVED

    assert repository.close(question.id, ApprovalState.CANCELLED).state is ApprovalState.CANCELLED
    assert repository.take(question.id, now=NOW) is False


def test_an_approval_that_was_used_cannot_be_cancelled(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)
    repository.take(question.id, now=NOW)

    assert repository.close(question.id, ApprovalState.CANCELLED).state is ApprovalState.APPROVED


def test_remembering_writes_a_policy_unless_the_tool_is_destructive(alice: User) -> None:
    create, delete = ask(alice, proposed(tool="create_task", risk=Risk.WRITE)), ask(alice, proposed(plan="another"))
    given = Answer(approved=True, remember=True)

    assert repository.answer(alice.id, create.id, given, now=NOW).remembered is True
    assert repository.answer(alice.id, delete.id, given, now=NOW).remembered is False
    assert [(policy.tool, policy.decision, policy.remembered) for policy in ToolPolicy.objects.all()] == [
        ("create_task", "auto", True)
    ]


def test_a_device_is_asked_again_what_waits_for_it_alone(alice: User, bob: User) -> None:
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


def test_the_devices_with_open_questions_are_found_at_once(
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


def test_a_long_text_is_cut_for_showing(alice: User) -> None:
    long = Preview(before=None, after={"title": "Book", "content": "x" * 50_000})
    wanted = ProposedCall(tool="create_note", risk=Risk.WRITE, arguments={}, summary="s", preview=long, plan="p")
    preview = ask(alice, wanted).preview

    assert preview is not None
    assert preview.after == {"title": "Book", "content": "x" * 10_000 + "…"}


def test_of_a_long_text_the_change_is_shown(alice: User) -> None:
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
def test_names_that_the_database_cannot_hold_do_not_keep_a_question_from_being_asked(alice: User, name: str) -> None:
    origin = RequestOrigin(user_id=alice.id, request_id=REQUEST, session_id=name)

    question = repository.open_question(origin, proposed(), now=NOW, lifetime=LIFETIME)
    assert state_of(question) == ApprovalState.PENDING


def test_questions_go_with_their_user(alice: User) -> None:
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
def test_of_answers_expiry_and_cancelling_at_once_exactly_one_counts(alice: User, attempt: int) -> None:
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
def test_of_two_that_take_an_approval_one_runs(alice: User) -> None:
    question = ask(alice)
    repository.answer(alice.id, question.id, YES, now=NOW)

    assert sorted(map(bool, race(*[lambda: repository.take(question.id, now=NOW)] * 3))) == [False, False, True]


@pytest.mark.django_db(transaction=True)
def test_the_same_wish_twice_at_once_is_one_question(alice: User) -> None:
    first, second = race(lambda: ask(alice).id, lambda: ask(alice).id)

    assert first == second
    assert Approval.objects.count() == 1
