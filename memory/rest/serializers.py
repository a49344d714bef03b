"""The shapes of ``/api/v1/memory/``. The texts of a row that cannot be decrypted are empty."""

from typing import Final

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from accounts.rest.lists import PageSerializer
from memory.models import MAX_FACT_CHARS, MAX_PATTERN_CHARS, MAX_SUMMARY_CHARS, MAX_VALUE_CHARS

MAX_QUERY_CHARS: Final = 2000
MAX_FOUND: Final = 50
_UNREADABLE: Final = "Whether the row cannot be decrypted: its texts are empty. It can be deleted, not changed."


class RowSerializer(serializers.Serializer[object]):
    """The fields of every row."""

    id = serializers.UUIDField()
    unreadable = serializers.BooleanField(help_text=_UNREADABLE)


class CoreSerializer(RowSerializer):
    """A preference."""

    key = serializers.CharField()
    value = serializers.CharField()
    updated_at = serializers.DateTimeField()


class CoreListSerializer(PageSerializer):
    """All preferences, sorted by key."""

    results = CoreSerializer(many=True)


class AboutSerializer(serializers.Serializer[object]):
    """A row on the device."""

    entity_type = serializers.CharField()
    entity_id = serializers.CharField()


class AssociativeSerializer(RowSerializer):
    """A fact or an episode, found by its meaning."""

    content = serializers.CharField()
    entity_type = serializers.CharField(
        help_text="The type of the object on the device that it is about, such as task or project, or empty."
    )
    entity_id = serializers.CharField(help_text="The id of that object, or empty.")
    about = AboutSerializer(allow_null=True, help_text="The same as an object, or null.")
    said_in = serializers.UUIDField(
        allow_null=True, help_text="The episode of the exchange in which it was said; for an episode, its own id."
    )
    superseded_by = serializers.UUIDField(allow_null=True, help_text="The fact that has superseded it.")
    superseded_as = serializers.CharField(
        help_text="How that fact relates to it: same, more_precise, contradicts or corrects; or empty."
    )
    superseded_at = serializers.DateTimeField(allow_null=True, help_text="Since when.")
    created_at = serializers.DateTimeField(help_text="When it was said.")
    updated_at = serializers.DateTimeField()


class EpisodicSerializer(RowSerializer):
    """What happened in an exchange."""

    summary = serializers.CharField()
    session_id = serializers.CharField(help_text="The client's name for the conversation, or empty.")
    created_at = serializers.DateTimeField()


class ProactiveSerializer(RowSerializer):
    """A habit."""

    pattern = serializers.CharField()
    confidence = serializers.FloatField(min_value=0, max_value=1)
    source = serializers.CharField(help_text="Where the habit comes from.")  # type: ignore[assignment] # not the base's
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


@extend_schema_serializer(deprecate_fields=["items"])
class AssociativePageSerializer(PageSerializer):
    """Part of the associative tier, last changed first."""

    results = AssociativeSerializer(many=True)
    items = AssociativeSerializer(many=True, help_text="The same as `results`.")


@extend_schema_serializer(deprecate_fields=["items"])
class EpisodicPageSerializer(PageSerializer):
    """Part of the episodic tier, newest first."""

    results = EpisodicSerializer(many=True)
    items = EpisodicSerializer(many=True, help_text="The same as `results`.")


@extend_schema_serializer(deprecate_fields=["items"])
class ProactivePageSerializer(PageSerializer):
    """Part of the proactive tier, newest first."""

    results = ProactiveSerializer(many=True)
    items = ProactiveSerializer(many=True, help_text="The same as `results`.")


class ExportSerializer(serializers.Serializer[object]):
    """The whole memory."""

    core = CoreSerializer(many=True)
    associative = AssociativeSerializer(many=True)
    episodic = EpisodicSerializer(many=True)
    proactive = ProactiveSerializer(many=True)


class CoreChangeSerializer(serializers.Serializer[object]):
    """The new value of a preference."""

    value = serializers.CharField(max_length=MAX_VALUE_CHARS)


class AssociativeChangeSerializer(serializers.Serializer[object]):
    """The new text of a fact."""

    content = serializers.CharField(max_length=MAX_FACT_CHARS)


class EpisodicChangeSerializer(serializers.Serializer[object]):
    """The new summary of an episode."""

    summary = serializers.CharField(max_length=MAX_SUMMARY_CHARS)


class SpanSerializer(serializers.Serializer[object]):
    """A span of time with at least one bound. An unknown name is refused, because one bound alone would delete more."""

    may_have_more = False

    since = serializers.DateTimeField(required=False, help_text="The first moment.")
    until = serializers.DateTimeField(required=False, help_text="The moment after the last.")

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        if not attrs:
            raise serializers.ValidationError("Give `since`, `until` or both.")
        return attrs


class ForgottenSerializer(serializers.Serializer[object]):
    """How many episodes were deleted."""

    forgotten = serializers.IntegerField(min_value=0)


class ProactiveChangeSerializer(serializers.Serializer[object]):
    """The changes of a habit."""

    pattern = serializers.CharField(max_length=MAX_PATTERN_CHARS, required=False)
    confidence = serializers.FloatField(min_value=0, max_value=1, required=False)


class QuestionSerializer(serializers.Serializer[object]):
    """A search by meaning."""

    query = serializers.CharField(max_length=MAX_QUERY_CHARS)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_FOUND, default=10, help_text="How many at most.")


class FoundSerializer(serializers.Serializer[object]):
    """A current fact or an episode.

    `score` is its similarity: 1 for the same text, about 0 for an unrelated one; or, if it was found by words, the
    share of the query's words that it has.
    """

    id = serializers.UUIDField()
    content = serializers.CharField()
    score = serializers.FloatField()
    entity_type = serializers.CharField()
    entity_id = serializers.CharField()
    updated_at = serializers.DateTimeField()
    outdated_at = serializers.DateTimeField(
        allow_null=True, help_text="For an episode: since when something that was said in it is no longer true."
    )


@extend_schema_serializer(deprecate_fields=["items"])
class AnswerSerializer(PageSerializer):
    """Search results, best first, in one page."""

    results = FoundSerializer(many=True)
    items = FoundSerializer(many=True, help_text="The same as `results`.")
