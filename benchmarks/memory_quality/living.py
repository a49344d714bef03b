"""Conversations as a user's device lives through them, turn by turn, and their questions afterwards."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeAlias

import httpx

from benchmarks.devices import TURN_S, Device, TurnFailed, connected
from benchmarks.memory_quality.conversations import Asked, Conversation, content_words, told
from benchmarks.memory_quality.model import ScriptedModel, items_of, scripted_model
from benchmarks.processes import Server

TOKEN_CHARS: Final = 4
_INDEXED_AFTER: Final = 20
"""Turns after which an index is there at the latest."""
_NO_ANSWER: Final = "OK."
"""Where a conversation has none: a turn without an answer is a failure."""

Serve: TypeAlias = Callable[[str], AbstractContextManager[Server]]
"""Starts a server that asks the model at this address."""
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """Which evidence of a question the model was sent, in how many tokens, and all items of the memory."""

    conversation: Conversation
    asked: Asked
    found: Sequence[bool]
    tokens: float
    items: Sequence[str]


async def live_through(
    conversations: Sequence[Conversation], serve: Serve, settle: Callable[[], object], say: Say
) -> list[str]:
    """Live through each conversation with a new user, every exchange a turn in its session; the users' addresses.

    ``settle`` returns when the server has done its background work.
    """
    emails = [f"{uuid.uuid4().hex}@example.com" for _ in conversations]
    async with scripted_model() as (model, url):
        with serve(url) as server:
            for conversation, email in zip(conversations, emails, strict=True):
                say(f"  {conversation.corpus} {conversation.name}: {len(conversation.turns)} exchanges")
                account = {"email": email, "password": "correct horse battery staple"}
                account["language"] = conversation.language
                access = await asyncio.to_thread(server.register, account)
                async with connected(server.socket_url, access) as device:
                    for turn in conversation.turns:
                        model.answer = turn.response or _NO_ANSWER
                        await _turn(device, turn.message, turn.session)
            await asyncio.to_thread(settle)
    return emails


async def ask_all(lives: Sequence[tuple[Conversation, str]], serve: Serve, say: Say) -> list[Answered]:
    """Ask every question in a new session, see what the model is sent, and forget that it was asked.

    Each conversation comes with an access token of its user.
    """
    answered = []
    async with scripted_model() as (model, url):
        with serve(url) as server:
            for conversation, access in lives:
                say(f"  {conversation.corpus} {conversation.name}: {len(conversation.questions)} questions")
                async with connected(server.socket_url, access) as device, _rest(server, access) as rest:
                    after = conversation.turns[-1].at + timedelta(days=1)
                    await _let_index(device, model, conversation, partial(_forget_since, rest, after))
                    for asked in conversation.questions:
                        answered.append(await _answered(device, model, conversation, asked))
                        await _forget_since(rest, after)
    return answered


async def _let_index(
    device: Device, model: ScriptedModel, conversation: Conversation, forget: Callable[[], Awaitable[None]]
) -> None:
    """Ask the first question until twice the same is told: the server has then indexed what was said."""
    told: Sequence[str] | None = None
    for _ in range(_INDEXED_AFTER):
        before, told = told, (await _answered(device, model, conversation, conversation.questions[0])).items
        await forget()
        if told == before:
            return


async def _answered(device: Device, model: ScriptedModel, conversation: Conversation, asked: Asked) -> Answered:
    model.answer, model.remembered = "I see.", []
    await _turn(device, asked.text, uuid.uuid4().hex)
    document = model.remembered[0].strip()
    items = items_of(document)
    words = [content_words(item) for item in items]
    return Answered(
        conversation=conversation,
        asked=asked,
        found=[told(evidence, words) for evidence in asked.evidence],
        tokens=len(document) / TOKEN_CHARS,
        items=items,
    )


async def _turn(device: Device, message: str, session: str) -> None:
    """Say ``message`` and wait for the end of its answer. Raises ``TurnFailed`` and ``TimeoutError``."""
    async with asyncio.timeout(TURN_S):
        await device.send(type="home_request", message=message, session_id=session, request_id=str(uuid.uuid4()))
        while (frame := await device.receive())["type"] != "stream_end":
            if frame["type"] == "error":
                raise TurnFailed(str(frame))
        if frame["finish_reason"] != "done":
            raise TurnFailed(str(frame))


def _rest(server: Server, access: str) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {access}", "X-Forwarded-Proto": "https"}
    return httpx.AsyncClient(base_url=f"{server.url}/api/v1/", headers=headers, timeout=30, trust_env=False)


async def _forget_since(rest: httpx.AsyncClient, moment: datetime) -> None:
    answer = await rest.delete("memory/episodic", params={"since": moment.isoformat()})
    answer.raise_for_status()
