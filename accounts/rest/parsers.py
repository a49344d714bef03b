"""Reading a request's body. Its size is bounded before, by ``settings.DATA_UPLOAD_MAX_MEMORY_SIZE``."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class Utf8JSONParser(JSONParser):
    """JSON in UTF-8, whatever a charset in the Content-Type claims (RFC 8259, 8.1)."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        try:
            return super().parse(stream, media_type, {**(parser_context or {}), "encoding": "utf-8"})
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
