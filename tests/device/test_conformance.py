"""The calls and answers that every executor shares (``clients/conformance``), run against this one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from device.executor import MAX_ANSWER_BYTES, Executor
from device.tables import TableName
from tests.device.clocks import ManualClock

FOLDER = Path(__file__).resolve().parents[2] / "clients" / "conformance"
CASES = {
    f"{file.stem}: {case['name']}": case
    for file in sorted(FOLDER.glob("*.json"))
    for case in json.loads(file.read_text(encoding="utf-8"))
}


class CaseRunner:
    """Runs cases on an executor; knows the rows that a case has named."""

    def __init__(self, executor: Executor, clock: ManualClock) -> None:
        self._executor = executor
        self._clock = clock
        self._named: dict[str, Any] = {}
        self._calls = 0

    def run(self, case: dict[str, Any]) -> None:
        for given in case.get("given", ()):
            call = {"action": "insert", "table": given["table"], "data": given["row"], "by": "given"}
            for _ in range(given.get("times", 1)):
                answer = self._answered({**given, "call": call})
                assert list(answer) == ["row"], answer
        for step in case["steps"]:
            if "by_hand" in step:
                self._change_by_hand(step)
                continue
            answer = self._answered(step)
            if "count" in step:
                assert len(answer["rows"]) == step["count"]
            else:
                assert list(_matched(answer, self._resolved(step["answer"]))) == [], step["call"]

    def _change_by_hand(self, step: dict[str, Any]) -> None:
        self._clock.now = step.get("at", self._clock.now)
        journal = self._executor.journal
        with journal.entry():
            for change in self._resolved(step["by_hand"]):
                table, data = TableName(change["table"]), change["data"]
                match change["action"]:
                    case "insert":
                        journal.insert(table, data)
                    case "update":
                        journal.update(table, data["id"], data["updates"])
                    case _:
                        journal.delete(table, data["id"])

    def _answered(self, step: dict[str, Any]) -> Any:
        self._clock.now = step.get("at", self._clock.now)
        self._calls += 1
        call = {"id": f"call {self._calls}", **self._resolved(step["call"])}
        answer = self._executor.execute(call, max_bytes=step.get("max_bytes", MAX_ANSWER_BYTES))
        if "as" in step:
            self._named[step["as"]] = answer["row"]
        return answer

    def _resolved(self, value: Any) -> Any:
        match value:
            case str() if value.startswith("@"):
                name, _, column = value[1:].partition(".")
                return self._named[name][column] if column else self._named[name]
            case list():
                return [self._resolved(each) for each in value]
            case dict():
                spread = self._resolved(value["..."]) if "..." in value else {}
                return {**spread, **{name: self._resolved(each) for name, each in value.items() if name != "..."}}
        return value


def _matched(got: Any, wanted: Any, at: str = "answer") -> Iterator[str]:
    """The differences."""
    if isinstance(wanted, dict) and isinstance(got, dict) and wanted.keys() == got.keys():
        for name in wanted:
            yield from _matched(got[name], wanted[name], f"{at}.{name}")
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for number, each in enumerate(wanted):
            yield from _matched(got[number], each, f"{at}[{number}]")
    elif not _is_same(got, wanted, at):
        yield f"{at} is {got!r}, not {wanted!r}"


def _is_same(got: Any, wanted: Any, at: str) -> bool:
    if wanted == "<id>":
        return isinstance(got, str) and got != ""
    if at.endswith(".score"):
        return bool(abs(got - wanted) < 1e-5)
    return type(got) is type(wanted) and bool(got == wanted)


@pytest.mark.parametrize("name", CASES)
def test_the_terminal_device_answers_as_every_executor_does(name: str, executor: Executor, clock: ManualClock) -> None:
    clock.now = 1000
    CaseRunner(executor, clock).run(CASES[name])
