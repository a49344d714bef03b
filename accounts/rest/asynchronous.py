"""REST views whose handlers are coroutines: for what waits on a model or a device, not on the database."""

from typing import Any

from channels.db import database_sync_to_async
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.views import APIView


class AsyncAPIView(APIView):
    """As REST framework's view, with handlers that are ``async def``.

    Who asks, whether they may and how often is settled in a thread, because that reads the database. The handler runs
    in the event loop and must not. What it raises is answered as anywhere else.
    """

    http_method_names = [  # noqa: RUF012 - so it is typed where it comes from
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
    ]

    async def dispatch(  # type: ignore[override]  # Django awaits a view that is marked as a coroutine
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        self.args, self.kwargs = args, kwargs
        self.request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            # Not thread-sensitive: otherwise one slow query would stall every request of the process.
            await database_sync_to_async(self.initial, thread_sensitive=False)(self.request, *args, **kwargs)
            name = (self.request.method or "").lower()
            if name not in self.http_method_names or not hasattr(self, name):
                self.http_method_not_allowed(self.request, *args, **kwargs)
            response = await getattr(self, name)(self.request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the one place where what a view raises becomes an answer
            response = self.handle_exception(error)
        self.response = self.finalize_response(self.request, response, *args, **kwargs)
        return self.response
