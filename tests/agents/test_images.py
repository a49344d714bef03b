"""Images: only the pixels of a file are kept, upright and scaled down."""

import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as PilImage
from PIL import PngImagePlugin

from agents.errors import ImageRefused
from agents.images import MAX_BYTES, MAX_SIDE, Image, ImageType, prepared

RED, BLUE = (200, 30, 30), (30, 30, 200)
ORIENTATION, GPS = 0x0112, 0x8825
SECRET = "Via Roma 12"


def drawn(kind: str, size: tuple[int, int] = (40, 20), **options: Any) -> bytes:
    """A file of ``kind``: red on the left, blue on the right."""
    image = PilImage.new("RGB", size, RED)
    image.paste(BLUE, (size[0] // 2, 0, *size))
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def opened(image: Image) -> PilImage.Image:
    return PilImage.open(io.BytesIO(image.data))


def near(color: object, wanted: tuple[int, int, int]) -> bool:
    assert isinstance(color, tuple)
    return all(abs(one - other) < 16 for one, other in zip(color, wanted, strict=False))


@pytest.mark.parametrize(
    ("kind", "media_type"), [("PNG", ImageType.PNG), ("JPEG", ImageType.JPEG), ("WEBP", ImageType.PNG)]
)
def test_each_type_is_reencoded(kind: str, media_type: ImageType) -> None:
    image = prepared(drawn(kind))

    pixels = opened(image)
    assert (image.media_type, image.width, image.height) == (media_type, 40, 20)
    assert (f"image/{pixels.format}".lower(), pixels.size) == (media_type, (40, 20))
    assert near(pixels.convert("RGB").getpixel((5, 10)), RED)
    assert near(pixels.convert("RGB").getpixel((35, 10)), BLUE)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_metadata_is_removed(kind: str) -> None:
    exif = PilImage.Exif()
    exif[0x010E] = SECRET
    exif.get_ifd(GPS)[1] = SECRET
    options: dict[str, Any] = {"exif": exif, "icc_profile": SECRET.encode()}
    if kind == "PNG":
        text = PngImagePlugin.PngInfo()
        text.add_text("Comment", SECRET)
        options["pnginfo"] = text
    if kind == "JPEG":
        options["comment"] = SECRET
    data = drawn(kind, **options)
    assert SECRET.encode() in data

    image = prepared(data + SECRET.encode())

    assert SECRET.encode() not in image.data
    assert not opened(image).getexif()
    assert set(opened(image).info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_image_is_rotated_by_its_exif_orientation() -> None:
    exif = PilImage.Exif()
    exif[ORIENTATION] = 6  # to be turned right

    image = prepared(drawn("JPEG", exif=exif))

    assert (image.width, image.height) == (20, 40)
    assert near(opened(image).getpixel((10, 5)), RED)
    assert near(opened(image).getpixel((10, 35)), BLUE)


def test_large_image_is_scaled_down_with_aspect_ratio() -> None:
    image = prepared(drawn("PNG", size=(6000, 3000)))

    assert (image.width, image.height) == (MAX_SIDE, MAX_SIDE // 2)


def test_16_bit_greyscale_is_scaled_to_8_bits() -> None:
    image = PilImage.new("I;16", (2, 1))
    image.putpixel((0, 0), 0x4000)
    image.putpixel((1, 0), 0xC000)
    file = io.BytesIO()
    image.save(file, "PNG")

    pixels = opened(prepared(file.getvalue()))

    assert [pixels.getpixel((x, 0)) for x in (0, 1)] == [(64, 64, 64), (192, 192, 192)]


def test_palette_colours_are_averaged_when_scaled_down() -> None:
    stripes = PilImage.new("P", (2 * MAX_SIDE, 16))
    stripes.putpalette([255, 255, 255, 0, 0, 0])
    stripes.paste(1, (0, 0, 2 * MAX_SIDE, 16))
    for x in range(0, 2 * MAX_SIDE, 2):
        stripes.paste(0, (x, 0, x + 1, 16))
    file = io.BytesIO()
    stripes.save(file, "PNG")

    image = opened(prepared(file.getvalue()))

    assert near(image.getpixel((MAX_SIDE // 2, 4)), (128, 128, 128))


def test_photograph_as_png_becomes_jpeg() -> None:
    noise = PilImage.effect_noise((1500, 1200), 90).convert("RGB")
    file = io.BytesIO()
    noise.save(file, "PNG")

    image = prepared(file.getvalue())

    assert image.media_type is ImageType.JPEG
    assert opened(image).size == (1500, 1200)


def test_transparency_of_drawing_is_kept() -> None:
    image = PilImage.new("RGBA", (10, 10), (0, 0, 0, 0))
    file = io.BytesIO()
    image.save(file, "WEBP")

    assert opened(prepared(file.getvalue())).getpixel((5, 5)) == (0, 0, 0, 0)


def test_only_first_frame_of_animation_is_kept() -> None:
    first, second = PilImage.new("RGB", (8, 8), RED), PilImage.new("RGB", (8, 8), BLUE)
    file = io.BytesIO()
    first.save(file, "WEBP", save_all=True, append_images=[second], lossless=True)

    image = opened(prepared(file.getvalue()))

    assert getattr(image, "n_frames", 1) == 1
    assert image.getpixel((4, 4)) == RED


def test_too_large_file_is_refused() -> None:
    with pytest.raises(ImageRefused, match="at most 5 MB"):
        prepared(b"x" * (MAX_BYTES + 1))


def _png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG of any size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + head
    body = zlib.compress(b"\0" * 100)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", len(head))
        + chunk
        + struct.pack(">I", zlib.crc32(chunk))
        + struct.pack(">I", len(body))
        + b"IDAT"
        + body
        + struct.pack(">I", zlib.crc32(b"IDAT" + body))
    )


def test_small_file_with_huge_dimensions_is_refused() -> None:
    with pytest.raises(ImageRefused, match="million pixels"):
        prepared(_png_header(60_000, 60_000))


@pytest.mark.parametrize(
    "data",
    [b"", b"no image", b"%PDF-1.7", b"<svg xmlns='http://www.w3.org/2000/svg'/>", drawn("GIF"), drawn("BMP")],
    ids=["nothing", "text", "pdf", "svg", "gif", "bmp"],
)
def test_other_file_types_are_refused(data: bytes) -> None:
    with pytest.raises(ImageRefused, match="PNG, JPEG or WebP"):
        prepared(data)


SAMPLES = {kind: drawn(kind) for kind in ("PNG", "JPEG", "WEBP")}


# Pillow warns of damaged metadata.
@pytest.mark.filterwarnings("ignore::UserWarning")
@given(kind=st.sampled_from(sorted(SAMPLES)), cut=st.integers(0, 400), noise=st.binary(max_size=30))
def test_damaged_file_is_either_refused_or_read(kind: str, cut: int, noise: bytes) -> None:
    sample = SAMPLES[kind]
    try:
        image = prepared(sample[: cut % len(sample)] + noise + sample[cut % len(sample) + len(noise) :])
    except ImageRefused:
        return
    assert opened(image).size == (image.width, image.height)
