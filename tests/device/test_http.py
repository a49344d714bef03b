"""HTTP to a server whose certificate is not trusted."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from device.addresses import server_address
from device.errors import ConnectionFailed
from device.signing_in import sign_in


def _certificate(folder: Path) -> Path:
    """A self-signed certificate for 127.0.0.1, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.now(UTC)
    certificate = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=key.public_key(),
        serial_number=1,
        not_valid_before=today - timedelta(days=1),
        not_valid_after=today + timedelta(days=1),
    ).sign(key, hashes.SHA256())
    file = folder / "certificate.pem"
    written = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(written + certificate.public_bytes(serialization.Encoding.PEM))
    return file


@asynccontextmanager
async def _impostor(certificate: Path) -> AsyncIterator[str]:
    """The address of a server with this certificate that answers nothing."""

    async def handle(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
    async with server:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_server_whose_certificate_no_authority_signed_is_not_trusted(tmp_path: Path) -> None:
    async with _impostor(_certificate(tmp_path)) as url:
        for _ in range(2):  # the second time with the certificates read the first time
            with pytest.raises(ConnectionFailed, match="certificate verify failed: self-signed certificate"):
                await sign_in(server_address(url), email="alice@example.com", password="secret")
