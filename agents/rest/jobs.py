"""``/api/v1/jobs``: tool runs that take longer than their request."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.utils import timezone as clock
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.auth.devices import names_of_devices
from accounts.cursors import Cursor, encode_cursor
from accounts.encryption import encrypted_columns
from accounts.errors import AccountGone
from accounts.keys.vault import open_vault
from accounts.rest.lists import PageSerializer
from accounts.rest.openapi import answer, error
from accounts.rest.requests import user_of, validated
from agents.errors import JobOver, UnknownJob
from agents.jobs.endings import VAULT_ERRORS, report_in
from agents.jobs.models import JobState, ToolJob
from agents.jobs.records import arguments_in
from agents.jobs.service import request_cancel
from agents.rest.approvals import OffsetQuerySerializer, Settled

_STOPPED: Final = "Cancelled: nothing more is done."
_JOB_STATES = [state.value for state in JobState]
_JOBS: Final = ["Jobs"]
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


class JobsQuerySerializer(OffsetQuerySerializer):
    """Which page of the list, and which jobs."""

    state = serializers.ChoiceField(choices=_JOB_STATES, required=False, help_text="Only jobs in this state.")


class JobSerializer(serializers.Serializer[object]):
    """A tool run that goes on after its request has ended, and its state."""

    id = serializers.UUIDField()
    request_id = serializers.CharField(help_text="The request in which the tool was called.")
    session_id = serializers.CharField(allow_blank=True)
    device_id = serializers.CharField(
        allow_blank=True, help_text="The device in whose database it runs; empty for any, and for one that is gone."
    )
    tool = serializers.CharField()
    label = serializers.CharField(  # type: ignore[assignment] # a field's own label is no serializer's
        allow_blank=True, help_text="What it does at the moment, for a person."
    )
    state = serializers.ChoiceField(choices=_JOB_STATES)
    fraction = serializers.FloatField(allow_null=True, min_value=0, max_value=1, help_text="How much of it is done.")
    cancel_requested = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    delivered_at = serializers.DateTimeField(allow_null=True, help_text="When its device said that it knows.")


@extend_schema_serializer(deprecate_fields=["count"])
class JobPageSerializer(PageSerializer):
    """A page of jobs, the newest first."""

    count = serializers.IntegerField(help_text="How many there are in all.")
    results = JobSerializer(many=True)


class JobDetailSerializer(JobSerializer):
    """A job with its arguments and its result."""

    arguments = serializers.DictField(allow_null=True)
    response = serializers.CharField(allow_null=True, allow_blank=True, help_text="The answer, once it is done.")
    failure = serializers.CharField(allow_null=True, allow_blank=True, help_text="Why it has failed.")
    unreadable = serializers.BooleanField(help_text="The server cannot open the texts of this job; they are null.")


class JobCancelledSerializer(serializers.Serializer[object]):
    """The result of cancelling."""

    id = serializers.UUIDField()
    state = serializers.ChoiceField(
        choices=[JobState.CANCELLED.value, JobState.RUNNING.value],
        help_text="`running`: it is asked to stop. It may be done first, and is `cancelled` otherwise.",
    )
    message = serializers.CharField(help_text="The same in a sentence for a person.")


class JobsView(APIView):
    @extend_schema(
        operation_id="listJobs",
        tags=_JOBS,
        summary="What takes longer",
        description=(
            "Runs of tools that go on after their request has ended, the newest first. Texts are left out here; each "
            "job's own address has them."
        ),
        parameters=[JobsQuerySerializer],
        responses={
            200: answer(JobPageSerializer, "A page of them.", {"next": None, "count": 1, "results": [_JOB]}),
            400: error("`limit`, `cursor` or `state` is wrong.", code="invalid", message="The request is not valid."),
        },
    )
    def get(self, request: Request) -> Response:
        given = validated(JobsQuerySerializer(data=request.query_params))
        start, limit = given["offset"], given["limit"]
        found = ToolJob.objects.for_user(user_of(request).id)
        if "state" in given:
            found = found.filter(state=given["state"])
        ordered = found.newest_first().defer(*encrypted_columns(ToolJob))
        if "cursor" in given:
            ordered = ordered.after(given["cursor"])
        # One row more than is shown, to know whether there is a next page.
        read = list(ordered[start : start + limit + 1])
        following = Cursor(at=read[limit - 1].created_at, id=read[limit - 1].id) if len(read) > limit else None
        body = {
            "next": following and encode_cursor(following),
            "count": found.count(),
            "results": _listed(read[:limit]),
        }
        return Response(JobPageSerializer(body).data)


class JobView(APIView):
    @extend_schema(
        operation_id="getJob",
        tags=_JOBS,
        summary="One job",
        description="Its state, its arguments, and its response once it is done.",
        responses={200: answer(JobDetailSerializer, "The job.", _JOB_DETAIL), 404: _NO_SUCH_JOB},
    )
    def get(self, request: Request, job: UUID) -> Response:
        row = ToolJob.objects.for_user(user_of(request).id).filter(id=job).first()
        if row is None:
            # Does not reveal another user's job.
            raise exceptions.NotFound
        return Response(JobDetailSerializer({**_listed([row])[0], **_texts(row)}).data)


class JobCancelView(APIView):
    @extend_schema(
        operation_id="cancelJob",
        tags=_JOBS,
        summary="Cancel a job",
        description=(
            "A job that is not running is cancelled at once. A running one is asked to stop: what it has done by then "
            "stays done, and it may finish before it stops."
        ),
        request=None,
        responses={
            200: answer(
                JobCancelledSerializer,
                "It is cancelled, or asked to stop.",
                {"id": _JOB["id"], "state": "cancelled", "message": _STOPPED},
            ),
            404: _NO_SUCH_JOB,
            409: error("It is done or has failed already.", code="settled", message="This job has ended: it is done."),
        },
    )
    def post(self, request: Request, job: UUID) -> Response:
        try:
            status = request_cancel(user_of(request).id, job, now=clock.now())
        except UnknownJob:
            raise exceptions.NotFound from None
        except JobOver as over:
            raise Settled(str(over)) from None
        stopped = status.state is JobState.CANCELLED
        message = _STOPPED if stopped else "It is asked to stop, and may be done before it does."
        body = {"id": status.id, "state": status.state, "message": message}
        return Response(JobCancelledSerializer(body).data)


def _listed(rows: Iterable[ToolJob]) -> list[dict[str, object]]:
    """Jobs of one user, their devices by the ids that they gave themselves."""
    rows = list(rows)
    names = names_of_devices(rows[0].user_id) if rows else {}
    return [
        {
            **vars(row),
            "device_id": names.get(row.device_id, ""),
            "cancel_requested": row.cancel_requested_at is not None,
        }
        for row in rows
    ]


def _texts(row: ToolJob) -> dict[str, object]:
    try:
        vault = open_vault(row.user_id)
        report, arguments = report_in(row, vault), arguments_in(row, vault)
    except (AccountGone, *VAULT_ERRORS):
        return {"arguments": None, "response": None, "failure": None, "unreadable": True}
    return {"arguments": arguments, "response": report.response, "failure": report.failure, "unreadable": False}
