"""A user's week with the assistant, with randomly drawn words.

Each part uses its own words (``Secret.word``), so that a leaked word shows its origin.
"""

import json
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import websockets
from pydantic import JsonValue

from device.addresses import server_address
from device.client import DeviceClient, connected
from device.executor import Executor
from device.frames import ApprovalRequest
from device.hello import Hello
from device.store import Store
from device.tables import TableName
from device.verdicts import Verdict
from tests.conftest import PASSWORD
from tests.end_to_end import raw
from tests.end_to_end.conftest import Account
from tests.end_to_end.disguises import Secret
from tests.end_to_end.guarded import Guarded
from tests.end_to_end.staff import Staff, at_the_admin
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import BreakOff, Json, Raw, Script, Status, calls, refuses, says, wants

API = "/api/v1"
PATIENCE_S = 90.0


class Week:
    """A week on ``server``. All words begin with ``secret``; ``plain`` is stored in a plain column."""

    def __init__(self, server: Guarded, *, folder: Path) -> None:
        self.server = server
        self.secret = Secret.drawn()
        self.plain = Secret.drawn()
        self.alice = self._registered()
        self.user_id = self._id()
        self._folder = folder
        self._turns = 0
        server.model.when(_is_summary, says("She asked. ", self.secret.word("summary")))
        server.model.when(_is_reading_facts, lambda body: says(self._facts_of(body)))

    async def live(self) -> None:
        """Live through the whole week."""
        await self._talk()
        await self._meet_broken_models()
        await self._meet_broken_devices()
        self._wait_for_summaries()
        self._correct_what_is_remembered()
        self._ask_for_what_is_not_there()
        self._be_looked_after()

    # Talking

    async def _talk(self) -> None:
        word = self.secret.word
        store = Store(self._folder / "device.sqlite3")
        hello = Hello(
            device_id=self.secret.word("device"),
            platform=self.secret.word("platform"),
            # Stored in a plain column: the search must find it.
            app_version=self.plain.word("version"),
            timezone="Europe/Rome",
        )
        address = server_address(self.server.url)
        try:
            async with connected(
                address, self.alice.access, executor=Executor(store), hello=hello, approve=self._refuse
            ) as client:
                await self._home(
                    client,
                    "write",
                    calls(
                        wants("create_task", "a", title=word("title"), description=word("description")),
                        wants("create_note", "b", title=word("note"), content=word("content")),
                        wants("remember", "c", key=word("key"), value=word("value")),
                    ),
                )
                await self._home(
                    client,
                    "read",
                    calls(
                        wants("list_tasks", "a", search=word("search")),
                        wants("search_notes", "b", query=word("query")),
                        wants("recall", "c", query=word("recalled")),
                        wants("search_history", "d", query=word("history")),
                        wants("forget", "e", key=word("forgotten")),
                    ),
                )
                self._answer("popup", says(word("popup-answer")))
                _ = [frame async for frame in client.popup(self._asking("popup"), scope_type="tasks")]
                self._answer("older", says(word("older-answer")))
                _ = [frame async for frame in client.chat(self._asking("older"), context={"page": word("page")})]
                self._answer("rest", says(word("rest-answer")))
                await self._over_rest()
                await self._be_asked(client, store)
                await self._stand_on_pages(client, store)
        finally:
            store.close()

    async def _refuse(self, _: ApprovalRequest) -> Verdict:
        return Verdict(approved=False, reason=self.secret.word("no"))

    async def _be_asked(self, client: DeviceClient, store: Store) -> None:
        """A deletion is shown with the row's words, and refused with a reason."""
        [task] = store.select(TableName.TASKS, {})
        await self._home(client, "delete", calls(wants("delete_task", task_id=task["id"])))
        assert store.get(TableName.TASKS, str(task["id"])) is not None

    async def _stand_on_pages(self, client: DeviceClient, store: Store) -> None:
        word = self.secret.word
        project = store.insert(TableName.PROJECTS, {"name": word("project")})
        other = store.insert(TableName.PROJECTS, {"name": word("other-project")})
        scope: dict[str, JsonValue] = {
            "page": "project",
            "entityType": "project",
            "entityId": project["id"],
            "entityName": word("project"),
            "counts": {"tasks": 0, "notes": 0, "milestones": 0},
        }
        elsewhere = wants("create_note", "a", title=word("page-note"), body=word("body"), project_id=other["id"])
        self._answer("page", calls(elsewhere), says(word("page-answer")))
        _ = [frame async for frame in client.contextual(self._asking("page"), session_id="tuesday", scope=scope)]
        await client.navigate(
            {"page": "tasks", "entityType": None, "filters": {"search": word("filter")}}, session_id="tuesday"
        )
        self.server.model.otherwise(says(word("brief")))
        _ = [frame async for frame in client.brief()]
        [task] = store.select(TableName.TASKS, {})
        _ = [frame async for frame in client.task_brief(str(task["id"]))]

    async def _home(self, client: DeviceClient, name: str, *scripts: Script) -> None:
        self._answer(name, *scripts, says(self.secret.word(f"{name}-answer")))
        _ = [frame async for frame in client.home(self._asking(name), session_id="monday")]

    async def _over_rest(self) -> None:
        headers = {"X-Forwarded-Proto": "https", "Authorization": f"Bearer {self.alice.access}"}
        async with httpx.AsyncClient(base_url=self.server.url, headers=headers, timeout=30) as caller:
            question = {"message": self._asking("rest"), "context": {"page": self.secret.word("rest-page")}}
            answer = await caller.post(f"{API}/chat", json=question)
        assert self.secret.word("rest-answer") in answer.json()["response"]

    def _asking(self, name: str) -> str:
        """Alice's message; the word "tasks" lets the server choose the agent without a model."""
        return f"my tasks: {self.secret.word(f'asked-{name}')}"

    def _answer(self, name: str, *scripts: Script) -> None:
        word = self.secret.word(f"asked-{name}")

        def fits(request: Recorded) -> bool:
            return not (_is_summary(request) or _is_reading_facts(request)) and word in request.asked

        self.server.model.when(fits, *scripts)

    # Failures

    async def _meet_broken_models(self) -> None:
        word = self.secret.word
        unreadable = wants("create_task", "broken")
        unreadable["function"]["arguments"] = '{"title": ' + word("broken-arguments")
        failures: dict[str, Script] = {
            "refused": refuses(word("refusal")),
            "failed": [Status(500, message=word("server-error"))],
            "rejected": [Status(400, message=word("bad-request"))],
            "broken": [*says(word("half-answer"))[:2], BreakOff()],
            "garbage": [Raw(f"data: {word('garbage')}\n\n".encode())],
            "nonsense": [Json({"choices": word("nonsense")})],
            "misled": calls(
                wants(word("tool"), "a", name=word("argument")),
                wants("create_task", "b", title=word("wrong-type"), priority=word("priority")),
                unreadable,
            ),
        }
        async with raw.device(self.server, self.alice.access, device_id="failing") as device:
            for name, script in failures.items():
                self._answer(name, script, says(word("after-all")))
                await device.ask(self._asking(name))
                await device.until("stream_end")

    async def _meet_broken_devices(self) -> None:
        word = self.secret.word
        answers: dict[str, dict[str, Any]] = {
            "refusing": {"error": word("device-error")},
            "odd": {"rows": [{"id": word("row-id"), "title": {"deep": word("row")}}]},
            "wrong": {"rows": word("not-rows")},
            "silent": {},
        }
        async with raw.device(self.server, self.alice.access, device_id="broken") as device:
            for name, answer in answers.items():
                self._answer(name, calls(wants("list_tasks", search=word(f"{name}-search"))), says(word("sorry")))
                await device.ask(self._asking(name))
                [*_, call] = await device.until("tool_call")
                if answer:
                    await device.send({"type": "tool_result", "id": call["id"], **answer})
                await device.until("stream_end")
        for text in (word("no-json"), json.dumps({"type": word("type")}), json.dumps({"type": "home_request"})):
            async with raw.device(self.server, self.alice.access, device_id="rude") as device:
                await device.connection.send(text)
                await device.connection.send(json.dumps({"type": "ping", word("field"): word("extra")}))
                await device.receive()
        with suppress(websockets.ConnectionClosed):
            async with raw.socket(self.server, word("token").encode("ascii", "ignore").decode()) as device:
                await device.receive()

    # Memory

    def _wait_for_summaries(self) -> None:
        """Wait until the model has summarised all turns; failed turns are not recorded."""
        written = self.secret.word("summary")
        self._until(lambda: (kept := self._episodes()) and all(written in text for text in kept))
        self._until(self._facts)

    def _facts_of(self, body: dict[str, Any]) -> str:
        """The small model's facts: what she asked, about the same subject each time.

        They are in words of its own, so they are kept in hers.
        """
        said = json.loads(body["messages"][-1]["content"])
        fact = {"subject": self.secret.word("subject"), "statement": self.secret.word("fact"), "quote": said["user"]}
        # The statement before is contradicted.
        return json.dumps([{**fact, "known": 1, "relation": "contradicts"}], ensure_ascii=False)

    def _facts(self) -> list[dict[str, Any]]:
        with self.server.caller(self.alice.access) as caller:
            found = caller.get(f"{API}/memory/associative", params={"kind": "fact"}).json()["items"]
        return [row for row in found if row["content"].startswith("my tasks: ")]

    def _episodes(self) -> list[str]:
        with self.server.caller(self.alice.access) as caller:
            return [row["summary"] for row in caller.get(f"{API}/memory/episodic").json()["items"]]

    def _until(self, reached: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline

    def _correct_what_is_remembered(self) -> None:
        word, path = self.secret.word, self.secret.path
        with self.server.caller(self.alice.access) as caller:
            for name in ("tea", "tea", "coffee"):
                answer = caller.put(f"{API}/memory/core/{path(name)}", json={"value": word(f"{name}-value")})
                assert answer.status_code == 200
            assert caller.delete(f"{API}/memory/core/{path('coffee')}").status_code == 204
            for tier, field in (("episodic", "summary"), ("associative", "content")):
                for row in caller.get(f"{API}/memory/{tier}").json()["items"][:2]:
                    edited = caller.patch(f"{API}/memory/{tier}/{row['id']}", json={field: word(f"edited-{tier}")})
                    assert edited.status_code == 200, edited.text
            self.server.model.reply_to_embedding([Status(400, message=word("no-vector"))], [Json(word("bad-vector"))])
            for name in ("search-1", "search-2", "search-3"):
                caller.post(f"{API}/memory/search", json={"query": word(name)})
            assert word("tea-value") in json.dumps(caller.get(f"{API}/memory/export").json(), ensure_ascii=False)

    def _ask_for_what_is_not_there(self) -> None:
        word, path = self.secret.word, self.secret.path
        with self.server.caller(self.alice.access) as caller:
            caller.get(f"/{path('page')}?q={path('question')}")
            caller.get(f"{API}/{path('api-page')}", headers={"User-Agent": self.secret.latin, "Cookie": path("cookie")})
            caller.get(f"{API}/memory/core/{path('nothing')}")
            caller.delete(f"{API}/memory/core/{path('nothing')}")
            caller.get(f"{API}/devices", headers={"Authorization": f"Bearer {self.secret.latin}"})
            caller.get("/admin/", headers={"Host": f"{self.secret.latin}.example"})
            caller.request(self.secret.latin.upper(), f"{API}/devices")
            caller.put(f"{API}/memory/core/{path('long')}", json={"value": word("long") * 200})
            odd = json.dumps({"value": word("odd") + "\0\ud800"})
            caller.put(f"{API}/memory/core/{path('odd')}", content=odd, headers={"Content-Type": "application/json"})
            caller.put(f"{API}/memory/core/{path('type')}", json={"value": {word("inner"): word("inner")}})
            caller.post(
                f"{API}/memory/search",
                content=b'{"query": "' + word("cut").encode(),
                headers={"Content-Type": "application/json"},
            )
            caller.post(f"{API}/chat", json={"message": word("chat"), word("field"): word("field")})
            caller.get(f"{API}/memory/episodic", params={"after": word("after"), "limit": word("limit")})
            caller.patch(f"{API}/auth/me", json={"language": word("language"), "timezone": word("timezone")})
            caller.post(f"{API}/auth/token", json={"email": f"{self.secret.latin}@example.com", "password": word("p")})
            caller.post(f"{API}/auth/register", json={"email": word("no-address"), "password": word("password")})
            caller.request("DELETE", f"{API}/memory", json={"password": word("wrong-password")})

    def _be_looked_after(self) -> None:
        """Staff view everything, search for words, and reveal an episode."""
        word, path = self.secret.word, self.secret.path
        email = f"{uuid.uuid4().hex}@example.com"
        self.server.manage("createsuperuser", "--no-input", "--email", email, DJANGO_SUPERUSER_PASSWORD=PASSWORD)
        with at_the_admin(self.server) as staff:
            staff.sign_in(email, word("staff-password"))
            assert staff.sign_in(email, PASSWORD).headers["Location"] == "/admin/"
            for page in ("", "accounts/user/", "accounts/auditevent/", "memory/memoryepisodic/"):
                assert staff.get(f"/admin/{page}?q={path('looked-for')}").status_code == 200
                staff.get(f"/admin/{page}?{path('filter')}={path('value')}")
            self._be_read(staff)
            for action in ("rotate-key", "sign-out", "deactivate", "reactivate"):
                staff.post(f"/admin/accounts/user/{self.user_id}/{action}/", confirmed="yes", reason=word(action))
            assert staff.get("/admin/accounts/auditevent/").text.count("Reactivate") >= 1

    def _be_read(self, staff: Staff) -> None:
        reveal = f"/admin/memory/memoryepisodic/{staff.episodes()[0]}/reveal/"
        assert self.secret.latin not in staff.post(reveal, reason="short").text
        assert self.secret.latin in staff.post(reveal, reason=self.secret.word("reason")).text

    def _id(self) -> str:
        """The id of the week's user."""
        with self.server.caller(self.alice.access) as caller:
            return str(caller.get(f"{API}/auth/me").json()["id"])

    def _registered(self) -> Account:
        email = f"{uuid.uuid4().hex}@example.com"
        with self.server.caller() as caller:
            answer = caller.post(f"{API}/auth/register", json={"email": email, "password": PASSWORD})
        assert answer.status_code == 201, answer.text
        return Account(email=email, password=PASSWORD, access=answer.json()["access"])


def _is_summary(request: Recorded) -> bool:
    """Whether the request asks for a summary of an exchange, which the server sends as JSON."""
    return request.asked.startswith('{"user":') and not _is_reading_facts(request)


def _is_reading_facts(request: Recorded) -> bool:
    return bool(request.messages) and str(request.messages[0]["content"]).startswith("You draw lasting facts")
