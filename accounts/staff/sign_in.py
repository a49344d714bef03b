"""The two steps of a sign-in to the admin: the password, then the second factor.

A session that has only the password sees nothing but the question for the second factor, and ends after ten minutes.
Attempts count with those over REST, by the same rates and with the same sentences.
"""

import math
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.exceptions import Throttled

from accounts.addresses import normalised_address
from accounts.audit import record_event
from accounts.auth import attempts
from accounts.auth.second_factor import has_second_factor, required
from accounts.models import User
from accounts.networks import ip_of

if TYPE_CHECKING:
    _SignInForm = AdminAuthenticationForm
else:
    from unfold.forms import AuthenticationForm as _SignInForm

_Response = TypeVar("_Response", bound=HttpResponseBase)

PASSWORD_ALONE_LASTS: Final = timedelta(minutes=10)
_PASSED: Final = "second_factor"
_BEGUN: Final = "begun"
_WAITS: Final = "waits"
_PASSWORD_UNTIL: Final = "password_until"  # noqa: S105 - a name in the session
_THROTTLED: Final = "throttled"


class AttemptForm(forms.Form):
    """A form with which someone proves who they are. ``check_attempt`` counts before anything is compared."""

    request: Any
    """An ``HttpRequest``; Django's own form for signing in says that there may be none."""
    wait_s: float | None = None
    refused: tuple[str, str] = ("", "")
    """The scope and the address of the attempt that was one too many."""

    def check_attempt(self, scope: str, address: str | None) -> None:
        """Raises ``ValidationError`` with the sentence of REST if there were too many."""
        ip, now = ip_of(self.request), attempts.clock()
        self.wait_s = attempts.wait_s(scope, ip=ip, address=address, now=now)
        if self.wait_s is not None:
            self.refused = (scope, address or "")
            raise forms.ValidationError(str(Throttled(wait=math.ceil(self.wait_s)).detail), code=_THROTTLED)


class SignInForm(AttemptForm, _SignInForm):
    """Address and password."""

    def clean(self) -> dict[str, Any]:
        self.check_attempt("login", self.cleaned_data.get("username"))
        return super().clean() or {}


def throttled(form: forms.BaseForm | None, page: _Response) -> _Response:
    """``page``, with status 429 if ``form`` was refused for too many attempts."""
    wait_s = getattr(form, "wait_s", None)
    if wait_s is not None:
        page.status_code = 429
        page.headers["Retry-After"] = str(math.ceil(wait_s))
        # After the answer is sent: its time must not tell whether there is such a member of staff.
        scope, address = getattr(form, "refused", ("", ""))
        closers: list[Callable[[], None]] = page._resource_closers  # type: ignore[attr-defined]  # noqa: SLF001 - Django has no public name for it
        closers.append(partial(_record_refusal, scope, address))
    return page


def _record_refusal(scope: str, address: str) -> None:
    """Record that attempts on the account of a member of staff were refused, once an hour."""
    if attempts.is_news(f"refused:{scope}", normalised_address(address)):
        for user in User.objects.filter(email=address, is_staff=True):
            record_event(actor=None, subject_id=user.id, action="refuse-sign-in-to-admin")


def form_of(response: HttpResponseBase) -> forms.BaseForm | None:
    """The form of a page that one of Django's views made."""
    context = response.context_data if isinstance(response, TemplateResponse) else None
    return (context or {}).get("form")


def is_signed_in(request: HttpRequest) -> bool:
    """Whether a member of staff is signed in, with a second factor or not yet."""
    return request.user.is_active and request.user.is_staff


def has_passed(request: HttpRequest) -> bool:
    """Whether this session has proved the second factor, or need not."""
    if _PASSED in request.session:
        return True
    return not required() and staff_of(request).second_factor_since is None and _WAITS not in request.session


def note_signed_in(request: HttpRequest) -> None:
    """The password was right: the second factor, if there is one to prove, must follow soon."""
    for earlier in (_PASSED, _BEGUN, _WAITS):
        request.session.pop(earlier, None)
    if has_second_factor(staff_of(request)):
        request.session[_WAITS] = True
    if has_passed(request):
        _begin_session(request)
    else:
        request.session.set_expiry(PASSWORD_ALONE_LASTS)


def note_passed(request: HttpRequest) -> None:
    """The second factor was right. The session gets a new id, because it gains rights."""
    request.session.cycle_key()
    request.session[_PASSED] = time.time()
    if _BEGUN not in request.session:  # otherwise a factor was added
        _begin_session(request)


def _begin_session(request: HttpRequest) -> None:
    """The sign-in is complete: the session ends at a fixed time from now, however much it is used."""
    # A number of seconds would count from the last change of the session.
    request.session.set_expiry(timedelta(seconds=settings.SESSION_COOKIE_AGE))
    request.session[_BEGUN] = time.time()
    user = staff_of(request)
    record_event(actor=user, subject_id=user.id, action="sign-in-to-admin")


def note_confirmed_password(request: HttpRequest) -> None:
    """The password was entered again."""
    request.session[_PASSWORD_UNTIL] = time.time() + PASSWORD_ALONE_LASTS.total_seconds()


def has_confirmed_password(request: HttpRequest) -> bool:
    """Whether the password was entered again in the last ten minutes."""
    return bool(request.session.get(_PASSWORD_UNTIL, 0) > time.time())


def staff_of(request: HttpRequest) -> User:
    """The member of staff who is signed in, at least with a password."""
    return cast("User", request.user)


def next_page(request: HttpRequest) -> str:
    """The page that was asked for, if it is one of ours."""
    asked = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, require_https=request.is_secure())
    return asked if ours else reverse("admin:index")


def account_links(_request: HttpRequest) -> list[dict[str, str]]:
    """The links in the menu of the member of staff, for django-unfold."""
    names = {"Second factor": "admin:own_factors", "Change password": "admin:password_change"}
    return [{"title": title, "link": reverse(name)} for title, name in names.items()]
