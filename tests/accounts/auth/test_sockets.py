import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import LiteralString
from uuid import UUID

import pytest
from channels.db import database_sync_to_async
from django.utils import timezone as clock
from rest_framework_simplejwt.tokens import AccessToken

from accounts.auth.devices import (
    DeviceFacts,
    SocketIdentity,
    authenticate_token,
    device_arrived,
    device_left,
    register_device,
    remove_device,
)
from accounts.auth.tokens import Credentials, bearer_of, credentials_from, issue_tokens, revoke_all_tokens, revoked
from accounts.cipher import WrappedKey
from accounts.database import in_database
from accounts.encryption import master_keys
from accounts.errors import CredentialsError, DeviceRemoved, ExpiredCredentials, InvalidCredentials, MissingMasterKey
from accounts.lookup import LookupKey
from accounts.models import User
from accounts.session_models import Device, Session
from accounts.statements import Found, ThreadStatements, Value
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
def test_there_are_no_credentials_without_exactly_one_token(
    headers: list[tuple[bytes, bytes]], subprotocols: list[str]
) -> None:
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
    assert await in_database(revoked, [identity.grant]) == set()
    await database_sync_to_async(remove_device)(await _seen(identity))
    assert await in_database(revoked, [identity.grant]) == {identity.grant}
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


LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class CountedStatements(ThreadStatements):
    """Statements that are counted."""

    def __init__(self) -> None:
        self.count = 0

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        self.count += 1
        return await super().rows(statement, parameters)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> CountedStatements:
    """Statements that are counted, without the long way of a device that is not known."""

    def unexpected(*_args: object, **_more: object) -> Device:
        raise AssertionError

    monkeypatch.setattr("accounts.auth.devices.register_device", unexpected)
    return CountedStatements()


def _known(access: str) -> str:
    """The id of a device that has said hello with this token, a long time ago."""
    device = register_device(bearer_of(access).grant, LAPTOP)
    Device.objects.update(last_seen=LONG_AGO)
    return str(device.id)


async def test_handshake_and_hello_of_a_known_device_cost_a_statement_each(
    access: str, statements: CountedStatements
) -> None:
    device_id = await database_sync_to_async(_known)(access)
    identity = await authenticate_token(access, statements)
    facts = DeviceFacts(device_id="laptop", app_version="2.0")
    assert await device_arrived(identity, facts, statements=statements) == device_id
    assert statements.count == 2
    seen = await _seen(identity)
    assert (seen.app_version, seen.last_seen > LONG_AGO, seen.online_until is not None) == ("2.0", True, True)


def _remove_another_of_the_sign_in(user_id: UUID) -> None:
    grant = bearer_of(issue_tokens(User.objects.get(id=user_id)).access).grant
    family = Device.objects.get().families.get().family
    other = register_device(grant, DeviceFacts(device_id="phone"))
    other.families.update(family=family)
    remove_device(other)


ENDINGS: Sequence[Callable[[UUID], object]] = (
    lambda _: User.objects.update(password="another"),
    lambda _: User.objects.update(is_active=False),
    revoke_all_tokens,
    lambda _: Session.objects.update(ended_at=clock.now()),
    lambda _: remove_device(Device.objects.get()),
    _remove_another_of_the_sign_in,
)


@pytest.mark.parametrize(
    "end", ENDINGS, ids=["password", "inactive", "all tokens", "session", "device", "another device of the sign-in"]
)
async def test_known_device_does_not_come_back_once_its_access_has_ended(
    access: str, end: Callable[[UUID], object]
) -> None:
    device_id = await database_sync_to_async(_known)(access)
    identity = await authenticate_token(access)
    await database_sync_to_async(end)(identity.user_id)
    with pytest.raises((CredentialsError, DeviceRemoved)):
        await device_arrived(identity, LAPTOP)
    assert (await Device.objects.aget(id=device_id)).last_seen == LONG_AGO
    with pytest.raises(InvalidCredentials):
        await authenticate_token(access)


@pytest.mark.parametrize("stored", ["", "no ciphertext", "9.gAAAAA"])
async def test_known_device_says_that_it_is_another_platform(access: str, stored: str) -> None:
    device_id = await database_sync_to_async(_known)(access)
    await Device.objects.aupdate(platform_encrypted=stored)
    identity = await authenticate_token(access)
    for _ in range(2):
        assert await device_arrived(identity, DeviceFacts(device_id="laptop", platform="linux")) == device_id
    platform = await database_sync_to_async(lambda: Device.objects.select_related("user").get().platform)()
    assert platform == "linux"


def _wrap_lookup_key_again() -> None:
    masters, row = master_keys(), LookupKey.objects.get()
    key = masters.unwrap_lookup_key(WrappedKey(token=row.wrapped_key, master_key_id=row.master_key_id))
    assert LookupKey.objects.update(wrapped_key=masters.wrap_lookup_key(key).token) == 1


async def test_known_device_is_found_though_the_lookup_key_was_wrapped_again(access: str) -> None:
    device_id = await database_sync_to_async(_known)(access)
    await database_sync_to_async(_wrap_lookup_key_again)()
    identity = await authenticate_token(access)
    assert await device_arrived(identity, LAPTOP) == device_id


async def test_device_waits_for_a_lookup_key_that_can_be_opened(access: str) -> None:
    device_id = await database_sync_to_async(_known)(access)
    identity = await authenticate_token(access)
    stored = await LookupKey.objects.aget()
    await LookupKey.objects.aupdate(master_key_id="unknown")
    with pytest.raises(MissingMasterKey):
        await device_arrived(identity, DeviceFacts(device_id="another"))
    await LookupKey.objects.aupdate(wrapped_key="damaged")
    with pytest.raises(MissingMasterKey):
        await device_arrived(identity, LAPTOP)

    # What could not be opened is not remembered.
    await stored.asave()
    assert await device_arrived(identity, LAPTOP) == device_id
