"""``manage.py reset_second_factor``"""

import pytest
from django.core.management import CommandError, call_command

from accounts.audit import reason_of
from accounts.auth.second_factor import has_second_factor
from accounts.models import AuditEvent, User
from tests.accounts.codes import with_app

REASON = "Lost the phone; came to the office."


def test_the_operator_resets_a_second_factor(sam: User, capsys: pytest.CaptureFixture[str]) -> None:
    with_app(sam)
    call_command("reset_second_factor", "SAM@example.com", "--reason", REASON)
    sam.refresh_from_db()
    assert (has_second_factor(sam), sam.token_generation) == (False, 1)
    assert capsys.readouterr().out == "The second factor is reset, and all sessions have ended.\n"
    event = AuditEvent.objects.get(action="reset-second-factor")
    assert (event.actor, event.subject_id, reason_of(event)) == (None, sam.id, REASON)


def test_nothing_is_reset_without_a_key_for_the_reason(sam: User) -> None:
    with_app(sam)
    User.objects.filter(id=sam.id).update(encryption_key="")
    with pytest.raises(CommandError, match=r"^The reason cannot be recorded, so nothing was changed\. "):
        call_command("reset_second_factor", "sam@example.com", "--reason", REASON)
    sam.refresh_from_db()
    assert has_second_factor(sam)


def test_without_one_there_is_nothing_to_reset(sam: User) -> None:
    with pytest.raises(CommandError, match=r"^There is no second factor to reset\.$"):
        call_command("reset_second_factor", "sam@example.com", "--reason", REASON)
    assert not AuditEvent.objects.exists()
