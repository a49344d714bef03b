"""``/account/``: the pages that links in e-mail lead to, in the user's language. They work without scripts.

Opening a page changes nothing, because mail programs open links to look at them. Its form does.
"""

from collections.abc import Callable
from typing import Final

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.auth import attempts
from accounts.auth.links import LinkPurpose, send_link
from accounts.auth.passwords import MAX_PASSWORD_CHARS, reset_password, user_to_reset
from accounts.auth.registration import MAX_ADDRESS_CHARS
from accounts.auth.verification import user_to_verify, verify_address
from accounts.errors import LinkInvalid, MailUnavailable
from accounts.models import User
from accounts.networks import ip_of
from accounts.translations import translations

_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_WORKSPACE: Final = "/app/"
_FORGOTTEN: Final = "/account/forgotten"
_method = require_http_methods(["GET", "HEAD", "POST"])


class AddressForm(forms.Form):
    """The address of an account."""

    email = forms.CharField(
        max_length=MAX_ADDRESS_CHARS, widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True})
    )

    def __init__(self, say: Callable[[str], str], data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type] # what a request has posted
        self.fields["email"].label = say("Address")


class NewPasswordForm(forms.Form):
    """A new password, twice, because it cannot be seen."""

    new_password = forms.CharField(
        max_length=MAX_PASSWORD_CHARS,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "autofocus": True}),
    )
    again = forms.CharField(
        max_length=MAX_PASSWORD_CHARS,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, say: Callable[[str], str], data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type] # what a request has posted
        self.say = say
        self.fields["new_password"].label = say("New password")
        self.fields["again"].label = say("The same once more")

    def explain(self, refused: ValidationError) -> None:
        """Show why the password was refused."""
        for error in refused.error_dict["new_password"]:
            if error.code == "password_too_short":  # for which Django has an English sentence only
                least = (error.params or {})["min_length"]
                self.add_error("new_password", self.say("It needs at least {number} characters.").format(number=least))
            else:
                self.add_error("new_password", error)

    def clean_again(self) -> str:
        again: str = self.cleaned_data["again"]
        if self.cleaned_data.get("new_password", again) != again:
            raise ValidationError(self.say("These are two different passwords."))
        return again


@never_cache
@_method
def forgotten(request: HttpRequest) -> HttpResponse:
    """Asks for an address, and sends it a link."""
    language = translation.get_language_from_request(request)
    say = translations(language).gettext
    with translation.override(language):
        form = AddressForm(say, request.POST if request.method == "POST" else None)
        if form.is_valid():
            return _asked(request, form.cleaned_data["email"], language)
        return _page(
            request,
            language,
            say("Forgotten password"),
            form=form,
            action=say("Send a link"),
            sentence=say("We send a link to this address. It leads to a page where you choose a new password."),
        )


@never_cache
@_method
def password(request: HttpRequest, token: str) -> HttpResponse:
    """Asks for a new password, and sets it."""
    try:
        user = user_to_reset(token)
    except LinkInvalid:
        return _invalid(request)
    say = translations(user.language).gettext
    with translation.override(user.language):
        form = NewPasswordForm(say, request.POST if request.method == "POST" else None)
        if form.is_valid():
            try:
                reset_password(token, form.cleaned_data["new_password"])
            except LinkInvalid:
                return _invalid(request)
            except ValidationError as error:
                form.explain(error)
            else:
                return _done(request, user, say("Your password is set"), say("All sessions were signed out."))
        return _page(request, user.language, say("Choose a new password"), form=form, action=say("Set the password"))


@never_cache
@_method
def address(request: HttpRequest, token: str) -> HttpResponse:
    """Asks whether to confirm the address, and does so."""
    try:
        user = verify_address(token) if request.method == "POST" else user_to_verify(token)
    except LinkInvalid:
        return _invalid(request)
    say = translations(user.language).gettext
    if request.method == "POST":
        return _done(request, user, say("Your address is confirmed"), "")
    return _page(
        request,
        user.language,
        say("Confirm your address"),
        sentence=user.email,
        form=forms.Form(),
        action=say("This address is mine"),
    )


def addresses() -> list[URLPattern]:
    return [
        path("account/forgotten", forgotten),
        path("account/password/<str:token>", password),
        path("account/address/<str:token>", address),
    ]


def _asked(request: HttpRequest, email: str, language: str) -> HttpResponse:
    say = translations(language).gettext
    ip, now = ip_of(request), attempts.clock()
    if attempts.wait_s("link", ip=ip, address=email, now=now) is not None:
        return _answer(request, language, say("Too many attempts"), say("Try again in an hour."), status=429)
    try:
        send_link(email, LinkPurpose.RESET)
    except MailUnavailable:
        sentence = say("This server sends no e-mail. Ask the people who run it for a link.")
        return _answer(request, language, say("Forgotten password"), sentence, status=409)
    sentence = say("If there is an account with this address, it gets a message with a link in the next minutes.")
    return _answer(request, language, say("Look into your mailbox"), sentence)


def _invalid(request: HttpRequest) -> HttpResponse:
    language = translation.get_language_from_request(request)
    say = translations(language).gettext
    return _page(
        request,
        language,
        say("This link is not valid"),
        status=410,
        next_address=_FORGOTTEN,
        sentence=say("It has expired, or it was used already."),
        next_title=say("Ask for another link"),
    )


def _done(request: HttpRequest, user: User, title: str, sentence: str) -> HttpResponse:
    return _answer(request, user.language, title, sentence)


def _answer(request: HttpRequest, language: str, title: str, sentence: str, *, status: int = 200) -> HttpResponse:
    to_workspace = translations(language).gettext("To the workspace")
    return _page(
        request, language, title, sentence=sentence, status=status, next_address=_WORKSPACE, next_title=to_workspace
    )


def _page(request: HttpRequest, language: str, title: str, *, status: int = 200, **more: object) -> HttpResponse:
    page = render(request, "account/page.html", {"language": language, "title": title, **more}, status=status)
    page.headers["Content-Security-Policy"] = _POLICY
    return page
