from collections.abc import Collection
from zoneinfo import ZoneInfo

import pytest
from channels.db import database_sync_to_async

from accounts.auth.personal_tokens import ALL_SCOPES, issue_personal_token
from accounts.errors import InvalidCredentials
from accounts.models import User
from accounts.statements import ThreadStatements
from agents.mcp.calling import Caller, caller_with
from agents.permissions.rules import RuleCache

pytestmark = pytest.mark.django_db(transaction=True)


def account(*, timezone: str, staff: bool, scopes: Collection[str] = ALL_SCOPES) -> tuple[User, str]:
    user = User.objects.create_user("alice@example.com", language="it", timezone=timezone)
    user.is_staff = staff
    user.save(update_fields=["is_staff"])
    return user, issue_personal_token(user, name="Editor", scopes=scopes).text


@pytest.mark.parametrize(("timezone", "zone"), [("Asia/Tokyo", "Asia/Tokyo"), ("Mars/Olympus", "UTC")])
@pytest.mark.parametrize("staff", [False, True])
async def test_caller_has_language_and_time_zone_of_account(timezone: str, zone: str, *, staff: bool) -> None:
    user, token = await database_sync_to_async(account)(timezone=timezone, staff=staff)
    assert await caller_with(token, ThreadStatements(), RuleCache()) == Caller(
        user_id=user.id, timezone=ZoneInfo(zone), language="it", staff=staff, scopes=frozenset({"read", "write"})
    )


async def test_caller_has_scopes_of_token() -> None:
    scopes = ["notes:write", "tasks:read"]
    _, token = await database_sync_to_async(account)(timezone="UTC", staff=False, scopes=scopes)
    assert (await caller_with(token, ThreadStatements(), RuleCache())).scopes == frozenset(scopes)


async def test_unknown_personal_token_is_refused() -> None:
    with pytest.raises(InvalidCredentials):
        await caller_with("adv_" + "a" * 43, ThreadStatements(), RuleCache())
