"""How the images of a message are sent to each API."""

from typing import Any

from agents.adapters.base import Message, ModelParams, SystemMessage, UserMessage
from agents.adapters.chat_request import chat_body
from agents.adapters.dialects import DIALECTS, DialectName
from agents.adapters.messages import message_body
from agents.adapters.responses import responses_body
from agents.images import Image, ImageType

IMAGE = Image(media_type=ImageType.PNG, data=b"pixels", width=1, height=1)
URL = "data:image/png;base64,cGl4ZWxz"
WORDS = "What is this?"
ASKED: list[Message] = [SystemMessage(text="Be brief."), UserMessage(text=WORDS, images=(IMAGE, IMAGE))]


def test_images_are_sent_to_chat_completions() -> None:
    body: Any = chat_body(ASKED, (), ModelParams())

    parts = [{"type": "text", "text": WORDS}, *[{"type": "image_url", "image_url": {"url": URL}}] * 2]
    assert body["messages"][-1] == {"role": "user", "content": parts}


def test_images_are_sent_to_responses_api() -> None:
    body: Any = responses_body(ASKED, (), ModelParams())

    parts = [{"type": "input_text", "text": WORDS}, *[{"type": "input_image", "image_url": URL}] * 2]
    assert body["input"][-1] == {"role": "user", "content": parts}


def test_images_are_sent_to_anthropic_messages() -> None:
    body: Any = message_body(ASKED, (), ModelParams())

    source = {"type": "base64", "media_type": "image/png", "data": "cGl4ZWxz"}
    [asked] = body["messages"]
    assert [block["type"] for block in asked["content"]] == ["image", "image", "text"]
    assert asked["content"][0]["source"] == source


def test_images_are_kept_if_roles_must_alternate() -> None:
    asked: list[Message] = [UserMessage(text="First."), UserMessage(text=WORDS, images=(IMAGE,))]

    body: Any = chat_body(asked, (), ModelParams(), dialect=DIALECTS[DialectName.MISTRAL])

    [message] = body["messages"]
    assert [part["type"] for part in message["content"]] == ["text", "image_url"]
