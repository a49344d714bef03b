"""``/api/v1/approvals``, ``/policies`` and ``/tools``: questions to the user, and which tools run without asking."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final
from uuid import UUID

from django.utils import timezone as clock
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.openapi import NO_KEY, answer, error
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


class ApprovalPageSerializer(serializers.Serializer[object]):
    """A page of approvals: those that wait for an answer first, then the newest."""

    count = serializers.IntegerField(help_text="How many there are in all.")
    results = ApprovalSerializer(many=True)


class PageSerializer(serializers.Serializer[object]):
    """Which page of a list."""

    limit = serializers.IntegerField(default=20, min_value=1, max_value=100, help_text="How many, at most 100.")
    offset = serializers.IntegerField(default=0, min_value=0, max_value=1_000_000, help_text="How many to pass over.")


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
        parameters=[PageSerializer],
        responses={
            200: answer(ApprovalPageSerializer, "A page of them.", {"count": 1, "results": [_APPROVAL]}),
            400: error("`limit` or `offset` is wrong.", code="invalid", message="The request is not valid."),
            503: NO_KEY,
        },
    )
    def get(self, request: Request) -> Response:
        given, user = validated(PageSerializer(data=request.query_params)), user_of(request)
        start = given["offset"]
        expire_overdue(user.id, now=clock.now())
        found = Approval.objects.for_user(user.id)
        page = list(found.pending_first()[start : start + given["limit"]])
        questions = readable_questions(page, open_vault(user.id))
        told = [
            {**vars(row), **asdict(questions[row.id]), "ran": row.taken_at is not None}
            for row in page
            if row.id in questions
        ]
        return Response(ApprovalPageSerializer({"count": found.count(), "results": told}).data)


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


_POLICIES_ANSWER: Final = answer(PoliciesSerializer, "The decisions in force.", _POLICIES)


class PoliciesView(APIView):
    @extend_schema(
        operation_id="getPolicies",
        tags=_TAGS,
        summary="What runs without asking",
        description="The user's decisions, with the defaults for risks without one.",
        responses={200: _POLICIES_ANSWER},
    )
    def get(self, request: Request) -> Response:
        return _policies(user_of(request))

    @extend_schema(
        operation_id="changePolicies",
        tags=_TAGS,
        summary="Decide what runs without asking",
        description="Replaces all earlier decisions, including remembered answers.",
        request=PoliciesSerializer,
        responses={200: _POLICIES_ANSWER},
        examples=[OpenApiExample("request", value=_POLICIES, request_only=True)],
    )
    def put(self, request: Request) -> Response:
        given = validated(PoliciesSerializer(data=request.data))
        replace_policies(
            user_of(request).id,
            risks={Risk(risk): Decision(decision) for risk, decision in given["risks"].items()},
            tools={tool: Decision(decision) for tool, decision in given["tools"].items()},
        )
        return _policies(user_of(request))


class ToolsView(APIView):
    @extend_schema(
        operation_id="listTools",
        tags=_TAGS,
        summary="What the assistant can do",
        description="The tools that policies decide about, with the risk of each.",
        responses={200: answer(ToolSerializer(many=True), "The tools.", _TOOL)},
    )
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for all users
        return Response(ToolSerializer(ASSISTANT_TOOLS, many=True).data)


def _policies(user: User) -> Response:
    policies = policies_of(user.id)
    body = {"risks": {risk.value: decision for risk, decision in policies.risks.items()}, "tools": policies.tools}
    return Response(PoliciesSerializer(body).data)
