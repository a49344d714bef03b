import pytest
from django.test import Client

from accounts.models import User
from tests.accounts.admin.conftest import signed_in
from tests.agents.prompts.conftest import prompt_cache, source
from tests.langfuse_server.fixtures import langfuse_server

__all__ = ["langfuse_server", "prompt_cache", "source"]


@pytest.fixture
def as_superuser(sam: User) -> Client:
    """Sam, a superuser."""
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    return signed_in(sam)
