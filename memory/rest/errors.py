"""What goes wrong with one's own memory, as REST framework's exceptions."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rest_framework import exceptions

from accounts.errors import AccountGone, EncryptionError, KeyConfigurationError
from accounts.rest.errors import KeyUnavailable
from memory.errors import EmbeddingFailed, NotRemembered, Unfit, UnreadableRow

logger = logging.getLogger(__name__)


class RowUnreadable(exceptions.APIException):
    status_code = 409
    default_code = "unreadable"
    default_detail = "The server cannot open this row, so it cannot be changed. It can be deleted."


class EmbeddingUnavailable(exceptions.APIException):
    status_code = 503
    default_code = "model_unavailable"


@contextmanager
def telling() -> Iterator[None]:
    """Turns what the memory raises inside into what a client is told."""
    try:
        yield
    except NotRemembered as nothing:
        raise exceptions.NotFound("Not found.") from nothing
    except Unfit as unfit:
        raise exceptions.ValidationError(str(unfit)) from unfit
    except UnreadableRow as unreadable:
        raise RowUnreadable from unreadable
    except EmbeddingFailed as failure:
        raise EmbeddingUnavailable(str(failure)) from failure
    except AccountGone as gone:
        raise exceptions.NotAuthenticated("The token is not valid.") from gone
    except (EncryptionError, KeyConfigurationError) as error:
        logger.warning("a memory cannot be read: %s", error)
        raise KeyUnavailable from error
