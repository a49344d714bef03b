"""Where the parts of a server are, given its address such as ``http://127.0.0.1:8000``. Pure."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from device.errors import UsageError


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerAddress:
    """A server's address: ``base`` is its URL without a slash at the end, ``host`` the machine's name."""

    base: str
    host: str

    @property
    def socket(self) -> str:
        """Where devices connect."""
        return f"ws{self.base.removeprefix('http')}/api/v1/ws/device"

    @property
    def sign_in(self) -> str:
        return f"{self.base}/api/v1/auth/token"

    @property
    def refresh(self) -> str:
        return f"{self.base}/api/v1/auth/token/refresh"

    @property
    def is_encrypted(self) -> bool:
        return self.base.startswith("https:")

    @property
    def is_local(self) -> bool:
        """Whether the server runs on this very machine: no proxy leads there."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def server_address(url: str) -> ServerAddress:
    """The address that ``url`` names.

    Raises ``UsageError`` when it names none, and for one on another machine that is not encrypted: everyone on the way
    could read the password, the tokens and the rows.
    """
    try:
        parts = urlsplit(url)
        names_server = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        names_server = False
    if not names_server or parts.query or parts.fragment or not parts.hostname:
        raise UsageError(f"{url!r} is not the address of a server, such as http://127.0.0.1:8000.")
    server = ServerAddress(base=f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}", host=parts.hostname)
    if not server.is_encrypted and not server.is_local:
        raise UsageError(f"{server.base} is not encrypted: use https://. Only a server on this machine may do without.")
    return server
