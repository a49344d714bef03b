"""The admin, for staff with a second factor. The only password that they can set here is their own."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, cast

from django.contrib.admin import AdminSite
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from accounts.audit import record_event
from accounts.models import User
from accounts.staff import factor_pages, sign_in

if TYPE_CHECKING:
    _OwnPasswordForm = PasswordChangeForm
    _Site = AdminSite
else:
    from unfold.forms import AdminOwnPasswordChangeForm as _OwnPasswordForm
    from unfold.sites import UnfoldAdminSite as _Site

_OWN: Final[dict[str, tuple[str, Callable[..., HttpResponse]]]] = {
    "own_factors": ("second-factor/own/", factor_pages.own),
    "confirm_password": ("second-factor/password/", factor_pages.password),
    "remove_factor": ("second-factor/remove/<uuid:factor_id>/", factor_pages.remove),
    "recovery_codes": ("second-factor/codes/", factor_pages.recovery_codes),
}
"""Pages for staff who have proved the second factor."""
_BEFORE: Final[dict[str, tuple[str, Callable[..., HttpResponse]]]] = {
    "second_factor": ("second-factor/", factor_pages.challenge),
    "add_factor": ("second-factor/add/", factor_pages.add),
}
"""Pages that a password alone opens. Each checks what it may be used for."""


class OwnPasswordForm(sign_in.AttemptForm, _OwnPasswordForm):
    """The old password and the new one. Guesses of the old one count with those of signing in."""

    def clean_old_password(self) -> str:
        self.check_attempt("login", sign_in.staff_of(self.request).email)
        return super().clean_old_password()

    def save(self, commit: bool = True) -> User:
        with transaction.atomic():
            user = super().save(commit)
            record_event(actor=user, subject_id=user.id, action="change-password")
        return user


class OwnPasswordPage(PasswordChangeView):
    form_class = OwnPasswordForm

    def get_form(self, form_class: Any = None) -> OwnPasswordForm:
        form: Any = super().get_form(form_class)
        form.request = self.request
        return cast("OwnPasswordForm", form)


class StaffSite(_Site):
    """Django's admin with throttles at the sign-in, and with second factors."""

    login_form = sign_in.SignInForm

    def has_permission(self, request: HttpRequest) -> bool:
        return sign_in.is_signed_in(request) and sign_in.has_passed(request)

    def get_urls(self) -> list[Any]:
        own = [path(route, self.admin_view(page), name=name) for name, (route, page) in _OWN.items()]
        before = [path(route, _guarded(page), name=name) for name, (route, page) in _BEFORE.items()]
        # Django's own signs out only those who have proved the second factor.
        return [path("logout/", self.logout, name="logout"), *own, *before, *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        # django-unfold would write them into the page as a style, which the Content-Security-Policy forbids: they are
        # in adiuva/static/adiuva/admin-colours.css.
        return {**super().each_context(request), "colors": None}

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Ask for address and password, then for the second factor."""
        if request.method == "GET" and _waits(request):
            return _to_second_factor(request)
        response = super().login(request, extra_context)
        if response.status_code == 302 and request.method == "POST":
            sign_in.note_signed_in(request)
            return _to_second_factor(request) if _waits(request) else response
        return sign_in.throttled(sign_in.form_of(response), response)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        done = reverse("admin:password_change_done", current_app=self.name)
        context = {**self.each_context(request), **(extra_context or {})}
        response = OwnPasswordPage.as_view(success_url=done, extra_context=context)(request)
        return sign_in.throttled(sign_in.form_of(response), response)


def _waits(request: HttpRequest) -> bool:
    return sign_in.is_signed_in(request) and not sign_in.has_passed(request)


def _guarded(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    return never_cache(csrf_protect(page))


def _to_second_factor(request: HttpRequest) -> HttpResponse:
    query = urlencode({"next": sign_in.next_page(request)})
    return HttpResponseRedirect(f"{reverse('admin:second_factor')}?{query}")
