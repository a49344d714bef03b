"""A staff member in the admin, over HTTP as a browser does it."""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie

import httpx
from django_otp.oath import totp

from tests.end_to_end.guarded import Guarded

ADD = "/admin/second-factor/add/"


@contextmanager
def at_the_admin(server: Guarded) -> Iterator["Staff"]:
    """A browser session that has not signed in yet."""
    with server.caller() as client:
        yield Staff(server, client)


class Staff:
    """Cookies are handled by hand: they are marked for TLS, which ends at the proxy that the test plays."""

    def __init__(self, server: Guarded, client: httpx.Client) -> None:
        self._server = server
        self._client = client
        self._cookies: dict[str, str] = {}

    def sign_in(self, email: str, password: str) -> httpx.Response:
        """Sign in for the first time, which adds a second factor."""
        self.get("/admin/login/")
        answer = self.post("/admin/login/", username=email, password=password, next="/admin/")
        if "second-factor" not in answer.headers.get("Location", ""):
            return answer
        [secret] = re.findall(r"<code[^>]*>([A-Z2-7]{32})</code>", self.get(ADD).text)
        assert "I have kept them" in self.post(ADD, code=_code(secret), next="/admin/").text
        return self.get("/admin/login/")

    def get(self, path: str) -> httpx.Response:
        return self._kept(self._client.get(path, headers=self._headers()))

    def post(self, path: str, **form: str) -> httpx.Response:
        asked = {**form, "csrfmiddlewaretoken": self._cookies.get("csrftoken", "")}
        return self._kept(self._client.post(path, data=asked, headers=self._headers()))

    def episodes(self) -> list[str]:
        """The ids of the episodes on the first page of the list."""
        listed = self.get("/admin/memory/memoryepisodic/").text
        return list(dict.fromkeys(re.findall(r"/admin/memory/memoryepisodic/([0-9a-f-]{36})/change/", listed)))

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {"Cookie": cookies, "Referer": self._server.url.replace("http:", "https:") + "/"}

    def _kept(self, response: httpx.Response) -> httpx.Response:
        for header in response.headers.get_list("set-cookie"):
            for name, morsel in SimpleCookie(header).items():
                self._cookies[name] = morsel.value
        return response


def _code(secret: str) -> str:
    """What an authenticator app shows."""
    return f"{totp(base64.b32decode(secret)):06d}"
