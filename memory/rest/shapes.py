"""The shapes of ``/api/v1/memory/``. A row that cannot be opened keeps its id and its dates; its texts are empty."""

from typing import Final

from rest_framework import serializers

from memory.limits import MAX_FACT_CHARS, MAX_PATTERN_CHARS, MAX_SUMMARY_CHARS, MAX_VALUE_CHARS

MAX_QUERY_CHARS: Final = 2000
MAX_FOUND: Final = 50
_UNREADABLE: Final = "Whether the row cannot be opened: its texts are empty. It can be deleted, not changed."


class RowSerializer(serializers.Serializer[object]):
    """What every row has."""

    id = serializers.UUIDField()
    unreadable = serializers.BooleanField(help_text=_UNREADABLE)


class CoreSerializer(RowSerializer):
    """A preference."""

    key = serializers.CharField()
    value = serializers.CharField()
    updated_at = serializers.DateTimeField()


class AssociativeSerializer(RowSerializer):
    """A fact, or an exchange that is found by its meaning."""

    content = serializers.CharField()
    entity_type = serializers.CharField(help_text="What on the device it is about: task, project and so on, or empty.")
    entity_id = serializers.CharField(help_text="The id of that, or empty.")
    created_at = serializers.DateTimeField()
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
    source = serializers.CharField(help_text="What it was found in.")  # type: ignore[assignment] # not the base's
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class PageSerializer(serializers.Serializer[object]):
    """Part of a list, newest first."""

    next = serializers.CharField(allow_null=True, help_text="What to give as `after` for more; null at the end.")


class AssociativePageSerializer(PageSerializer):
    """Part of the associative tier, changed last first."""

    items = AssociativeSerializer(many=True)


class EpisodicPageSerializer(PageSerializer):
    """Part of the episodic tier, newest first."""

    items = EpisodicSerializer(many=True)


class ProactivePageSerializer(PageSerializer):
    """Part of the proactive tier, newest first."""

    items = ProactiveSerializer(many=True)


class ExportSerializer(serializers.Serializer[object]):
    """All that is remembered."""

    core = CoreSerializer(many=True)
    associative = AssociativeSerializer(many=True)
    episodic = EpisodicSerializer(many=True)
    proactive = ProactiveSerializer(many=True)


class CoreChangeSerializer(serializers.Serializer[object]):
    """What is to be kept under a key."""

    value = serializers.CharField(max_length=MAX_VALUE_CHARS)


class AssociativeChangeSerializer(serializers.Serializer[object]):
    """A fact in new words."""

    content = serializers.CharField(max_length=MAX_FACT_CHARS)


class EpisodicChangeSerializer(serializers.Serializer[object]):
    """An episode in new words."""

    summary = serializers.CharField(max_length=MAX_SUMMARY_CHARS)


class ProactiveChangeSerializer(serializers.Serializer[object]):
    """What of a habit is to be otherwise."""

    pattern = serializers.CharField(max_length=MAX_PATTERN_CHARS, required=False)
    confidence = serializers.FloatField(min_value=0, max_value=1, required=False)


class QuestionSerializer(serializers.Serializer[object]):
    """What to look for, by meaning."""

    query = serializers.CharField(max_length=MAX_QUERY_CHARS)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_FOUND, default=10, help_text="How many at most.")


class FoundSerializer(serializers.Serializer[object]):
    """Something found, with how near it is: 1 for the very same, about 0 for something unrelated."""

    id = serializers.UUIDField()
    content = serializers.CharField()
    score = serializers.FloatField()
    entity_type = serializers.CharField()
    entity_id = serializers.CharField()
    updated_at = serializers.DateTimeField()


class AnswerSerializer(serializers.Serializer[object]):
    """What was found, nearest first."""

    items = FoundSerializer(many=True)
