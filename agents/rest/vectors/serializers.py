"""The shapes of ``/api/v1/storage/vectors/embed``."""

from typing import Final

from rest_framework import serializers

from accounts.models import MAX_DEVICE_ID_CHARS
from agents.calls import Table
from agents.names import MAX_NAME_CHARS
from memory.embedders.base import DIMENSIONS

MAX_TEXT_CHARS: Final = 20_000
"""So much of a text is embedded at once; the body of a request is bounded as well."""
MAX_TEXTS: Final = 32
"""An answer has some 30 KB for each."""
_TABLES: Final = [table.value for table in Table]


class SubjectSerializer(serializers.Serializer[object]):
    """The row of the user's that a text is of."""

    table = serializers.ChoiceField(choices=_TABLES)
    id = serializers.CharField(max_length=MAX_NAME_CHARS, trim_whitespace=False)
    project_id = serializers.CharField(
        max_length=MAX_NAME_CHARS,
        trim_whitespace=False,
        allow_null=True,
        required=False,
        help_text="The project that the row belongs to; null: to none. Without it the row counts as one of a project "
        "that is never shared, if there is such a project.",
    )


class TextSerializer(serializers.Serializer[object]):
    """A text to make a vector of."""

    text = serializers.CharField(max_length=MAX_TEXT_CHARS)
    of = SubjectSerializer(required=False, help_text="What it is of. Without it, the client's own words.")


class _RequestSerializer(serializers.Serializer[object]):
    device_id = serializers.CharField(
        max_length=MAX_DEVICE_ID_CHARS,
        required=False,
        help_text="The device that the rows lie on, by the id it gave itself; for the disclosures.",
    )


class EmbedTextSerializer(_RequestSerializer, TextSerializer):
    """One text."""


class EmbedTextsSerializer(_RequestSerializer):
    """Several texts."""

    texts = serializers.ListField(child=TextSerializer(), min_length=1, max_length=MAX_TEXTS)


class VectorField(serializers.ListField):
    """A vector of unit length."""

    def __init__(self, *, allow_null: bool = False, help_text: str = "Of unit length.") -> None:
        super().__init__(
            child=serializers.FloatField(),
            min_length=DIMENSIONS,
            max_length=DIMENSIONS,
            allow_null=allow_null,
            help_text=help_text,
        )


class VectorSerializer(serializers.Serializer[object]):
    """A vector of unit length. Vectors of different models are never compared."""

    vector = VectorField()
    model = serializers.CharField(help_text="The model that made it.")


class VectorsSerializer(serializers.Serializer[object]):
    """A vector for each text, in order."""

    vectors = serializers.ListField(
        child=VectorField(allow_null=True, help_text="Null: the user never shares what the text is of."),
        max_length=MAX_TEXTS,
    )
    model = serializers.CharField(help_text="The model that made them.")
