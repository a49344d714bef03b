"""OAuth 2.1, for programs that cannot be given a token: the SDK's handlers, over ``accounts/auth/program_access.py``.

Each address under which a program may reach this server is an authorization server of its own.
"""

import json
import re
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode, urlsplit

from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.server.auth.settings import ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyUrl
from starlette.datastructures import ImmutableMultiDict
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from accounts.auth import program_access
from accounts.auth.program_access import AccessRequest, IssuedTokens
from accounts.auth.token_scopes import Access
from accounts.database import DATABASE_ERRORS, UNREACHABLE, in_database
from accounts.errors import InvalidCredentials
from agents.mcp.addresses import MCP_PATH, METADATA_PATH, client_address, issuer_of, names_known_host
from agents.mcp.cancelling import Message, Receive, Send
from agents.mcp.client_documents import ClientDocuments, host_of
from agents.mcp.oauth_programs import GRANTS, Program, granted_scopes, program_of
from agents.permissions.approvals.quoting import safe_words

SERVER_METADATA_PATH: Final = "/.well-known/oauth-authorization-server"
CONSENT_PATH: Final = "/oauth/consent"
AUTHORIZE_PATH: Final = "/oauth/authorize"
TOKEN_PATH: Final = "/oauth/token"  # noqa: S105 - an address
REGISTER_PATH: Final = "/oauth/register"
REVOKE_PATH: Final = "/oauth/revoke"
MAX_BODY_BYTES: Final = 16 * 1024
MAX_NAME_CHARS: Final = 100
MAX_CLIENT_CHARS: Final = 4_000
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_REPEATED: Final = "A parameter is given more than once."
_FORM: Final = "application/x-www-form-urlencoded"
_CORS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type, Authorization, MCP-Protocol-Version",
}
"""Any page may call, because no cookie counts here."""
_Provider: TypeAlias = OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]


@dataclass(frozen=True, slots=True)
class _Parameters:
    """The parameters of a request. A parameter without a value counts as omitted (RFC 6749, 3.1 and 3.2)."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, said: ImmutableMultiDict[str, Any]) -> "_Parameters":
        return cls(tuple((name, str(value)) for name, value in said.multi_items() if value))

    def values(self, name: str) -> list[str]:
        return [value for known, value in self.pairs if known == name]

    @property
    def has_repetition(self) -> bool:
        """Whether a parameter other than ``resource`` is repeated (RFC 6749, 3.1 and 3.2; RFC 8707, 2)."""
        names = [name for name, _ in self.pairs if name != "resource"]
        return len(names) != len(set(names))

    def encoded(self) -> bytes:
        return urlencode(self.pairs).encode()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Server(_Provider):
    """The SDK's provider for requests to one address, ``issuer``. ``documents`` is None if none are fetched."""

    issuer: str
    documents: ClientDocuments | None
    parameters: _Parameters = field(default_factory=_Parameters)

    async def get_client(self, client_id: str) -> Program | None:
        if len(client_id) > MAX_CLIENT_CHARS:
            return None
        if host_of(client_id) is None:
            said = program_access.client_in(client_id)
        else:
            said = None if self.documents is None else await self.documents.document(client_id)
        return None if said is None else program_of(client_id, said)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Give the program an id, which contains what it says of itself. Raises ``RegistrationError``."""
        said = {
            "client_name": (client_info.client_name or "")[:MAX_NAME_CHARS] or None,
            "redirect_uris": [str(address) for address in client_info.redirect_uris or []],
        }
        if program_of("new", said) is None:
            raise RegistrationError(
                "invalid_redirect_uri", "A redirect address uses HTTPS, a loopback address, or a scheme of its own."
            )
        client_info.client_id = program_access.signed_client(said)
        if len(client_info.client_id) > MAX_CLIENT_CHARS:
            raise RegistrationError("invalid_client_metadata", "The metadata is too long.")

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """The address of the page that asks the user. Raises ``AuthorizeError``."""
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge is a SHA-256 in base64url (RFC 7636, 4.2).")
        if self.parameters.has_repetition:
            raise AuthorizeError("invalid_request", _REPEATED)
        resource = f"{self.issuer}{MCP_PATH}"
        if not self._is_only_for(resource):
            raise AuthorizeError("invalid_target", "This server issues tokens only for its own /mcp.")
        asked = AccessRequest(
            client_id=client.client_id,
            name=_name_of(client, str(params.redirect_uri)),
            redirect_uri=str(params.redirect_uri),
            challenge=params.code_challenge,
            scopes=params.scopes or [*Access],
            resource=resource,
            issuer=self.issuer,
            state=params.state,
        )
        return f"{self.issuer}{CONSENT_PATH}?{urlencode({'request': asked.signed()})}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        access = await in_database(program_access.access_of_code, client.client_id, authorization_code)
        if access is None or access.code_expires_at is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=access.token.scopes,
            expires_at=access.code_expires_at.timestamp(),
            client_id=access.client_id,
            code_challenge=access.challenge,
            redirect_uri=AnyUrl(access.redirect_uri),
            # OAuth 2.1 omits it (10.2), because the verifier binds the code. If it is given, it must be the right one.
            redirect_uri_provided_explicitly=bool(self.parameters.values("redirect_uri")),
            resource=access.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        self._check_target(authorization_code.resource)
        return await self._issued(program_access.exchange, client.client_id, authorization_code.code)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        access = await in_database(program_access.access_of_refresh, client.client_id, refresh_token)
        if access is None:
            return None
        return RefreshToken(
            token=refresh_token, client_id=access.client_id, scopes=access.token.scopes, resource=access.resource
        )

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        # A row has one set of scopes, so a single token cannot get fewer.
        if set(scopes) != set(refresh_token.scopes):
            raise TokenError("invalid_scope", "The scopes must be the ones that the user has granted.")
        self._check_target(refresh_token.resource)
        return await self._issued(program_access.renew, client.client_id, refresh_token.token)

    async def load_access_token(self, token: str) -> AccessToken | None:  # noqa: ARG002
        # The SDK needs it only to revoke, which ``_revoke`` does itself.
        return None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        await in_database(program_access.end_access, token.client_id, token.token)

    def _check_target(self, granted: str | None) -> None:
        """Raise ``TokenError`` if the request names another resource than the granted one (RFC 8707, 2.2)."""
        if not self._is_only_for(granted or ""):
            raise TokenError("invalid_target", "The user has granted access to another resource.")

    def _is_only_for(self, resource: str) -> bool:
        """Whether the request names no other resource. The server's address also counts as that of ``/mcp``."""
        known = (resource, resource.removesuffix(MCP_PATH))
        return all(named.rstrip("/").lower() in known for named in self.parameters.values("resource"))

    async def _issued(self, issue: Callable[[str, str], IssuedTokens], client_id: str, text: str) -> OAuthToken:
        try:
            issued = await in_database(issue, client_id, text)
        except InvalidCredentials:
            raise TokenError("invalid_grant", "This is no longer valid.") from None
        return OAuthToken(
            access_token=issued.access,
            refresh_token=issued.refresh,
            expires_in=issued.access_lasts_s,
            scope=" ".join(issued.scopes),
        )


def _name_of(client: OAuthClientInformationFull, redirect_uri: str) -> str:
    """The program's name for the user: what it calls itself, without marks that end a quotation, or else its host."""
    name = safe_words(
        "".join(char for char in client.client_name or "" if char.isprintable()), max_chars=MAX_NAME_CHARS
    )
    return name or urlsplit(redirect_uri).hostname or client.client_id[:MAX_NAME_CHARS]


@dataclass(frozen=True, kw_only=True, slots=True)
class OAuthRules:
    """Which requests are served.

    ``wait_s`` counts a request by its IP address, and returns how long the client must wait; None if it need not. With
    ``secure``, plain HTTP is refused.
    """

    hosts: Collection[str]
    wait_s: Callable[[str], float | None]
    secure: bool = False
    documents: ClientDocuments | None = field(default_factory=ClientDocuments)


class OAuthEndpoint:
    """The ASGI application for the addresses in ``paths``."""

    def __init__(self, rules: OAuthRules) -> None:
        self._rules = rules
        self._answers: dict[str, Callable[[Request, _Server], Awaitable[Response]]] = {
            METADATA_PATH: _resource_metadata,
            f"{METADATA_PATH}{MCP_PATH}": _resource_metadata,
            SERVER_METADATA_PATH: self._server_metadata,
            f"{SERVER_METADATA_PATH}{MCP_PATH}": self._server_metadata,
            AUTHORIZE_PATH: _authorize,
            TOKEN_PATH: _token,
            REGISTER_PATH: _register,
            REVOKE_PATH: _revoke,
        }
        self.paths = frozenset(self._answers)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope, receive)
        for name, value in _CORS.items():
            answer.headers[name] = value
        answer.headers.setdefault("Cache-Control", "no-store")
        await answer(scope, receive, send)

    async def _answer(self, scope: Message, receive: Receive) -> Response:
        if not names_known_host(scope, self._rules.hosts):
            return _refusal(421, "invalid_request", "This server is not known under that name.")
        if self._rules.secure and scope.get("scheme") != "https":
            return _refusal(403, "invalid_request", "This is answered over HTTPS only.")
        if scope["method"] == "OPTIONS":
            return Response(status_code=204)
        server = _Server(issuer=issuer_of(scope), documents=self._rules.documents)
        path = scope["path"]
        if path.startswith("/oauth/"):
            if (wait := self._rules.wait_s(client_address(scope))) is not None:
                answer = _refusal(429, "temporarily_unavailable", "Too many requests. Wait a little.")
                answer.headers["Retry-After"] = str(int(wait) + 1)
                return answer
            needed = ("GET", "POST") if path == AUTHORIZE_PATH else ("POST",)
        else:
            needed = ("GET", "HEAD")
        if scope["method"] not in needed:
            answer = _refusal(405, "invalid_request", f"This answers {' and '.join(needed)}.")
            answer.headers["Allow"] = ", ".join(needed)
            return answer
        if (body := await _short_body(Request(scope, receive))) is None:
            return _refusal(413, "invalid_request", "The body of the request is too large.")
        request = Request(scope, _given(body))
        if scope["method"] == "POST" and path != REGISTER_PATH and not await _has_form(request):
            return _refusal(400, "invalid_request", f"The body must be {_FORM}.")
        try:
            return await self._answers[path](request, server)
        except DATABASE_ERRORS:
            return _refusal(503, "temporarily_unavailable", UNREACHABLE)

    async def _server_metadata(self, _request: Request, server: _Server) -> Response:
        issuer = server.issuer
        return JSONResponse(
            {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}{AUTHORIZE_PATH}",
                "token_endpoint": f"{issuer}{TOKEN_PATH}",
                "registration_endpoint": f"{issuer}{REGISTER_PATH}",
                "revocation_endpoint": f"{issuer}{REVOKE_PATH}",
                "scopes_supported": granted_scopes(),
                "response_types_supported": ["code"],
                "grant_types_supported": GRANTS,
                "token_endpoint_auth_methods_supported": ["none"],
                "revocation_endpoint_auth_methods_supported": ["none"],
                "code_challenge_methods_supported": ["S256"],
                "client_id_metadata_document_supported": self._rules.documents is not None,
                "authorization_response_iss_parameter_supported": True,
            }
        )


async def _resource_metadata(_request: Request, server: _Server) -> Response:
    return JSONResponse(
        {
            "resource": f"{server.issuer}{MCP_PATH}",
            "authorization_servers": [server.issuer],
            "scopes_supported": [*Access],
            "bearer_methods_supported": ["header"],
            "resource_name": "Adiuva",
        }
    )


async def _authorize(request: Request, server: _Server) -> Response:
    """The SDK's answer. Redirects to the program also name the issuer (RFC 9207), which the SDK omits."""
    said = _Parameters.of(request.query_params if request.method == "GET" else await request.form())
    asked = Request({**request.scope, "method": "GET", "query_string": said.encoded()})
    answer = await AuthorizationHandler(replace(server, parameters=said)).handle(asked)
    address = answer.headers.get("location", "")
    if address and not address.startswith(f"{server.issuer}{CONSENT_PATH}?"):
        # It already has a query, with the error.
        answer.headers["location"] = f"{address}&{urlencode({'iss': server.issuer})}"
    return answer


async def _token(request: Request, server: _Server) -> Response:
    said = _Parameters.of(await request.form())
    if said.has_repetition:
        return _refusal(400, "invalid_request", _REPEATED)
    asked = replace(server, parameters=said)
    handler = TokenHandler(asked, ClientAuthenticator(asked))
    answer: Response = await handler.handle(Request(request.scope, _given(said.encoded())))
    # The SDK reports every wrong parameter as an invalid request.
    if answer.status_code == HTTPStatus.BAD_REQUEST and not set(said.values("grant_type")) <= set(GRANTS):
        return _refusal(400, "unsupported_grant_type", f"grant_type is {' or '.join(GRANTS)}.")
    return answer


async def _register(request: Request, server: _Server) -> Response:
    """Register a program, always as a public client: a secret would have to be stored."""
    try:
        said = json.loads(await request.body())
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return _refusal(400, "invalid_client_metadata", "The body must be a JSON object.")
    kept = {name: said[name] for name in ("client_name", "redirect_uris", "application_type") if name in said}
    body = json.dumps({**kept, "token_endpoint_auth_method": "none"}).encode()
    options = ClientRegistrationOptions(enabled=True, default_scopes=[*Access])
    return await RegistrationHandler(server, options).handle(Request(request.scope, _given(body)))


async def _revoke(request: Request, server: _Server) -> Response:
    """Revoke the access of a token. The answer is the same if there is no such token (RFC 7009)."""
    form = await request.form()
    client_id, token = form.get("client_id"), form.get("token")
    if not isinstance(client_id, str) or not isinstance(token, str) or not client_id.isprintable():
        return _refusal(400, "invalid_request", "client_id and token are needed.")
    await server.revoke_token(RefreshToken(token=token, client_id=client_id, scopes=[]))
    return Response(status_code=200)


async def _has_form(request: Request) -> bool:
    """Whether the body is a form. If so, ``request`` has read it, so later reads cannot fail."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
        return False
    try:
        await request.form()
    except MultiPartException:
        return False
    return True


async def _short_body(request: Request) -> bytes | None:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _given(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _refusal(status: int, error: str, description: str) -> Response:
    return JSONResponse({"error": error, "error_description": description}, status_code=status)
