"""The support view of one user: states and times, and no text of the user's.

Each app adds sections of its own. A section reads no ciphertext, and no column that a client fills freely: no name, no
id that a client chose, no version.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from django.contrib import admin
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone as clock

from accounts.auth.personal_tokens import is_valid
from accounts.auth.sessions import present_sessions
from accounts.credential_models import PersonalToken
from accounts.errors import AccountError
from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.session_models import Device, Session

SHOWN: Final = 20
"""How many rows of a section are shown, the latest first."""
_DEVICES: Final = "accounts.view_device"
_USERS: Final = "accounts.view_user"

Cell: TypeAlias = str | int | datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SupportSection:
    """A table about a user, for staff with ``permission``. ``none`` is shown if there are no rows."""

    title: str
    permission: str
    headers: Sequence[str]
    rows: Callable[[User], Iterable[Sequence[Cell]]]
    none: str = "None."


def support_page(request: HttpRequest, actor: User, user: User) -> TemplateResponse:
    """What ``actor`` may see of ``user``, who is named by id and not by address."""
    shown = [(section, list(section.rows(user))) for section in SUPPORT_SECTIONS if actor.has_perm(section.permission)]
    context = {
        **admin.site.each_context(request),
        "opts": User._meta,  # noqa: SLF001 - Django's public name for it
        "title": "Support view",
        "user_id": user.id,
        "sections": shown,
        "most": SHOWN,
        "now": clock.now(),
        "back": reverse("admin:accounts_user_change", args=[user.id]),
    }
    return TemplateResponse(request, "admin/accounts/support.html", context)


def _account(user: User) -> Iterable[Sequence[Cell]]:
    yield "account", "active" if user.is_active else "deactivated", user.date_joined
    yield "address", user.address_state, None
    yield "password", "set" if user.has_usable_password() else "not set", None
    yield "second factor", "yes" if user.second_factor_since else "no", user.second_factor_since
    yield "last sign-in", None, user.last_login
    yield "memory", "on" if user.memory_enabled else "off", None


def _keys(user: User) -> Iterable[Sequence[Cell]]:
    try:
        open_vault(user.id)
    except AccountError:
        state = "cannot be opened"
    else:
        state = "opens"
    yield user.encryption_key_version, state
    for version in user.retired_keys.order_by("-version").values_list("version", flat=True):
        yield version, "older, until no row needs it"


def _devices(user: User) -> Iterable[Sequence[Cell]]:
    now = clock.now()
    for device in Device.objects.for_user(user.id).order_by("-last_seen", "id")[:SHOWN]:
        online = device.online_until is not None and device.online_until > now
        state = "removed" if device.removed_at else "connected" if online else "away"
        yield state, device.first_seen, device.last_seen, device.online_until if online else None


def _sessions(user: User) -> Iterable[Sequence[Cell]]:
    present = set(present_sessions(user).values_list("id", flat=True))
    for session in Session.objects.for_user(user.id).order_by("-last_used_at", "id")[:SHOWN]:
        state = "open" if session.id in present else "over"
        yield state, session.created_at, session.last_used_at, session.ended_at


def _tokens(user: User) -> Iterable[Sequence[Cell]]:
    now = clock.now()
    for token in PersonalToken.objects.for_user(user.id).select_related("user").order_by("-created_at", "id")[:SHOWN]:
        yield "works" if is_valid(token, now) else "over", token.created_at, token.last_used_at, token.expires_at


SUPPORT_SECTIONS: Final[list[SupportSection]] = [
    SupportSection(title="Account", permission=_USERS, headers=("what", "state", "since"), rows=_account),
    SupportSection(title="Keys", permission=_USERS, headers=("version", "state"), rows=_keys),
    SupportSection(
        title="Devices and their sockets",
        permission=_DEVICES,
        headers=("state", "first seen", "last seen", "socket reported until"),
        rows=_devices,
        none="No device has connected.",
    ),
    SupportSection(
        title="Sign-ins",
        permission=_USERS,
        headers=("state", "began", "last used", "ended"),
        rows=_sessions,
        none="No one is signed in.",
    ),
    SupportSection(
        title="Personal tokens",
        permission="accounts.view_personaltoken",
        headers=("state", "made", "last used", "ends"),
        rows=_tokens,
    ),
]
"""Those of all apps, which add theirs when their admin pages are imported."""
