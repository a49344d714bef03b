"""The Content-Security-Policy of every page that has none of its own: strict, and somewhat wider in the admin."""

from collections.abc import Mapping, Sequence
from typing import Final

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest
from django.http.response import HttpResponseBase

STRICT: Final[Mapping[str, Sequence[str]]] = {
    "default-src": [NONE],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "font-src": [SELF],
    "object-src": [NONE],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
"""Pages and answers without scripts."""

ADMIN: Final[Mapping[str, Sequence[str]]] = {
    **STRICT,
    # Alpine, by which django-unfold's pages move, evaluates the expressions in their attributes. No script is inline.
    "script-src": [SELF, UNSAFE_EVAL],
    "style-src-attr": [UNSAFE_INLINE],
    "connect-src": [SELF],
}


class ContentPolicyMiddleware(CSPMiddleware):
    """Adds the policy. It touches no database, so it needs no thread, which Django would give it."""

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        self.process_request(request)
        response: HttpResponseBase = await self.get_response(request)  # type: ignore[misc]
        return self.process_response(request, response)

    def get_policy_parts(
        self,
        request: HttpRequest,
        response: HttpResponseBase,
        report_only: bool = False,
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if parts.config is None and not report_only and request.path_info.startswith("/admin/"):
            parts.config = dict(ADMIN)
        return parts
