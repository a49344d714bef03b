"""What the fields of frames are made of."""

from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints

_UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"

RequestId: TypeAlias = Annotated[str, StringConstraints(pattern=_UUID)]
Name: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Row: TypeAlias = dict[str, JsonValue]
Milliseconds: TypeAlias = Annotated[int, Field(description="Milliseconds since 1970, UTC.")]
SeqNumber: TypeAlias = Annotated[int, Field(ge=0, description="Counts from 0 within a turn, without gaps.")]


class Frame(BaseModel):
    """What all frames share: values that do not change, fields of exactly the declared types."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")
