"""Images that a user sends with a message: checked, made small, and without metadata.

What is stored and sent to a model is encoded again from the pixels, so nothing else of the file is left: no place, no
camera, no text, and nothing that a decoder might trip over.
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
"""Of an image as it is sent."""
MAX_IMAGES: Final = 4
"""With one message."""
MAX_PIXELS: Final = 40_000_000
"""Before it is made small. A file of a few kilobytes can claim any number of pixels, which all take memory."""
MAX_SIDE: Final = 2048
"""The longest side that is kept, in pixels: models look at no more."""
_MAX_PNG_BYTES: Final = 1024 * 1024
"""A larger one is a photograph rather than a drawing, and is kept as JPEG."""
_QUALITY: Final = 88
_WHITE: Final = (255, 255, 255)
_TOO_MANY_PIXELS: Final = f"An image has at most {MAX_PIXELS // 1_000_000} million pixels."


class ImageType(StrEnum):
    """The types that may be sent."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    WEBP = "image/webp"


@dataclass(frozen=True, kw_only=True, slots=True)
class Image:
    """An image as a model gets it: ``media_type`` is PNG or JPEG, which every server of models reads."""

    media_type: ImageType
    data: bytes = field(repr=False)
    width: int
    height: int

    @property
    def url(self) -> str:
        """The image as a URL of its own (RFC 2397)."""
        return f"data:{self.media_type.value};base64,{self.base64}"

    @property
    def base64(self) -> str:
        """The file as models' servers take it."""
        return b64encode(self.data).decode()


def prepared(data: bytes) -> Image:
    """The image in ``data``, upright, at most ``MAX_SIDE`` pixels wide and high. Takes up to a second of CPU.

    Of an animation it is the first frame. Raises ``ImageRefused``.
    """
    if len(data) > MAX_BYTES:
        raise ImageRefused(f"An image has at most {MAX_BYTES // 1024 // 1024} MB.")
    try:
        image, photograph = _upright(data)
        return _written(image, photograph=photograph)
    except PilImage.DecompressionBombError:
        raise ImageRefused(_TOO_MANY_PIXELS) from None
    except ImageRefused:
        raise
    except Exception:  # noqa: BLE001 - decoders raise anything at a broken file
        raise ImageRefused("This is not a readable image. Send it as PNG, JPEG or WebP.") from None


def _upright(data: bytes) -> tuple[PilImage.Image, bool]:
    """The image, and whether it is a photograph."""
    with PilImage.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP")) as image:
        if image.width * image.height > MAX_PIXELS:
            raise ImageRefused(_TOO_MANY_PIXELS)
        # A JPEG can be decoded at a half or a quarter of its size.
        image.draft("RGB", (MAX_SIDE, MAX_SIDE))
        image.thumbnail((MAX_SIDE, MAX_SIDE))
        # A phone's JPEG may be of several images, which Pillow gives another name.
        return ImageOps.exif_transpose(image), image.format not in ("PNG", "WEBP")


def _written(image: PilImage.Image, *, photograph: bool) -> Image:
    if not photograph:
        drawing = _saved(image.convert("RGBA" if image.has_transparency_data else "RGB"), ImageType.PNG)
        if len(drawing.data) <= _MAX_PNG_BYTES:
            return drawing
    return _saved(_opaque(image), ImageType.JPEG)


def _opaque(image: PilImage.Image) -> PilImage.Image:
    if not image.has_transparency_data:
        return image.convert("RGB")
    whole = image.convert("RGBA")
    paper = PilImage.new("RGB", whole.size, _WHITE)
    paper.paste(whole, mask=whole.getchannel("A"))
    return paper


def _saved(image: PilImage.Image, media_type: ImageType) -> Image:
    # A copy of the pixels alone: Pillow would write some of the metadata that it has read.
    bare = PilImage.new(image.mode, image.size)
    bare.paste(image)
    file = io.BytesIO()
    if media_type is ImageType.PNG:
        bare.save(file, "PNG", optimize=False)
    else:
        bare.save(file, "JPEG", quality=_QUALITY)
    return Image(media_type=media_type, data=file.getvalue(), width=bare.width, height=bare.height)
