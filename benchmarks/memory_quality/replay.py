"""Replays conversations on a real server, turn by turn as a user's device, and asks their questions afterwards."""

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
from benchmarks.memory_quality.conversations import Conversation, EvidenceQuestion, content_words, is_recalled
from benchmarks.memory_quality.model import ScriptedModel, items_of, scripted_model
from benchmarks.processes import Server

TOKEN_CHARS: Final = 4
_MAX_INDEXING_TURNS: Final = 20
"""How many turns to wait for the index."""
_NO_ANSWER: Final = "OK."
"""The answer where a conversation has none, because a turn without an answer fails."""

Serve: TypeAlias = Callable[[str], AbstractContextManager[Server]]
"""Starts a server that uses the model at this address."""
Report: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """The items of the memory that the model was sent for a question, their number of tokens, and for each piece of
    evidence whether it was recalled.
    """

    conversation: Conversation
    asked: EvidenceQuestion
    recalled: Sequence[bool]
    tokens: float
    items: Sequence[str]


async def replay(
    conversations: Sequence[Conversation], serve: Serve, wait_until_idle: Callable[[], object], report: Report
) -> list[str]:
    """Replay each conversation with a new user, every exchange as a turn in its session. Returns the users' e-mail
    addresses.

    ``wait_until_idle`` returns when the server has done its background work.
    """
    emails = [f"{uuid.uuid4().hex}@example.com" for _ in conversations]
    async with scripted_model() as (model, url):
        with serve(url) as server:
            for conversation, email in zip(conversations, emails, strict=True):
                report(f"  {conversation.corpus} {conversation.name}: {len(conversation.turns)} exchanges")
                account = {"email": email, "password": "correct horse battery staple"}
                account["language"] = conversation.language
                access = await asyncio.to_thread(server.register, account)
                async with connected(server.socket_url, access) as device:
                    for turn in conversation.turns:
                        model.answer = turn.response or _NO_ANSWER
                        await _turn(device, turn.message, turn.session)
            await asyncio.to_thread(wait_until_idle)
    return emails


async def ask_all(replayed: Sequence[tuple[Conversation, str]], serve: Serve, report: Report) -> list[Answered]:
    """Ask every question in a new session, record what the model is sent, and delete the question from the memory.

    Each conversation comes with an access token of its user.
    """
    answered = []
    async with scripted_model() as (model, url):
        with serve(url) as server:
            for conversation, access in replayed:
                report(f"  {conversation.corpus} {conversation.name}: {len(conversation.questions)} questions")
                async with connected(server.socket_url, access) as device, _rest(server, access) as rest:
                    after = conversation.turns[-1].at + timedelta(days=1)
                    await _wait_for_index(device, model, conversation, partial(_forget_since, rest, after))
                    for asked in conversation.questions:
                        answered.append(await _answered(device, model, conversation, asked))
                        await _forget_since(rest, after)
    return answered


async def _wait_for_index(
    device: Device, model: ScriptedModel, conversation: Conversation, forget: Callable[[], Awaitable[None]]
) -> None:
    """Ask the first question until the same is recalled twice, because the server has then built its index."""
    items: Sequence[str] | None = None
    for _ in range(_MAX_INDEXING_TURNS):
        before, items = items, (await _answered(device, model, conversation, conversation.questions[0])).items
        await forget()
        if items == before:
            return


async def _answered(
    device: Device, model: ScriptedModel, conversation: Conversation, asked: EvidenceQuestion
) -> Answered:
    model.answer, model.remembered = "I see.", []
    await _turn(device, asked.text, uuid.uuid4().hex)
    document = model.remembered[0].strip()
    items = items_of(document)
    words = [content_words(item) for item in items]
    return Answered(
        conversation=conversation,
        asked=asked,
        recalled=[is_recalled(evidence, words) for evidence in asked.evidence],
        tokens=len(document) / TOKEN_CHARS,
        items=items,
    )


async def _turn(device: Device, message: str, session: str) -> None:
    """Send ``message`` and wait for the end of its answer. Raises ``TurnFailed`` and ``TimeoutError``."""
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
