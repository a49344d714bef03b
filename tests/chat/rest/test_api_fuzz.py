"""Every request, valid or not, gets a response that the OpenAPI document describes."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import pytest
import requests
import schemathesis
from channels.db import database_sync_to_async
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as effort
from pytest_django import Settings
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import positive_data_acceptance

from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.errors import ExpiredCredentials, InvalidCredentials
from accounts.models import User
from adiuva.rates_setting import Rate
from adiuva.server.asgi import HttpApplication
from adiuva.server.serve import Server as Uvicorn
from adiuva.server.serve import listening, server_config
from agents.adapters.base import ToolMessage
from agents.permissions.approvals.service import ApprovalService
from tests.agents.scripts import Reply, Request, call, calls, says
from tests.chat.accounts import ALICE
from tests.chat.http import sign_in
from tests.chat.sockets import Server, Socket
from tests.effort import tries

Operation: TypeAlias = APIOperation[Any, Any, Any, Any]
STATE = ["2xx", "304", "401", "403", "404", "409", "412", "422", "429", "5xx"]
"""What a request that fits the document may be answered with: the rest depends on what is stored."""
BEYOND_A_SCHEMA = frozenset(
    {
        # A body may also be refused with 400 for what no schema says: an address, a password's strength, a zone's name,
        "register",
        "changeAccount",
        "changePassword",
        "resetPassword",
        # a link, a code, the answer of a passkey, or that one of several fields is needed;
        "verifyAddress",
        "addPasskey",
        "renamePasskey",
        "removePasskey",
        "getPasskeyRegistrationOptions",
        "beginAuthenticatorApp",
        "confirmAuthenticatorApp",
        "removeAuthenticatorApp",
        "renewRecoveryCodes",
        "logInWithPasskey",
        "logIn",
        "eraseAccount",
        "wipeMemory",
        "forgetEpisodicMemory",
        # names of scopes, tools, models and images;
        "createPersonalToken",
        "changePolicies",
        "chat",
        # a key that can be printed; texts without null characters.
        "keepCoreMemory",
        "changeAssociativeMemory",
        "changeEpisodicMemory",
        "changeProactiveMemory",
        "searchMemory",
        "embedText",
        "changeSharing",
        "answerApproval",
        "listDisclosures",
        "uploadImage",
    }
)
EXAMPLES = tries(5, long=100)
AT_LEAST = 25
"""The document has at least this many operations; fewer means that it has lost some."""


def talkative(request: Request) -> Reply:
    """Call the device once, and then answer."""
    if any(isinstance(message, ToolMessage) for message in request.messages):
        return says('{"type":"text","content":"None."}')
    return calls(call("list_tasks"))


@asynccontextmanager
async def serving(server: Server) -> AsyncIterator[str]:
    """The HTTP half on the real server; yields its address."""
    ready = asyncio.Event()
    config = server_config(HttpApplication(server.services))
    config.lifespan = "off"
    uvicorn = Uvicorn(config, drain=None, on_ready=ready.set)
    with listening("127.0.0.1", 0) as listener:
        task = asyncio.create_task(uvicorn.serve(sockets=[listener]))
        await ready.wait()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        uvicorn.should_exit = True
        await task


async def answer_calls(device: Socket) -> None:
    """Answer every call with no rows."""
    while True:
        # Not with ``receive``, which ends the socket after a while without frames.
        frame = json.loads((await device.communicator.output_queue.get())["text"])
        if frame["type"] == "tool_call":
            await device.send({"type": "tool_result", "id": frame["id"], "rows": []})


def try_everything(address: str) -> dict[str, Counter[int]]:
    """Send valid and invalid requests to each operation; return how often each status came."""
    document = requests.get(f"{address}/api/v1/schema", timeout=120).json()
    statuses: dict[str, Counter[int]] = {}
    for operation in operations_of(document):
        answered = statuses[operation.label] = Counter()
        try_operation(operation, GenerationMode.POSITIVE, address, answered)
        if operation.body or operation.path_parameters:
            try_operation(operation, GenerationMode.NEGATIVE, address, answered)
    return statuses


def operations_of(document: dict[str, Any]) -> Iterator[Operation]:
    schema = schemathesis.openapi.from_dict(document)
    schema.config.checks.positive_data_acceptance.expected_statuses = STATE
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        yield found.ok()


def valid(token: str) -> str:
    """The access token ``token``, or that of a new session if an operation has ended it."""
    try:
        bearer_of(token)
    except (InvalidCredentials, ExpiredCredentials):
        return issue_tokens(User.objects.get(id=ALICE)).access
    return token


def try_operation(operation: Operation, mode: GenerationMode, address: str, answered: Counter[int]) -> None:
    token = ""

    @effort(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def send(case: Case[Any]) -> None:
        nonlocal token
        token = valid(token)
        response = case.call(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=120)
        answered[response.status_code] += 1
        may_refuse = response.status_code == 400 and operation.definition.raw["operationId"] in BEYOND_A_SCHEMA
        # All of Schemathesis's checks.
        case.validate_response(
            response,
            headers={"Authorization": f"Bearer {token}"},
            excluded_checks=[positive_data_acceptance] if may_refuse else [],
        )

    send()


@pytest.mark.django_db(transaction=True)
async def test_no_request_gets_an_answer_that_the_document_does_not_foretell(settings: Settings) -> None:
    settings.ATTEMPT_RATES = {name: Rate(limit=1_000_000, period_s=1) for name in settings.ATTEMPT_RATES}
    await sign_in()
    server = Server(
        [talkative] * 1000,  # type: ignore[list-item] # asked of what was asked
        per_minute=1_000_000,
        approvals=ApprovalService(),
    )
    async with serving(server) as address, server.device() as device:
        answering = asyncio.create_task(answer_calls(device))
        # Bounded, so that a hang does not block CI, but generous for a busy machine.
        async with asyncio.timeout(tries(600, long=3600)):
            statuses = await database_sync_to_async(try_everything, thread_sensitive=False)(address)
        answering.cancel()
        with suppress(asyncio.CancelledError):
            await answering

    assert len(statuses) >= AT_LEAST
    # The requests get past authentication and throttling.
    assert {*statuses["POST /api/v1/chat"]} >= {200, 400}
    assert {*statuses["POST /api/v1/storage/vectors/embed"]} >= {200, 400}
    assert {*statuses["POST /api/v1/auth/register"]} >= {400}
    assert {200} <= {*statuses["GET /api/v1/auth/me"]} <= {200, 304}
    assert {*statuses["GET /api/v1/approvals"]} >= {200}
    assert {*statuses["POST /api/v1/approvals/{approval}"]} >= {400, 404}
    assert {*statuses["PUT /api/v1/policies"]} >= {200, 400}
