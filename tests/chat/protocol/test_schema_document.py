"""The tests of the documents fail as soon as a model and its description differ."""

from typing import Annotated, Any, Literal, Union, get_args

import pytest
from pydantic import BaseModel, Field, TypeAdapter, create_model

from chat.protocol.frames.client import ClientFrame, HomeRequest, ResumeRequest
from chat.protocol.frames.server import ServerFrame, StreamText
from chat.protocol.frames.vocabulary import Frame, Name
from chat.protocol.schema import REF_TEMPLATE, frame_definitions
from tests.chat.protocol.protocol_types import PAGE, declarations, shown
from tests.chat.protocol.test_protocol_document import CLIENT, SERVER, documented, fields_in, fields_of
from tests.generated import rewritten

pytestmark = pytest.mark.contracts

PAGE_TEXT = PAGE.read_text(encoding="utf-8")
CHANGES: dict[str, tuple[type[BaseModel], dict[str, Any]]] = {
    "a new field": (StreamText, {"language": (str, ...)}),
    "a new optional field": (StreamText, {"language": (str | None, None)}),
    "another type": (StreamText, {"chunk": (int, ...)}),
    "a field that may be absent": (StreamText, {"chunk": (str | None, None)}),
    "a bound": (StreamText, {"chunk": (Name, ...)}),
    "another bound": (ResumeRequest, {"after_seq": (Annotated[int, Field(ge=0)], ...)}),
    "a field that must be there": (HomeRequest, {"session_id": (Name, ...)}),
    "a default": (HomeRequest, {"session_id": (Name, "main")}),
}


def adapter(union: Any, *, instead_of: type[BaseModel] | None = None, new: type[BaseModel] | None = None) -> Any:
    """The union's adapter with one of its members replaced or one added."""
    members = [new if member is instead_of and new else member for member in get_args(get_args(union)[0])]
    members += [new] if instead_of is None and new else []
    union = Annotated[Union[tuple(members)], Field(discriminator="type")]  # noqa: UP007 - of a list
    return TypeAdapter[Any](union)


def types_of(**adapters: Any) -> str:
    return declarations(frame_definitions(REF_TEMPLATE, **adapters))


def test_the_page_says_of_every_frame_what_its_model_says() -> None:
    assert shown(PAGE_TEXT) == types_of(), "run: ./dev generate"
    assert rewritten(PAGE_TEXT) == PAGE_TEXT


def test_unions_rebuilt_from_their_members_are_the_same() -> None:
    assert types_of(client=adapter(ClientFrame), server=adapter(ServerFrame)) == types_of()


@pytest.mark.parametrize("change", CHANGES)
def test_the_page_is_not_true_of_a_model_that_changed(change: str) -> None:
    model, fields = CHANGES[change]
    changed = create_model(model.__name__, __base__=model, **fields)
    side, union = ("server", ServerFrame) if model is StreamText else ("client", ClientFrame)

    assert shown(PAGE_TEXT) != types_of(**{side: adapter(union, instead_of=model, new=changed)})


def test_the_page_is_not_true_of_a_frame_that_is_new_or_has_another_name() -> None:
    kind: Any = Literal["nudge"]
    new = create_model("Nudge", __base__=Frame, type=(kind, "nudge"))
    renamed = create_model("Text", __base__=StreamText)

    assert shown(PAGE_TEXT) != types_of(server=adapter(ServerFrame, new=new))
    assert shown(PAGE_TEXT) != types_of(server=adapter(ServerFrame, instead_of=StreamText, new=renamed))


def test_the_protocols_page_is_not_true_of_a_model_with_another_field() -> None:
    for title, model, optional in ((CLIENT, HomeRequest, True), (SERVER, StreamText, False)):
        kind = model.model_fields["type"].default
        cell = fields_in(documented(title)[kind])
        more = create_model("More", __base__=model, language=(str, ...))
        perhaps = create_model("Perhaps", __base__=model, request_id=(str | None, None))

        assert cell == fields_of(model, optional_when_default=optional)
        assert cell != fields_of(more, optional_when_default=optional)
        assert (cell == fields_of(perhaps, optional_when_default=optional)) is (model is HomeRequest)
