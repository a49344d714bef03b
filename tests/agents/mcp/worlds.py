"""The endpoint over an in-memory device, with callers identified by their tokens."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

import httpx

from accounts.errors import InvalidCredentials
from adiuva.server.asgi import McpRouter
from adiuva.server.serve import Server, listening, server_config
from agents.calls import ClientAnswer, ClientCall
from agents.engine.run import RunDependencies
from agents.jobs.models import JobState
from agents.jobs.records import JobStatus, NewJob
from agents.mcp.calling import Caller, McpCalls, ReachedDevice
from agents.mcp.cancelling import Message, Receive, Send
from agents.mcp.endpoint import AccessRules, McpEndpoint, caller_of
from agents.mcp.server import mcp_server
from agents.permissions.approvals.policies import Policies
from agents.permissions.quotas import QuotaService
from agents.requests import RequestOrigin
from agents.telemetry.turns import ObservedTurn, Observers
from agents.tools.client import OnLate
from chat.formatters.row_blocks import blocks_of_rows
from tests.agents.approving import NoApprovals, OpenQuestions
from tests.agents.conftest import NOW
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.embedding import RecordingEmbedder
from tests.agents.memories import InMemoryRecollection
from tests.agents.scripts import ScriptedAdapter
from tests.agents.tables import InMemoryClient

EVERYTHING = frozenset({"read", "write"})
ALICE = Caller(user_id=uuid4(), timezone=ZoneInfo("Asia/Tokyo"), language="it", staff=False, scopes=EVERYTHING)
SAM = Caller(user_id=uuid4(), timezone=ZoneInfo("UTC"), language="en", staff=True, scopes=EVERYTHING | {"staff:read"})
ALICES, SAMS = "alices", "sams"
MODERN = "2026-07-28"
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_CLIENT = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    _CLIENT_INFO: {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class HangingClient(InMemoryClient):
    """A device that does not answer before ``let`` is set, and notices that its caller was cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let, self.over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        self.asked.set()
        try:
            await self.let.wait()
        finally:
            self.over.set()
        return await super().execute(call, on_late=on_late)


@dataclass(kw_only=True)
class World:
    """An endpoint and its dependencies. Users may make ``allowed`` requests."""

    client: InMemoryClient | None = field(default_factory=InMemoryClient)
    allowed: int = 1000
    secure: bool = False
    tokens_checked: list[str] = field(default_factory=list)
    revoked: set[str] = field(default_factory=set)
    often: bool = False
    """Whether each token has been used too often."""
    failures: list[str] = field(default_factory=list)
    """The callers whose tokens were refused."""
    allowed_failures: int = 1000
    policies: Policies = field(default_factory=Policies)
    asks: bool = False
    """Whether users may be asked; their questions stay open."""
    started: list[tuple[RequestOrigin, NewJob]] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    turns: list[ObservedTurn] = field(default_factory=list)
    disclosures: KeptDisclosures = field(default_factory=KeptDisclosures)
    marks: KeptMarks = field(default_factory=KeptMarks)
    quotas: QuotaService = field(default_factory=QuotaService)
    memory: InMemoryRecollection = field(default_factory=InMemoryRecollection)

    def __post_init__(self) -> None:
        self.calls = McpCalls(
            dependencies=RunDependencies(
                adapter=ScriptedAdapter([]),
                embedder=RecordingEmbedder(),
                approvals=(OpenQuestions if self.asks else NoApprovals)(policies=self._decided),
                recollection=lambda _user_id: self.memory,
                disclosures=self.disclosures,
                marks=self.marks,
                quotas=self.quotas,
                observers=Observers(listeners=(self.turns.append,)),
                clock=lambda: NOW,
            ),
            devices=self,
            jobs=self,
        )
        rules = AccessRules(
            authenticate=self.authenticate,
            admit=self.admit,
            delay_s=lambda _user_id: 0.0,
            admit_token=self.admit_token,
            failures_wait_s=lambda network: 41.5 if self.failures.count(network) >= self.allowed_failures else None,
            count_failure=self.failures.append,
            hosts=["localhost", "127.0.0.1"],
            origins=["https://app.example"],
            secure=self.secure,
        )
        often = {"tasks_every_s": 0.01, "resources_every_s": 0.01}
        self.endpoint = McpEndpoint(mcp_server(self.calls, caller_of, blocks_of_rows, **often), rules)

    async def _decided(self, user_id: UUID) -> Policies:
        return self.policies

    async def authenticate(self, token: str) -> Caller:
        """The token ``alices/tasks:read`` has only that scope."""
        self.tokens_checked.append(token)
        name, _, scopes = token.partition("/")
        known = {ALICES: ALICE, SAMS: SAM}
        if name not in known or token in self.revoked:
            raise InvalidCredentials
        return replace(known[name], scopes=frozenset(scopes.split(","))) if scopes else known[name]

    def admit_token(self, token: str) -> bool:
        return not self.often

    def admit(self, user_id: UUID) -> bool:
        self.allowed -= 1
        return self.allowed >= 0

    @asynccontextmanager
    async def reached(self, user_id: UUID, request_id: str) -> AsyncIterator[ReachedDevice]:
        assert user_id in {ALICE.user_id, SAM.user_id}
        yield ReachedDevice() if self.client is None else ReachedDevice(client=self.client, device_id="laptop")
        self.released.append(request_id)

    async def start(self, origin: RequestOrigin, new: NewJob) -> JobStatus:
        self.started.append((origin, new))
        return JobStatus(
            id=UUID(int=7),
            user_id=origin.user_id,
            request_id=origin.request_id,
            session_id="",
            device_id=origin.device_id,
            tool=new.tool,
            label=new.label,
            state=JobState.QUEUED,
            fraction=None,
            cancel_requested=False,
            created_at=NOW,
            updated_at=NOW,
        )


@asynccontextmanager
async def serving(world: World) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the world's endpoint, which is drained at the end."""
    world.endpoint.begin()
    transport = httpx.ASGITransport(world.endpoint)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client
    finally:
        await world.endpoint.aclose(5)


@asynccontextmanager
async def on_loopback(world: World, port: int = 0) -> AsyncIterator[str]:
    """The address of a server on uvicorn, with the world's endpoint at ``/mcp`` and nothing else."""
    async with stoppable(world, port) as (address, _stop):
        yield address


@asynccontextmanager
async def stoppable(world: World, port: int = 0) -> AsyncIterator[tuple[str, Callable[[], Awaitable[None]]]]:
    """As ``on_loopback``, with a function that stops the server early."""
    ready = asyncio.Event()
    config = server_config(McpRouter(world.endpoint, _nothing))
    config.lifespan = "off"
    server = Server(config, drain=world.endpoint.aclose, on_ready=ready.set)
    world.endpoint.begin()

    async def stop() -> None:
        server.should_exit = True
        await running

    with listening("127.0.0.1", port) as listener:
        running = asyncio.create_task(server.serve(sockets=[listener]))
        await ready.wait()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", stop
        finally:
            await stop()


async def _nothing(_scope: Message, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def headers(method: str = "tools/list", name: str = "", *, token: str = ALICES) -> dict[str, str]:
    """The headers of a request of the present revision."""
    named = {"mcp-name": name} if name else {}
    return {
        "authorization": f"Bearer {token}",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        **named,
    }


def request(method: str = "tools/list", *, extensions: Sequence[str] = (), **params: object) -> dict[str, Any]:
    """A request of a client that has these ``extensions``."""
    capabilities: dict[str, Any] = {"extensions": {extension: {} for extension in extensions}}
    meta = {**_CLIENT, "io.modelcontextprotocol/clientCapabilities": capabilities}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}


async def listed(client: httpx.AsyncClient, *, token: str = ALICES) -> dict[str, dict[str, Any]]:
    """The tools by name."""
    answer = await client.post("/mcp", json=request(), headers=headers(token=token))
    assert answer.status_code == 200, answer.text
    return {tool["name"]: tool for tool in answer.json()["result"]["tools"]}


async def called(
    client: httpx.AsyncClient,
    tool: str,
    arguments: Mapping[str, object],
    *,
    token: str = ALICES,
    program: str = "tests",
) -> dict[str, Any]:
    """The JSON-RPC answer to a call by a client that calls itself ``program``."""
    body = request("tools/call", name=tool, arguments=arguments)
    body["params"]["_meta"] = {**_CLIENT, _CLIENT_INFO: {"name": program, "version": "1"}}
    answer = await client.post("/mcp", json=body, headers=headers("tools/call", tool, token=token))
    whole: dict[str, Any] = answer.json()
    return whole


async def answered(
    client: httpx.AsyncClient,
    method: str,
    *,
    token: str = ALICES,
    header: str = "",
    extensions: Sequence[str] = (),
    **params: object,
) -> dict[str, Any]:
    """The JSON-RPC answer to another request; ``header`` is what the header repeats of it."""
    body = request(method, extensions=extensions, **params)
    answer = await client.post("/mcp", json=body, headers=headers(method, header, token=token))
    whole: dict[str, Any] = answer.json()
    return whole


async def read_at(client: httpx.AsyncClient, address: str, *, token: str = ALICES) -> dict[str, Any]:
    """The JSON-RPC answer to a request for the resource at ``address``."""
    return await answered(client, "resources/read", token=token, header=address, uri=address)


async def prompted(
    client: httpx.AsyncClient, prompt: str, arguments: Mapping[str, str], *, token: str = ALICES
) -> dict[str, Any]:
    """The JSON-RPC answer to a request for a prompt."""
    return await answered(client, "prompts/get", token=token, header=prompt, name=prompt, arguments=arguments)


async def completed(
    client: httpx.AsyncClient, ref: Mapping[str, str], argument: str, value: str, *, token: str = ALICES
) -> dict[str, Any]:
    """The JSON-RPC answer to a request for completion."""
    wanted = {"name": argument, "value": value}
    return await answered(client, "completion/complete", token=token, ref=ref, argument=wanted)
