"""``/api/v1/policies`` and ``/tools``: which tools run without asking, and which tools there are."""

from collections.abc import Mapping
from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.rest.requests import user_of, validated
from agents.engine.roster import ASSISTANT_TOOLS
from agents.permissions.approvals.models import Decision
from agents.permissions.approvals.policies import policies_of, replace_policies
from agents.tools.spec import Agent, Risk, ToolSpec, registered_tools

_AGENTS = [agent.value for agent in Agent]
_RISKS = [risk.value for risk in Risk]
_DECISIONS = [decision.value for decision in Decision]
_TAGS: Final = ["Approvals"]
_POLICIES: Final = {
    "risks": {"read": "auto", "write": "auto", "destructive": "ask"},
    "tools": {"delete_project": "deny"},
}
_TOOL: Final = {
    "name": "delete_task",
    "agent": "tasks",
    "risk": "destructive",
    "label": "Deleting a task",
    "description": "Delete a task for good.",
}


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

    name = serializers.CharField(help_text="As policies name it.")
    agent = serializers.ChoiceField(choices=_AGENTS, help_text="What it is about; `all`: everything.")
    risk = serializers.ChoiceField(choices=_RISKS)
    label = serializers.CharField(  # type: ignore[assignment] # a field's own label is no serializer's
        help_text="What it does, for a person."
    )
    description = serializers.CharField(help_text="Its description for the model.")


_POLICIES_ANSWER: Final = OpenApiResponse(
    PoliciesSerializer, description="The decisions in force.", examples=[OpenApiExample("answer", value=_POLICIES)]
)
_DOC_POLICIES = extend_schema(
    operation_id="getPolicies",
    tags=_TAGS,
    summary="What runs without asking",
    description="The user's decisions, with the defaults for risks without one.",
    responses={200: _POLICIES_ANSWER},
)
_DOC_CHANGE_POLICIES = extend_schema(
    operation_id="changePolicies",
    tags=_TAGS,
    summary="Decide what runs without asking",
    description="Replaces all earlier decisions, including remembered answers.",
    request=PoliciesSerializer,
    responses={200: _POLICIES_ANSWER},
    examples=[OpenApiExample("request", value=_POLICIES, request_only=True)],
)
_DOC_TOOLS = extend_schema(
    operation_id="listTools",
    tags=_TAGS,
    summary="What the assistant can do",
    description="The tools that policies decide about, with the risk of each.",
    responses={
        200: OpenApiResponse(
            ToolSerializer(many=True), description="The tools.", examples=[OpenApiExample("answer", value=_TOOL)]
        )
    },
)


class PoliciesView(APIView):
    @_DOC_POLICIES
    def get(self, request: Request) -> Response:
        return _policies(user_of(request))

    @_DOC_CHANGE_POLICIES
    def put(self, request: Request) -> Response:
        given = validated(PoliciesSerializer(data=request.data))
        replace_policies(
            user_of(request).id,
            risks={Risk(risk): Decision(decision) for risk, decision in given["risks"].items()},
            tools={tool: Decision(decision) for tool, decision in given["tools"].items()},
        )
        return _policies(user_of(request))


class ToolsView(APIView):
    @_DOC_TOOLS
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for all users
        return Response(ToolSerializer([_tool(tool) for tool in ASSISTANT_TOOLS], many=True).data)


def _policies(user: User) -> Response:
    policies = policies_of(user.id)
    body = {"risks": {risk.value: decision for risk, decision in policies.risks.items()}, "tools": policies.tools}
    return Response(PoliciesSerializer(body).data)


def _tool(tool: type[ToolSpec]) -> dict[str, object]:
    return {
        "name": tool.tool_name,
        "agent": tool.agent,
        "risk": tool.risk,
        "label": tool.label,
        "description": tool.tool_description,
    }
