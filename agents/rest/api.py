"""``/api/v1/approvals``, ``/policies``, ``/tools``, ``/jobs``: what waits for an answer, what need not ask of all that
the assistant can do, what takes longer.
"""

from typing import Final
from uuid import UUID

from django.utils import timezone as clock
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import AccountGone
from accounts.models import User
from accounts.rest.asynchronous import AsyncAPIView
from accounts.rest.callers import user_of
from accounts.vault import open_vault
from agents.engine.roster import ASSISTANT_TOOLS
from agents.errors import ApprovalSettled, JobOver, UnknownApproval, UnknownJob
from agents.jobs.closing import NO_KEY
from agents.jobs.models import JobState, ToolJob
from agents.jobs.reports import report_in
from agents.jobs.rows import request_cancel
from agents.jobs.sealing import arguments_in
from agents.permissions.approvals.models import Approval, ApprovalState, Decision
from agents.permissions.approvals.policies import policies_of, replace_policies
from agents.permissions.approvals.questions import Answer, Preview, Question
from agents.permissions.approvals.rows import expire_overdue, readable_questions
from agents.permissions.approvals.tool_approvals import Heard, ToolApprovalManager, TurnFate
from agents.rest import documentation
from agents.rest.serializers import (
    AnsweredSerializer,
    AnswerSerializer,
    ApprovalPageSerializer,
    JobCancelledSerializer,
    JobDetailSerializer,
    JobPageSerializer,
    JobsQuerySerializer,
    PageSerializer,
    PoliciesSerializer,
    ToolSerializer,
)
from agents.tools.spec.tool import Risk, ToolSpec

_APPROVED: Final = {
    TurnFate.WAITING: "Approved: the assistant goes on.",
    TurnFate.QUEUED: "Approved: it is done now, as the request that asked has ended.",
    TurnFate.GONE: "Approved, but the request that asked has ended, and nothing was done. Ask the assistant again.",
}
_STOPPED: Final = "Cancelled: nothing more is done."
_STOPPING: Final = "It is asked to stop, and may be done before it does."


class Settled(exceptions.APIException):
    status_code = 409
    default_code = "settled"


class ApprovalsView(APIView):
    @documentation.approvals
    def get(self, request: Request) -> Response:
        asked = PageSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        start, user = asked.validated_data["offset"], user_of(request)
        expire_overdue(user.id, now=clock.now())
        found = Approval.objects.for_user(user.id)
        page = list(found.pending_first()[start : start + asked.validated_data["limit"]])
        questions = readable_questions(page, open_vault(user.id))
        told = [_told(row, questions[row.id]) for row in page if row.id in questions]
        body = {"count": found.count(), "results": told}
        return Response(ApprovalPageSerializer(body).data)


class ApprovalView(AsyncAPIView):
    manager: ToolApprovalManager | None = None

    @documentation.answer
    async def post(self, request: Request, approval: UUID) -> Response:
        if self.manager is None:
            raise TypeError("ApprovalView.as_view needs a manager")
        asked = AnswerSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        try:
            heard = await self.manager.answer(user_of(request).id, approval, Answer(**asked.validated_data))
        except UnknownApproval:
            # Another's reads like one that never was.
            raise exceptions.NotFound from None
        except ApprovalSettled as settled:
            raise Settled(str(settled)) from None
        return Response(AnsweredSerializer(_outcome(heard)).data)


class PoliciesView(APIView):
    @documentation.policies
    def get(self, request: Request) -> Response:
        return _policies(user_of(request))

    @documentation.change_policies
    def put(self, request: Request) -> Response:
        asked = PoliciesSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        replace_policies(
            user_of(request).id,
            risks={Risk(risk): Decision(decision) for risk, decision in given["risks"].items()},
            tools={tool: Decision(decision) for tool, decision in given["tools"].items()},
        )
        return _policies(user_of(request))


class ToolsView(APIView):
    @documentation.tools
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody who is signed in
        return Response(ToolSerializer([_tool(tool) for tool in ASSISTANT_TOOLS], many=True).data)


class JobsView(APIView):
    @documentation.jobs
    def get(self, request: Request) -> Response:
        asked = JobsQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        start, found = asked.validated_data["offset"], ToolJob.objects.for_user(user_of(request).id)
        if "state" in asked.validated_data:
            found = found.filter(state=asked.validated_data["state"])
        page = found.newest_first().defer(*ToolJob.ENCRYPTED)[start : start + asked.validated_data["limit"]]
        body = {"count": found.count(), "results": [_listed(row) for row in page]}
        return Response(JobPageSerializer(body).data)


class JobView(APIView):
    @documentation.job
    def get(self, request: Request, job: UUID) -> Response:
        row = ToolJob.objects.for_user(user_of(request).id).filter(id=job).first()
        if row is None:
            # Another's reads like one that never was.
            raise exceptions.NotFound
        return Response(JobDetailSerializer({**_listed(row), **_texts(row)}).data)


class JobCancelView(APIView):
    @documentation.cancel_job
    def post(self, request: Request, job: UUID) -> Response:
        try:
            standing = request_cancel(user_of(request).id, job, now=clock.now())
        except UnknownJob:
            raise exceptions.NotFound from None
        except JobOver as over:
            raise Settled(str(over)) from None
        message = _STOPPED if standing.state is JobState.CANCELLED else _STOPPING
        body = {"id": standing.id, "state": standing.state, "message": message}
        return Response(JobCancelledSerializer(body).data)


def _listed(row: ToolJob) -> dict[str, object]:
    return {
        "id": row.id,
        "request_id": row.request_id,
        "session_id": row.session_id,
        "device_id": row.device_id,
        "tool": row.tool,
        "label": row.label,
        "state": row.state,
        "fraction": row.fraction,
        "cancel_requested": row.cancel_requested_at is not None,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "delivered_at": row.delivered_at,
    }


def _texts(row: ToolJob) -> dict[str, object]:
    try:
        vault = open_vault(row.user_id)
        report, arguments = report_in(row, vault), arguments_in(row, vault)
    except (AccountGone, *NO_KEY):
        return {"arguments": None, "response": None, "failure": None, "unreadable": True}
    return {"arguments": arguments, "response": report.response, "failure": report.failure, "unreadable": False}


def _told(row: Approval, question: Question) -> dict[str, object]:
    return {
        "id": row.id,
        "request_id": row.request_id,
        "session_id": row.session_id,
        "tool": row.tool,
        "risk": row.risk,
        "arguments": question.arguments,
        "summary": question.summary,
        "preview": _shown(question.preview),
        "state": row.state,
        "ran": row.taken_at is not None,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "answered_at": row.answered_at,
    }


def _shown(preview: Preview | None) -> dict[str, object] | None:
    return None if preview is None else {"before": preview.before, "after": preview.after}


def _outcome(heard: Heard) -> dict[str, object]:
    answered = heard.answered
    return {
        "id": answered.id,
        "state": answered.state,
        "turn": heard.turn,
        "remembered": answered.remembered,
        "message": _message(heard),
    }


def _message(heard: Heard) -> str:
    if heard.answered.state is not ApprovalState.APPROVED:
        return "Refused: nothing is changed."
    return _APPROVED[heard.turn]


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
