"""``/api/v1/auth/tokens``: one's own personal tokens. They are made by whoever is signed in, and by no such token."""

from uuid import UUID

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts import documentation
from accounts.personal_tokens import issue_personal_token, personal_tokens_of, revoke_personal_token
from accounts.rest.callers import user_of
from accounts.rest.throttles import PersonalTokenThrottle
from accounts.serializers import IssuedTokenSerializer, NewTokenSerializer, PersonalTokenSerializer


class PersonalTokensView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [PersonalTokenThrottle()] if self.request.method == "POST" else []

    @documentation.personal_tokens
    def get(self, request: Request) -> Response:
        return Response([PersonalTokenSerializer(token).data for token in personal_tokens_of(user_of(request))])

    @documentation.create_personal_token
    def post(self, request: Request) -> Response:
        asked = NewTokenSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        issued = issue_personal_token(user_of(request), **asked.validated_data)
        body = IssuedTokenSerializer(issued).data
        return Response(body, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})


class PersonalTokenView(APIView):
    @documentation.revoke_personal_token
    def delete(self, request: Request, token: UUID) -> Response:
        revoke_personal_token(user_of(request), token)
        return Response(status=status.HTTP_204_NO_CONTENT)
