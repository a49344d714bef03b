"""Personal tokens, for staff: their users and when they were used, but not their names, which are the users' words.

Tokens of sign-ins have no pages: their ids tell staff nothing, and the page of a user ends them.
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
    purpose = "Tokens with which users' programs work over MCP: whose they are, since when, and when last used."

    list_display = ("id", "user", "created_at", "last_used_at", "expires_at")
    list_filter = ("created_at", ("last_used_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__email",)
    search_help_text = "The address of the user"
    ordering = ("-created_at",)
    fields = list_display
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[PersonalToken]:
        return super().get_queryset(request).defer("digest", "password_digest")
