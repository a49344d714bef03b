"""One answer as stored by the server, as stored by the workspace and as shown on its page."""

from typing import Any, Final, TypeAlias

from playwright.async_api import Locator

from tests.end_to_end.conftest import Running
from tests.end_to_end.raw import Frame, device
from tests.end_to_end.workspaces import WorkspaceUser

Part: TypeAlias = dict[str, Any]
"""Text or a block, as the workspace stores it: ``{type, text}`` or ``{type, blockType, data}``."""
Read: TypeAlias = list[str] | list[list[str]]
"""The paragraphs of a text, or the cells of a table, its headings first."""


async def held(running: Running, access: str, request_id: str) -> list[Part]:
    """The server's frames of a finished answer, sent to another device from the first frame."""
    async with device(running, access, device_id="onlooker") as onlooker:
        await onlooker.send({"type": "resume_request", "request_id": request_id, "after_seq": -1})
        frames = await onlooker.until("stream_end")
    assert [frame["seq"] for frame in frames] == list(range(len(frames)))
    parts: list[Part] = []
    for frame in frames:
        _add(parts, frame)
    return parts


async def kept(person: WorkspaceUser, channel: str) -> tuple[str, list[Part]]:
    """The last answer of the conversation open in ``channel``, from the browser's database; its request's id first."""
    message = await person.page.evaluate(_LAST_KEPT, channel)
    return message["toolCalls"][0]["requestId"], message["toolResults"]


async def shown(answer: Locator) -> list[Read]:
    """What the page shows, part by part."""
    found: list[Read] = await answer.locator(".parts").evaluate(_READ)
    return found


def as_read(part: Part) -> Read:
    """``part`` as it should be displayed. Its text is plain paragraphs, its block a table."""
    if part["type"] == "text":
        return str(part["text"]).strip().split("\n\n")
    assert part["blockType"] == "table", part
    return [[str(cell) for cell in row] for row in (part["data"]["headers"], *part["data"]["rows"])]


def _add(parts: list[Part], frame: Frame) -> None:
    if frame["type"] == "stream_block":
        parts.append({"type": "block", "blockType": frame["block_type"], "data": frame["data"]})
    elif frame["type"] == "stream_text" and parts and parts[-1]["type"] == "text":
        parts[-1]["text"] += frame["chunk"]
    elif frame["type"] == "stream_text":
        parts.append({"type": "text", "text": frame["chunk"]})


_LAST_KEPT: Final = """async (channel) => {
  const everybody = new BroadcastChannel("adiuva");
  const own = new BroadcastChannel("adiuva-onlooker");
  const sessionId = localStorage.getItem(`chat.${channel}.lastSessionId`);
  try {
    const chat = await new Promise((resolve, reject) => {
      own.addEventListener("message", ({ data }) => {
        if (data.type === "answer") resolve(data.value);
        if (data.type === "failed") reject(new Error(data.message));
      });
      const call = { type: "call", id: crypto.randomUUID(), from: "onlooker", method: "openChat" };
      everybody.postMessage({ ...call, args: [sessionId, 1] });
    });
    return chat.messages[0];
  } finally {
    everybody.close();
    own.close();
  }
}"""

_READ: Final = """(parts) => [...parts.children].map((part) => part.matches(".markdown")
  ? [...part.children].map((paragraph) => paragraph.innerText)
  : [...part.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.innerText)))"""
