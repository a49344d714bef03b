"""Many users who are signed in, made in a process of its own: ``python -m benchmarks.signed_in_users NAME ARGUMENTS``.

It works on the database in the data folder that the environment names, as ``benchmarks.rotating`` does.
"""

import json
import os
import sys
from typing import Final
from uuid import uuid4

import django
from pydantic import JsonValue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from django.db import transaction

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from adiuva.server import starting


def sign_in(*, users: int, sessions: int) -> JsonValue:
    """For each new user the id and the access tokens of this many sessions."""
    with transaction.atomic():
        return [_user(sessions) for _ in range(users)]


def _user(sessions: int) -> JsonValue:
    user = User(email=f"{uuid4().hex}@example.com")
    user.set_unusable_password()
    user.save()
    return [str(user.id), *(issue_tokens(user, announced=True).access for _ in range(sessions))]


WORKS: Final = {"sign_in": sign_in}

if __name__ == "__main__":
    with starting.database():
        json.dump(WORKS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
