"""The whole command, against a scripted model and the real server, and what each turn was measured to be."""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from agents.adapters.transport import UNREACHABLE
from agents.prompts.evaluations import OUTCOME, text_digest
from agents.prompts.names import PromptName, builtin_text
from benchmarks.evaluation import __main__ as evaluation
from benchmarks.evaluation.__main__ import main
from benchmarks.evaluation.conversation import Conversation, Exchange
from benchmarks.evaluation.judge import Kind
from benchmarks.evaluation.player import Records, Stage, play, stage
from benchmarks.evaluation.results import Results, this_run
from benchmarks.evaluation.task import Task, read_tasks
from benchmarks.evaluation.world import found
from benchmarks.processes import Server
from tests.adiuva.servers import reserved_port
from tests.benchmarks.evaluation.stage import ROWS, WORLD, task
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import Hold, Script, calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end

TASKS = {each.id: each for each in read_tasks()}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        script(server)
        yield server


@pytest.fixture(scope="module")
def settings(model: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.base_url, "OPENAI_MODEL": "scripted"}


@pytest.fixture(scope="module")
def opened(settings: dict[str, str]) -> Iterator[Stage]:
    with stage(WORLD, settings, patience_s=60) as opened:
        yield opened


def script(model: ModelServer) -> None:
    """Marks one task as done; of another it only reads the comments instead of deleting it."""
    printer, compost = found(ROWS, "Call the printer")[1], found(ROWS, "Order compost")[1]
    acts: dict[str, tuple[Script, Script]] = {
        "as done": (
            calls(wants("update_task", task_id=printer, status="done")),
            says("I have marked “Call the printer” as done."),
        ),
        "Order compost": (calls(wants("list_task_comments", task_id=compost)), says("It has no comments.")),
    }
    for words, (act, answer) in acts.items():
        model.when(partial(is_about, words, told=True), answer)
        model.when(partial(is_about, words, told=False), act)


def is_about(words: str, request: Recorded, *, told: bool) -> bool:
    """Whether an agent is asked about ``words``, after a tool has answered or before."""
    return words in request.asked and bool(request.tools or request.told) and bool(request.told) == told


def test_run_is_judged_kept_and_reported(
    model: ModelServer,
    settings: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    texts, text = tmp_path / "texts", f"{builtin_text(PromptName.HOME_SYSTEM)}\n\nAnswer with verve."
    texts.mkdir()
    (texts / "home_system.md").write_text(text)
    options = ["--attempts", "1", "--results", str(tmp_path), "--prompts", str(texts)]
    run = [*options, "writes/mark-done", "deletions/task-no"]

    assert main(run) == 0

    told = capsys.readouterr()
    assert "1 of 2: deletions/task-no (1) failed: approval (the user was not asked)" in told.err
    assert "2 of 2: writes/mark-done (1) passed" in told.err
    assert re.search(r"\| all +\| +2 \| +50% \|", told.out)
    results = Results.read(tmp_path)
    assert results.run.model == "scripted"
    refused = results.attempts["deletions/task-no", 1]
    assert [fault.kind for fault in refused.faults] == [Kind.APPROVAL]
    page = (tmp_path / "report.html").read_text()
    assert "It has no comments." in page
    assert "I have marked" not in page

    assert any("Answer with verve." in str(request.body) for request in model.requests)
    outcome = json.loads((tmp_path / OUTCOME).read_bytes())
    assert (outcome["attempts"], outcome["passed"]) == (2, 1)
    assert outcome["prompts"]["home_system"] == text_digest(text)

    asked = len(model.requests)
    assert main([*run, "--compare", str(tmp_path)]) == 0
    assert len(model.requests) == asked, "what was played before is not played again"


def test_other_models_results_are_refused(
    settings: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Results.opened(tmp_path, this_run(settings), again=False)
    for name, value in {**settings, "OPENAI_MODEL": "another"}.items():
        monkeypatch.setenv(name, value)

    assert main(["--results", str(tmp_path)]) == 2

    assert "model scripted instead of another" in capsys.readouterr().err


def test_server_that_is_gone_ends_the_run_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with reserved_port() as port:
        gone = Stage(server=Server(url=f"http://127.0.0.1:{port}", pid=0), records=Records(StringIO()), world=WORLD)
        monkeypatch.setattr(evaluation, "stage", lambda *_, **__: nullcontext(gone))

        assert main(["--results", str(tmp_path), "reads/overdue"]) == 1

    assert capsys.readouterr().err.startswith("The server cannot be reached: ")
    assert Results.read(tmp_path).attempts == {}


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        ("ServerGone: The connection to the server broke off.", "The server cannot be reached: "),
        (f"model_unavailable: {UNREACHABLE}", f"{UNREACHABLE} Once it can be, "),
    ],
)
def test_what_breaks_off_with_a_server_is_no_fault_of_the_models(
    ended: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken_off(task: Task, _: Stage) -> Conversation:
        return Conversation(exchanges=[Exchange(asked=task.ask[0], ended=ended)])

    with reserved_port() as port:
        gone = Stage(server=Server(url=f"http://127.0.0.1:{port}", pid=0), records=Records(StringIO()), world=WORLD)
        monkeypatch.setattr(evaluation, "stage", lambda *_, **__: nullcontext(gone))
        monkeypatch.setattr(evaluation, "play", broken_off)

        assert main(["--results", str(tmp_path), "reads/overdue"]) == 1

    assert capsys.readouterr().err.startswith(told)
    assert Results.read(tmp_path).attempts == {}


def test_turns_are_measured_at_the_tasks_moment(model: ModelServer, opened: Stage) -> None:
    marked = asyncio.run(play(TASKS["writes/mark-done"], opened))

    [exchange] = marked.exchanges
    assert [(use.tool, use.ok) for use in exchange.tools] == [("update_task", True)]
    assert [(change.table, change.columns) for change in marked.changes] == [("tasks", {"status": "done"})]
    assert {(request.input_tokens, request.output_tokens) for request in exchange.requests} == {(11, 7)}
    assert [message.role for message in exchange.seen][-2:] == ["tool", "assistant"]
    told = str([request.messages for request in model.requests if request.tools])
    assert "2026-03-10" in told


def test_user_is_asked_before_a_deletion_and_says_no(model: ModelServer, opened: Stage) -> None:
    about_roses = partial(is_about, "Prune the roses")
    model.when(partial(about_roses, told=True), says("So it stays."))
    model.when(partial(about_roses, told=False), calls(wants("delete_task", task_id=found(ROWS, "Prune the roses")[1])))

    conversation = asyncio.run(play(task(ask="Delete the task “Prune the roses”.", approval="no"), opened))

    assert [(asked.tool, asked.approved) for asked in conversation.answer.questions] == [("delete_task", False)]
    assert (conversation.answer.text, conversation.changes) == ("So it stays.", [])


def test_history_goes_along_and_an_earlier_conversation_does_not(model: ModelServer, opened: Stage) -> None:
    model.otherwise(says("Aha."))
    described = task(earlier="First of all tasks.", ask=["Second task.", "Third task."])

    conversation = asyncio.run(play(described, opened))

    assert [exchange.asked for exchange in conversation.exchanges] == [*described.earlier, *described.ask]
    third = next(request for request in model.requests if request.asked.startswith("Third"))
    spoken = [str(message["content"]) for message in third.messages if message["role"] in {"user", "assistant"}]
    assert [said for said in spoken if said in {*described.earlier, "Second task.", "Aha."}] == ["Second task.", "Aha."]


def test_answer_that_takes_too_long_is_broken_off(model: ModelServer, opened: Stage) -> None:
    model.otherwise([Hold(), *says("Late.")])

    conversation = asyncio.run(play(task(ask="Which tasks?"), replace(opened, patience_s=0.5)))

    assert conversation.answer.ended == "no end within 0.5 s"


def test_offline_assistant_is_played_without_a_model() -> None:
    with stage(WORLD, {}, patience_s=60) as opened:
        brief = asyncio.run(play(TASKS["briefs/day"], opened))
        page = asyncio.run(play(TASKS["sidebar/create-here"], opened))
        popup = asyncio.run(play(TASKS["reads/tasks-of-the-popup"], opened))

    assert "Pay the hosting invoice" in brief.answer.shown
    assert [change.columns["title"] for change in page.changes] == ["Buy seeds"]
    assert "Call the printer" in popup.answer.shown
