"""``/api/v1/usage``: what a user has used today, and may use."""

from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.base_views import AsyncAPIView
from accounts.rest.openapi import answer
from accounts.rest.requests import user_of
from agents.allowances import written
from agents.permissions.quotas import QuotaService

_EXAMPLE: Final = {
    "turns": 12,
    "tokens": 48210,
    "limits": {"turns": 100, "tokens": None},
    "renews_at": "2026-03-30T00:00:00Z",
}


class LimitsSerializer(serializers.Serializer[object]):
    """What may be used in a day; null: no limit."""

    turns = serializers.IntegerField(allow_null=True, min_value=1)
    tokens = serializers.IntegerField(allow_null=True, min_value=1)


class UsageSerializer(serializers.Serializer[object]):
    """What is used today, in UTC."""

    turns = serializers.IntegerField(min_value=0, help_text="Requests to the assistant, including those in progress.")
    tokens = serializers.IntegerField(min_value=0, help_text="Tokens of models, of ended requests.")
    limits = LimitsSerializer()
    renews_at = serializers.DateTimeField(help_text="When the next day begins.")


class UsageView(AsyncAPIView):
    quotas: QuotaService | None = None

    @extend_schema(
        operation_id="getUsage",
        tags=["Assistant"],
        summary="What is used today",
        description=(
            "How many requests to the assistant and how many tokens of models the user has used since midnight UTC, "
            "and how many there are in a day. Once a limit is reached, requests are refused with `quota_exceeded` "
            "until `renews_at`."
        ),
        responses={200: answer(UsageSerializer, "As of now.", _EXAMPLE)},
    )
    async def get(self, request: Request) -> Response:
        if self.quotas is None:
            raise TypeError("UsageView.as_view needs quotas")
        allowance = await self.quotas.allowance(user_of(request).id)
        return Response(
            {
                "turns": allowance.usage.turns,
                "tokens": allowance.usage.tokens,
                "limits": {"turns": allowance.quota.turns or None, "tokens": allowance.quota.tokens or None},
                "renews_at": written(allowance.renews_at),
            }
        )
