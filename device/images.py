"""An image for a message: read from a file, and given to the server, which keeps it for ten minutes."""

import asyncio
import io
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from device.addresses import ServerAddress
from device.errors import ConnectionFailed, UsageError
from device.rest import asked

MAX_BYTES: Final = 5 * 1024 * 1024
_TYPES: Final[Mapping[str, str]] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}


def read_words(words: str) -> tuple[Path, str]:
    """The path and the message of ``/image PATH TEXT``. Raises ``UsageError``."""
    # As a shell reads the first word: a path may have spaces. What follows it is the message as it is.
    stream = io.StringIO(words)
    reader = shlex.shlex(stream, posix=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        path = reader.get_token() or ""
    except ValueError:
        path = ""
    message = stream.read().strip()
    if not path or not message:
        raise UsageError("Write /image PATH TEXT, with quotes around a path that has spaces.")
    return Path(path).expanduser(), message


async def uploaded(server: ServerAddress, token: str, path: Path) -> str:
    """The id of the image at ``path``. Raises ``UsageError`` for a file that is none, and as ``device.rest.asked``."""
    media_type = _TYPES.get(path.suffix.lower())
    if media_type is None:
        raise UsageError(f"{path.name} is no image that can be sent: PNG, JPEG or WebP.")
    try:
        data = await asyncio.to_thread(_read, path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{path.name} is larger than {MAX_BYTES // 1024 // 1024} MB.")
    answer: JsonValue = await asked(server, "POST", "images", token=token, body=data, media_type=media_type)
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), str):
        raise ConnectionFailed("The server's answer cannot be read.")
    return str(answer["id"])


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)
