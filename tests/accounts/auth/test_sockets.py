import asyncio
from datetime import timedelta

import pytest
from channels.db import database_sync_to_async
from rest_framework_simplejwt.tokens import AccessToken

from accounts.auth.devices import (
    DeviceFacts,
    SocketIdentity,
    authenticate_token,
    device_arrived,
    device_left,
    remove_device,
    revoked_grants,
)
from accounts.auth.tokens import Credentials, bearer_of, credentials_from, issue_tokens
from accounts.errors import DeviceRemoved, ExpiredCredentials, InvalidCredentials
from accounts.models import Device, User
from tests.conftest import PASSWORD


@pytest.mark.parametrize("value", [b"Bearer abc", b"bearer abc", b"BEARER  abc "])
def test_credentials_come_from_the_authorization_header(value: bytes) -> None:
    headers = [(b"host", b"localhost"), (b"authorization", value)]
    assert credentials_from(headers, []) == Credentials(token="abc")


@pytest.mark.parametrize("subprotocols", [["adiuva.v3", "adiuva.bearer.abc"], ["adiuva.bearer.abc", "x", "adiuva.v3"]])
def test_credentials_come_from_the_subprotocols(subprotocols: list[str]) -> None:
    assert credentials_from([], subprotocols) == Credentials(token="abc")


def test_credentials_of_the_header_win() -> None:
    headers = [(b"authorization", b"Bearer header")]
    assert credentials_from(headers, ["adiuva.v3", "adiuva.bearer.other"]) == Credentials(token="header")


@pytest.mark.parametrize(
    ("headers", "subprotocols"),
    [
        ([], []),
        ([], ["adiuva.v3"]),
        ([], ["adiuva.bearer.abc"]),
        ([], ["adiuva.v2", "adiuva.bearer.abc"]),
        ([], ["adiuva.v3", "adiuva.bearer."]),
        ([], ["adiuva.v3", "adiuva.bearer.abc", "adiuva.bearer.def"]),
        ([(b"authorization", b"")], []),
        ([(b"authorization", b"Bearer")], []),
        ([(b"authorization", b"Bearer ")], []),
        ([(b"authorization", b"Basic YWxpY2U6eA==")], []),
        ([(b"authorization", b"Bearer abc"), (b"authorization", b"Bearer def")], []),
        ([(b"cookie", b"token=abc"), (b"referer", b"http://localhost/?token=abc")], []),
    ],
)
def test_credentials_are_none_without_one_token(headers: list[tuple[bytes, bytes]], subprotocols: list[str]) -> None:
    assert credentials_from(headers, subprotocols) is None


def test_credentials_show_no_token() -> None:
    assert repr(Credentials(token="abc")) == "Credentials()"


def test_credentials_that_are_not_ascii_are_read_and_left_to_fail() -> None:
    assert credentials_from([(b"authorization", b"Bearer \xff")], []) == Credentials(token="ÿ")


@pytest.fixture
def alice_committed(transactional_db: None) -> User:
    """Alice, visible to the connections of other threads."""
    return User.objects.create_user("alice@example.com", PASSWORD, language="it", timezone="Europe/Rome")


async def test_token_stands_for_the_user_with_preferences(alice_committed: User) -> None:
    access = await database_sync_to_async(issue_tokens)(alice_committed)
    bearer = await database_sync_to_async(bearer_of)(access.access)
    assert bearer.grant.user_id == alice_committed.id
    assert await authenticate_token(access.access) == SocketIdentity(
        grant=bearer.grant,
        language="it",
        timezone="Europe/Rome",
        expires_at=AccessToken(access.access)["exp"] * 1000,
    )


async def test_token_that_expired_says_so(alice_committed: User) -> None:
    token = AccessToken.for_user(alice_committed)
    token.set_exp(lifetime=timedelta(seconds=-1))
    with pytest.raises(ExpiredCredentials):
        await authenticate_token(str(token))


async def test_token_of_a_deactivated_user_is_invalid(alice_committed: User) -> None:
    token = (await database_sync_to_async(issue_tokens)(alice_committed)).access
    await database_sync_to_async(User.objects.update)(is_active=False)
    with pytest.raises(InvalidCredentials):
        await authenticate_token(token)


async def test_tokens_are_checked_side_by_side(alice_committed: User) -> None:
    token = (await database_sync_to_async(issue_tokens)(alice_committed)).access
    async with asyncio.timeout(20):
        identities = await asyncio.gather(*(authenticate_token(token) for _ in range(8)))
    assert {identity.user_id for identity in identities} == {alice_committed.id}


LAPTOP = DeviceFacts(device_id="laptop")


@pytest.fixture
def access(transactional_db: None) -> str:
    """An access token of Alice's, who is visible to the connections of other threads."""
    return issue_tokens(User.objects.create_user("alice@example.com", PASSWORD)).access


async def _seen(identity: SocketIdentity) -> Device:
    device: Device = await database_sync_to_async(Device.objects.get)(user_id=identity.user_id)
    return device


async def test_device_arrives_and_leaves(access: str) -> None:
    identity = await authenticate_token(access)
    device_id = await device_arrived(identity, LAPTOP)
    came = await _seen(identity)
    assert device_id == str(came.id)
    await device_left(identity, device_id, came.last_seen)
    went = await _seen(identity)
    assert went.last_seen > came.last_seen
    assert went.first_seen == came.first_seen


async def test_device_that_was_removed_is_revoked_and_its_token_refused(access: str) -> None:
    identity = await authenticate_token(access)
    await device_arrived(identity, LAPTOP)
    assert await revoked_grants([identity.grant]) == set()
    await database_sync_to_async(remove_device)(await _seen(identity))
    assert await revoked_grants([identity.grant]) == {identity.grant}
    with pytest.raises(InvalidCredentials):
        await authenticate_token(access)


async def test_removed_id_is_refused_after_signing_in_again(access: str) -> None:
    identity = await authenticate_token(access)
    await device_arrived(identity, LAPTOP)
    await database_sync_to_async(remove_device)(await _seen(identity))
    alice = await User.objects.aget(id=identity.user_id)
    again = await database_sync_to_async(issue_tokens)(alice)
    with pytest.raises(DeviceRemoved):
        await device_arrived(await authenticate_token(again.access), LAPTOP)
