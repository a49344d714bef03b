"""Bodies are read strictly, and no parameter of a query is empty."""

import pytest
from django.http import QueryDict
from rest_framework import serializers

from accounts.rest.requests import validated


class InnerSerializer(serializers.Serializer[object]):
    name = serializers.CharField()
    chosen = serializers.BooleanField(required=False)


class OpenSerializer(serializers.Serializer[object]):
    may_have_more = True

    name = serializers.CharField()


class BodySerializer(serializers.Serializer[object]):
    text = serializers.CharField(required=False, allow_null=True)
    number = serializers.IntegerField(required=False)
    share = serializers.FloatField(required=False)
    id = serializers.UUIDField(required=False)
    inner = InnerSerializer(required=False)
    several = InnerSerializer(many=True, required=False)
    texts = serializers.ListField(child=serializers.CharField(), required=False)
    by_name = serializers.DictField(child=serializers.IntegerField(), required=False)
    foreign = OpenSerializer(required=False)


class SpanSerializer(serializers.Serializer[object]):
    may_have_more = False

    since = serializers.IntegerField(required=False)
    until = serializers.IntegerField(required=False)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": 1}, "text"),
        ({"text": True}, "text"),
        ({"number": "1"}, "number"),
        ({"number": True}, "number"),
        ({"share": "0.5"}, "share"),
        ({"id": 1}, "id"),
        ({"unheard": 1}, "unheard"),
        ({"inner": {"name": "a", "chosen": "true"}}, "inner"),
        ({"inner": {"name": "a", "other": 1}}, "inner"),
        ({"several": [{"name": "a"}, {"name": 2}]}, "several"),
        ({"texts": ["a", 2]}, "texts"),
        ({"by_name": {"a": "1"}}, "by_name"),
    ],
    ids=str,
)
def test_what_would_be_converted_or_passed_over_is_refused(body: object, field: str) -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        validated(BodySerializer(data=body))

    assert list(refused.value.detail) == [field]


def test_what_is_of_its_type_is_taken() -> None:
    body = {
        "text": None,
        "number": 1.0,
        "share": 1,
        "inner": {"name": "a", "chosen": False},
        "several": [{"name": "a"}],
        "texts": ["a"],
        "by_name": {"a": 1},
        "foreign": {"name": "a", "more": 1},
    }

    assert validated(BodySerializer(data=body)).keys() == body.keys()


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        validated(BodySerializer(data={"unheard": 1, "text": "", "number": "1"}))

    assert set(refused.value.detail) == {"unheard", "text", "number"}


@pytest.mark.parametrize("name", ["text", "number", "id"])
def test_an_empty_parameter_of_a_query_is_not_taken_as_left_out(name: str) -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        validated(BodySerializer(data=QueryDict(f"share=0.5&{name}=")))

    assert refused.value.detail == {name: ["This field may not be blank."]}


def test_the_parameters_of_a_query_are_converted_and_unknown_ones_passed_over() -> None:
    assert validated(BodySerializer(data=QueryDict("number=1&share=0.5&unheard="))) == {"number": 1, "share": 0.5}


def test_unknown_parameters_are_refused_where_a_shape_may_not_have_more() -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        validated(SpanSerializer(data=QueryDict("since=1&untill=2")))

    assert refused.value.detail == {"untill": ["There is no such field here."]}
