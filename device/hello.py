"""What a device says of itself when it connects."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from pydantic import JsonValue

PROTOCOL_VERSION: Final = 3


class Capability(StrEnum):
    """What this client can do beyond the oldest one."""

    PONG = "pong"
    PAGE_DETAILS = "page_details"
    LEDGER = "ledger"
    DATA_FRAMES = "data_frames"
    APPROVALS = "approvals"
    JOB_ACK = "job_ack"
    COUNTS = "counts"
    REMEMBERED = "remembered"
    UNDO = "undo"


CAPABILITIES: Final = frozenset(
    {
        Capability.PONG,
        Capability.PAGE_DETAILS,
        Capability.LEDGER,
        Capability.COUNTS,
        Capability.REMEMBERED,
        Capability.UNDO,
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hello:
    """``device_id`` stays the same for good; ``timezone`` is an IANA name; what is None is not said."""

    device_id: str
    platform: str | None = None
    app_version: str | None = None
    timezone: str | None = None
    language: str | None = None
    capabilities: frozenset[Capability] = CAPABILITIES

    def frame(self) -> dict[str, JsonValue]:
        said: dict[str, JsonValue] = {
            "type": "device_hello",
            "device_id": self.device_id,
            "platform": self.platform,
            "app_version": self.app_version,
            "protocol": PROTOCOL_VERSION,
            "timezone": self.timezone,
            "language": self.language,
            "capabilities": [capability.value for capability in sorted(self.capabilities)],
        }
        return {name: value for name, value in said.items() if value is not None}
