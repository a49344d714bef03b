"""A question of a turn on one process, whose device has reconnected to another."""

import pytest

from agents.permissions.approvals.service import ApprovalService
from tests.agents.scripts import calls, says
from tests.chat.cluster.backends import Backend
from tests.chat.cluster.pairs import pair
from tests.chat.devices.test_approvals import DELETE, connected
from tests.chat.http import Tokens, sign_in
from tests.chat.sockets import Frame

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def tokens() -> Tokens:
    return await sign_in()


async def test_question_is_shown_once_where_the_device_is_by_now_and_answered_there(
    backend: Backend, tokens: Tokens
) -> None:
    replies = [calls(DELETE), says("Gone.")]
    async with pair(backend, p=replies, approvals=ApprovalService) as both:
        async with connected(both.p) as before:
            request_id = await before.ask()
            looked_up: Frame = {}
            while looked_up.get("type") != "tool_call":
                looked_up = await before.socket.receive()
        async with connected(both.q) as after:
            asked = await after.asked()
            assert (asked["request_id"], asked["tool"]) == (request_id, "delete_task")
            await after.socket.send({"type": "resume_request", "request_id": request_id, "after_seq": -1})
            await after.reply(asked, approved=True)
            frames = await after.until("stream_end")
            assert await after.socket.silent()

    assert after.rows == {}
    assert frames[-1]["mutations"] == [{"action": "delete", "table": "tasks", "id": "t1"}]
    assert "approval_request" not in {frame["type"] for frame in frames}
