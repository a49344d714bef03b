"""``/api/v1/images``: uploads of images for later messages."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import IO, Any, Final
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.database import RETRY_AFTER_S
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.errors import DetailedError, RequestTooLarge
from accounts.rest.openapi import error
from accounts.rest.repeating import IDEMPOTENCY_KEY, KEY_IN_USE, KEY_REUSED, idempotent
from accounts.rest.requests import user_of
from accounts.timezones import utc_now
from agents.errors import ImageRefused, ImagesUnavailable
from agents.images import MAX_BYTES, Image, ImageType, prepared
from chat.turns.images import KEPT_S, ImageStore

_AT_ONCE: Final = 2
"""How many images are decoded at the same time. Each can take 160 MB for a moment."""


class ImageParser(BaseParser):
    """The body as bytes. The view has a parser for each media type."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        del media_type, parser_context
        # One byte more than allowed shows that the body is too large.
        return stream.read(MAX_BYTES + 1)


@dataclass(kw_only=True)
class ImageUploads:
    """Stores uploaded images in ``store``. ``wait_s`` is ``RequestRate.wait_s``."""

    store: ImageStore
    wait_s: Callable[[UUID], float]
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE), init=False)

    async def add(self, user_id: UUID, data: bytes) -> tuple[UUID, Image]:
        """Store an image. Returns its id and the image. Raises ``ImageRefused`` or ``ImagesUnavailable``."""
        async with self._slots:
            image = await asyncio.to_thread(prepared, data)
        return await self.store.keep(user_id, image), image


class ImageSerializer(serializers.Serializer[object]):
    """An image as it is kept: its pixels, upright and without metadata."""

    id = serializers.UUIDField(help_text="Name it in `images` of a request.")
    media_type = serializers.ChoiceField(choices=[ImageType.PNG.value, ImageType.JPEG.value])
    width = serializers.IntegerField(min_value=1, help_text="In pixels; at most 2,048.")
    height = serializers.IntegerField(min_value=1, help_text="In pixels; at most 2,048.")
    expires_at = serializers.DateTimeField(help_text="Until then a request may name it.")


class ImageInvalid(exceptions.APIException):
    status_code = 400
    default_code = "invalid"


class ImagesAway(DetailedError):
    status_code = 503

    def __init__(self, message: str) -> None:
        super().__init__(message, "not_available", retry_after_s=RETRY_AFTER_S)


class ImagesView(AsyncAPIView):
    """Uploads an image."""

    parser_classes = tuple(type(f"{each.name}Parser", (ImageParser,), {"media_type": each.value}) for each in ImageType)
    uploads: ImageUploads | None = None

    @extend_schema(
        operation_id="uploadImage",
        tags=["Assistant"],
        summary="Upload an image for a message",
        description=(
            f"The body is the file: PNG, JPEG or WebP, at most {MAX_BYTES // 1024 // 1024} MB. The server keeps the "
            f"pixels, without metadata and at most 2,048 wide and high, encrypted and for {KEPT_S // 60} minutes. "
            "A request names the image by its id. Uploads count as requests."
        ),
        parameters=[IDEMPOTENCY_KEY],
        request={each.value: OpenApiTypes.BINARY for each in ImageType},
        responses={
            201: OpenApiResponse(
                ImageSerializer,
                description="The image as it is kept.",
                examples=[
                    OpenApiExample(
                        "answer",
                        value={
                            "id": "0b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
                            "media_type": "image/png",
                            "width": 640,
                            "height": 480,
                            "expires_at": "2026-03-29T10:10:00Z",
                        },
                    )
                ],
            ),
            400: error(
                "The body is not a readable image, or has too many pixels.",
                code="invalid",
                message="This is not a readable image. Send it as PNG, JPEG or WebP.",
            ),
            409: KEY_IN_USE,
            422: KEY_REUSED,
            413: error("The file is too large.", code="too_large", message="The body of the request is too large."),
            415: error(
                "The `Content-Type` is not that of an image which can be sent.",
                code="unsupported_media_type",
                message='Unsupported media type "image/gif" in request.',
            ),
            503: error(
                "Images can be neither stored nor read at the moment.",
                code="not_available",
                message="The server cannot accept images right now. Try again in a moment.",
            ),
        },
    )
    @idempotent
    async def post(self, request: Request) -> Response:
        if self.uploads is None:
            raise TypeError("ImagesView.as_view needs uploads")
        user_id = user_of(request).id
        if (wait_s := self.uploads.wait_s(user_id)) > 0:
            raise exceptions.Throttled(wait_s)
        body: object = request.data
        # REST framework replaces a missing body with a dictionary.
        data = body if isinstance(body, bytes) else b""
        if len(data) > MAX_BYTES:
            raise RequestTooLarge
        try:
            image_id, image = await self.uploads.add(user_id, data)
        except ImageRefused as refused:
            raise ImageInvalid(str(refused)) from None
        except ImagesUnavailable as away:
            raise ImagesAway(str(away)) from away
        kept = {
            "id": image_id,
            "media_type": image.media_type.value,
            "width": image.width,
            "height": image.height,
            "expires_at": utc_now() + timedelta(seconds=KEPT_S),
        }
        return Response(ImageSerializer(kept).data, status=201)
