"""Each rule of the protocol, and the tests that prove it.

The page's connection rules, close codes, error codes and capabilities must all be listed here, and
every test named here must exist: this fails if a rule is added without a test or a test is removed.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from chat.protocol.frames.vocabulary import Capability, CloseCode, ErrorCode

pytestmark = pytest.mark.contracts

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")

CONSUMER = "tests/chat/test_consumer.py"
COSTS = "tests/chat/protocol/test_frame_costs.py"
ENCRYPTED = "tests/adiuva/server/test_encrypted_only.py"
FLOODING = "tests/chat/test_flooding.py"
FRAMES = "tests/chat/protocol/test_frames.py"
UVICORN = "tests/chat/test_on_uvicorn.py"
WIRE = "tests/end_to_end/test_wire.py"
LINKS = "tests/chat/devices/test_links.py"
REVOCATION = "tests/chat/test_revocation.py"
RESUMING = "tests/chat/test_resuming.py"
FAULTS = "tests/faults/test_device_faults.py"
AWAY = "tests/faults/test_database_away.py"
CLUSTER = "tests/chat/cluster/test_node.py"
PROCESSES = "tests/end_to_end/test_processes.py"
SUPERVISOR = "tests/chat/turns/test_supervisor.py"
LEAVING = "tests/chat/test_services.py"
SIDEBAR = "tests/chat/turns/test_contextual.py"
APPROVALS = "tests/chat/devices/test_approvals.py"

CONNECTION_RULES = {
    "address": [f"{CONSUMER}::test_a_device_is_welcomed", f"{CONSUMER}::test_another_address_is_refused"],
    "credentials": [
        f"{CONSUMER}::test_a_browser_brings_its_token_as_a_subprotocol",
        f"{WIRE}::test_a_browser_signs_in_by_subprotocol",
        f"{WIRE}::test_a_token_in_the_address_is_no_credential",
    ],
    "the server cannot reach its database": [
        f"{AWAY}::test_each_interface_refuses_without_database_and_recovers",
    ],
    "a process looks up the tokens or hellos of 64 devices, as after a restart, and 1,024 more wait, or this one has "
    "waited for 5 s": [
        f"{FLOODING}::test_handshakes_that_have_waited_for_long_are_told_to_come_later",
    ],
    "more than 10 sockets of a user on all processes, more than 60 connections in a minute, or a device too many "
    "(settings)": [
        "tests/chat/cluster/test_socket_limit.py::test_a_user_has_only_so_many_sockets_and_keeps_those",
        f"{FLOODING}::test_too_many_connections_are_refused_without_a_look_at_the_token",
        f"{FLOODING}::test_a_device_too_many_is_told_and_may_come_later",
    ],
    "bad, expired or revoked token": [
        f"{CONSUMER}::test_a_bad_token_is_reported_and_closed",
        f"{WIRE}::test_bad_tokens_are_reported_and_closed",
    ],
    "foreign `Origin`": [
        f"{CONSUMER}::test_a_foreign_origin_is_refused_before_the_handshake",
        f"{UVICORN}::test_a_foreign_origin_is_refused_with_403",
    ],
    "no TLS": [
        f"{ENCRYPTED}::test_an_unencrypted_handshake_is_refused_before_its_token_is_read",
        "tests/device/test_addresses.py::test_no_password_or_token_goes_unencrypted_to_another_machine",
    ],
    "first frame": [
        f"{CONSUMER}::test_the_first_frame_is_hello",
        f"{CONSUMER}::test_who_does_not_say_hello_is_closed",
        f"{CONSUMER}::test_hello_is_said_once",
    ],
    "token expires while connected": [
        f"{CONSUMER}::test_a_token_that_runs_out_is_announced_and_closes_the_socket",
        f"{CONSUMER}::test_a_fresh_token_keeps_the_socket",
        f"{CONSUMER}::test_an_unknown_or_another_users_token_does_not_renew",
    ],
    "logout everywhere, deactivated or erased user, removed device": [
        f"{REVOCATION}::test_access_that_ends_closes_its_sockets_at_once",
        f"{REVOCATION}::test_socket_is_closed_though_the_hint_was_lost",
        f"{REVOCATION}::test_turns_of_the_device_are_cancelled_and_no_others",
        f"{REVOCATION}::test_all_sockets_are_one_question",
        f"{REVOCATION}::test_asking_leaves_time_to_close_within_what_the_protocol_gives",
    ],
    "heartbeat": [
        f"{CONSUMER}::test_the_server_pings",
        f"{CONSUMER}::test_a_client_that_promised_pongs_is_closed_when_it_is_silent",
        f"{CONSUMER}::test_any_frame_is_a_sign_of_life",
        f"{UVICORN}::test_the_server_pings_and_bounds_frames_as_the_protocol_says",
    ],
    "server stops (SIGTERM)": [
        f"{LEAVING}::test_clients_are_told_turns_end_and_sockets_close",
        f"{LEAVING}::test_a_turn_that_does_not_end_is_cut_off",
        f"{UVICORN}::test_a_stopping_server_lets_turns_end_and_closes_with_1012",
    ],
    "frame over `max_frame_bytes` (4 MiB, a setting)": [f"{WIRE}::test_a_frame_over_the_limit_closes_with_1009"],
    "a request (not an answer to a call) over 256 KiB or 20,000 values, an answer over 200,000 values (settings)": [
        f"{CONSUMER}::test_a_large_request_is_refused_and_a_large_answer_is_not",
        f"{CONSUMER}::test_an_answer_that_cannot_be_read_fails_its_call_at_once",
        f"{FRAMES}::test_a_request_of_too_many_values_is_too_large",
        f"{FRAMES}::test_an_answer_of_too_many_values_is_too_large_and_names_its_call",
    ],
    "half of a surrogate pair in a string": [
        f"{FRAMES}::test_half_a_surrogate_pair_is_replaced",
        f"{COSTS}::test_halves_are_replaced_and_nothing_else",
        f"{COSTS}::test_escaped_halves_count_as_values",
    ],
    "`NaN`, `Infinity`, or a number beyond those of IEEE 754, such as `1e999`": [
        f"{FRAMES}::test_a_number_that_is_not_finite_is_null",
    ],
    "a binary frame, or text that is not a JSON object with a known `type`": [
        f"{CONSUMER}::test_bad_frames_are_reported_and_the_socket_stays",
        f"{WIRE}::test_malformed_binary_and_unknown_frames_leave_the_socket_open",
    ],
    "20 frames in a row that are `bad_frame`, `unknown_type`, `invalid`, `too_large` or `hello_required`": [
        f"{CONSUMER}::test_twenty_bad_frames_in_a_row_close_the_socket",
        f"{CONSUMER}::test_twenty_frames_in_a_row_before_the_hello_close_the_socket",
    ],
    "frames faster than 20 a second on a socket, or 40 of a user on a process, beyond what five seconds allow; or "
    "frames of a user whose reading takes more than a twentieth of the process's time (settings). Answers to open "
    "calls do not count": [
        "tests/chat/test_pace.py::test_five_seconds_worth_is_read_at_once_and_the_rest_at_the_rate",
        "tests/chat/test_pace.py::test_sockets_of_a_user_share_a_rate_and_a_new_one_is_no_new_start",
        f"{FLOODING}::test_frames_that_come_too_fast_are_read_later_and_not_lost",
        f"{FLOODING}::test_an_answer_to_a_call_never_waits",
        f"{FLOODING}::test_only_the_first_answer_to_a_call_is_free_and_nothing_that_only_looks_like_one",
        f"{FLOODING}::test_a_flood_is_told_and_then_closes_the_socket",
        "tests/chat/test_pace.py::test_frames_that_cost_the_event_loop_much_leave_it_to_others_afterwards",
    ],
    "a burst of a user's connections, requests, or frames that need the database": [
        f"{FLOODING}::test_connections_of_a_burst_go_on_one_by_one",
        f"{FLOODING}::test_requests_of_a_burst_begin_one_by_one_and_can_be_cancelled_before",
        f"{FLOODING}::test_a_users_sockets_share_a_pace_of_what_needs_the_database",
    ],
    "messages of more than 64 KiB of a user, answers too": [
        "tests/adiuva/server/test_paced_reading.py::test_large_messages_that_share_a_bucket_are_read_at_its_pace",
        "tests/adiuva/server/test_paced_reading.py::test_small_messages_do_not_wait_for_large_ones",
    ],
    "over 32 frames of a socket that wait for the database or for another process, or over 32 turns that it watches": [
        f"{FLOODING}::test_what_needs_the_database_waits_in_order_and_holds_up_nothing_else",
        f"{FLOODING}::test_a_socket_watches_only_so_many_turns",
    ],
    "a client that does not read": [
        f"{UVICORN}::test_a_client_that_does_not_read_is_closed_and_its_turn_goes_on",
        "tests/chat/test_transport.py::test_put_waits_while_the_client_does_not_read",
    ],
    "more than `max_concurrent_requests` (8) running turns, or over the rate limit": [
        f"{CONSUMER}::test_too_many_turns_at_once_are_refused",
        f"{CONSUMER}::test_too_many_requests_in_a_minute_are_refused",
    ],
}

CLOSE_CODES = {
    CloseCode.NORMAL: [f"{CONSUMER}::test_closing_a_socket_leaves_no_task_behind"],
    CloseCode.TOO_LARGE: CONNECTION_RULES["frame over `max_frame_bytes` (4 MiB, a setting)"],
    CloseCode.RESTARTING: CONNECTION_RULES["server stops (SIGTERM)"],
    CloseCode.TRY_LATER: [f"{FLOODING}::test_too_many_connections_are_refused_without_a_look_at_the_token"],
    CloseCode.PROTOCOL_ABUSE: [f"{CONSUMER}::test_twenty_bad_frames_in_a_row_close_the_socket"],
    CloseCode.CREDENTIALS: CONNECTION_RULES["bad, expired or revoked token"],
    CloseCode.REVOKED: CONNECTION_RULES["logout everywhere, deactivated or erased user, removed device"],
    CloseCode.SILENT: [
        f"{UVICORN}::test_a_silent_client_that_promised_pongs_is_closed",
        "tests/adiuva/server/test_slow_clients.py::test_a_frame_that_does_not_end_closes_its_socket",
    ],
    CloseCode.REPLACED: [f"{CONSUMER}::test_a_newer_socket_of_a_device_takes_the_older_ones_place"],
    CloseCode.TOO_SLOW: CONNECTION_RULES["a client that does not read"],
}

FAILING = [f"{CONSUMER}::test_a_turn_that_fails_ends_with_its_error"]
ERROR_CODES = {
    ErrorCode.UNAUTHORIZED: CONNECTION_RULES["bad, expired or revoked token"],
    ErrorCode.TOKEN_EXPIRED: CONNECTION_RULES["token expires while connected"],
    ErrorCode.HELLO_REQUIRED: CONNECTION_RULES["first frame"],
    ErrorCode.BAD_FRAME: ["tests/chat/protocol/test_frames.py::test_what_is_no_frame_is_bad"],
    ErrorCode.UNKNOWN_TYPE: ["tests/chat/protocol/test_frames.py::test_an_unknown_type_is_named_so"],
    ErrorCode.INVALID: ["tests/chat/protocol/test_frames.py::test_wrong_fields_are_listed"],
    ErrorCode.TOO_LARGE: CONNECTION_RULES[
        "a request (not an answer to a call) over 256 KiB or 20,000 values, an answer over 200,000 values (settings)"
    ],
    ErrorCode.BUSY: [f"{SUPERVISOR}::test_a_user_runs_only_so_many_at_once_on_all_devices"],
    ErrorCode.RATE_LIMITED: [f"{FLOODING}::test_a_flood_is_told_and_then_closes_the_socket"],
    ErrorCode.NOT_AVAILABLE: [f"{CONSUMER}::test_what_is_not_offered_is_said_to_be_not_available"],
    ErrorCode.UNKNOWN_REQUEST: [
        f"{CONSUMER}::test_another_users_request_reads_like_one_that_never_was",
        f"{WIRE}::test_another_users_ids_are_unknown",
        f"{RESUMING}::test_what_is_not_kept_reads_like_what_never_was_and_what_is_anothers",
    ],
    ErrorCode.REQUEST_ID_REUSED: [
        f"{CONSUMER}::test_a_repeated_request_does_not_run_twice_but_starts_over",
        f"{CLUSTER}::test_same_id_with_another_body_is_refused_on_any_process",
    ],
    ErrorCode.TURN_LOST: [
        f"{CLUSTER}::test_turn_of_a_process_that_died_is_lost_and_what_was_written_is_read_first",
        f"{PROCESSES}::test_killed_process_loses_its_turns_soon_and_no_write_happens_twice",
        "tests/chat/devices/test_approvals.py::test_a_question_survives_a_server_that_stops",
    ],
    ErrorCode.SHUTTING_DOWN: [f"{SUPERVISOR}::test_draining_lets_turns_end_then_cuts_them_off"],
    ErrorCode.QUOTA_EXCEEDED: [
        "tests/chat/test_runner.py::test_what_is_used_up_is_an_error_that_says_when_there_is_more",
    ],
    ErrorCode.MODEL_UNAVAILABLE: FAILING,
    ErrorCode.MODEL_REFUSED: FAILING,
    ErrorCode.MODEL_ERROR: FAILING,
    ErrorCode.INTERNAL_ERROR: FAILING,
}

# The capabilities that this server uses; it accepts and ignores others.
CAPABILITIES = {
    Capability.PONG: CONNECTION_RULES["heartbeat"],
    Capability.DATA_FRAMES: [f"{LINKS}::test_a_client_with_data_frames_gets_its_own_types"],
    Capability.PAGE_DETAILS: [f"{SIDEBAR}::test_page_details_are_the_same_composed_or_asked_for"],
    Capability.APPROVALS: [
        f"{APPROVALS}::test_what_was_approved_is_done_after_it_was_shown",
        f"{APPROVALS}::test_a_client_that_cannot_ask_is_refused_at_once",
        f"{APPROVALS}::test_a_device_that_is_back_is_asked_again_under_the_same_id",
    ],
    Capability.LEDGER: [
        f"{LINKS}::test_a_device_that_comes_back_is_asked_again_with_the_same_id",
        f"{WIRE}::test_a_device_that_drops_mid_call_comes_back_to_the_same_call",
    ],
}

TURN_RULES = {
    "numbers without gaps": [f"{CONSUMER}::test_a_home_answer_streams_numbered_frames"],
    "the last frame comes whatever happens": [*FAILING, f"{SUPERVISOR}::test_a_cancelled_turn_writes_its_last_frame"],
    "a turn outlives its socket": [
        f"{CONSUMER}::test_a_turn_outlives_its_socket_and_is_resumed",
        f"{RESUMING}::test_a_turn_that_ended_is_replayed_from_any_number",
        f"{RESUMING}::test_only_turns_that_run_and_are_the_devices_own_are_to_be_resumed",
        "tests/faults/test_cuts.py::test_turns_over_cut_sockets_lose_and_repeat_nothing",
    ],
    "a request id is claimed once": [
        f"{RESUMING}::test_the_same_request_at_the_same_instant_on_two_sockets_runs_once",
        f"{CONSUMER}::test_a_repeated_request_does_not_run_twice_but_starts_over",
    ],
    "another device may watch, and is not called": [
        f"{RESUMING}::test_another_device_of_the_user_watches_and_is_not_called"
    ],
    "all of it holds over several processes": [
        f"{CLUSTER}::test_turn_of_one_process_is_read_on_the_other_while_it_is_written",
        f"{CLUSTER}::test_device_that_comes_back_elsewhere_is_told_of_its_turns_and_reads_the_rest",
        f"{CLUSTER}::test_another_users_turn_reads_like_one_that_never_was",
        f"{CLUSTER}::test_same_request_on_another_process_shows_the_turn_that_runs",
        f"{CLUSTER}::test_call_follows_the_device_to_another_process",
        f"{CLUSTER}::test_cancelling_reaches_the_process_that_writes",
        f"{PROCESSES}::test_answer_begun_before_a_restart_is_read_to_its_end_elsewhere",
        "tests/faults/test_cuts_over_redis.py",
    ],
    "frames for Redis are encrypted with the user's key": [
        "tests/chat/cluster/test_redis.py::test_nothing_that_users_say_store_or_receive_is_readable"
    ],
    "a device that drops has the rest of its time": [
        "tests/chat/devices/test_link_model.py::LinkMachine",
        f"{RESUMING}::test_a_device_that_comes_back_answers_what_it_was_asked_before",
        f"{RESUMING}::test_a_late_answer_on_the_next_socket_counts_while_the_turn_runs",
        f"{FAULTS}::test_device_recovers_from_cut_after_any_number_of_bytes",
        f"{FAULTS}::test_half_open_connection_is_detected_and_replaced",
    ],
    "the popup's domain comes first": [f"{CONSUMER}::test_a_popup_names_its_domain_before_any_text"],
    "requests of a session run in order, navigation costs no model call": [
        f"{SIDEBAR}::test_requests_of_a_session_run_in_order_and_of_others_beside_them",
        f"{SIDEBAR}::test_a_waiting_request_counts_as_running_and_can_be_cancelled",
        f"{SIDEBAR}::test_navigation_is_acknowledged_and_told_in_the_next_turn",
        f"{SIDEBAR}::test_navigation_during_a_turn_is_for_the_request_after_it",
    ],
    "the viewed project is a boundary": [
        f"{SIDEBAR}::test_a_change_beyond_the_viewed_project_is_refused_without_approvals"
    ],
    "the client's history wins over the server's": [
        f"{SIDEBAR}::test_the_clients_history_wins",
        f"{SIDEBAR}::test_sessions_and_users_share_nothing",
    ],
    "briefs are written from what was read first": [
        "tests/chat/turns/test_briefs.py::test_all_rows_are_read_beside_each_other_before_the_model_starts",
        "tests/chat/turns/test_briefs.py::test_a_day_that_is_none_is_refused",
        "tests/chat/turns/test_briefs.py::test_a_read_that_is_refused_leaves_the_others",
        "tests/chat/turns/test_briefs.py::test_a_device_that_does_not_answer_is_said_without_a_model",
        "tests/chat/turns/test_briefs.py::test_a_task_that_there_is_none_of_is_said_without_a_model",
    ],
    "frames are kept for a while": [
        f"{SUPERVISOR}::test_a_turn_runs_to_its_end_and_stays_for_a_while",
        f"{RESUMING}::test_frames_are_kept_for_ten_minutes",
    ],
    "cancelling closes the model's stream": [f"{WIRE}::test_cancelling_closes_the_models_stream"],
    "a read without an answer failed, a write's outcome is unknown": [
        "tests/agents/engine/test_executor.py::test_failures_are_reported_in_a_sentence",
        "tests/agents/tools/test_client.py::test_unanswered_change_is_not_sent_twice",
        f"{WIRE}::test_a_device_that_never_answers_is_reported_to_the_model",
    ],
    "a late answer counts while the turn runs": [
        "tests/agents/tools/test_client.py::test_late_answer_is_recorded_as_change",
        f"{LINKS}::test_a_late_answer_is_reported_while_the_turn_runs",
    ],
    "reads together, writes one by one": [
        "tests/agents/engine/test_loop.py::test_adjacent_reads_run_together_and_writes_alone"
    ],
    "a question is open until one answer, its turn's end or its time": [
        f"{APPROVALS}::test_of_answers_by_socket_and_by_rest_at_once_one_counts",
        f"{APPROVALS}::test_a_cancelled_turn_cancels_its_question",
        f"{APPROVALS}::test_what_is_not_answered_in_time_is_not_done",
        "tests/agents/permissions/approvals/test_repository.py::test_one_of_concurrent_answers_and_expiry_wins",
    ],
    "reads go ahead of a change that waits": [
        f"{APPROVALS}::test_other_turns_and_reads_of_the_turn_go_on_meanwhile",
        "tests/agents/engine/test_loop.py::test_reads_run_while_earlier_change_waits_for_user_and_later_changes_wait",
    ],
    "rows are untrusted": [
        f"{LINKS}::test_another_kind_of_answer_is_refused",
        f"{LINKS}::test_each_action_has_its_own_answer",
        "tests/agents/tools/test_tools.py::test_malformed_rows_are_rendered_without_failing",
    ],
    "cutting changes nothing": ["tests/chat/formatters/test_formatter.py"],
}

HOLDERS: list[list[str]] = [
    *CONNECTION_RULES.values(),
    *CLOSE_CODES.values(),
    *ERROR_CODES.values(),
    *CAPABILITIES.values(),
    *TURN_RULES.values(),
]
NAMED = sorted({test for tests in HOLDERS for test in tests})


@cache
def names_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


@pytest.mark.parametrize("test", NAMED)
def test_what_holds_a_rule_exists(test: str) -> None:
    path, _, name = test.partition("::")

    assert (ROOT / path).exists()
    assert not name or name in names_in(path)


def test_every_connection_rule_is_held() -> None:
    table = PAGE.split("## Connecting\n\n")[1].split("\n\n")[0]
    rules = re.findall(r"^\| (?!---)([^|]+?) \|", table, re.MULTILINE)

    assert rules == list(CONNECTION_RULES)


def test_every_code_is_held() -> None:
    assert CLOSE_CODES.keys() == set(CloseCode)
    assert ERROR_CODES.keys() == set(ErrorCode)
    assert CAPABILITIES.keys() <= set(Capability)
