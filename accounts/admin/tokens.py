"""Tokens, for staff. Those of sign-ins have no pages: their ids tell staff nothing, and users' pages end them.

Of personal tokens it is shown whose they are and whether they are used; neither names, which are the users' own words,
nor digests.
"""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from rest_framework_simplejwt.token_blacklist.models import BlacklistedToken, OutstandingToken

from accounts.admin.pages import ReadOnlyPage
from accounts.models import PersonalToken

admin.site.unregister([OutstandingToken, BlacklistedToken])


@admin.register(PersonalToken)
class PersonalTokensPage(ReadOnlyPage[PersonalToken]):
    section = "People"
    icon = "key"
    purpose = "With which users' programs work for them over MCP: whose they are, since when, and when last used."

    list_display = ("id", "user", "created_at", "last_used_at", "expires_at")
    list_filter = ("created_at", ("last_used_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__email",)
    search_help_text = "The address of whose it is"
    ordering = ("-created_at",)
    fields = list_display
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[PersonalToken]:
        return super().get_queryset(request).defer("name_encrypted", "digest", "password_digest")
