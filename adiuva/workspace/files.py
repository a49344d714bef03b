"""The built files of the workspace: read once and kept compressed, for they are few and never change."""

import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

BUILT: Final = Path(__file__).parent / "built"
"""What ``npm run build`` in ``clients/workspace`` writes."""

FIRST: Final = "index.html"

_TYPES: Final = {".js": "text/javascript", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json"}


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltFile:
    """``compressed`` is its content by gzip, None where that is not smaller."""

    content: bytes
    compressed: bytes | None
    media_type: str
    etag: str


@cache
def built_files() -> Mapping[str, BuiltFile]:
    """Every file by its path below ``BUILT``. Reads and compresses about 3 MB the first time."""
    found = (path for path in BUILT.rglob("*") if path.is_file())
    return {path.relative_to(BUILT).as_posix(): _read(path) for path in found}


def _read(path: Path) -> BuiltFile:
    content = path.read_bytes()
    compressed = gzip.compress(content, mtime=0)
    return BuiltFile(
        content=content,
        compressed=compressed if len(compressed) < len(content) else None,
        media_type=_media_type(path),
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
    )


def _media_type(path: Path) -> str:
    known = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"{known}; charset=utf-8" if known.startswith("text/") else known
