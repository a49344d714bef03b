from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connections

from accounts.errors import RotationUnderWay
from accounts.keys import rotation
from accounts.keys.rotation import FailedRotation, Rotation, count_rows, rotate_user_key, rotate_users, workers
from accounts.keys.vault import open_vault
from accounts.models import User
from tests.accounts.events import made_events, reasons_about

pytestmark = pytest.mark.django_db(transaction=True)


class Executor(ThreadPoolExecutor):
    """Threads in place of processes; each closes its connection."""

    def submit(self, job, /, *arguments, **named):  # type: ignore[no-untyped-def]
        def alone() -> object:
            try:
                return job(*arguments, **named)
            finally:
                connections.close_all()

        return super().submit(alone)


@pytest.fixture
def executor() -> Iterator[Executor]:
    with Executor(2) as pool:
        yield pool


class Counted:
    done = 0

    def expect(self, count: int) -> None: ...

    def advance(self, count: int) -> None:
        self.done += count


def test_users_with_few_rows_and_with_many_get_new_keys_side_by_side(
    alice: User, bob: User, sam: User, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rotation, "_MANY_ROWS", 5)
    reasons = {user: made_events(user, number) for user, number in ((alice, 9), (bob, 4), (sam, 0))}
    counted = {user_id: sum(rows.values()) for user_id, rows in count_rows(user.id for user in reasons).items()}
    assert counted == {alice.id: 9, bob.id: 4, sam.id: 0}
    progress = Counted()

    done = list(rotate_users(counted, progress=progress, executor=executor))

    assert {each.user_id: each.renewed for each in done if isinstance(each, Rotation)} == counted
    assert progress.done == 13
    assert [open_vault(user.id).versions for user in reasons] == [(2,)] * 3
    assert {user: reasons_about(user) for user in reasons} == reasons


def test_user_who_is_gone_or_whose_key_cannot_be_opened_does_not_stop_the_others(
    alice: User, bob: User, executor: Executor
) -> None:
    gone = uuid4()
    User.objects.filter(id=alice.id).update(encryption_key="damaged")
    assert list(count_rows([gone, bob.id])) == [bob.id]
    for chosen in (None, executor):
        outcomes = {each.user_id: each for each in rotate_users({alice.id: 1, gone: 1, bob.id: 1}, executor=chosen)}
        assert outcomes[alice.id] == FailedRotation(alice.id, "The wrapped key is damaged, or belongs to another user.")
        assert outcomes[gone] == FailedRotation(gone)
        assert isinstance(outcomes[bob.id], Rotation)


def test_user_whose_key_another_process_rotates_is_named(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_named: object) -> Rotation:
        raise RotationUnderWay

    monkeypatch.setattr(rotation, "rotate_user_key", refuse)
    [outcome] = rotate_users({alice.id: 1})
    assert outcome == FailedRotation(alice.id, "This user's key is being rotated already, by another process.")


def test_rows_of_one_user_are_shared_out(alice: User, executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.keys.batch_renewal.BATCH", 3)
    reasons = made_events(alice, 20)
    assert rotate_user_key(alice.id, executor=executor).renewed == 20
    assert reasons_about(alice) == reasons


def test_few_rows_are_not_worth_other_processes() -> None:
    with workers(4_999, processes=4) as none:
        assert none is None
    with workers(5_000, processes=1) as none:
        assert none is None
