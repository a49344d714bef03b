"""A request with an ``Idempotency-Key`` is carried out once."""

from datetime import timedelta

import pytest
from django.utils import timezone as clock
from rest_framework.test import APIClient

from accounts.auth.tokens import issue_tokens
from accounts.credential_models import PersonalToken
from accounts.errors import IdempotencyKeyInUse
from accounts.idempotency import MAX_OF_USER, IdempotentAnswer, KeptAnswer, begin, keep, release
from accounts.keys.rotation import rotate_user_key
from accounts.models import User

TOKENS = "/api/v1/auth/tokens"
EDITOR = {"name": "Editor"}


def test_a_repeated_request_gets_the_first_answer_and_does_nothing(as_alice: APIClient) -> None:
    first, again = (as_alice.post(TOKENS, EDITOR, format="json", HTTP_IDEMPOTENCY_KEY="k1") for _ in range(2))

    assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
    assert (first.has_header("Idempotent-Replayed"), again["Idempotent-Replayed"]) == (False, "true")
    assert PersonalToken.objects.count() == 1
    kept = IdempotentAnswer.objects.get()
    assert not any(first.json()["token"] in str(value) for value in vars(kept).values())


def test_a_key_belongs_to_one_body_and_one_user(as_alice: APIClient, bob: User) -> None:
    as_bob = APIClient()
    as_bob.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(bob).access}")
    sent = [
        as_alice.post(TOKENS, EDITOR, format="json", HTTP_IDEMPOTENCY_KEY='"k1"'),
        as_alice.post(TOKENS, {"name": "Other"}, format="json", HTTP_IDEMPOTENCY_KEY="k1"),
        as_bob.post(TOKENS, EDITOR, format="json", HTTP_IDEMPOTENCY_KEY="k1"),
    ]

    assert [answer.status_code for answer in sent] == [201, 422, 201]
    assert sent[1].json()["code"] == "idempotency_key_reused"


def test_a_request_that_was_refused_may_be_sent_again(as_alice: APIClient) -> None:
    body = {"name": "Editor", "scopes": ["everything"]}
    answers = [as_alice.post(TOKENS, body, format="json", HTTP_IDEMPOTENCY_KEY="k1") for _ in range(2)]

    assert [(answer.status_code, answer.has_header("Idempotent-Replayed")) for answer in answers] == [(400, False)] * 2
    assert not IdempotentAnswer.objects.exists()


@pytest.mark.parametrize("key", ["", "x" * 256, "ä"])
def test_an_invalid_key_is_refused(as_alice: APIClient, key: str) -> None:
    answer = as_alice.post(TOKENS, EDITOR, format="json", HTTP_IDEMPOTENCY_KEY=key)

    assert (answer.status_code, list(answer.json()["details"])) == (400, ["Idempotency-Key"])


def test_of_two_requests_at_the_same_time_one_is_refused(alice: User) -> None:
    begun = begin(alice.id, "k1", b"asked")
    with pytest.raises(IdempotencyKeyInUse):
        begin(alice.id, "k1", b"asked")
    assert not isinstance(begun, KeptAnswer)

    release(alice.id, begun)
    assert not isinstance(begin(alice.id, "k1", b"asked"), KeptAnswer)


def test_answers_are_kept_for_a_day_and_in_bounds(alice: User) -> None:
    for number in range(MAX_OF_USER + 2):
        begin(alice.id, f"k{number}", b"asked")
    assert IdempotentAnswer.objects.count() == MAX_OF_USER

    IdempotentAnswer.objects.update(created_at=clock.now() - timedelta(hours=25))
    assert not isinstance(begin(alice.id, "k150", b"another body"), KeptAnswer)
    assert IdempotentAnswer.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_answers_survive_a_rotation_of_the_key(alice: User) -> None:
    begun, answer = begin(alice.id, "k1", b"asked"), KeptAnswer(status=200, content_type="application/json", body="{}")
    assert not isinstance(begun, KeptAnswer)
    keep(alice.id, begun, answer)

    assert rotate_user_key(alice.id).finished
    assert begin(alice.id, "k1", b"asked") == answer
