"""Reading a request's body."""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from accounts.rest.errors import RequestTooLarge


class BoundedJSONParser(JSONParser):
    """JSON of at most ``settings.MAX_REQUEST_BYTES`` bytes, nested no deeper than can be read."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        body = stream.read(settings.MAX_REQUEST_BYTES + 1)
        if len(body) > settings.MAX_REQUEST_BYTES:
            raise RequestTooLarge
        # RFC 8259, 8.1: JSON is UTF-8, whatever a charset in the Content-Type claims.
        context = {**(parser_context or {}), "encoding": "utf-8"}
        try:
            return super().parse(BytesIO(body), media_type, context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
