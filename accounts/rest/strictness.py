"""Bodies are read strictly: a number is no string, a string no number, and an unknown field is a mistake.

REST framework's fields would convert the one into the other and pass over the last, so that a mistyped name of an
optional field has no effect and no error. The values of a query are texts; an empty one is a mistake, and an unknown
parameter only where the query bounds a deletion (``may_have_more = False``).
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from rest_framework import fields, serializers

Faults: TypeAlias = dict[str, Any]

UNKNOWN: Final = "There is no such field here."
_EMPTY: Final = "This field may not be blank."
_TYPES: Final[tuple[tuple[type[fields.Field[Any, Any, Any, Any]], tuple[type, ...], str], ...]] = (
    (fields.CharField, (str,), "Not a valid string."),
    (fields.UUIDField, (str,), "Must be a valid UUID."),
    (fields.IntegerField, (int,), "A valid integer is required."),
    (fields.FloatField, (int, float), "A valid number is required."),
    (fields.BooleanField, (bool,), "Must be a valid boolean."),
)


def faults(field: object, value: object) -> Any:
    """What is wrong with the types and names in ``value``, in the form of a ``ValidationError``; empty if nothing is.

    Whether null is allowed, and everything else, is the field's own matter.
    """
    if isinstance(field, serializers.Serializer):
        return _of_object(field, value) if isinstance(value, Mapping) else {}
    if isinstance(field, serializers.ListSerializer | fields.ListField):
        found = {str(at): faults(field.child, each) for at, each in enumerate(value)} if isinstance(value, list) else {}
        return _without_empty(found)
    if isinstance(field, fields.DictField):
        found = {str(at): faults(field.child, each) for at, each in value.items()} if isinstance(value, Mapping) else {}
        return _without_empty(found)
    return next(
        ([sentence] for kind, types, sentence in _TYPES if isinstance(field, kind) and not _is_one_of(value, types)), []
    )


def query_faults(shape: serializers.BaseSerializer[Any], query: Mapping[str, str]) -> Faults:
    """The parameters of a query that have no value, in the same form; of a shape that may not have more, unknown ones.

    REST framework would take them as left out: a script whose bound of time is empty would delete without one.
    """
    known = shape.fields if isinstance(shape, serializers.Serializer) else {}
    unknown = [] if getattr(shape, "may_have_more", True) else [name for name in query if name not in known]
    return {name: [_EMPTY] for name in known if query.get(name) == ""} | {name: [UNKNOWN] for name in unknown}


def _of_object(shape: serializers.Serializer[Any], value: Mapping[str, object]) -> Faults:
    known = {name: each for name, each in shape.fields.items() if not each.read_only}
    found: Faults = {name: faults(each, value[name]) for name, each in known.items() if name in value}
    if not getattr(shape, "may_have_more", False):
        found |= {name: [UNKNOWN] for name in value if name not in known}
    return _without_empty(found)


def _is_one_of(value: object, types: tuple[type, ...]) -> bool:
    if value is None:
        return True
    if isinstance(value, float) and value.is_integer() and int in types:
        return True  # JSON does not tell 1.0 from 1
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _without_empty(found: Faults) -> Faults:
    return {name: fault for name, fault in found.items() if fault}
