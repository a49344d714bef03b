import asyncio
import uuid
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agents.calls import Table
from agents.scopes import ListScope, NoteScope, PageScope, ProjectCounts, ProjectScope
from chat.protocol.frames.client import HistoryMessage
from chat.turns.sessions import MAX_SESSION_BYTES, Navigation, SessionBuffer, SessionBuffers, SessionKey, viewed_page
from tests.chat.accounts import ALICE, BOB

TASKS = ListScope(page="tasks")
TIMELINE = ListScope(page="timeline")


def key(session: str = "s1", user: uuid.UUID = ALICE) -> SessionKey:
    return SessionKey(user_id=user, session_id=session)


def user(content: str) -> HistoryMessage:
    return HistoryMessage(role="user", content=content)


def note(characters: int = 1) -> NoteScope:
    return NoteScope(
        page="note", entityType="note", entityId="n1", entityName="N", projectId=None, charCount=characters
    )


def moves(session: SessionBuffer, scope: PageScope, arrival: int) -> list[str]:
    return [Navigation(page=page).content for page in session.moved(scope, arrival)]


def test_a_page_is_told_with_or_without_its_name_and_counts() -> None:
    counts = ProjectCounts(tasks=2, notes=0, milestones=1)
    scope = ProjectScope(page="project", entityType="project", entityId="p1", entityName="W", counts=counts)
    page = viewed_page(scope)

    assert page.words() == 'the project "W" [id p1], which holds 2 tasks, no notes and 1 milestone'
    assert page.words(named=False, without=frozenset(Table)) == "the project [id p1]"
    assert page.is_of(replace(scope, entityName="Renamed"))
    assert not page.is_of(note())


def test_only_the_last_page_before_a_request_is_mentioned_once() -> None:
    session = SessionBuffers().open(key())
    for page in (TASKS, TIMELINE):
        session.navigate(page)

    assert moves(session, TIMELINE, session.arrive()) == ["User navigated to the timeline of all projects."]
    assert moves(session, TIMELINE, session.arrive()) == []


def test_a_page_that_holds_more_by_now_is_the_same_page() -> None:
    session = SessionBuffers().open(key())

    assert moves(session, note(1), session.arrive()) == []
    assert moves(session, note(2), session.arrive()) == []
    assert len(moves(session, TASKS, session.arrive())) == 1


def test_another_filter_is_another_page() -> None:
    session = SessionBuffers().open(key())
    session.moved(TASKS, session.arrive())

    assert moves(session, ListScope(page="tasks", filters={"status": "todo"}), session.arrive()) == [
        'User navigated to the list of all tasks, filtered by {"status": "todo"}.'
    ]


@given(st.lists(st.text(max_size=200), max_size=60))
def test_a_session_stays_within_its_bounds_and_keeps_the_newest(texts: list[str]) -> None:
    growth: list[int] = []
    session = SessionBuffer(on_growth=lambda _, by: growth.append(by), max_messages=10, max_bytes=300)
    for text in texts:
        session.keep(user(text))

    kept = [message.content for message in session.messages]
    assert len(kept) <= 10
    assert session.size == sum(len(text.encode()) for text in kept) == sum(growth)
    assert session.size <= 300
    assert kept == texts[len(texts) - len(kept) :]


def test_a_full_session_keeps_its_beginning_for_a_while() -> None:
    session = SessionBuffer(on_growth=lambda *_: None, max_messages=8)
    kept = []
    for number in range(20):
        session.keep(user(str(number)))
        kept.append([message.content for message in session.messages])

    cut = [longer[: len(shorter)] != shorter for shorter, longer in pairwise(kept)]
    assert cut.count(True) == 4
    assert max(map(len, kept)) == 8
    assert min(map(len, kept[8:])) == 6


@given(st.lists(st.tuples(st.sampled_from([ALICE, BOB]), st.integers(0, 6), st.integers(0, 8000)), max_size=60))
@example([(ALICE, 0, 8000)] * 7 + [(BOB, 0, 8000)] * 7)
def test_users_and_all_stay_within_their_bounds(steps: list[tuple[uuid.UUID, int, int]]) -> None:
    # A single session, which stays while in use, is never larger than the limit of a user.
    most = MAX_SESSION_BYTES * 3 // 2
    buffers = SessionBuffers(max_user_sessions=3, max_user_bytes=MAX_SESSION_BYTES, max_sessions=5, max_bytes=most)
    for owner, number, length in steps:
        session = buffers.open(key(str(number), owner))
        session.keep(user("x" * length))

        assert buffers.open(key(str(number), owner)) is session
        assert len(buffers) <= 5
        assert buffers.size <= most


def test_the_session_used_longest_ago_goes_first() -> None:
    buffers = SessionBuffers(max_user_sessions=2)
    first, second = buffers.open(key("1")), buffers.open(key("2"))
    buffers.open(key("1"))
    buffers.open(key("3"))

    assert buffers.open(key("1")) is first
    assert buffers.open(key("2")) is not second


def test_others_sessions_do_not_make_room() -> None:
    buffers = SessionBuffers(max_user_sessions=1)
    mine = buffers.open(key())
    buffers.open(key(user=BOB))

    assert buffers.open(key()) is mine


def test_a_session_in_use_stays_beyond_the_bounds() -> None:
    now = [0.0]
    buffers = SessionBuffers(max_user_sessions=1, max_sessions=1, max_idle_s=10, clock=lambda: now[0])
    session = buffers.open(key())
    with session.queued(session.arrive()):
        now[0] = 100.0
        buffers.open(key("2"))
        assert buffers.open(key()) is session
    assert len(buffers) == 1


def test_idle_sessions_are_forgotten() -> None:
    now = [0.0]
    buffers = SessionBuffers(max_idle_s=10, clock=lambda: now[0])
    session = buffers.open(key())
    session.keep(user("hello"))
    now[0] = 11.0
    buffers.open(key("2"))

    assert (len(buffers), buffers.size) == (1, 0)
    session.keep(user("too late"))
    assert buffers.size == 0


def test_what_a_dropped_session_keeps_does_not_count_for_its_successor() -> None:
    buffers = SessionBuffers(max_user_sessions=1)
    waiting = buffers.open(key())
    buffers.open(key("2"))
    successor = buffers.open(key())
    successor.keep(user("hello"))
    waiting.keep(user("too late"))

    assert buffers.size == successor.size


async def test_turns_take_place_in_the_order_of_arrival() -> None:
    session = SessionBuffers().open(key())
    order: list[int] = []
    gate = asyncio.Event()

    async def turn(arrival: int) -> None:
        with session.queued(arrival):
            if arrival == 1:
                await gate.wait()
            await session.turn(arrival)
            order.append(arrival)

    running = [asyncio.create_task(turn(session.arrive())) for _ in range(4)]
    await asyncio.sleep(0)
    running[2].cancel()
    gate.set()
    await asyncio.gather(*running, return_exceptions=True)

    assert (order, session.busy) == ([1, 2, 4], False)


@pytest.mark.parametrize("content", ["", " \ud800"])
def test_strange_text_is_kept(content: str) -> None:
    session = SessionBuffers().open(key())
    session.keep(user(content))

    assert [message.content for message in session.messages] == [content]
