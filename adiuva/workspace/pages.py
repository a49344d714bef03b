"""``/app/``: the workspace. Every address below it is one page, which reads the address itself."""

import asyncio
from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, re_path
from django.views.decorators.http import require_safe

from adiuva.workspace.files import FIRST, BuiltFile, built_files

# Everything is our own, and nothing stands in the page itself. SQLite is WebAssembly, which has a word of its own.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types adiuva-worker"
)
_ASSETS: Final = "assets/"
_FOR_GOOD: Final = "public, max-age=31536000, immutable"


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
    # The names of assets hold a digest of what is in them.
    answer.headers["Cache-Control"] = _FOR_GOOD if name.startswith(_ASSETS) else "no-cache"
    # A worker's policy is that of its own file.
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def _answer(request: HttpRequest, found: BuiltFile) -> HttpResponse:
    headers = {"ETag": found.etag, "Vary": "Accept-Encoding"}
    if request.headers.get("If-None-Match") == found.etag:
        return HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers=headers)
    if found.compressed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(
            found.compressed, content_type=found.media_type, headers={**headers, "Content-Encoding": "gzip"}
        )
    return HttpResponse(found.content, content_type=found.media_type, headers=headers)


def addresses() -> list[URLPattern]:
    """Of the workspace."""
    return [re_path(r"^app/(?P<name>.*)$", workspace, name="workspace")]
