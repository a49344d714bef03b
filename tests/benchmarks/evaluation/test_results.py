"""Results are kept attempt by attempt, are never mixed with those of another run, and make figures."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.prompts.evaluations import Outcome, text_digest
from agents.prompts.names import PromptName, builtin_text
from benchmarks.evaluation.__main__ import main
from benchmarks.evaluation.conversation import Conversation, Exchange, ModelRequest, ShownBlock, ToolUse
from benchmarks.evaluation.judge import Fault, Kind
from benchmarks.evaluation.report import report
from benchmarks.evaluation.results import Attempt, Results, ResultsUnusable, Run, settings_of_models, this_run
from benchmarks.evaluation.summary import Difference, Prices, differences, summary
from benchmarks.evaluation.task import Task
from benchmarks.evaluation.world import RowChange
from device.tables import TableName
from tests.benchmarks.evaluation.stage import task

RUN = Run(model="small", settings={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}, commit="abc", tasks="123")
WRONG = Fault(kind=Kind.UNASKED_CHANGE, words="deleted 'Buy <b>milk</b>' of tasks")


def attempt(described: Task, number: int, *faults: Fault) -> Attempt:
    exchange = Exchange(
        asked="Which <i>tasks</i>?",
        ended="done",
        seconds=2.0,
        text="Two & a half.",
        blocks=[ShownBlock(type="table", data={"headers": ["a"], "rows": [["è"]]})],
        requests=[ModelRequest(model="m", seconds=1.0, input_tokens=1000, cached_tokens=400, output_tokens=50)] * 2,
        tools=[ToolUse(tool="list_tasks", ok=True, arguments="{}", result="Found 2 tasks.")],
    )
    change = RowChange(table=TableName.TASKS, id="x", before={"id": "x", "title": "Buy milk"})
    return Attempt(
        task=described.id,
        number=number,
        conversation=Conversation(exchanges=[exchange], changes=[change]),
        faults=faults,
    )


READ, WRITE = task(name="r", category="reads", plain=True), task(name="w", category="writes")


def test_cut_run_goes_on_where_it_was(tmp_path: Path) -> None:
    results = Results.opened(tmp_path, RUN, again=False)
    results.add(attempt(READ, 1))
    results.add(attempt(READ, 2, WRONG))
    before, kept = Results.read(tmp_path).attempts, (tmp_path / "attempts.jsonl").read_bytes()
    (tmp_path / "attempts.jsonl").write_bytes(kept + b'{"task": "reads/r", "num')

    again = Results.opened(tmp_path, RUN, again=False)

    assert again.attempts == before
    assert {place: list(one.faults) for place, one in before.items()} == {("reads/r", 1): [], ("reads/r", 2): [WRONG]}
    again.add(attempt(READ, 3))
    assert sorted(Results.read(tmp_path).attempts) == [("reads/r", 1), ("reads/r", 2), ("reads/r", 3)]


def test_results_of_another_run_are_not_mixed(tmp_path: Path) -> None:
    Results.opened(tmp_path, RUN, again=False).add(attempt(READ, 1))
    other = replace(RUN, model="large", commit="")

    with pytest.raises(ResultsUnusable, match=r"model small instead of large, commit abc instead of none"):
        Results.opened(tmp_path, other, again=False)
    assert Results.read(tmp_path).attempts != {}
    assert Results.opened(tmp_path, other, again=True).attempts == {}


def test_run_is_known_by_its_settings_without_their_secrets() -> None:
    variables = {
        "OPENAI_API_KEY": "sk-1",
        "OPENAI_BASE_URL": "",
        "OPENAI_MODEL": "small",
        "ADIUVA_MODELS": "[]",
        "ADIUVA_SECRET_KEY": "x",
        "PATH": "/bin",
    }
    settings = settings_of_models(variables)

    assert list(settings) == ["ADIUVA_MODELS", "OPENAI_API_KEY", "OPENAI_MODEL"]
    assert (this_run(settings).model, this_run(settings).settings) == ("small", {"OPENAI_MODEL": "small"})


def test_run_is_named_for_the_model_that_is_asked() -> None:
    assert this_run({}).model == "offline"
    assert this_run({"OPENAI_API_KEY": "sk-1"}).model == "openai-default"
    assert this_run({"ANTHROPIC_API_KEY_FILE": "/run/key"}).model == "anthropic-default"
    both = {"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "sk-2", "ANTHROPIC_MODEL": "claude"}
    assert this_run(both).model == "claude"


def test_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsUnusable, match="holds no readable results"):
        Results.read(tmp_path)


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResultsUnusable, match=r"cannot hold results \(NotADirectoryError\)"):
        Results.opened(tmp_path / "file" / "results", RUN, again=False)


def test_replacing_results_keeps_them_until_what_they_are_compared_with_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Results.opened(tmp_path, RUN, again=False).add(attempt(READ, 1))

    assert main(["--again", "--results", str(tmp_path), "--compare", str(tmp_path / "typo")]) == 2

    assert "typo holds no readable results" in capsys.readouterr().err
    assert list(Results.read(tmp_path).attempts) == [("reads/r", 1)]


def test_figures_are_by_category_of_plain_tasks_and_of_all() -> None:
    attempts = {
        READ: [attempt(READ, 1), attempt(READ, 2), attempt(READ, 3), attempt(READ, 4, WRONG)],
        WRITE: [attempt(WRITE, 1, WRONG)],
    }

    reads, writes, plain, everything = summary(attempts, Prices(input=2.0, cached=0.5, output=8.0))

    assert [each.name for each in (reads, writes, plain, everything)] == ["reads", "writes", "plain", "all"]
    assert (reads.pass_1, reads.pass_3, writes.pass_1, writes.pass_3) == (0.75, 0.25, 0.0, None)
    assert (everything.pass_1, everything.pass_3, everything.unasked) == (0.6, 0.25, 0.4)
    assert (everything.tasks, everything.attempts, plain.tasks) == (2, 5, 1)
    assert (reads.calls, reads.requests, reads.seconds) == (1.0, 2.0, 2.0)
    assert (reads.input_tokens, reads.cached_tokens, reads.output_tokens) == (2000.0, 800.0, 100.0)
    assert reads.dollars == pytest.approx((1200 * 2.0 + 800 * 0.5 + 100 * 8.0) / 1e6)


def test_differences_name_the_worst_first() -> None:
    better, worse, same = READ, WRITE, task(name="s")
    before = {better: [attempt(better, 1, WRONG)], worse: [attempt(worse, 1)], same: [attempt(same, 1)]}
    now = {better: [attempt(better, 1)], worse: [attempt(worse, 1, WRONG)], same: [attempt(same, 1)]}

    assert differences(now, before) == [
        Difference(task="writes/w", before=1.0, now=0.0),
        Difference(task="reads/r", before=0.0, now=1.0),
    ]


def test_report_has_every_failed_conversation_and_escapes_what_was_said() -> None:
    attempts = {READ: [attempt(READ, 1, WRONG)], WRITE: [attempt(WRITE, 1)]}

    page = report(RUN, summary(attempts, Prices()), attempts)

    assert 'id="reads/r"' in page
    assert 'id="writes/w"' not in page
    assert page.count("Which &lt;i&gt;tasks&lt;/i&gt;?") == 1
    assert "Two &amp; a half." in page
    assert "list_tasks({})\nFound 2 tasks." in page
    assert "deleted “Buy milk” of tasks" in page
    assert "deleted &#x27;Buy &lt;b&gt;milk&lt;/b&gt;&#x27; of tasks" in page


def test_texts_of_prompts_make_another_run_and_are_checked(tmp_path: Path) -> None:
    text = f"{builtin_text(PromptName.HOME_SYSTEM)}\n\nBe brief."
    (tmp_path / "home_system.md").write_text(text)
    mine, usual = this_run({}, tmp_path), this_run({})
    assert mine.prompts == {**usual.prompts, "home_system": text_digest(text)}

    results = tmp_path / "results"
    Results.opened(results, usual, again=False)
    with pytest.raises(ResultsUnusable, match="other texts of prompts"):
        Results.opened(results, mine, again=False)

    (tmp_path / "home_system.md").write_text("No role here.")
    with pytest.raises(ResultsUnusable, match=r"cannot be used: The text has to use \{\{ role \}\}"):
        this_run({}, tmp_path)
    (tmp_path / "home_system.md").write_bytes(b"\xff")
    with pytest.raises(ResultsUnusable, match=r"cannot be read \(UnicodeDecodeError\)"):
        this_run({}, tmp_path)
    (tmp_path / "home_system.md").rename(tmp_path / "house.md")
    with pytest.raises(ResultsUnusable, match="is named like no prompt"):
        this_run({}, tmp_path)
    for folder in (results, tmp_path / "typo"):
        with pytest.raises(ResultsUnusable, match="holds no text of a prompt"):
            this_run({}, folder)


def test_an_outcome_counts_conversations_without_a_fault(tmp_path: Path) -> None:
    results = Results.opened(tmp_path, replace(RUN, prompts={"home_system": "d"}), again=False)
    for number, faults in enumerate([(), (WRONG,), ()], start=1):
        results.add(attempt(READ, number, *faults))
    assert results.outcome() == Outcome(model="small", attempts=3, passed=2, prompts={"home_system": "d"})
