import pytest
from django.test import Client

from accounts.models import User
from tests.accounts.admin.conftest import signed_in
from tests.agents.prompts.conftest import book, source
from tests.langfuse_server.fixtures import langfuse_server

__all__ = ["book", "langfuse_server", "source"]


@pytest.fixture
def as_boss(sam: User) -> Client:
    """Sam, who may do everything."""
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    return signed_in(sam)
