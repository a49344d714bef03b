"""The pages on which staff prove a second factor, add and remove their own, and get recovery codes.

Each secret and each code is in one response only, which browsers and proxies must not store.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import segno
from django import forms
from django.contrib import admin, messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString, mark_safe

from accounts.auth import second_factor
from accounts.auth.ceremonies import WebAuthnJson
from accounts.auth.passkeys import authentication_options, has_passkey, registration_options
from accounts.auth.second_factor import MAX_CODE_CHARS, MAX_NAME_CHARS, NewApp
from accounts.errors import AccountError, EncryptionError, PasskeysUnavailable, TooManyFactors, UnknownFactor
from accounts.networks import ip_of
from accounts.staff import sign_in
from accounts.staff.sign_in import AttemptForm, staff_of

if TYPE_CHECKING:
    from django.forms import PasswordInput, TextInput
else:
    from unfold.widgets import UnfoldAdminPasswordWidget as PasswordInput
    from unfold.widgets import UnfoldAdminTextInputWidget as TextInput

_ADDING: Final = "adding_app"
_MAX_PASSKEY_CHARS: Final = 20_000


class FactorForm(AttemptForm):
    """A code, or the answer of a passkey, which a script puts into the hidden field."""

    code = forms.CharField(
        required=False,
        max_length=MAX_CODE_CHARS,
        help_text="The six digits that your app shows, or one of your recovery codes.",
        widget=TextInput(attrs={"autocomplete": "one-time-code", "autofocus": "", "autocapitalize": "none"}),
    )
    passkey = forms.CharField(required=False, max_length=_MAX_PASSKEY_CHARS, widget=forms.HiddenInput)

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_passkey(self) -> WebAuthnJson | None:
        given = self.cleaned_data["passkey"]
        try:
            answer = json.loads(given) if given else {}
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise forms.ValidationError("This is not the answer of a passkey.")
        return answer or None

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            self.check_attempt("second_factor", staff_of(self.request).email)
            try:
                self.prove(cleaned["code"], cleaned["passkey"])
            except EncryptionError:
                # Its sentence names the master key.
                raise forms.ValidationError("The key of your account cannot be opened: ask the operator.") from None
            except AccountError as error:
                raise forms.ValidationError(str(error)) from None
        return cleaned

    def prove(self, code: str, passkey: Any) -> None:
        """Raises ``AccountError``."""
        user = staff_of(self.request)
        if passkey is None:
            second_factor.check_code(user, code)
        else:
            second_factor.check_passkey(user, passkey)


class NewFactorForm(FactorForm):
    """The proof that a new app or a new passkey works. ``recovery_codes`` are new ones, if there were none."""

    name = forms.CharField(
        required=False,
        max_length=MAX_NAME_CHARS,
        label="Name (optional)",
        help_text="By which you know it again, such as “Phone”.",
        widget=TextInput(),
    )
    recovery_codes: list[str]

    field_order = ("name", "code", "passkey")

    def __init__(self, request: HttpRequest, app: NewApp, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        self.fields["code"].help_text = "The six digits that the app shows now."
        self.fields["code"].widget.attrs.pop("autofocus")  # the picture comes first
        self._app = app

    def prove(self, code: str, passkey: Any) -> None:
        user, name = staff_of(self.request), self.cleaned_data["name"]
        first = not sign_in.has_passed(self.request)
        if passkey is None:
            self.recovery_codes = second_factor.confirm_app(user, self._app.id, code, name=name, first=first)
        else:
            self.recovery_codes = second_factor.add_passkey(user, passkey, name=name or "Passkey", first=first)


class PasswordForm(AttemptForm):
    """The password once more."""

    password = forms.CharField(
        strip=False, widget=PasswordInput(attrs={"autocomplete": "current-password", "autofocus": ""})
    )

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_password(self) -> str:
        given: str = self.cleaned_data["password"]
        user = staff_of(self.request)
        self.check_attempt("login", user.email)
        if not user.check_password(given):
            raise forms.ValidationError("The password is wrong.")
        return given


def challenge(request: HttpRequest) -> HttpResponse:
    """Ask for the second factor, or lead to adding the first one."""
    if not sign_in.is_signed_in(request):
        return HttpResponseRedirect(reverse("admin:login"))
    if sign_in.has_passed(request):
        return HttpResponseRedirect(sign_in.next_page(request))
    user = staff_of(request)
    if not second_factor.has_second_factor(user):
        return HttpResponseRedirect(_with_next("admin:add_factor", request))
    form = FactorForm(request, request.POST if request.method == "POST" else None)
    if form.is_valid():
        # A passkey that was made elsewhere comes without recovery codes.
        codes = [] if user.second_factor_since else second_factor.count_as_enrolled(user)
        sign_in.note_passed(request)
        return _codes_page(request, codes) if codes else HttpResponseRedirect(sign_in.next_page(request))
    ask = authentication_options if has_passkey(user) else None
    context = {"title": "Second factor", "form": form, "passkey_options": _options(request, ask), "ceremony": "get"}
    return sign_in.throttled(form, _page(request, "challenge", context))


def add(request: HttpRequest) -> HttpResponse:
    """Add an app or a passkey. For any but the first, the password must be entered again."""
    if not sign_in.is_signed_in(request):
        return HttpResponseRedirect(reverse("admin:login"))
    if sign_in.has_passed(request):
        if not sign_in.has_confirmed_password(request):
            return _ask_password(request)
    elif second_factor.has_second_factor(staff_of(request)):
        return HttpResponseRedirect(_with_next("admin:second_factor", request))
    try:
        app = _app_of(request)
    except TooManyFactors as error:
        messages.error(request, str(error))
        return HttpResponseRedirect(reverse("admin:own_factors"))
    form = NewFactorForm(request, app, request.POST if request.method == "POST" else None)
    return _added(request, form) if form.is_valid() else _adding_page(request, form, app)


def _added(request: HttpRequest, form: NewFactorForm) -> HttpResponse:
    request.session.pop(_ADDING, None)
    sign_in.note_passed(request)
    if form.recovery_codes:
        return _codes_page(request, form.recovery_codes)
    messages.success(request, "Added. It counts from now on.")
    return HttpResponseRedirect(reverse("admin:own_factors"))


def _adding_page(request: HttpRequest, form: NewFactorForm, app: NewApp) -> HttpResponse:
    context = {
        "title": "Add a second factor",
        "form": form,
        "app": app,
        "picture": _picture(app.address),
        "must": not sign_in.has_passed(request),
        "passkey_options": _options(request, registration_options),
        "ceremony": "create",
    }
    return sign_in.throttled(form, _page(request, "add", context))


def own(request: HttpRequest) -> HttpResponse:
    """The factors of the member of staff."""
    factors = second_factor.factors_of(staff_of(request))
    return _page(request, "own", {"title": "Second factor", "factors": factors})


def password(request: HttpRequest) -> HttpResponse:
    """Ask for the password again before anything changes."""
    form = PasswordForm(request, request.POST if request.method == "POST" else None)
    if form.is_valid():
        sign_in.note_confirmed_password(request)
        return HttpResponseRedirect(sign_in.next_page(request))
    context = {"title": "Your password", "form": form, "next": sign_in.next_page(request)}
    return sign_in.throttled(form, _page(request, "password", context))


def remove(request: HttpRequest, factor_id: UUID) -> HttpResponse:
    """Remove one factor."""
    if not sign_in.has_confirmed_password(request):
        return _ask_password(request)
    if request.method != "POST":
        return _page(request, "remove", {"title": "Remove a second factor", **_named(request, factor_id)})
    try:
        second_factor.remove_factor(staff_of(request), factor_id)
    except AccountError as error:
        messages.error(request, str(error))
    else:
        # All others have ended; this one has just given the password.
        update_session_auth_hash(request, staff_of(request))
        messages.success(request, "Removed. Your other sessions here have ended.")
    return HttpResponseRedirect(reverse("admin:own_factors"))


def recovery_codes(request: HttpRequest) -> HttpResponse:
    """New recovery codes in place of the older ones."""
    if not sign_in.has_confirmed_password(request):
        return _ask_password(request)
    if request.method != "POST":
        return _page(request, "renew_codes", {"title": "New recovery codes"})
    if not second_factor.has_second_factor(staff_of(request)):
        messages.error(request, "Add a second factor first.")
        return HttpResponseRedirect(reverse("admin:own_factors"))
    return _codes_page(request, second_factor.renew_recovery_codes(staff_of(request)))


def _named(request: HttpRequest, factor_id: UUID) -> dict[str, Any]:
    """Raises ``Http404``."""
    factors = second_factor.factors_of(staff_of(request))
    found = [(app.name or "Authenticator app", False) for app in factors.apps if app.id == factor_id]
    found += [(passkey.name or "Passkey", True) for passkey in factors.passkeys if passkey.id == factor_id]
    if found:
        return {"name": found[0][0], "is_passkey": found[0][1]}
    raise Http404("There is no such factor.")


def _codes_page(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return _page(request, "codes", {"title": "Recovery codes", "codes": codes})


def _page(request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    passed = sign_in.has_passed(request)
    context = {
        **admin.site.each_context(request),
        "layout": "admin/base_site.html" if passed else "unfold/layouts/unauthenticated.html",
        "passed": passed,
        "next": sign_in.next_page(request),
        **context,
    }
    page = TemplateResponse(request, f"admin/second_factor/{name}.html", context)
    page.headers["Cache-Control"] = "no-store"
    return page


def _app_of(request: HttpRequest) -> NewApp:
    """The app that this session is adding, or a new one: no other session sees its secret."""
    user, begun = staff_of(request), request.session.get(_ADDING)
    if begun is not None:
        try:
            return second_factor.app_being_added(user, UUID(begun))
        except UnknownFactor:
            pass
    app = second_factor.begin_app(user)
    request.session[_ADDING] = str(app.id)
    return app


def _options(request: HttpRequest, ask: Callable[..., WebAuthnJson] | None) -> str:
    """WebAuthn's options as JSON; empty if there is nothing to ask for, or this server's address allows no passkeys."""
    try:
        return json.dumps(ask(staff_of(request), ip=ip_of(request))) if ask else ""
    except PasskeysUnavailable:
        return ""


def _picture(address: str) -> SafeString:
    """The address as a QR code in SVG."""
    drawn: str = segno.make(address, error="m").svg_inline(scale=4, border=2, omitsize=False)
    return mark_safe(drawn)  # noqa: S308 - segno draws it from digits alone


def _ask_password(request: HttpRequest) -> HttpResponse:
    query = urlencode({"next": request.get_full_path()})
    return HttpResponseRedirect(f"{reverse('admin:confirm_password')}?{query}")


def _with_next(name: str, request: HttpRequest) -> str:
    return f"{reverse(name)}?{urlencode({'next': sign_in.next_page(request)})}"
