"""A server's address, and the addresses of its parts."""

import pytest

from device.addresses import server_address
from device.errors import UsageError


def test_address_tells_where_the_parts_are() -> None:
    address = server_address("https://adiuva.example.com:8443/behind/a/path/")
    assert address.socket == "wss://adiuva.example.com:8443/behind/a/path/api/v1/ws/device"
    assert address.sign_in == "https://adiuva.example.com:8443/behind/a/path/api/v1/auth/token"
    assert address.refresh == "https://adiuva.example.com:8443/behind/a/path/api/v1/auth/token/refresh"
    plain = server_address("http://127.0.0.1:8000")
    assert plain.socket == "ws://127.0.0.1:8000/api/v1/ws/device"
    assert (address.is_encrypted, plain.is_encrypted) == (True, False)


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("http://localhost:8000", True),
        ("http://LOCALHOST", True),
        ("http://127.0.0.2:8000", True),
        ("http://[::1]:8000", True),
        ("https://127.0.0.1.example.com", False),
        ("https://localhost.example.com", False),
        ("https://adiuva.example.com", False),
        ("https://192.168.1.5:8000", False),
    ],
)
def test_address_of_this_machine_is_local(url: str, is_local: bool) -> None:
    assert server_address(url).is_local == is_local


@pytest.mark.parametrize(
    "url",
    [
        "http://adiuva.example.com",
        "http://192.168.1.5:8000",
        "http://127.0.0.1.example.com",
        "http://localhost@example.com",
    ],
)
def test_no_password_or_token_goes_unencrypted_to_another_machine(url: str) -> None:
    with pytest.raises(UsageError, match="is not encrypted: use https://"):
        server_address(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ws://localhost",
        "http://",
        "http://host:port",
        "http://host?a=b",
        "http://host#a",
        "http://[",
    ],
)
def test_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        server_address(url)
    assert str(refused.value) == f"{url!r} is not the address of a server, such as http://127.0.0.1:8000."
