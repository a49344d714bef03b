import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from accounts.errors import CorruptedText
from accounts.models import User
from accounts.vault import Vault
from agents.approvals import rows
from agents.approvals.questions import Answer, Origin, Preview, Question, Wish
from agents.errors import ApprovalSettled, UnknownApproval
from agents.models import Approval, ApprovalState, ToolPolicy
from agents.specs.spec import Risk

NOW = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
LIFETIME = timedelta(minutes=5)
REQUEST = str(uuid.uuid4())
YES, NO = Answer(approved=True), Answer(approved=False, reason="Not that one, please")
ROW = {"id": "t1", "title": "Secret roses", "dueDate": None}


def wish(*, tool: str = "delete_task", risk: Risk = Risk.DESTRUCTIVE, plan: str = "the plan") -> Wish:
    return Wish(
        tool=tool,
        risk=risk,
        arguments={"task_id": "t1"},
        summary="Delete the task “Secret roses” for good.",
        preview=Preview(before=ROW, after=None),
        plan=plan,
    )


def ask(user: User, wanted: Wish | None = None, *, now: datetime = NOW, device: str = "laptop") -> Question:
    origin = Origin(user_id=user.id, request_id=REQUEST, session_id="s", device_id=device)
    return rows.open_question(origin, wanted or wish(), now=now, lifetime=LIFETIME)


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
    assert rows.open_questions(alice.id, "laptop", now=NOW, waited_since=None) == [question]


def test_nothing_of_what_is_asked_or_answered_stands_in_the_row(alice: User) -> None:
    question = ask(alice)
    rows.answer(alice.id, question.id, NO, now=NOW)
    [stored] = Approval.objects.values()

    assert {name for name in stored if name.endswith("_encrypted")} == {*Approval.ENCRYPTED}
    for word in ("roses", "title", "task_id", "Not that one", "the plan"):
        assert [name for name, value in stored.items() if word in str(value)] == []


def test_digests_are_keyed(alice: User, bob: User) -> None:
    for user in (alice, bob):
        ask(user)
    first, second = Approval.objects.order_by("created_at", "id")

    assert first.arguments_hash != second.arguments_hash
    assert first.call_key != second.call_key


def test_columns_cannot_be_swapped_between_rows(alice: User) -> None:
    first, second = ask(alice), ask(alice, wish(plan="another"))
    moved = Approval.objects.get(id=first.id)
    moved.summary_encrypted = Approval.objects.get(id=second.id).summary_encrypted

    with pytest.raises(CorruptedText):
        rows.question_in(moved, Vault.for_user(alice))


@pytest.mark.parametrize(("given", "state"), [(YES, ApprovalState.APPROVED), (NO, ApprovalState.REFUSED)])
def test_an_answer_settles_a_question_once(alice: User, given: Answer, state: ApprovalState) -> None:
    question = ask(alice)
    answered = rows.answer(alice.id, question.id, given, now=NOW)

    assert (answered.state, answered.remembered, answered.request_id) == (state, False, REQUEST)
    standing = rows.look(question.id, waiting_at=NOW)
    assert (standing.state, standing.reason) == (state, given.reason)
    with pytest.raises(ApprovalSettled, match=f"it is {state}"):
        rows.answer(alice.id, question.id, YES, now=NOW)


def test_anothers_question_reads_like_one_that_never_was(alice: User, bob: User) -> None:
    question = ask(alice)
    for approval_id in (question.id, uuid.uuid4()):
        with pytest.raises(UnknownApproval, match="There is no such approval"):
            rows.answer(bob.id, approval_id, YES, now=NOW)
    assert state_of(question) == ApprovalState.PENDING


def test_an_answer_that_comes_too_late_does_not_count(alice: User) -> None:
    question = ask(alice)

    with pytest.raises(ApprovalSettled, match="it is expired"):
        rows.answer(alice.id, question.id, YES, now=NOW + LIFETIME)
    assert state_of(question) == ApprovalState.EXPIRED


def test_the_same_wish_of_a_turn_finds_its_question_whatever_became_of_it(alice: User) -> None:
    question = ask(alice)
    assert ask(alice).id == question.id
    rows.answer(alice.id, question.id, NO, now=NOW)
    assert ask(alice).id == question.id

    other = Origin(user_id=alice.id, request_id=str(uuid.uuid4()))
    assert rows.open_question(other, wish(), now=NOW, lifetime=LIFETIME).id != question.id
    assert ask(alice, wish(plan="for another row")).id != question.id


def test_an_approval_is_used_once_and_the_same_wish_is_then_a_new_question(alice: User) -> None:
    question = ask(alice)
    assert rows.take(question.id, now=NOW) is False
    rows.answer(alice.id, question.id, YES, now=NOW)

    assert [rows.take(question.id, now=NOW) for _ in range(2)] == [True, False]
    again = ask(alice)
    assert (again.id != question.id, state_of(again)) == (True, ApprovalState.PENDING)
    assert ask(alice).id == again.id


def test_an_approval_that_nothing_used_lapses_and_one_that_was_used_stays(alice: User) -> None:
    unused, used = ask(alice), ask(alice, wish(plan="another"))
    for question in (unused, used):
        rows.answer(alice.id, question.id, YES, now=NOW)
    rows.take(used.id, now=NOW)
    rows.expire_overdue(alice.id, now=NOW + LIFETIME)

    assert [state_of(question) for question in (unused, used)] == [ApprovalState.EXPIRED, ApprovalState.APPROVED]
    assert rows.take(unused.id, now=NOW + LIFETIME) is False


def test_closing_tells_what_somebody_answered_before(alice: User) -> None:
    question = ask(alice)
    rows.answer(alice.id, question.id, YES, now=NOW)
    assert rows.close(question.id, ApprovalState.EXPIRED).state is ApprovalState.APPROVED

    assert rows.close(question.id, ApprovalState.CANCELLED).state is ApprovalState.CANCELLED
    assert rows.take(question.id, now=NOW) is False


def test_an_approval_that_was_used_cannot_be_cancelled(alice: User) -> None:
    question = ask(alice)
    rows.answer(alice.id, question.id, YES, now=NOW)
    rows.take(question.id, now=NOW)

    assert rows.close(question.id, ApprovalState.CANCELLED).state is ApprovalState.APPROVED


def test_remembering_writes_a_policy_unless_the_tool_is_destructive(alice: User) -> None:
    create, delete = ask(alice, wish(tool="create_task", risk=Risk.WRITE)), ask(alice, wish(plan="another"))
    given = Answer(approved=True, remember=True)

    assert rows.answer(alice.id, create.id, given, now=NOW).remembered is True
    assert rows.answer(alice.id, delete.id, given, now=NOW).remembered is False
    assert [(policy.tool, policy.decision, policy.remembered) for policy in ToolPolicy.objects.all()] == [
        ("create_task", "auto", True)
    ]


def test_a_device_is_asked_again_what_waits_for_it_alone(alice: User, bob: User) -> None:
    waiting, left = ask(alice), ask(alice, wish(plan="another"))
    ask(alice, wish(plan="elsewhere"), device="phone")
    ask(bob)
    rows.look(waiting.id, waiting_at=NOW)
    settled = ask(alice, wish(plan="settled"))
    rows.answer(alice.id, settled.id, NO, now=NOW)

    asked = [question.id for question in rows.open_questions(alice.id, "laptop", now=NOW, waited_since=None)]
    assert sorted(asked) == sorted([waiting.id, left.id])
    [live] = rows.open_questions(alice.id, "laptop", now=NOW, waited_since=NOW - timedelta(seconds=10))
    assert live.id == waiting.id
    assert rows.open_questions(alice.id, "laptop", now=NOW, waited_since=NOW + timedelta(seconds=1)) == []
    assert rows.open_questions(alice.id, "laptop", now=NOW + LIFETIME, waited_since=None) == []


def test_a_long_text_is_cut_for_showing(alice: User) -> None:
    long = Preview(before=None, after={"title": "Book", "content": "x" * 50_000})
    wanted = Wish(tool="create_note", risk=Risk.WRITE, arguments={}, summary="s", preview=long, plan="p")
    preview = ask(alice, wanted).preview

    assert preview is not None
    assert preview.after == {"title": "Book", "content": "x" * 10_000 + "…"}


@pytest.mark.parametrize("name", ["a\0b", "half \ud800"])
def test_names_that_the_database_cannot_hold_do_not_keep_a_question_from_being_asked(alice: User, name: str) -> None:
    origin = Origin(user_id=alice.id, request_id=REQUEST, session_id=name)

    question = rows.open_question(origin, wish(), now=NOW, lifetime=LIFETIME)
    assert state_of(question) == ApprovalState.PENDING


def test_questions_go_with_their_user(alice: User) -> None:
    question = ask(alice)
    alice.delete()

    assert Approval.objects.count() == 0
    with pytest.raises(UnknownApproval):
        rows.look(question.id, waiting_at=NOW)


def race(*steps: Callable[[], object]) -> list[object]:
    """What each of ``steps``, begun at the same moment, gives or raises."""
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
        lambda: rows.answer(alice.id, question.id, YES, now=NOW).state,
        lambda: rows.answer(alice.id, question.id, NO, now=NOW).state,
        lambda: rows.close(question.id, ApprovalState.EXPIRED).state,
    )
    final = ApprovalState(state_of(question))

    taken = [outcome for outcome in outcomes[:2] if not isinstance(outcome, ApprovalSettled)]
    assert taken in ([final], [])
    assert outcomes[2] is final
    assert (taken == []) is (final is ApprovalState.EXPIRED)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_take_an_approval_one_runs(alice: User) -> None:
    question = ask(alice)
    rows.answer(alice.id, question.id, YES, now=NOW)

    assert sorted(map(bool, race(*[lambda: rows.take(question.id, now=NOW)] * 3))) == [False, False, True]


@pytest.mark.django_db(transaction=True)
def test_the_same_wish_twice_at_once_is_one_question(alice: User) -> None:
    first, second = race(lambda: ask(alice).id, lambda: ask(alice).id)

    assert first == second
    assert Approval.objects.count() == 1
