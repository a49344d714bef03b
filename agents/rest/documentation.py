"""What the OpenAPI document says of approvals, policies, tools and jobs: a decorator for each handler in ``api.py``."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema

from accounts.rest.openapi import NO_KEY, error
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

_TAGS: Final = ["Approvals"]
_JOBS: Final = ["Jobs"]
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
_POLICIES_ANSWER: Final = OpenApiResponse(
    PoliciesSerializer, description="What holds now.", examples=[OpenApiExample("answer", value=_POLICIES)]
)
_TOOL: Final = {
    "name": "delete_task",
    "agent": "tasks",
    "risk": "destructive",
    "label": "Deleting a task",
    "description": "Delete a task for good.",
}
_JOB: Final = {
    "id": "1f0d5e6a-8b7c-4d2e-9f10-3a4b5c6d7e8f",
    "request_id": "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
    "session_id": "",
    "device_id": "laptop",
    "tool": "plan_project",
    "label": "Planning the project",
    "state": "done",
    "fraction": 1.0,
    "cancel_requested": False,
    "created_at": "2026-03-29T10:00:00Z",
    "started_at": "2026-03-29T10:00:01Z",
    "finished_at": "2026-03-29T10:02:30Z",
    "delivered_at": None,
}
_JOB_DETAIL: Final = {
    **_JOB,
    "arguments": {"project_id": "p1"},
    "response": "The project has a plan of three weeks.",
    "failure": None,
    "unreadable": False,
}
_NO_SUCH_JOB: Final = error("There is no such job, or it is not yours.", code="not_found", message="Not found.")

approvals = extend_schema(
    operation_id="listApprovals",
    tags=_TAGS,
    summary="What the user was asked",
    description=(
        "The questions that were put to the user before a tool ran: those that wait for an answer first, then the "
        "newest."
    ),
    parameters=[PageSerializer],
    responses={
        200: OpenApiResponse(
            ApprovalPageSerializer,
            description="A page of them.",
            examples=[OpenApiExample("answer", value={"count": 1, "results": [_APPROVAL]})],
        ),
        400: error("`limit` or `offset` is wrong.", code="invalid", message="The request is not valid."),
        503: NO_KEY,
    },
)
answer = extend_schema(
    operation_id="answerApproval",
    tags=_TAGS,
    summary="Answer a question",
    description=(
        "Approves or refuses what a tool would do. Exactly one answer counts, whether it comes by REST or over a "
        "socket. When the request that asked has ended in the meantime, or did not wait, as `POST /api/v1/chat` never "
        "does, `turn` is `queued`: the tool runs as a job. It is `gone` when nothing can run by the approval any more."
    ),
    request=AnswerSerializer,
    responses={
        200: OpenApiResponse(
            AnsweredSerializer,
            description="The answer was taken.",
            examples=[OpenApiExample("answer", value=_ANSWERED)],
        ),
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
policies = extend_schema(
    operation_id="getPolicies",
    tags=_TAGS,
    summary="What runs unasked",
    description="The user's decisions; a risk of which nothing was decided has its default.",
    responses={200: _POLICIES_ANSWER},
)
change_policies = extend_schema(
    operation_id="changePolicies",
    tags=_TAGS,
    summary="Decide what runs unasked",
    description="Puts these decisions in the place of all earlier ones, those that were remembered included.",
    request=PoliciesSerializer,
    responses={200: _POLICIES_ANSWER},
    examples=[OpenApiExample("request", value=_POLICIES, request_only=True)],
)
tools = extend_schema(
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
jobs = extend_schema(
    operation_id="listJobs",
    tags=_JOBS,
    summary="What takes longer",
    description=(
        "Runs of tools that go on after their request has ended, the newest first. Texts are left out here; each job's "
        "own address has them."
    ),
    parameters=[JobsQuerySerializer],
    responses={
        200: OpenApiResponse(
            JobPageSerializer,
            description="A page of them.",
            examples=[OpenApiExample("answer", value={"count": 1, "results": [_JOB]})],
        ),
        400: error("`limit`, `offset` or `state` is wrong.", code="invalid", message="The request is not valid."),
    },
)
job = extend_schema(
    operation_id="getJob",
    tags=_JOBS,
    summary="One job",
    description="Where it stands, what it was to do, and its response once it is done.",
    responses={
        200: OpenApiResponse(
            JobDetailSerializer, description="The job.", examples=[OpenApiExample("answer", value=_JOB_DETAIL)]
        ),
        404: _NO_SUCH_JOB,
    },
)
cancel_job = extend_schema(
    operation_id="cancelJob",
    tags=_JOBS,
    summary="Cancel a job",
    description=(
        "A job that nobody works on at the moment is cancelled at once. One that runs is asked to stop: what it has "
        "done by then stays done, and it may be done before it stops."
    ),
    request=None,
    responses={
        200: OpenApiResponse(
            JobCancelledSerializer,
            description="It is cancelled, or asked to stop.",
            examples=[
                OpenApiExample(
                    "answer",
                    value={"id": _JOB["id"], "state": "cancelled", "message": "Cancelled: nothing more is done."},
                )
            ],
        ),
        404: _NO_SUCH_JOB,
        409: error("It is done or has failed already.", code="settled", message="This job has ended: it is done."),
    },
)
