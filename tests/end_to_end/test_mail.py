"""A forgotten password, from the request to the page, with the real server process and a mail server."""

import re
from email.message import EmailMessage

import httpx
import pytest

from tests.accounts.mail_servers import mail_server
from tests.end_to_end.conftest import register, server

pytestmark = pytest.mark.end_to_end
NEW = "another fine passphrase"


def page_in(letter: EmailMessage) -> str:
    """The path of the link in a letter."""
    found = re.search(r"^https?://[^/]+(/account/\S+)$", letter.get_content().replace("\r", ""), re.MULTILINE)
    assert found is not None
    return found[1]


def test_forgotten_password_is_set_anew_by_the_page_in_the_letter(
    database_server: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (
        mail_server() as box,
        server(tmp_path_factory.mktemp("mail"), ADIUVA_SMTP_URL=f"smtp://127.0.0.1:{box.port}") as url,
    ):
        alice = register(url)
        assert box.next()["To"] == alice.email
        for email in (f"x{alice.email}", alice.email):
            answer = httpx.post(f"{url}/api/v1/auth/password/forgotten", json={"email": email}, timeout=30)
            assert (answer.status_code, answer.content) == (202, b"")
        letter = box.next()
        assert letter["To"] == alice.email

        with httpx.Client(base_url=url, timeout=30) as reader:
            shown = reader.get(page_in(letter))
            found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown.text)
            assert found is not None
            fields = {"csrfmiddlewaretoken": found[1], "new_password": NEW, "again": NEW}
            assert "Your password is set" in reader.post(page_in(letter), data=fields).text
        assert "was changed" in box.next()["Subject"]

        body = {"email": alice.email, "password": NEW}
        assert httpx.post(f"{url}/api/v1/auth/token", json=body, timeout=30).status_code == 200
        me = httpx.get(f"{url}/api/v1/auth/me", headers={"Authorization": f"Bearer {alice.access}"}, timeout=30)
        assert me.status_code == 401
