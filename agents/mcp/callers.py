"""Who calls over MCP, by a personal token."""

from dataclasses import dataclass
from uuid import UUID
from zoneinfo import ZoneInfo

from channels.db import database_sync_to_async

from accounts.personal_tokens import user_of_personal_token
from accounts.timezones import zone_named


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """For whom tools are called. No device says a time zone and a language, so the account's hold."""

    user_id: UUID
    timezone: ZoneInfo
    language: str
    staff: bool


async def caller_with(token: str) -> Caller:
    """Raises ``accounts.errors.InvalidCredentials``."""
    # Not thread-sensitive: otherwise one slow query would stall every socket of the process.
    caller: Caller = await database_sync_to_async(_caller_with, thread_sensitive=False)(token)
    return caller


def _caller_with(token: str) -> Caller:
    user = user_of_personal_token(token)
    return Caller(user_id=user.id, timezone=zone_named(user.timezone), language=user.language, staff=user.is_staff)
