"""Programs that users grant access by OAuth: what they say of themselves, and to which addresses answers may be sent.

They are public clients: they have no secret, and identify themselves by PKCE and by the tokens that they were given.
"""

from typing import Any, Final
from urllib.parse import urlsplit

from mcp.shared.auth import OAuthClientInformationFull
from pydantic import AnyUrl, ConfigDict, ValidationError

from accounts.auth.token_scopes import is_for_staff, known_scopes

GRANTS: Final = ["authorization_code", "refresh_token"]
MAX_REDIRECTS: Final = 10
MAX_REDIRECT_CHARS: Final = 1_000
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_NEVER: Final = ("javascript", "data", "vbscript", "file", "blob", "about", "ftp", "ws", "wss")
"""Schemes that cannot lead to a program."""


def granted_scopes() -> list[str]:
    """The scopes that a program can ask for: all except those of staff."""
    return [scope for scope in known_scopes(staff=False) if not is_for_staff(scope)]


class Program(OAuthClientInformationFull):
    """A program. If it runs on the user's own machine, it may choose the port for each request (RFC 8252, 7.3)."""

    # So that an address without a path is read as the SDK reads it in a request.
    model_config = ConfigDict(url_preserve_empty_path=False)

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """As the SDK's method, except that a loopback address may have any port."""
        if redirect_uri is not None and any(_same(redirect_uri, known) for known in self.redirect_uris or ()):
            return redirect_uri
        return super().validate_redirect_uri(redirect_uri)


def _same(asked: AnyUrl, known: AnyUrl) -> bool:
    loopback = asked.scheme == "http" and (asked.host or "").strip("[]") in _LOOPBACK
    if asked.username or asked.password or asked.fragment or not loopback:
        return False
    return (asked.host, asked.path, asked.query, known.scheme) == (known.host, known.path, known.query, "http")


def may_redirect(address: AnyUrl) -> bool:
    """Whether answers may go to this address: by HTTPS, to the user's own machine, or by a scheme of the program's."""
    text = str(address)
    parts = urlsplit(text)
    if parts.fragment or parts.username or parts.password or len(text) > MAX_REDIRECT_CHARS or not text.isprintable():
        return False
    if parts.scheme == "http":
        return parts.hostname in _LOOPBACK
    return parts.scheme not in _NEVER


def program_of(client_id: str, said: dict[str, Any]) -> Program | None:
    """The program, from what it says of itself; None if that is not valid."""
    try:
        program = Program.model_validate(
            {
                "client_id": client_id,
                "client_name": said.get("client_name"),
                "redirect_uris": said.get("redirect_uris"),
                "grant_types": GRANTS,
                "token_endpoint_auth_method": "none",
                "scope": " ".join(granted_scopes()),
            }
        )
    except ValidationError:
        return None
    addresses = program.redirect_uris or []
    return program if 0 < len(addresses) <= MAX_REDIRECTS and all(map(may_redirect, addresses)) else None
