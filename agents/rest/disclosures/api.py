"""``/api/v1/disclosures``, ``/sharing``: what models were sent, and what they never are."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import AccountError, CorruptedText, EncryptionError, WrongKeyVersion
from accounts.rest.callers import user_of
from accounts.vault import Vault, open_vault
from agents.calls import Table
from agents.permissions.disclosures.entries import Disclosure
from agents.permissions.disclosures.positions import Position
from agents.permissions.disclosures.rows import row_ids_in
from agents.permissions.sharing.marks import Marks
from agents.permissions.sharing.rows import marks_of, replace_marks
from agents.rest.disclosures import documentation
from agents.rest.disclosures.serializers import DisclosurePageSerializer, DisclosuresQuerySerializer, SharingSerializer

_FILTERS: Final = {"since": "at__gte", "request_id": "request_id", "table": "table", "model": "model"}


class MarksUnreadable(exceptions.APIException):
    status_code = 409
    default_code = "unreadable"
    default_detail = (
        "The server cannot read what is marked, so nothing is shared. Mark anew what is never to be shared."
    )


class DisclosuresView(APIView):
    @documentation.disclosures
    def get(self, request: Request) -> Response:
        asked = DisclosuresQuerySerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given, user_id = asked.validated_data, user_of(request).id
        wanted = {lookup: given[name] for name, lookup in _FILTERS.items() if name in given}
        found = Disclosure.objects.for_user(user_id).filter(**wanted).newest_first()
        if "cursor" in given:
            found = found.after(given["cursor"])
        # One more than is shown says whether there is a next page.
        page = list(found[: given["limit"] + 1])
        shown = page[: given["limit"]]
        body = {"next": _position(shown[-1]).text if len(page) > len(shown) else None, "results": _told(user_id, shown)}
        return Response(DisclosurePageSerializer(body).data)


class SharingView(APIView):
    @documentation.sharing
    def get(self, request: Request) -> Response:
        return _sharing(user_of(request).id)

    @documentation.change_sharing
    def put(self, request: Request) -> Response:
        asked = SharingSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        tables = frozenset(Table(name) for name in given["tables"])
        replace_marks(user_of(request).id, Marks(tables=tables, projects=frozenset(given["projects"])))
        return _sharing(user_of(request).id)


def _position(row: Disclosure) -> Position:
    return Position(at=row.at, id=row.id)


def _told(user_id: UUID, rows: Iterable[Disclosure]) -> list[dict[str, object]]:
    try:
        vault = open_vault(user_id)
    except AccountError:
        vault = None
    return [_shown(row, vault) for row in rows]


def _shown(row: Disclosure, vault: Vault | None) -> dict[str, object]:
    return {
        "id": row.id,
        "request_id": row.request_id,
        "device_id": row.device_id,
        "source": row.source,
        "job_id": row.job_id,
        "model": row.model,
        "left_server": row.left_server,
        "table": row.table,
        "row_count": row.row_count,
        "rows": None if vault is None else _row_ids(row, vault),
        "at": row.at,
    }


def _row_ids(row: Disclosure, vault: Vault) -> list[str] | None:
    try:
        return row_ids_in(row, vault)
    except EncryptionError:
        return None


def _sharing(user_id: UUID) -> Response:
    try:
        marks = marks_of(user_id)
    except (CorruptedText, WrongKeyVersion) as error:
        raise MarksUnreadable from error
    return Response(SharingSerializer({"tables": sorted(marks.tables), "projects": sorted(marks.projects)}).data)
