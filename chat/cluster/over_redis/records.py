"""Records of turns as text."""

import json

from chat.cluster.directory import TurnRecord


def written(record: TurnRecord, *, ended: bool = False) -> str:
    """The record as it stands in Redis."""
    return json.dumps([record.process, record.device_id, record.fingerprint, ended])


def read(text: str) -> TurnRecord:
    """What ``written`` was given."""
    process, device_id, fingerprint, ended = json.loads(text)
    return TurnRecord(process=process, device_id=device_id, fingerprint=fingerprint, ended=ended)
