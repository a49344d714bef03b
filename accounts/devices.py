"""The devices of a user: they come, are seen, and are removed for good."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone as clock

from accounts.attendance import ONLINE_FOR
from accounts.errors import DeviceRemoved, DeviceUnfit, InvalidCredentials
from accounts.models import Device, TokenFamily
from accounts.signals import announce_revocation
from accounts.standing import Standing, revoked


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceFacts:
    """What a device says about itself; what it does not say is empty."""

    device_id: str
    platform: str = ""
    app_version: str = ""


def register_device(standing: Standing, facts: DeviceFacts) -> Device:
    """The device, seen now, with the family of the token it came with.

    Raises ``InvalidCredentials`` when the token's standing has ended, ``DeviceRemoved``, or ``DeviceUnfit``.
    """
    if "\0" in facts.device_id + facts.platform + facts.app_version:
        raise DeviceUnfit
    if revoked([standing]):
        raise InvalidCredentials
    try:
        with transaction.atomic():
            device = _seen(standing.user_id, facts)
            TokenFamily.objects.get_or_create(device=device, family=standing.family)
    except IntegrityError:  # the account was erased meanwhile
        raise InvalidCredentials from None
    return device


def note_departure(user_id: UUID, device_id: str, *, since: datetime) -> None:
    """The device was here from ``since`` (aware) until now.

    One that has come back meanwhile, by another socket, is here still: then nothing is noted.
    """
    left = Device.objects.for_user(user_id).filter(device_id=device_id, last_seen__lte=since)
    left.update(last_seen=clock.now(), online_until=None)


def remove_device(device: Device) -> None:
    """Ends the tokens that were used on this device, and keeps its id from coming back."""
    with transaction.atomic():
        gone = Device.objects.present().filter(id=device.id).update(removed_at=clock.now(), online_until=None)
        if gone:
            announce_revocation(device.user_id, device_id=device.device_id)


def _seen(user_id: UUID, facts: DeviceFacts) -> Device:
    now = clock.now()
    told = {"platform": facts.platform, "app_version": facts.app_version}
    # Locked until the family is noted: a removal comes before all of this or after.
    device, first = Device.objects.select_for_update().get_or_create(
        user_id=user_id, device_id=facts.device_id, defaults={**told, "online_until": now + ONLINE_FOR}
    )
    if device.removed_at is not None:
        raise DeviceRemoved
    if not first:
        device.platform, device.app_version, device.last_seen = facts.platform, facts.app_version, now
        device.online_until = now + ONLINE_FOR
        device.save(update_fields=["platform", "app_version", "last_seen", "online_until"])
    return device
