"""The admin, which opens only to staff with a second factor."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from accounts.staff import factor_pages, sign_in
from accounts.staff.passwords import OwnPasswordPage

if TYPE_CHECKING:
    _Site = AdminSite
else:
    from unfold.sites import UnfoldAdminSite as _Site

_OWN: Final[dict[str, tuple[str, Callable[..., HttpResponse]]]] = {
    "own_factors": ("second-factor/own/", factor_pages.own),
    "confirm_password": ("second-factor/password/", factor_pages.password),
    "remove_factor": ("second-factor/remove/<uuid:factor_id>/", factor_pages.remove),
    "recovery_codes": ("second-factor/codes/", factor_pages.recovery_codes),
}
"""Pages for staff who have passed."""
_BEFORE: Final[dict[str, tuple[str, Callable[..., HttpResponse]]]] = {
    "second_factor": ("second-factor/", factor_pages.challenge),
    "add_factor": ("second-factor/add/", factor_pages.add),
}
"""Pages that a password alone opens, each of which decides what for."""


class StaffSite(_Site):
    """Django's admin with throttles at the sign-in, and with second factors."""

    login_form = sign_in.SignInForm

    def has_permission(self, request: HttpRequest) -> bool:
        return sign_in.has_password(request) and sign_in.has_passed(request)

    def get_urls(self) -> list[Any]:
        own = [_path(name, route, self.admin_view(page)) for name, (route, page) in _OWN.items()]
        before = [_path(name, route, _guarded(page)) for name, (route, page) in _BEFORE.items()]
        # Django's own signs out only those who have passed.
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
        return sign_in.answer_of(sign_in.form_of(response), response)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        done = reverse("admin:password_change_done", current_app=self.name)
        context = {**self.each_context(request), **(extra_context or {})}
        response = OwnPasswordPage.as_view(success_url=done, extra_context=context)(request)
        return sign_in.answer_of(sign_in.form_of(response), response)


def _waits(request: HttpRequest) -> bool:
    return sign_in.has_password(request) and not sign_in.has_passed(request)


def _path(name: str, route: str, page: Callable[..., HttpResponse]) -> URLPattern:
    return path(route, page, name=name)


def _guarded(page: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    return never_cache(csrf_protect(page))


def _to_second_factor(request: HttpRequest) -> HttpResponse:
    query = urlencode({"next": sign_in.next_page(request)})
    return HttpResponseRedirect(f"{reverse('admin:second_factor')}?{query}")
