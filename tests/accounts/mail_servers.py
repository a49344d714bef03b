"""Mail servers for tests: SMTP on loopback, with or without TLS."""

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

USER, PASSWORD = "adiuva", "s3cret/@:%"


@dataclass
class Mailbox:
    """What a mail server received, and how. ``refuse`` returns the error reply to a message, or None to accept it."""

    port: int = 0
    letters: list[EmailMessage] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    refuse: Callable[[], str | None] = lambda: None
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def next(self) -> EmailMessage:
        """Wait for the next letter."""
        assert self.came.acquire(timeout=30)
        return self.letters[-1]

    async def handle_DATA(self, server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - its name
        if (reply := self.refuse()) is not None:
            return reply
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        letter = message_from_bytes(content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
        assert server.transport is not None
        self.encrypted.append(server.transport.get_extra_info("sslcontext") is not None)
        self.came.release()
        return "250 OK"


class _OnAnyPort(Controller):
    def _trigger_server(self) -> None:
        assert isinstance(self.server, asyncio.Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def mail_server(*, tls: ssl.SSLContext | None = None, implicit: bool = False) -> Iterator[Mailbox]:
    """Serve mail on loopback. ``tls``: require STARTTLS and a login, or (``implicit``) use TLS from the start."""
    box = Mailbox()
    kwargs: dict[str, Any] = {}
    if tls is not None and implicit:
        kwargs = {"ssl_context": tls}
    elif tls is not None:
        kwargs = {"tls_context": tls, "require_starttls": True, "authenticator": _authenticated, "auth_required": True}
    controller = _OnAnyPort(box, hostname="127.0.0.1", port=0, **kwargs)
    controller.start()
    box.port = controller.port
    try:
        yield box
    finally:
        controller.stop()


def certificate(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """A server's context with a certificate for 127.0.0.1, and the file of the authority to trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(public, private)
    return context, public


def _authenticated(
    _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, credentials: object
) -> AuthResult:
    fits = isinstance(credentials, LoginPassword) and credentials == LoginPassword(USER.encode(), PASSWORD.encode())
    return AuthResult(success=fits)
