from uuid import uuid4

import pytest
from channels.db import database_sync_to_async

from accounts.devices import DeviceFacts, remove_device
from accounts.errors import DeviceRemoved, InvalidCredentials
from accounts.models import Device, User
from accounts.socket_auth import SocketIdentity, authenticate_token
from accounts.socket_devices import device_arrived, device_left, revoked_standings
from accounts.tokens import issue_tokens
from tests.conftest import PASSWORD

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
    await device_arrived(identity, LAPTOP)
    came = await _seen(identity)
    await device_left(identity, "laptop", came.last_seen)
    went = await _seen(identity)
    assert went.last_seen > came.last_seen
    assert went.first_seen == came.first_seen


async def test_device_that_was_removed_is_revoked_and_its_token_refused(access: str) -> None:
    identity = await authenticate_token(access)
    await device_arrived(identity, LAPTOP)
    assert await revoked_standings([identity.standing]) == set()
    await database_sync_to_async(remove_device)(await _seen(identity))
    assert await revoked_standings([identity.standing]) == {identity.standing}
    with pytest.raises(InvalidCredentials):
        await authenticate_token(access)


async def test_removed_id_is_refused_after_signing_in_again(access: str) -> None:
    identity = await authenticate_token(access)
    await device_arrived(identity, LAPTOP)
    await database_sync_to_async(remove_device)(await _seen(identity))
    alice = await User.objects.aget(id=identity.user_id)
    again = await database_sync_to_async(issue_tokens)(alice, family=uuid4())
    with pytest.raises(DeviceRemoved):
        await device_arrived(await authenticate_token(again.access), LAPTOP)
