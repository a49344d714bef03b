import pytest

from accounts.models import User
from agents.tools.models import publish
from tests.agents.mcp.worlds import ALICE


@pytest.fixture(autouse=True)
def _no_models() -> None:
    """Tools that are models stay published when another test has composed the services."""
    publish(())


@pytest.fixture
def alice() -> User:
    """The user of ``ALICE``, stored."""
    user = User(id=ALICE.user_id, email="alice@example.com")
    user.save(force_insert=True)
    return user
