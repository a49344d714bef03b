"""``/app/``: the workspace. Every address below it is one page, which reads the address itself."""

import asyncio
import gzip
import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, re_path
from django.views.decorators.http import require_safe

from accounts.rest.conditions import is_known

BUILT: Final = Path(__file__).parent / "built"
"""The output of ``npm run build`` in ``clients/workspace``."""

FIRST: Final = "index.html"

_TYPES: Final = {".js": "text/javascript", ".wasm": "application/wasm", ".webmanifest": "application/manifest+json"}
# All files are our own, and the page has no inline script. SQLite is WebAssembly, which needs its own keyword.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types adiuva-worker"
)
_ASSETS: Final = "assets/"
_FOREVER: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltFile:
    """``compressed`` is its content by gzip, None if that is not smaller."""

    content: bytes
    compressed: bytes | None
    media_type: str
    etag: str


@cache
def built_files() -> Mapping[str, BuiltFile]:
    """Every file by its path below ``BUILT``: read once and kept compressed, about 3 MB that never change."""
    return {path.relative_to(BUILT).as_posix(): _read(path) for path in BUILT.rglob("*") if path.is_file()}


def _read(path: Path) -> BuiltFile:
    content = path.read_bytes()
    compressed = gzip.compress(content, mtime=0)
    media_type = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return BuiltFile(
        content=content,
        compressed=compressed if len(compressed) < len(content) else None,
        media_type=f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type,
        etag=f'"{hashlib.sha256(content).hexdigest()[:32]}"',
    )


@require_safe
async def workspace(request: HttpRequest, name: str) -> HttpResponse:
    """The built file ``name``, or the page."""
    files = await asyncio.to_thread(built_files)
    found = files.get(name)
    if found is None and not name.startswith(_ASSETS):
        found = files.get(FIRST)
    if found is None:
        return HttpResponse(status=HTTPStatus.NOT_FOUND)
    answer = _answer(request, found)
    # The names of assets contain a digest of their content.
    answer.headers["Cache-Control"] = _FOREVER if name.startswith(_ASSETS) else "no-cache"
    # A worker has the policy of its own file.
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def _answer(request: HttpRequest, found: BuiltFile) -> HttpResponse:
    headers = {"ETag": found.etag, "Vary": "Accept-Encoding"}
    if is_known(request, found.etag):
        return HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers=headers)
    if found.compressed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(
            found.compressed, content_type=found.media_type, headers={**headers, "Content-Encoding": "gzip"}
        )
    return HttpResponse(found.content, content_type=found.media_type, headers=headers)


def addresses() -> list[URLPattern]:
    return [re_path(r"^app/(?P<name>.*)$", workspace, name="workspace")]
