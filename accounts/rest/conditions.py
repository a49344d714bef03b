"""``ETag`` and ``If-Match`` (RFC 9110, 13.1.1): what two places edit is not overwritten unread.

A request without ``If-Match`` changes what is there, as ever.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from django.utils.http import parse_etags
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder


class ChangedMeanwhile(exceptions.APIException):
    status_code = 412
    default_code = "changed_meanwhile"
    default_detail = "This was changed in another place in the meantime. Read it again before you change it."


def etag_of(body: Mapping[str, Any]) -> str:
    """The tag of what a resource answers with; a digest, so it tells nothing to those who cannot read that."""
    text = json.dumps(body, cls=JSONEncoder, sort_keys=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def tagged(body: Mapping[str, Any]) -> Response:
    """The answer with its tag."""
    return Response(body, headers={"ETag": etag_of(body)})


def check_match(request: Request, present: Callable[[], Mapping[str, Any]]) -> None:
    """Raises ``ChangedMeanwhile`` if the request names other tags than that of ``present()``, which is stored now.

    Call it in the transaction that writes, once the user is locked.
    """
    wanted = request.headers.get("If-Match", "*").strip()
    if wanted != "*" and etag_of(present()) not in parse_etags(wanted):
        raise ChangedMeanwhile
