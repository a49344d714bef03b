"""Images that a user sends with a message: checked, scaled down, and without metadata.

The image that is stored and sent to a model is encoded again from the pixels. So it contains no location, no camera
model, no text, and nothing that a decoder could fail on.
"""

import io
from base64 import b64encode
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from PIL import Image as PilImage
from PIL import ImageOps

from agents.errors import ImageRefused

MAX_BYTES: Final = 5 * 1024 * 1024
"""The maximum size of the file that a user sends."""
MAX_IMAGES: Final = 4
"""The maximum number of images in one message."""
MAX_PIXELS: Final = 40_000_000
"""The limit before scaling. A file of a few kilobytes can claim any number of pixels, which all take memory."""
MAX_SIDE: Final = 2048
"""The maximum width and height after scaling, in pixels. Models scale larger images down."""
_MAX_PNG_BYTES: Final = 1024 * 1024
"""A larger PNG is probably a photograph, and is stored as JPEG."""
_JPEG_QUALITY: Final = 88
_WHITE: Final = (255, 255, 255)
_TOO_MANY_PIXELS: Final = f"An image has at most {MAX_PIXELS // 1_000_000} million pixels."


class ImageType(StrEnum):
    """The types that a user can send."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    WEBP = "image/webp"


@dataclass(frozen=True, kw_only=True, slots=True)
class Image:
    """An image for a model. ``media_type`` is PNG or JPEG, which all model servers accept."""

    media_type: ImageType
    data: bytes = field(repr=False)
    width: int
    height: int

    @property
    def url(self) -> str:
        """The image as a ``data:`` URL (RFC 2397)."""
        return f"data:{self.media_type.value};base64,{self.base64}"

    @property
    def base64(self) -> str:
        """The encoded file in Base64."""
        return b64encode(self.data).decode()


def prepared(data: bytes) -> Image:
    """The image in ``data``, upright, at most ``MAX_SIDE`` pixels wide and high. Takes up to a second of CPU.

    An animation becomes its first frame. Raises ``ImageRefused``.
    """
    if len(data) > MAX_BYTES:
        raise ImageRefused(f"An image has at most {MAX_BYTES // 1024 // 1024} MB.")
    try:
        image, is_photograph = _upright(data)
        return _encoded(image, is_photograph=is_photograph)
    except PilImage.DecompressionBombError:
        raise ImageRefused(_TOO_MANY_PIXELS) from None
    except ImageRefused:
        raise
    except Exception:  # noqa: BLE001 - decoders raise any error for a broken file
        raise ImageRefused("This is not a readable image. Send it as PNG, JPEG or WebP.") from None


def _upright(data: bytes) -> tuple[PilImage.Image, bool]:
    """The image, and whether it is a photograph."""
    with PilImage.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as image:
        if image.width * image.height > MAX_PIXELS:
            raise ImageRefused(_TOO_MANY_PIXELS)
        # A JPEG can be decoded at a half or a quarter of its size.
        image.draft("RGB", (MAX_SIDE, MAX_SIDE))
        scaled = _in_8_bit_channels(image)
        scaled.thumbnail((MAX_SIDE, MAX_SIDE))
        # Pillow has another format name for a phone's JPEG that contains several images.
        return ImageOps.exif_transpose(scaled), image.format not in ("PNG", "WEBP")


def _in_8_bit_channels(image: PilImage.Image) -> PilImage.Image:
    """``image`` without a palette, whose colours Pillow cannot average, and without 16-bit grey, which it would cut."""
    if image.mode == "P":
        return image.convert("RGBA" if image.has_transparency_data else "RGB")
    return image.point(lambda grey: grey * (1 / 256)).convert("L") if image.mode.startswith("I;16") else image


def _encoded(image: PilImage.Image, *, is_photograph: bool) -> Image:
    if not is_photograph:
        drawing = _saved(image.convert("RGBA" if image.has_transparency_data else "RGB"), ImageType.PNG)
        if len(drawing.data) <= _MAX_PNG_BYTES:
            return drawing
    return _saved(_opaque(image), ImageType.JPEG)


def _opaque(image: PilImage.Image) -> PilImage.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    background = PilImage.new("RGB", layer.size, _WHITE)
    background.paste(layer, mask=layer.getchannel("A"))
    return background


def _saved(image: PilImage.Image, media_type: ImageType) -> Image:
    # Copy only the pixels: Pillow would write some of the metadata that it has read.
    bare = PilImage.new(image.mode, image.size)
    bare.paste(image)
    file = io.BytesIO()
    if media_type is ImageType.PNG:
        bare.save(file, "PNG", optimize=False)
    else:
        bare.save(file, "JPEG", quality=_JPEG_QUALITY)
    return Image(media_type=media_type, data=file.getvalue(), width=bare.width, height=bare.height)
