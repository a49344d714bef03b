"""Sessions in the admin, stored by a digest of their key: with Django's own, a stolen table opens every session."""

import hashlib
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.utils import timezone as clock


class SessionStore(db.SessionStore):
    """Django's sessions in the database. The cookie has the key, the table its digest."""

    def exists(self, session_key: str) -> bool:
        return super().exists(_digest(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        key = _digest(cast("Any", self)._get_or_create_session_key())  # noqa: SLF001 - our own; the stubs lack it
        return self.model(session_key=key, session_data=self.encode(data), expire_date=self.get_expiry_date())

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            self.model.objects.filter(session_key=_digest(key)).delete()

    def _get_session_from_db(self) -> AbstractBaseSession | None:
        key = _digest(self.session_key or "")
        found = self.model.objects.filter(session_key=key, expire_date__gt=clock.now()).first()
        if found is None:
            self._session_key = None
        return found

    async def aexists(self, session_key: str) -> bool:
        return await sync_to_async(self.exists)(session_key)

    async def acreate_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        return await sync_to_async(self.create_model_instance)(data)

    async def adelete(self, session_key: str | None = None) -> None:
        await sync_to_async(self.delete)(session_key)

    async def _aget_session_from_db(self) -> AbstractBaseSession | None:
        return await sync_to_async(self._get_session_from_db)()


def _digest(key: str) -> str:
    """As long as the column; 160 bits of a digest of a random key."""
    return hashlib.sha256(key.encode()).hexdigest()[:40]
