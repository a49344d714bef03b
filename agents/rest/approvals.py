"""``/api/v1/approvals``, ``/policies`` and ``/tools``: questions to the user, and which tools run without asking."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.cursors import Cursor, decode_cursor, encode_cursor
from accounts.keys.vault import open_vault
from accounts.locks import lock_user
from accounts.models import User
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.conditions import check_match, tagged, tagged_unless_known
from accounts.rest.lists import CursorField, PageQuerySerializer, PageSerializer, whole
from accounts.rest.openapi import (
    CHANGED_MEANWHILE,
    ETAG,
    IF_MATCH,
    IF_NONE_MATCH,
    NO_KEY,
    NOT_MODIFIED,
    answer,
    error,
    listing,
)
from accounts.rest.requests import user_of, validated
from agents.engine.roster import ASSISTANT_TOOLS
from agents.errors import ApprovalSettled, UnknownApproval
from agents.permissions.approvals.policies import policies_of, replace_policies
from agents.permissions.approvals.repository import Answer, expire_overdue, readable_questions
from agents.permissions.approvals.service import ApprovalService, TurnFate
from agents.permissions.models import Approval, ApprovalState, Decision
from agents.tools.spec import Agent, Risk, registered_tools

_APPROVED: Final = {
    TurnFate.WAITING: "Approved: the assistant goes on.",
    TurnFate.QUEUED: "Approved: it is done now, as the request that asked has ended.",
    TurnFate.GONE: "Approved, but the request that asked has ended, and nothing was done. Ask the assistant again.",
}
_RISKS = [risk.value for risk in Risk]
MAX_REASON_CHARS = 2000
_STATES = [state.value for state in ApprovalState]
_DECISIONS = [decision.value for decision in Decision]
_TAGS: Final = ["Approvals"]
_ID: Final = "9b2f6f0e-52f5-4a2b-9d0c-5b7a5d5f3c11"
_TASK: Final = {"id": "t1", "title": "Water the roses", "status": "todo"}
_APPROVAL: Final = {
    "id": _ID,
    "request_id": "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
    "session_id": "",
    "tool": "delete_task",
    "risk": "destructive",
    "arguments": {"task_id": "t1"},
    "summary": "Delete the task “Water the roses” for good.",
    "preview": {"before": _TASK, "after": None},
    "source": None,
    "group": None,
    "state": "pending",
    "ran": False,
    "created_at": "2026-03-29T10:00:00Z",
    "expires_at": "2026-03-29T10:05:00Z",
    "answered_at": None,
}
_ANSWERED: Final = {
    "id": _ID,
    "state": "approved",
    "turn": "waiting",
    "remembered": False,
    "message": "Approved: the assistant goes on.",
}
_POLICIES: Final = {
    "risks": {"read": "auto", "write": "auto", "destructive": "ask"},
    "tools": {"delete_project": "deny"},
}
_TOOL: Final = {
    "name": "delete_task",
    "agent": "tasks",
    "risk": "destructive",
    "label": "Deleting a task",
    "description": "Delete a task.",
}


class Settled(exceptions.APIException):
    status_code = 409
    default_code = "settled"


class PreviewSerializer(serializers.Serializer[object]):
    """A row before and after the change; null if it does not exist."""

    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


class SourceSerializer(serializers.Serializer[object]):
    """The text that may have led to a question."""

    name = serializers.CharField(help_text="What people call it, in the user's language.")
    text = serializers.CharField(allow_blank=True, help_text="An excerpt.")


class ApprovalSerializer(serializers.Serializer[object]):
    """A question that the user was asked before a tool ran, and its state."""

    id = serializers.UUIDField()
    request_id = serializers.CharField(help_text="The request in which the tool was to run.")
    session_id = serializers.CharField(allow_blank=True)
    tool = serializers.CharField()
    risk = serializers.ChoiceField(choices=_RISKS)
    arguments = serializers.DictField()
    summary = serializers.CharField(help_text="What the tool would do, in a sentence for a person.")
    preview = PreviewSerializer(allow_null=True)
    source = SourceSerializer(  # type: ignore[assignment] # a field's own source is a name
        allow_null=True, help_text="Null where the user's own words led to it."
    )
    group = serializers.UUIDField(allow_null=True, help_text="The same for questions that were asked at the same time.")
    state = serializers.ChoiceField(choices=_STATES)
    ran = serializers.BooleanField(help_text="Whether the tool was run by this approval.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(deprecate_fields=["count"])
class ApprovalPageSerializer(PageSerializer):
    """A page of approvals: those that wait for an answer first, then the newest."""

    count = serializers.IntegerField(help_text="How many there are in all.")
    results = ApprovalSerializer(many=True)


class OffsetQuerySerializer(PageQuerySerializer):
    """Which page of a list that has also been read by offsets."""

    offset = serializers.IntegerField(
        default=0, min_value=0, max_value=1_000_000, help_text="Deprecated: how many to pass over. Use `cursor`."
    )


@extend_schema_field({"type": "string", "pattern": r"^[01]\.[0-9]{1,17}\.[0-9a-f]{32}$"})
class _ApprovalCursorField(CursorField):
    """Has the rank of a row before the rest, as those that wait for an answer come first."""

    def decoded(self, text: str) -> object:
        if text[:2] not in ("0.", "1."):
            raise ValueError("No cursor of this list.")
        return int(text[0]), decode_cursor(text[2:])


class ApprovalsQuerySerializer(OffsetQuerySerializer):
    """Which page of the approvals."""

    cursor = _ApprovalCursorField(required=False, help_text="The `next` of the page before.")


class AnswerSerializer(serializers.Serializer[object]):
    """The user's answer."""

    approved = serializers.BooleanField()
    reason = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=MAX_REASON_CHARS, help_text="For the assistant."
    )
    remember = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Apply it to every later call of the tool, too; never for a destructive one.",
    )


class AnsweredSerializer(serializers.Serializer[object]):
    """The result of an answer."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=_STATES)
    turn = serializers.ChoiceField(
        choices=[fate.value for fate in TurnFate],
        help_text="`waiting`: the request goes on. `queued`: it has ended, and the tool "
        "runs as a job. `gone`: it has ended, and nothing runs by this approval.",
    )
    remembered = serializers.BooleanField()
    message = serializers.CharField(help_text="The same in a sentence for a person.")


class ApprovalsView(APIView):
    @extend_schema(
        operation_id="listApprovals",
        tags=_TAGS,
        summary="What the user was asked",
        description=(
            "The questions that the user was asked before a tool ran: those that wait for an answer first, then the "
            "newest."
        ),
        parameters=[ApprovalsQuerySerializer],
        responses={
            200: answer(ApprovalPageSerializer, "A page of them.", {"next": None, "count": 1, "results": [_APPROVAL]}),
            400: error("`limit` or `cursor` is wrong.", code="invalid", message="The request is not valid."),
            503: NO_KEY,
        },
    )
    def get(self, request: Request) -> Response:
        given, user = validated(ApprovalsQuerySerializer(data=request.query_params)), user_of(request)
        start, limit = given["offset"], given["limit"]
        expire_overdue(user.id, now=clock.now())
        found = Approval.objects.for_user(user.id)
        ordered = found.pending_first()
        if "cursor" in given:
            ordered = ordered.after(*given["cursor"])
        # One row more than is shown, to know whether there is a next page.
        read = list(ordered[start : start + limit + 1])
        page = read[:limit]
        questions = readable_questions(page, open_vault(user.id))
        told = [
            {**vars(row), **asdict(questions[row.id]), "ran": row.taken_at is not None}
            for row in page
            if row.id in questions
        ]
        body = {"next": _after(page[-1]) if len(read) > limit else None, "count": found.count(), "results": told}
        return Response(ApprovalPageSerializer(body).data)


class ApprovalView(AsyncAPIView):
    approvals: ApprovalService | None = None

    @extend_schema(
        operation_id="answerApproval",
        tags=_TAGS,
        summary="Answer a question",
        description=(
            "Approves or refuses what a tool would do. Exactly one answer counts, whether it comes by REST or over a "
            "socket. When the request that asked has ended in the meantime, or did not wait, as `POST /api/v1/chat` "
            "never does, `turn` is `queued`: the tool runs as a job. It is `gone` if nothing can run by the approval "
            "any more."
        ),
        request=AnswerSerializer,
        responses={
            200: answer(AnsweredSerializer, "The answer was taken.", _ANSWERED),
            404: error("There is no such approval, or it is not yours.", code="not_found", message="Not found."),
            409: error(
                "It was answered before, its request was cancelled, or its time is over.",
                code="settled",
                message="This question is not open any more: it is expired.",
            ),
            503: NO_KEY,
        },
        examples=[OpenApiExample("request", value={"approved": True}, request_only=True)],
    )
    async def post(self, request: Request, approval: UUID) -> Response:
        if self.approvals is None:
            raise TypeError("ApprovalView.as_view needs approvals")
        given = Answer(**validated(AnswerSerializer(data=request.data)))
        try:
            outcome = await self.approvals.answer(user_of(request).id, approval, given)
        except UnknownApproval:
            # Does not reveal another user's approval.
            raise exceptions.NotFound from None
        except ApprovalSettled as settled:
            raise Settled(str(settled)) from None
        approved = outcome.answered.state is ApprovalState.APPROVED
        message = _APPROVED[outcome.turn] if approved else "Refused: nothing is changed."
        body = {**asdict(outcome.answered), "turn": outcome.turn, "message": message}
        return Response(AnsweredSerializer(body).data)


class RisksSerializer(serializers.Serializer[object]):
    """A decision for each risk."""

    read = serializers.ChoiceField(choices=_DECISIONS)
    write = serializers.ChoiceField(choices=_DECISIONS)
    destructive = serializers.ChoiceField(choices=_DECISIONS)


class PoliciesSerializer(serializers.Serializer[object]):
    """What runs without asking (`auto`), asks first (`ask`) or never runs (`deny`). A decision about a tool wins."""

    risks = RisksSerializer()
    tools = serializers.DictField(child=serializers.ChoiceField(choices=_DECISIONS), help_text="By the name of a tool.")

    def validate_tools(self, tools: Mapping[str, str]) -> Mapping[str, str]:
        unknown = sorted(tools.keys() - registered_tools().keys())
        if unknown:
            raise serializers.ValidationError({name: ["There is no such tool."] for name in unknown})
        return tools


class ToolSerializer(serializers.Serializer[object]):
    """A tool of the assistant."""

    name = serializers.CharField(source="tool_name", help_text="As policies name it.")
    agent = serializers.ChoiceField(
        choices=[agent.value for agent in Agent], help_text="What it is about; `all`: everything."
    )
    risk = serializers.ChoiceField(choices=_RISKS)
    label = serializers.CharField(  # type: ignore[assignment] # a field's own label is no serializer's
        help_text="What it does, for a person."
    )
    description = serializers.CharField(source="tool_description", help_text="Its description for the model.")


class ToolsSerializer(PageSerializer):
    """All tools of the assistant."""

    results = ToolSerializer(many=True)


_POLICIES_ANSWER: Final = answer(PoliciesSerializer, "The decisions in force.", _POLICIES)


class PoliciesView(APIView):
    @extend_schema(
        operation_id="getPolicies",
        tags=_TAGS,
        summary="What runs without asking",
        description="The user's decisions, with the defaults for risks without one.",
        parameters=[IF_NONE_MATCH, ETAG],
        responses={200: _POLICIES_ANSWER, 304: NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        return tagged_unless_known(request, _policies(user_of(request)))

    @extend_schema(
        operation_id="changePolicies",
        tags=_TAGS,
        summary="Decide what runs without asking",
        description="Replaces all earlier decisions, including remembered answers.",
        request=PoliciesSerializer,
        parameters=[IF_MATCH, ETAG],
        responses={200: _POLICIES_ANSWER, 412: CHANGED_MEANWHILE},
        examples=[OpenApiExample("request", value=_POLICIES, request_only=True)],
    )
    def put(self, request: Request) -> Response:
        given, user = validated(PoliciesSerializer(data=request.data)), user_of(request)
        with transaction.atomic():
            lock_user(user.id)
            check_match(request, lambda: _policies(user))
            replace_policies(
                user.id,
                risks={Risk(risk): Decision(decision) for risk, decision in given["risks"].items()},
                tools={tool: Decision(decision) for tool, decision in given["tools"].items()},
            )
        return tagged(_policies(user))


class ToolsView(APIView):
    @extend_schema(
        operation_id="listTools",
        tags=_TAGS,
        summary="What the assistant can do",
        description="The tools that policies decide about, with the risk of each.",
        responses={200: listing(ToolsSerializer, "The tools.", _TOOL)},
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for all users
        return whole(ToolSerializer, ASSISTANT_TOOLS)


def _after(row: Approval) -> str:
    rank = 0 if row.state == ApprovalState.PENDING else 1
    return f"{rank}.{encode_cursor(Cursor(at=row.created_at, id=row.id))}"


def _policies(user: User) -> Mapping[str, object]:
    policies = policies_of(user.id)
    body = {"risks": {risk.value: decision for risk, decision in policies.risks.items()}, "tools": policies.tools}
    return PoliciesSerializer(body).data
