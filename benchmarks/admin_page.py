"""The admin's first page, in a process of its own that has Django: ``python -m benchmarks.admin_page NAME ARGUMENTS``.

As ``benchmarks.recalling`` says.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final
from uuid import uuid4

import django
from pydantic import JsonValue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone as clock

from accounts.models import User
from adiuva.server import starting
from agents.telemetry.models import TurnRecord, TurnTool
from tests.adiuva.dashboard.ledger import write_turns

_DAYS: Final = 29


def opening(*, turns: int, users: int, times: int) -> JsonValue:
    """How long the page takes over a month without a turn, and with ``turns`` of ``users``: seconds each time."""
    staff = User.objects.create_superuser(f"{uuid4().hex}@example.com", uuid4().hex)
    client = Client(headers={"host": settings.ALLOWED_HOSTS[0]})
    client.force_login(staff)
    TurnRecord.objects.all().delete()
    empty = _opened(client, times)
    crowd = [User.objects.create_user(f"{uuid4().hex}@example.com") for _ in range(users)]
    write_turns(crowd, until=clock.now(), days=_DAYS, number=turns)
    with connection.cursor() as cursor:
        for model in (TurnRecord, TurnTool):
            # What the database does by itself after a while; the benchmark cannot wait for it.
            cursor.execute(f"VACUUM ANALYZE {model._meta.db_table}")  # noqa: SLF001 - Django's public name for it
    return {"empty": empty, "full": _opened(client, times)}


def _opened(client: Client, times: int) -> list[JsonValue]:
    took: list[JsonValue] = []
    for _ in range(times + 1):
        started = time.perf_counter()
        response = client.get("/admin/", {"stretch": "month"}, secure=True)
        took.append(time.perf_counter() - started)
        assert response.status_code == 200, response.status_code
    return took[1:]  # the first one compiles templates


WORKS: Final[Mapping[str, Callable[..., JsonValue]]] = {"opening": opening}


if __name__ == "__main__":
    with starting.database():
        json.dump(WORKS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
