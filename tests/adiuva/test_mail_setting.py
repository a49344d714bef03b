import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.mail_setting import MailServer, mail_server, public_url, sender


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", None),
        ("smtps://mail.example.com", MailServer(host="mail.example.com", port=465, starttls=False, tls=True)),
        (
            "smtp://a%40b:p%2F%25@mail.example.com:2525/",
            MailServer(host="mail.example.com", port=2525, user="a@b", password="p/%"),
        ),
        ("smtp://mail.example.com", MailServer(host="mail.example.com", port=587)),
        ("smtp://localhost:25", MailServer(host="localhost", port=25, starttls=False)),
        ("smtp://127.0.0.2:25", MailServer(host="127.0.0.2", port=25, starttls=False)),
        ("smtp://[::1]:25", MailServer(host="::1", port=25, starttls=False)),
        ("smtp://10.0.0.1:25", MailServer(host="10.0.0.1", port=25)),
    ],
)
def test_connection_is_encrypted_except_to_this_machine(url: str, expected: MailServer | None) -> None:
    assert mail_server(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.com:25",
        "http://secret@mail.example.com",
        "smtp://",
        "smtp://:secret@",
        "smtp://user:secret@mail.example.com:port",
        "smtp://user:secret@mail.example.com:99999",
        "smtp://user:secret@mail.example.com:0",
        "smtp://user:secret@mail example.com",
        "smtp://user:se/cret@mail.example.com",
        "smtp://[secret",
        "smtp://user:secret@mail.example.com?tls=0",
    ],
)
def test_url_that_cannot_be_read_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ADIUVA_SMTP_URL cannot be read") as refused:
        mail_server(url)
    assert "secret" not in str(refused.value)


def test_password_that_no_mail_server_takes_is_refused() -> None:
    with pytest.raises(ImproperlyConfigured, match="not ASCII"):
        mail_server("smtps://user:pässword@mail.example.com")


def test_mail_server_does_not_show_its_password() -> None:
    assert "secret" not in repr(mail_server("smtps://user:secret@mail.example.com"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "Adiuva <no-reply@adiuva.example.com>"),
        ("Adiuva <help@example.com>", "Adiuva <help@example.com>"),
        ("help@example.com", "help@example.com"),
    ],
)
def test_sender_is_one_address(text: str, expected: str) -> None:
    assert sender(text, public_url="https://adiuva.example.com") == expected


@pytest.mark.parametrize(
    "text", ["nobody", "Adiuva <help>", "a@example.com, b@example.com", "a@example.com <b", "a@b.c\nX: y"]
)
def test_sender_that_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ADIUVA_MAIL_FROM is "):
        sender(text, public_url="https://adiuva.example.com")


@pytest.mark.parametrize(
    ("given", "hosts", "debug", "expected"),
    [
        ("", [".example.com", "adiuva.example.com"], False, "https://adiuva.example.com"),
        ("", [], False, "https://localhost"),
        ("", ["adiuva.example.com"], True, "http://127.0.0.1:8000"),
        ("https://adiuva.example.com/", [], False, "https://adiuva.example.com"),
        ("http://localhost:8000", [], False, "http://localhost:8000"),
        ("http://adiuva.example.com:81", [], True, "http://adiuva.example.com:81"),
    ],
)
def test_public_url_is_given_or_the_first_host(given: str, hosts: list[str], debug: bool, expected: str) -> None:
    assert public_url(given, hosts, debug=debug) == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("adiuva.example.com", "write the origin"),
        ("https://adiuva.example.com/app", "write the origin"),
        ("https://a@adiuva.example.com", "write the origin"),
        ("http://adiuva.example.com", "must begin with https://"),
        ("ftp://localhost", "write the origin"),
        ("https://adiuva.example.com:port", "write the origin"),
        ("https://[adiuva", "write the origin"),
        ("https://adiuva example.com", "write the origin"),
    ],
)
def test_public_url_that_is_no_safe_origin_is_refused(given: str, said: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=said):
        public_url(given, [], debug=False)
