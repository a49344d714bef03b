from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings

from accounts.auth.links import LinkPurpose, link_to_page, link_token
from accounts.auth.registration import log_in
from accounts.models import AddressState, User
from tests.conftest import PASSWORD

FORGOTTEN = "/account/forgotten"
NEW = "another fine passphrase"
Letters = Callable[[], list[EmailMessage]]


class _Scripts(HTMLParser):
    """Finds scripts, styles and external resources in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        foreign = [name for name, value in attrs if name in {"src", "href"} and not (value or "").startswith("/")]
        inline = [name for name, _ in attrs if name == "style" or name.startswith("on")]
        if tag in {"script", "style"} or foreign or inline:
            self.found.append(tag)


def reset_page(user: User, purpose: LinkPurpose = LinkPurpose.RESET) -> str:
    return f"/account/password/{link_token(user, purpose)}"


def address_page(user: User) -> str:
    return f"/account/address/{link_token(user, LinkPurpose.VERIFY)}"


@pytest.fixture
def client() -> Client:
    """A client for which CSRF checks are on, as they are for a browser."""
    return Client(enforce_csrf_checks=True)


def send(client: Client, page: str, **fields: str) -> tuple[int, str]:
    """Open a page and submit its form."""
    client.get(page)
    token = client.cookies["csrftoken"].value
    answer = client.post(page, {**fields, "csrfmiddlewaretoken": token})
    return answer.status_code, answer.content.decode()


def test_link_page_sets_new_password(client: Client, alice: User) -> None:
    page = reset_page(alice)
    assert "Choose a new password" in client.get(page).content.decode()
    status, said = send(client, page, new_password=NEW, again=NEW)
    assert (status, "Your password is set" in said) == (200, True)
    assert log_in("alice@example.com", NEW) == alice


def test_page_of_used_link_offers_new_link(client: Client, alice: User) -> None:
    page = reset_page(alice)
    send(client, page, new_password=NEW, again=NEW)
    answer = client.get(page)
    assert answer.status_code == 410
    assert FORGOTTEN in answer.content.decode()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"new_password": NEW, "again": "something else"}, "These are two different passwords."),
        ({"new_password": "short", "again": "short"}, "It needs at least 10 characters."),
        ({"new_password": "", "again": ""}, "This field is required."),
    ],
)
def test_bad_password_is_explained_and_link_stays_valid(
    client: Client, alice: User, fields: dict[str, str], said: str
) -> None:
    page = reset_page(alice, LinkPurpose.OPERATOR_RESET)
    status, shown = send(client, page, **fields)
    assert (status, said in shown) == (200, True)
    assert f'value="{fields["new_password"]}"' not in shown
    assert client.get(page).status_code == 200


def test_link_page_is_in_language_of_user(client: Client, alice: User) -> None:
    alice.language = "it"
    alice.save(update_fields=["language"])
    _, shown = send(client, reset_page(alice), new_password="short", again="short")
    assert '<html lang="it">' in shown
    assert "Scegli una nuova password" in shown
    assert "Deve avere almeno 10 caratteri." in shown


def test_address_is_confirmed_by_submitting_page_not_by_opening_it(client: Client, alice: User) -> None:
    page = address_page(alice)
    assert "alice@example.com" in client.get(page).content.decode()
    alice.refresh_from_db()
    assert alice.address_state == AddressState.UNVERIFIED
    assert "Your address is confirmed" in send(client, page)[1]
    alice.refresh_from_db()
    assert alice.address_state == AddressState.VERIFIED
    assert client.get(page).status_code == 410


def test_forgotten_password_page_does_not_reveal_whether_address_exists(
    client: Client, alice: User, letters: Letters
) -> None:
    shown = {send(client, FORGOTTEN, email=email) for email in ("alice@example.com", "bob@example.com")}
    assert len(shown) == 1
    assert [letter.to for letter in letters()] == [["alice@example.com"]]


def test_forgotten_password_page_is_in_language_of_browser(client: Client, db: None) -> None:
    shown = client.get(FORGOTTEN, headers={"Accept-Language": "it-IT,it;q=0.9"}).content.decode()
    assert "Password dimenticata" in shown


def test_link_requests_are_rate_limited(client: Client, letters: Letters, rates: Callable[..., None], db: None) -> None:
    rates(link="2/d")
    assert [send(client, FORGOTTEN, email="alice@example.com")[0] for _ in range(3)] == [200, 200, 429]


def test_forgotten_password_page_without_email_returns_409(client: Client, db: None) -> None:
    status, said = send(client, FORGOTTEN, email="alice@example.com")
    assert (status, "sends no e-mail" in said) == (409, True)


@pytest.mark.parametrize("page", ["password", "address", "forgotten"])
def test_pages_have_no_scripts_and_strict_security_headers(client: Client, alice: User, page: str) -> None:
    address = {"password": reset_page(alice), "address": address_page(alice), "forgotten": FORGOTTEN}[page]
    answer = client.get(address)
    assert _Scripts(answer.content.decode()).found == []
    policy = answer["Content-Security-Policy"]
    assert ("default-src 'none'" in policy, "frame-ancestors 'none'" in policy, "unsafe" in policy) == (
        *(True, True),
        False,
    )
    assert (answer["Referrer-Policy"], answer["X-Frame-Options"]) == ("same-origin", "DENY")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("page", ["password", "address"])
def test_post_without_csrf_token_is_refused(client: Client, alice: User, page: str) -> None:
    address = {"password": reset_page(alice), "address": address_page(alice)}[page]
    assert client.post(address, {"new_password": NEW, "again": NEW}).status_code == 403
    assert log_in("alice@example.com", PASSWORD) == alice


@pytest.mark.parametrize("token", ["x", "é", "0" * 300])
def test_malformed_link_returns_410(client: Client, token: str, db: None) -> None:
    for page in ("password", "address"):
        assert client.get(f"/account/{page}/{token}").status_code == 410


def test_links_use_public_url(alice: User, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://adiuva.example.com"
    assert link_to_page(alice, LinkPurpose.RESET).startswith("https://adiuva.example.com/account/password/")
