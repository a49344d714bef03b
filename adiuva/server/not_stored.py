"""What the API answers is stored by no browser and no proxy, unless the answer itself says so.

Without ``Cache-Control`` a browser may write an answer to its disk, in plain, where it outlives the sign-out and the
account.
"""

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import async_only_middleware

from adiuva.server.access_log import GetResponse

_API = "/api/"


@async_only_middleware
def not_stored_middleware(get_response: GetResponse) -> GetResponse:
    """Adds ``Cache-Control: no-store`` to answers of the API that have no such header."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        response = await get_response(request)
        if request.path.startswith(_API):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    return answer
