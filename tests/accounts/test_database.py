import psycopg.errors
import pytest
from django.db import OperationalError

from accounts.database import cause_of


def raised(cause: Exception | None) -> OperationalError:
    with pytest.raises(OperationalError) as caught:
        raise OperationalError("what it says may quote a row") from cause
    return caught.value


def test_cause_of_database_error_is_driver_exception_name_and_sqlstate() -> None:
    assert cause_of(raised(psycopg.errors.DiskFull("No space left on device"))) == "DiskFull (53100)"
    assert cause_of(raised(psycopg.OperationalError("the connection is closed"))) == "OperationalError"
    assert cause_of(raised(ValueError("a row"))) == cause_of(raised(None)) == "OperationalError"
