"""What of a job only its owner's key opens: as it is written, and as it is read."""

import json
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pydantic import JsonValue, TypeAdapter

from accounts.keys import Place
from accounts.vault import Vault
from agents.jobs.models import ToolJob, ToolJobStep
from agents.jobs.records import Asked

_ASKED: Final = TypeAdapter(Asked)


def job_place(job_id: UUID, column: str) -> Place:
    """Where a text of a job belongs."""
    return Place(table="agents_tooljob", column=column, row_id=job_id)


def step_place(step_id: UUID) -> Place:
    """Where the content of a step belongs."""
    return Place(table="agents_tooljobstep", column="content_encrypted", row_id=step_id)


def arguments_text(arguments: Mapping[str, JsonValue]) -> str:
    """The same for the same arguments, in whatever order they come."""
    return json.dumps(dict(arguments), sort_keys=True)


def asked_text(asked: Asked) -> str:
    """As JSON."""
    return json.dumps(_ASKED.dump_python(asked, mode="json"))


def arguments_in(row: ToolJob, vault: Vault) -> dict[str, JsonValue]:
    """Raises ``EncryptionError``."""
    arguments: dict[str, JsonValue] = json.loads(_opened(row, "arguments_encrypted", vault))
    return arguments


def asked_in(row: ToolJob, vault: Vault) -> Asked:
    """Raises ``EncryptionError``, and ``ValidationError`` for what a release of another shape wrote."""
    return _ASKED.validate_python(asked_as_stored(row, vault))


def asked_as_stored(row: ToolJob, vault: Vault) -> dict[str, Any]:
    """What was asked as JSON, of whatever shape. Raises ``EncryptionError``."""
    asked: dict[str, Any] = json.loads(_opened(row, "asked_encrypted", vault))
    return asked


def response_in(row: ToolJob, vault: Vault) -> str | None:
    """The answer; None before there is one. Raises ``EncryptionError``."""
    return _opened(row, "response_encrypted", vault) if row.response_encrypted else None


def failure_in(row: ToolJob, vault: Vault) -> str | None:
    """Why it has failed; None when it has not, or nothing could be written down. Raises ``EncryptionError``."""
    return _opened(row, "failure_encrypted", vault) if row.failure_encrypted else None


def content_in(row: ToolJobStep, vault: Vault) -> str:
    """Raises ``EncryptionError``."""
    return vault.decrypt(step_place(row.id), row.content_encrypted)


def _opened(row: ToolJob, column: str, vault: Vault) -> str:
    return vault.decrypt(job_place(row.id, column), getattr(row, column))
