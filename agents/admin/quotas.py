"""The admin page of single users' quotas."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError

from accounts.admin.audit import DecisionsPage
from agents.permissions.quotas.models import UserQuota

if TYPE_CHECKING:
    _ModelForm = forms.ModelForm[UserQuota]
else:
    _ModelForm = forms.ModelForm  # Django's classes are generic for type checkers only


class QuotaForm(_ModelForm):
    """A quota limits turns, tokens, or both."""

    class Meta:
        model = UserQuota
        fields = ("user", "turns", "tokens")

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        if not self.errors and self.cleaned_data["turns"] is None and self.cleaned_data["tokens"] is None:
            raise ValidationError("This decides nothing: name a number of turns or of tokens, or delete the quota.")
        return cleaned


@admin.register(UserQuota)
class QuotasPage(DecisionsPage[UserQuota]):
    section = "Assistant"
    icon = "speed"
    purpose = "How much some users may use in a day of UTC. For everybody else the installation's settings hold."
    noun = "quota"

    form = QuotaForm
    list_display = ("user", "turns_a_day", "tokens_a_day", "updated_at")
    list_select_related = ("user",)
    search_fields = ("user__email",)
    search_help_text = "The address of whose it is"
    autocomplete_fields = ("user",)
    fields = ("user", "turns", "tokens", "updated_at")
    readonly_fields = ("updated_at",)
    ordering = ("user__email",)

    @admin.display(description="turns a day", ordering="turns")
    def turns_a_day(self, quota: UserQuota) -> str:
        return _limit(quota.turns)

    @admin.display(description="tokens a day", ordering="tokens")
    def tokens_a_day(self, quota: UserQuota) -> str:
        return _limit(quota.tokens)


def _limit(value: int | None) -> str:
    if value is None:
        return "as everybody"
    return f"{value:,}" if value else "no limit"
