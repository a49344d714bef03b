import pytest

from accounts.models import User
from tests.agents.mcp.worlds import ALICE


@pytest.fixture
def alice() -> User:
    """The user of ``ALICE``, stored."""
    user = User(id=ALICE.user_id, email="alice@example.com")
    user.save(force_insert=True)
    return user
