"""Helpers that store devices."""

from datetime import datetime

from accounts.models import User
from accounts.session_models import Device


def stored_device(user: User, device_id: str = "laptop", *, last_seen: datetime | None = None) -> Device:
    device = Device(user=user)
    device.device_id, device.platform = device_id, "linux"
    if last_seen is not None:
        device.last_seen = last_seen
    device.save(force_insert=True)
    return device
