"""Personal tokens, each of which staff can revoke.

Tokens of sign-ins have no pages: their ids tell staff nothing, and the page of a user ends them.
"""

from typing import Final

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin.row_actions import RowAction, RowActionsPage
from accounts.auth.personal_tokens import end_personal_token
from accounts.credential_models import PersonalToken


def _revoke(token: PersonalToken) -> str:
    end_personal_token(token.user_id, token.id)
    return "The token is revoked."


REVOKE_TOKEN: Final[RowAction[PersonalToken]] = RowAction(
    name="revoke-token",
    title="Revoke",
    icon="key_off",
    consequence="The program that has this token can do nothing with it from its next call on. The user's other tokens "
    "and sign-ins stay.",
    permission="accounts.change_user",
    do=_revoke,
    fits=lambda _: True,
    dangerous=True,
)


@admin.register(PersonalToken)
class PersonalTokensPage(RowActionsPage[PersonalToken]):
    """Whose a token is and when it was used, but not its name, which is the user's words."""

    section = "People"
    icon = "key"
    purpose = "Tokens with which users' programs work over MCP: whose they are, what they may do, and until when."

    row_actions = (REVOKE_TOKEN,)
    list_display = ("id", "user", "scope", "created_at", "last_used_at", "expires_at")
    list_filter = (
        "created_at",
        ("last_used_at", admin.EmptyFieldListFilter),
        ("expires_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("user",)
    search_fields = ("user__email__exact",)
    search_help_text = "The whole address of the user"
    ordering = ("-created_at",)
    fields = list_display
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[PersonalToken]:
        return super().get_queryset(request).defer("digest", "password_digest")
