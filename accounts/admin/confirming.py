"""The page that stands between staff and a deed: whom it will be done to, what it means, and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from accounts.admin.deeds import Deed, ReasonForm
from accounts.errors import AccountError
from accounts.models import User

_CONFIRMED: Final = "confirmed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A deed, whom it will be done to, and whom not, with the reason."""

    deed: Deed
    users: tuple[User, ...]
    left_out: Mapping[User, str]

    @classmethod
    def of(cls, deed: Deed, actor: User, users: Iterable[User]) -> "Plan":
        refusals = {user: deed.refusal(actor, user) for user in users}
        return cls(
            deed=deed,
            users=tuple(user for user, why in refusals.items() if why is None),
            left_out={user: why for user, why in refusals.items() if why is not None},
        )


def confirmed(
    request: HttpRequest, plan: Plan, *, actor: User, back: str, hidden: Mapping[str, list[str]]
) -> HttpResponse:
    """Asks; once it is confirmed with what the deed's form wants, does it and goes ``back``.

    ``hidden`` is what the page must send again to be asked about the same users.
    """
    answered = _CONFIRMED in request.POST
    form = plan.deed.form(request.POST if answered else None)
    if answered and plan.users and form.is_valid():
        for user in plan.users:
            _perform(request, plan.deed, actor, user, form.cleaned_data["reason"])
        return HttpResponseRedirect(back)
    return _question(request, plan, form, back=back, hidden=hidden)


def _perform(request: HttpRequest, deed: Deed, actor: User, user: User, reason: str) -> None:
    address = user.email
    try:
        sentence = deed.perform(actor, user, reason)
    except AccountError as error:
        messages.error(request, f"{address}: {error}")
    else:
        messages.success(request, f"{address}: {sentence}")


def _question(
    request: HttpRequest, plan: Plan, form: ReasonForm, *, back: str, hidden: Mapping[str, list[str]]
) -> TemplateResponse:
    context = {
        **admin.site.each_context(request),
        "title": plan.deed.title,
        "opts": User._meta,  # noqa: SLF001 - Django's public name for it
        "plan": plan,
        "form": form,
        "back": back,
        "hidden": {**hidden, _CONFIRMED: ["yes"]},
    }
    return TemplateResponse(request, "admin/accounts/deed.html", context)
