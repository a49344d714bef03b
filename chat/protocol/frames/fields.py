"""The types of the fields of frames, and the base class of frames."""

from datetime import date
from typing import Annotated, Final, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

_UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"

_YEARS: Final = range(1970, 3000)


def _calendar_day(text: str) -> str:
    if date.fromisoformat(text).year not in _YEARS:
        raise ValueError(f"the year must be {_YEARS[0]} to {_YEARS[-1]}")
    return text


RequestId: TypeAlias = Annotated[str, StringConstraints(pattern=_UUID)]
Name: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Row: TypeAlias = dict[str, JsonValue]
Milliseconds: TypeAlias = Annotated[int, Field(description="Milliseconds since 1970, UTC.")]
SeqNumber: TypeAlias = Annotated[int, Field(ge=0, description="Counts from 0 within a turn, without gaps.")]
Day: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_calendar_day)]


class Frame(BaseModel):
    """What all frames share: values that do not change, fields of exactly the declared types."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class WithNulls(Frame):
    """A part of a frame in which null has a meaning: it is written, where a frame omits what is absent."""

    # Without a return type, Pydantic describes it by its fields.
    @model_serializer(mode="wrap")
    def _all_fields(self, handler: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        return {**dict.fromkeys(type(self).model_fields), **handler(self)}
