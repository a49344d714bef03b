"""``/api/v1/disclosures`` and ``/sharing``: what models were sent, and what they never are."""

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.auth.devices import names_of_devices
from accounts.cursors import Cursor, encode_cursor
from accounts.errors import AccountError, CorruptedText, EncryptionError, WrongKeyVersion
from accounts.keys.vault import Vault, open_vault
from accounts.locks import lock_user
from accounts.rest.conditions import check_match, tagged, tagged_unless_known
from accounts.rest.lists import PageQuerySerializer, PageSerializer
from accounts.rest.openapi import CHANGED_MEANWHILE, ETAG, IF_MATCH, IF_NONE_MATCH, NO_KEY, NOT_MODIFIED, answer, error
from accounts.rest.requests import BoundedListField, user_of, validated
from agents.calls import Table
from agents.permissions.disclosures import row_ids_in
from agents.permissions.models import Disclosure
from agents.permissions.sharing import Marks, marks_of, replace_marks
from agents.requests import MAX_NAME_CHARS, RequestKind

_FILTERS: Final = {"since": "at__gte", "request_id": "request_id", "table": "table", "model": "model"}
MAX_PROJECTS: Final = 500
TABLES: Final = [table.value for table in Table]
_TAGS: Final = ["Disclosures"]
_DISCLOSURE: Final = {
    "id": "2c5d1a90-7c1b-4f2e-8f7f-0c7a5a8f1d52",
    "request_id": "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
    "device_id": "laptop",
    "source": "home",
    "job_id": None,
    "model": "gpt-4.1",
    "left_server": True,
    "table": "tasks",
    "row_count": 2,
    "rows": ["t1", "t2"],
    "at": "2026-03-29T10:00:01Z",
}
_SHARING: Final = {"tables": ["notes"], "projects": ["p1"]}


class DisclosuresQuerySerializer(PageQuerySerializer):
    """Which page of the list, and which disclosures."""

    since = serializers.DateTimeField(required=False, help_text="Only those of this moment and later.")
    request_id = serializers.CharField(required=False, max_length=MAX_NAME_CHARS, help_text="Only of this request.")
    table = serializers.ChoiceField(choices=TABLES, required=False, help_text="Only rows of this table.")
    model = serializers.CharField(required=False, max_length=MAX_NAME_CHARS, help_text="Only to this model.")


class DisclosureSerializer(serializers.Serializer[object]):
    """Rows of one table that one model was sent for the first time in one request, or one job."""

    id = serializers.UUIDField()
    request_id = serializers.CharField(help_text="The request for which they were sent.")
    device_id = serializers.CharField(
        allow_blank=True, help_text="The device that stores them; empty for one that is gone."
    )
    source = serializers.ChoiceField(  # type: ignore[assignment] # a field's own source is no serializer's
        choices=[source.value for source in RequestKind], help_text="What sent them."
    )
    job_id = serializers.UUIDField(allow_null=True, help_text="The job that sent them, if it was one.")
    model = serializers.CharField()
    left_server = serializers.BooleanField(help_text="False for a model that is part of the server.")
    table = serializers.ChoiceField(choices=TABLES)
    row_count = serializers.IntegerField(min_value=1)
    rows = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        allow_null=True,
        help_text="Their ids; null when the server cannot open them.",
    )
    at = serializers.DateTimeField()


class DisclosurePageSerializer(PageSerializer):
    """A page of disclosures, the newest first."""

    results = DisclosureSerializer(many=True)


class SharingSerializer(serializers.Serializer[object]):
    """What is never shared with a model: whole tables, and projects with all that belongs to them."""

    tables = BoundedListField(child=serializers.ChoiceField(choices=TABLES), max_length=len(TABLES))
    projects = BoundedListField(
        child=serializers.CharField(max_length=MAX_NAME_CHARS, trim_whitespace=False),
        max_length=MAX_PROJECTS,
        help_text="Their ids.",
    )


class MarksUnreadable(exceptions.APIException):
    status_code = 409
    default_code = "unreadable"
    default_detail = (
        "The server cannot read what is marked, so nothing is shared. Set again what is never to be shared."
    )


_UNREADABLE: Final = error(
    "The marks are damaged. `PUT` replaces them.",
    code=MarksUnreadable.default_code,
    message=MarksUnreadable.default_detail,
)
_SHARING_ANSWER: Final = answer(SharingSerializer, "The marks in force.", _SHARING)


class DisclosuresView(APIView):
    @extend_schema(
        operation_id="listDisclosures",
        tags=_TAGS,
        summary="What models were sent",
        description=(
            "Which rows of the user's devices were sent to which model, the newest first. A row counts once for each "
            "request (or job) and model."
        ),
        parameters=[DisclosuresQuerySerializer],
        responses={
            200: answer(DisclosurePageSerializer, "A page of them.", {"next": None, "results": [_DISCLOSURE]}),
            400: error("A filter, `limit` or `cursor` is wrong.", code="invalid", message="The request is not valid."),
        },
    )
    def get(self, request: Request) -> Response:
        given, user_id = validated(DisclosuresQuerySerializer(data=request.query_params)), user_of(request).id
        wanted = {lookup: given[name] for name, lookup in _FILTERS.items() if name in given}
        found = Disclosure.objects.for_user(user_id).filter(**wanted).newest_first()
        if "cursor" in given:
            found = found.after(given["cursor"])
        # One row more than is shown, to know whether there is a next page.
        page = list(found[: given["limit"] + 1])
        shown = page[: given["limit"]]
        following = Cursor(at=shown[-1].at, id=shown[-1].id) if len(page) > len(shown) else None
        body = {"next": following and encode_cursor(following), "results": _told(user_id, shown)}
        return Response(DisclosurePageSerializer(body).data)


class SharingView(APIView):
    @extend_schema(
        operation_id="getSharing",
        tags=_TAGS,
        summary="What is never shared",
        description="The tables and projects that the user has marked as never to be shared with a model.",
        parameters=[IF_NONE_MATCH, ETAG],
        responses={200: _SHARING_ANSWER, 304: NOT_MODIFIED, 409: _UNREADABLE, 503: NO_KEY},
    )
    def get(self, request: Request) -> Response:
        return tagged_unless_known(request, _sharing(user_of(request).id))

    @extend_schema(
        operation_id="changeSharing",
        tags=_TAGS,
        summary="Decide what is never shared",
        description="Replaces all earlier marks. Applies to every request that begins to read after that.",
        request=SharingSerializer,
        parameters=[IF_MATCH, ETAG],
        responses={200: _SHARING_ANSWER, 409: _UNREADABLE, 412: CHANGED_MEANWHILE, 503: NO_KEY},
        examples=[OpenApiExample("request", value=_SHARING, request_only=True)],
    )
    def put(self, request: Request) -> Response:
        given = validated(SharingSerializer(data=request.data))
        tables = frozenset(Table(name) for name in given["tables"])
        user_id = user_of(request).id
        with transaction.atomic():
            lock_user(user_id)
            check_match(request, lambda: _sharing(user_id))
            replace_marks(user_id, Marks(tables=tables, projects=frozenset(given["projects"])))
        return tagged(_sharing(user_id))


def _told(user_id: UUID, rows: Iterable[Disclosure]) -> list[dict[str, object]]:
    try:
        vault = open_vault(user_id)
    except AccountError:
        vault = None
    names = names_of_devices(user_id)
    return [
        {
            **vars(row),
            "device_id": names.get(row.device_id, ""),
            "rows": None if vault is None else _row_ids(row, vault),
        }
        for row in rows
    ]


def _row_ids(row: Disclosure, vault: Vault) -> list[str] | None:
    try:
        return row_ids_in(row, vault)
    except EncryptionError:
        return None


def _sharing(user_id: UUID) -> Mapping[str, object]:
    try:
        marks = marks_of(user_id)
    except (CorruptedText, WrongKeyVersion) as error:
        raise MarksUnreadable from error
    return SharingSerializer({"tables": sorted(marks.tables), "projects": sorted(marks.projects)}).data
