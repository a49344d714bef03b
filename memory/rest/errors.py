"""Errors of the memory as REST framework's exceptions."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework import exceptions

from accounts.errors import AccountGone, EncryptionError, KeyConfigurationError
from accounts.rest.errors import KeyUnavailable
from memory.errors import InvalidMemory, MemoryNotFound, UnreadableRow

logger = logging.getLogger(__name__)


class RowUnreadable(exceptions.APIException):
    status_code = 409
    default_code = "unreadable"
    default_detail = "The server cannot open this row, so it cannot be changed. It can be deleted."


@contextmanager
def translated() -> Iterator[None]:
    """Raises the memory's errors as REST framework's exceptions."""
    try:
        yield
    except MemoryNotFound as error:
        raise exceptions.NotFound("Not found.") from error
    except InvalidMemory as error:
        raise exceptions.ValidationError(str(error)) from error
    except UnreadableRow as error:
        raise RowUnreadable from error
    except AccountGone as error:
        raise exceptions.NotAuthenticated("The token is not valid.") from error
    except (EncryptionError, KeyConfigurationError) as error:
        logger.warning("a memory cannot be read: %s", error)
        raise KeyUnavailable from error
