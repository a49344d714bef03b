"""``ETag`` with ``If-Match`` and ``If-None-Match`` (RFC 9110, 13.1).

With them a client does not overwrite a change that it has not seen, and is not sent again what it has. A request
without these headers reads and changes unconditionally.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.http import parse_etags
from rest_framework import exceptions, status
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


def tagged_unless_known(request: Request, body: Mapping[str, Any]) -> Response:
    """The answer to a request that reads, with its tag; 304 and the tag alone if the client has it."""
    answer = tagged(body)
    if is_known(request, answer.headers["ETag"]):
        return Response(status=status.HTTP_304_NOT_MODIFIED, headers={"ETag": answer.headers["ETag"]})
    return answer


def is_known(request: HttpRequest | Request, etag: str) -> bool:
    """Whether the client says by ``If-None-Match`` that it has what this strong tag names."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    # A proxy that compresses an answer weakens its tag.
    return known == ["*"] or etag in {each.removeprefix("W/") for each in known}


def check_match(request: Request, present: Callable[[], Mapping[str, Any]]) -> None:
    """Raises ``ChangedMeanwhile`` if the request names other tags than that of ``present()``, which is stored now.

    Call it in the transaction that writes, once the user is locked.
    """
    wanted = request.headers.get("If-Match", "*").strip()
    if wanted != "*" and etag_of(present()) not in parse_etags(wanted):
        raise ChangedMeanwhile
