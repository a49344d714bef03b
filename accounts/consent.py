"""``/oauth/consent``: asks a user whether to let a program in, and with which scopes. It works without scripts.

No session begins here: what the user enters on the page counts for this one answer.
"""

from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.auth import attempts
from accounts.auth.passwords import MAX_PASSWORD_CHARS, confirm
from accounts.auth.program_access import AccessRequest, allow, request_in
from accounts.auth.registration import MAX_ADDRESS_CHARS, log_in
from accounts.auth.second_factor import MAX_CODE_CHARS, has_second_factor
from accounts.auth.token_scopes import checked_scopes
from accounts.errors import (
    AddressUnverified,
    InvalidCredentials,
    LoginFailed,
    PasskeyNeeded,
    TooManyAttempts,
    TooManyTokens,
    WrongCode,
    WrongPassword,
)
from accounts.models import User
from accounts.networks import ip_of
from accounts.translations import gettext_noop, translations

_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
_SCOPES: Final = {
    "read": gettext_noop("Read everything of yours: tasks, projects, checkpoints, notes, and what is remembered"),
    "write": gettext_noop("Change everything of yours: tasks, projects, checkpoints, notes, and what is remembered"),
    "tasks:read": gettext_noop("Read tasks"),
    "tasks:write": gettext_noop("Create, change and delete tasks"),
    "projects:read": gettext_noop("Read projects"),
    "projects:write": gettext_noop("Create, change and delete projects"),
    "checkpoints:read": gettext_noop("Read checkpoints"),
    "checkpoints:write": gettext_noop("Create, change and delete checkpoints"),
    "notes:read": gettext_noop("Read notes"),
    "notes:write": gettext_noop("Create, change and delete notes"),
    "memory:read": gettext_noop("Read what is remembered, and search earlier conversations"),
    "memory:write": gettext_noop("Remember and forget"),
    "undo:write": gettext_noop("Undo its own changes"),
    "jobs:read": gettext_noop("Read the results of what it has begun"),
    "jobs:write": gettext_noop("Cancel what it has begun"),
    "models:read": gettext_noop("Talk with models, at the cost of your tokens"),
}
_FACTOR_MISSING: Final = gettext_noop(
    "Enter a code of your app, or a recovery code. Without one, make a personal token in the app instead."
)
_LOGIN_FAILED: Final = gettext_noop("The address or the password is wrong.")
_UNVERIFIED: Final = gettext_noop("Open the link that was sent to this address, then sign in.")
_LABELS: Final = {
    "scopes": gettext_noop("It may:"),
    "email": gettext_noop("Address"),
    "password": gettext_noop("Password"),
    "code": gettext_noop("Code, if you use one"),
}


class ConsentForm(forms.Form):
    """The scopes that the user leaves checked, and who the user is."""

    scopes = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)
    email = forms.CharField(max_length=MAX_ADDRESS_CHARS, widget=forms.EmailInput(attrs={"autocomplete": "username"}))
    password = forms.CharField(
        max_length=MAX_PASSWORD_CHARS,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    code = forms.CharField(
        max_length=MAX_CODE_CHARS,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "text"}),
    )

    def __init__(self, say: Callable[[str], str], scopes: Sequence[str], data: object = None) -> None:
        super().__init__(data, initial={"scopes": list(scopes)})  # type: ignore[arg-type] # what a request has posted
        field = self.fields["scopes"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - declared above
        field.choices = [(scope, say(_SCOPES.get(scope, scope))) for scope in scopes]
        for name, label in _LABELS.items():
            self.fields[name].label = say(label)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest) -> HttpResponse:
    """Shows what a program asks for; sends the browser back to the program with the answer."""
    language = translation.get_language_from_request(request)
    say = translations(language).gettext
    try:
        asked = request_in(request.GET.get("request", ""))
    except InvalidCredentials:
        return _expired(request, language)
    with translation.override(language):
        if request.POST.get("answer") == "deny":
            return _back(asked, error="access_denied")
        form = ConsentForm(say, asked.scopes, request.POST if request.method == "POST" else None)
        if form.is_valid():
            code = _allowed(request, asked, form, say)
            if code is not None:
                return _back(asked, code=code)
        return _page(request, language, asked, form)


def addresses() -> list[URLPattern]:
    return [path("oauth/consent", consent)]


def _allowed(request: HttpRequest, asked: AccessRequest, form: ConsentForm, say: Callable[[str], str]) -> str | None:
    """The code for the program; None if the form now says why there is none."""
    given = form.cleaned_data
    try:
        user = _signed_in(ip_of(request), given["email"], given["password"], given["code"])
        return allow(user, asked, checked_scopes(given["scopes"], staff=False))
    except (LoginFailed, WrongPassword, InvalidCredentials):
        form.add_error("password", say(_LOGIN_FAILED))
    except AddressUnverified:
        form.add_error("email", say(_UNVERIFIED))
    except (WrongCode, PasskeyNeeded):
        form.add_error("code", say(_FACTOR_MISSING))
    except TooManyAttempts:
        form.add_error(None, say("Too many attempts"))
    except TooManyTokens:
        form.add_error(None, say("You have let in as many programs as there may be: revoke one that you do not use."))
    except ValidationError as error:
        form.add_error(None, error)
    return None


def _signed_in(ip: str, email: str, password: str, code: str) -> User:
    """The user who fills in the form, proved as for a new personal token. Guesses count with those of signing in."""
    attempts.check("login", ip=ip, address=email)
    user = log_in(email, password)
    if has_second_factor(user):
        confirm(user, password=password, code=code or None, ip=ip)
    return user


def _back(asked: AccessRequest, **answer: str) -> HttpResponse:
    """Sends the browser to the program, with who answers (RFC 9207)."""
    parts = urlsplit(asked.redirect_uri)
    said = {**answer, "iss": asked.issuer, **({} if asked.state is None else {"state": asked.state})}
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *said.items()])
    # Not Django's redirect, which knows no schemes of programs; the address was registered.
    return HttpResponse(status=303, headers={"Location": urlunsplit(parts._replace(query=query))})


def _page(request: HttpRequest, language: str, asked: AccessRequest, form: ConsentForm) -> HttpResponse:
    context = {"language": language, "say": _words(language, asked), "form": form}
    page = render(request, "account/consent.html", context)
    page.headers["Content-Security-Policy"] = _policy_leading_to(asked.redirect_uri)
    return page


def _words(language: str, asked: AccessRequest) -> dict[str, str]:
    say = translations(language).gettext
    client, target = urlsplit(asked.client_id), urlsplit(asked.redirect_uri)
    known = say("Its maker is at {host}.").format(host=client.hostname) if client.hostname else ""
    # Between Unicode's isolates, so that a name from right to left turns nothing of the sentence around it.
    name = f"\u2068{asked.name}\u2069"
    return {
        "title": say("Let the program “{name}” in?").format(name=name),
        "asks": say("A program that calls itself “{name}” asks to work with your data.").format(name=name),
        "where": say("Your answer goes to {place}.").format(place=target.netloc or f"{target.scheme}:"),
        "known": known or say("No one has checked its name. Go on only if you have just started this yourself."),
        "revoke": say("You can revoke this at any time, beside your personal tokens."),
        "sign_in": say("Sign in to allow it"),
        "allow": say("Allow"),
        "deny": say("Do not allow"),
    }


def _policy_leading_to(address: str) -> str:
    """Browsers apply ``form-action`` also to the address that the answer redirects to."""
    parts = urlsplit(address)
    # A policy cannot name an IPv6 address.
    has_name = parts.scheme in ("http", "https") and parts.netloc and "[" not in parts.netloc
    return f"{_POLICY} {parts.scheme}://{parts.netloc}" if has_name else f"{_POLICY} {parts.scheme}:"


def _expired(request: HttpRequest, language: str) -> HttpResponse:
    say = translations(language).gettext
    context = {
        "language": language,
        "title": say("This link is not valid"),
        "sentence": say("It has expired. Start again in the program."),
        "next_address": "/app/",
        "next_title": say("To the workspace"),
    }
    page = render(request, "account/page.html", context, status=410)
    page.headers["Content-Security-Policy"] = _POLICY
    return page
