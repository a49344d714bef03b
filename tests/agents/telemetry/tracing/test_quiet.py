import logging

import pytest

from agents.telemetry.tracing.quiet import quiet


def test_a_library_is_heard_once_a_minute_and_never_in_its_own_words(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    theirs = logging.getLogger("tests.chatty.part")
    for _ in range(2):
        quiet("tests.chatty", "it does not work", clock=lambda: now)
    for now in (0.0, 1.0, 59.9, 60.0, 61.0):  # noqa: B007 - the clock reads it
        theirs.error("I was sending %s", "quincunx")
        theirs.info("hello")
    said = [entry.message for entry in caplog.records if entry.name == "agents.telemetry.tracing.quiet"]
    assert said == ["it does not work"] * 2
