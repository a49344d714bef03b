"""What ``verify_erasure`` says of a database whose files it cannot read; ``tests/end_to_end`` has the search."""

from uuid import uuid4

import pytest
from django.core.management import call_command
from pytest_django import Settings

pytestmark = pytest.mark.django_db


def test_statements_for_a_database_elsewhere_leave_out_no_table(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATABASE_URL = "postgresql://database.example/adiuva"
    call_command("verify_erasure", str(uuid4()))
    statements = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert statements == ["VACUUM (FULL, ANALYZE);", "VACUUM FULL pg_statistic;"]
