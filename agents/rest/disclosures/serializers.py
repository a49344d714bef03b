"""The shapes of ``/api/v1/disclosures`` and ``/api/v1/sharing``."""

from typing import Final

from rest_framework import serializers

from agents.calls import Table
from agents.kinds import RequestKind
from agents.names import MAX_NAME_CHARS
from agents.permissions.disclosures.positions import Position

MAX_PROJECTS: Final = 500
_TABLES: Final = [table.value for table in Table]
_SOURCES: Final = [source.value for source in RequestKind]


class DisclosuresQuerySerializer(serializers.Serializer[object]):
    """Which page of which disclosures."""

    since = serializers.DateTimeField(required=False, help_text="Only those of this moment and later.")
    request_id = serializers.CharField(required=False, max_length=MAX_NAME_CHARS, help_text="Only of this request.")
    table = serializers.ChoiceField(choices=_TABLES, required=False, help_text="Only rows of this table.")
    model = serializers.CharField(required=False, max_length=MAX_NAME_CHARS, help_text="Only to this model.")
    cursor = serializers.CharField(required=False, help_text="The `next` of the page before.")
    limit = serializers.IntegerField(default=20, min_value=1, max_value=100, help_text="How many, at most 100.")

    def validate_cursor(self, given: str) -> Position:
        try:
            return Position.of(given)
        except ValueError:
            raise serializers.ValidationError(["There is no such page."]) from None


class DisclosureSerializer(serializers.Serializer[object]):
    """Rows of one table that one model was sent for the first time in one request, or one job."""

    id = serializers.UUIDField()
    request_id = serializers.CharField(help_text="The request for which they were sent.")
    device_id = serializers.CharField(allow_blank=True, help_text="The device that they lie on.")
    source = serializers.ChoiceField(choices=_SOURCES, help_text="What sent them.")  # type: ignore[assignment]
    job_id = serializers.UUIDField(allow_null=True, help_text="The job that sent them, if it was one.")
    model = serializers.CharField()
    left_server = serializers.BooleanField(help_text="False of a model that is part of the server.")
    table = serializers.ChoiceField(choices=_TABLES)
    row_count = serializers.IntegerField(min_value=1)
    rows = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        allow_null=True,
        help_text="Their ids; null when the server cannot open them.",
    )
    at = serializers.DateTimeField()


class DisclosurePageSerializer(serializers.Serializer[object]):
    """A page of disclosures, the newest first."""

    next = serializers.CharField(allow_null=True, help_text="The `cursor` of the next page; null on the last.")
    results = DisclosureSerializer(many=True)


class SharingSerializer(serializers.Serializer[object]):
    """What is never shared with a model: whole tables, and projects with all that belongs to them."""

    tables = serializers.ListField(child=serializers.ChoiceField(choices=_TABLES), max_length=len(_TABLES))
    projects = serializers.ListField(
        child=serializers.CharField(max_length=MAX_NAME_CHARS, trim_whitespace=False),
        max_length=MAX_PROJECTS,
        help_text="Their ids.",
    )
