from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva import env as env_module
from adiuva.env import (
    Environment,
    check_langfuse_access,
    checked_amqp_url,
    langfuse_environment,
    otlp_headers,
    relying_party_id,
    sentry_dsn,
)


def env(**variables: str) -> Environment:
    return Environment(variables)


@pytest.mark.parametrize(
    ("value", "expected"), [("1", True), ("Yes", True), ("ON", True), ("0", False), ("No", False), (" false ", False)]
)
def test_flag_reads_the_usual_words(value: str, *, expected: bool) -> None:
    assert env(A=value).flag("A", default=not expected) is expected


@pytest.mark.parametrize("default", [True, False])
def test_flag_that_is_empty_is_not_set(*, default: bool) -> None:
    assert env(A=" ").flag("A", default=default) is default
    assert env().flag("A", default=default) is default


def test_absent_values_are_the_defaults() -> None:
    assert env().flag("A", default=True) is True
    assert env().text("A", "text") == "text"
    assert env(A=" ").text("A", "text") == "text"
    assert env().integer("A", 3) == 3
    assert env().days("A", 90, least=30) == 90
    assert env().seconds("A", 1.5) == 1.5
    assert env().listing("A", ("x",)) == ["x"]
    assert env().path("A", Path("/x")) == Path("/x")
    assert env().choice("A", "ONE", ("ONE", "TWO")) == "ONE"
    assert env().url("A", schemes=("http",)) == ""
    assert env().secret("A") == ""


def test_values_are_read_as_their_type() -> None:
    assert env(A=" 12 ").integer("A", 3, minimum=12) == 12
    assert env(A=r"Instruct: find\nQuery: ").prefix("A") == "Instruct: find\nQuery: "
    assert [env(A=days).days("A", 90, least=30) for days in ("0", "30", "36500")] == [0, 30, 36500]
    assert env(A="0.25").seconds("A", 1.0) == 0.25
    assert env(A=" x, ,y ,").listing("A", ("z",)) == ["x", "y"]
    assert env(A="").listing("A", ("z",)) == []
    assert env(A="/tmp/../srv").path("A", Path("/x")) == Path("/srv")
    assert env(A="two").choice("A", "ONE", ("ONE", "TWO")) == "TWO"
    assert env(A="https://x").url("A", schemes=("http", "https")) == "https://x"


def test_wrong_values_stop_the_start_with_the_variable_and_what_to_set() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A is 'maybe': set it to 1 or 0\.$"):
        env(A="maybe").flag("A")
    with pytest.raises(ImproperlyConfigured, match=r"^A is 'x': set it to a whole number\.$"):
        env(A="x").integer("A", 1)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 1: set it to 2 or more\.$"):
        env(A="1").integer("A", 3, minimum=2)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 5: set it to 4 or less\.$"):
        env(A="5").integer("A", 3, maximum=4)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 2147483648: set it to 2147483647 or less\.$"):
        env(A="2147483648").integer("A", 3)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 29: set it to 30 or more, or to 0 for no end\.$"):
        env(A="29").days("A", 90, least=30)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 36501: set it to 36500 or less, or to 0 for no end\.$"):
        env(A="36501").days("A", 90)
    with pytest.raises(ImproperlyConfigured, match=r"^A is -1: set it to 0 or more\.$"):
        env(A="-1").days("A", 90)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 'x': set it to a number of seconds\.$"):
        env(A="x").seconds("A", 1)
    with pytest.raises(ImproperlyConfigured, match=r"^A is '1e18': set it to 31536000 or less\.$"):
        env(A="1e18").seconds("A", 1)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 'THREE': set it to one of ONE, TWO\.$"):
        env(A="three").choice("A", "ONE", ("ONE", "TWO"))


@pytest.mark.parametrize(
    "value",
    [
        *("app.example.com", "https://", "https://app.example.com/", "https://*.example.com", "*"),
        *("https://app example.com", "https://app.example.com:99999", "https://ada@app.example.com"),
    ],
)
def test_origin_that_no_page_could_have_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A holds '.*': write each origin as https://app\.example\.com"):
        env(A=f"https://one.example.com:8443, {value}").origins("A")


def test_names_of_the_server_are_those_that_a_request_can_name() -> None:
    named = "adiuva.example, .Example.com, localhost, 192.0.2.1, [::1], my-host.0a, *"
    assert env(A=named).hosts("A") == named.split(", ")
    assert (env().hosts("A", ("localhost",)), env(A="").hosts("A", ("localhost",))) == (["localhost"], [])


@pytest.mark.parametrize(
    "value",
    [
        *("https://a.example", "a.example:8443", "a.example/x", "a.example b.example", "*.example", "a.example."),
        *("my_host", "è.example", "::1", "[::1", "[::g]", "[::1]:80", "."),
    ],
)
def test_name_that_no_request_can_name_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        env(A=f"adiuva.example, {value}").hosts("A")
    assert str(refused.value) == (
        f"A holds {value!r}: write each host name as adiuva.example.com, without a scheme and a port, with commas "
        "between them."
    )


def test_networks_are_addresses_and_networks() -> None:
    named = "127.0.0.1, ::1, 10.0.0.0/8, fd00::/8, *"
    assert env(A=named).networks("A") == named.split(", ")
    assert (env().networks("A", ("::1",)), env(A="").networks("A", ("::1",))) == (["::1"], [])


@pytest.mark.parametrize(
    ("value", "example"),
    [
        ("10.0.0.5/8", "10.0.0.0/8"),
        ("fd00::1/8", "fd00::/8"),
        *((each, "10.0.0.5 or 10.0.0.0/8") for each in ("10.0.0.0/33", "10.0.0.1 10.0.0.2", "proxy", "10.0.0")),
    ],
)
def test_invalid_network_is_refused_with_an_example(value: str, example: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        env(A=f"127.0.0.1, {value}").networks("A")
    assert str(refused.value) == (
        f"A holds {value!r}: write each address or network as {example}, with commas between them."
    )


def test_origins_keep_schemes_of_desktop_shells() -> None:
    assert env(A="https://one.example.com:8443, app://adiuva").origins("A") == [
        "https://one.example.com:8443",
        "app://adiuva",
    ]


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
def test_duration_must_be_positive_and_finite(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="set it to a positive number of seconds"):
        env(A=value).seconds("A", 1)


@pytest.mark.parametrize(
    ("value", "address"),
    [("127.0.0.1:9464", ("127.0.0.1", 9464)), ("[::1]:80", ("::1", 80)), ("localhost:1", ("localhost", 1)), ("", None)],
)
def test_address_to_listen_on_has_a_host_and_a_port(value: str, address: tuple[str, int] | None) -> None:
    assert env(WHERE=value).address("WHERE") == address


@pytest.mark.parametrize("value", ["9464", ":9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "::1:80", "a b:80"])
def test_invalid_address_to_listen_on_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^WHERE is '.*': write a host and a port"):
        env(WHERE=value).address("WHERE")


def test_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A is not an address: start it with http:// or https://\.$"):
        env(A="ftp://ada:s3cret@x").url("A", schemes=("http", "https"))


@pytest.mark.parametrize("host", ["", "[x", "h:99999", "h:0", "h:x", "h h", ":80"])
def test_address_without_a_host_that_can_be_is_refused(host: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A cannot be read: write https://host or https://host:port\.$"):
        env(A=f"http://{host}/v1").url("A", schemes=("http", "https"))
    assert env(A="http://my_host:8000/v1").url("A", schemes=("http", "https")) == "http://my_host:8000/v1"


def test_secret_comes_from_its_variable_or_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    assert env(A="s3cret").secret("A") == "s3cret"
    assert env(A_FILE=str(file)).secret("A") == "from the file"
    with pytest.raises(ImproperlyConfigured, match="Both A and A_FILE are set"):
        env(A="s3cret", A_FILE=str(file)).secret("A")


def test_token_that_no_header_can_contain_is_refused_and_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("sk-1\n")
    assert (env(A_FILE=str(file)).token("A"), env().token("A")) == ("sk-1", "")
    for value in ("“sk-1”", "sk-1 sk-2", "sk-1\x01"):
        with pytest.raises(ImproperlyConfigured) as refused:
            env(A=value).token("A")
        assert str(refused.value) == "A has spaces, or characters that are not ASCII: copy it again."


def test_secret_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    for file in (tmp_path / "absent", tmp_path, binary):
        with pytest.raises(ImproperlyConfigured, match="A_FILE names a file that cannot be read"):
            env(A_FILE=str(file)).secret("A")


@pytest.mark.parametrize(
    "url", ["amqp://localhost", "amqp://user:p%40ss@rabbit.example:5673/adiuva", "amqps://rabbit.example/?heartbeat=10"]
)
def test_address_of_a_broker_is_taken_as_it_is(url: str) -> None:
    assert checked_amqp_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("localhost:5672", "http://:s3cret@localhost", "amqp://", "amqp://:s3cret@localhost:port/"),
        *("amqp://:s3cret@localhost/?heartbeat=often", "amqp://:s3cret@localhost/?timeout=1s"),
    ],
)
def test_other_address_is_refused_in_one_sentence_that_tells_no_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        checked_amqp_url(url)
    assert str(caught.value) == (
        "AMQP_URL cannot be read: write amqp://user:password@host:port/vhost, or amqps:// for TLS, with special "
        "characters percent-encoded."
    )


@pytest.mark.parametrize(
    ("public_key", "secret_key", "host", "given", "missing"),
    [
        ("pk", "", "", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
        ("", "sk", "http://lf", "LANGFUSE_SECRET_KEY and LANGFUSE_HOST", "LANGFUSE_PUBLIC_KEY"),
        ("", "", "http://lf", "LANGFUSE_HOST", "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"),
    ],
)
def test_half_a_configuration_is_refused(public_key: str, secret_key: str, host: str, given: str, missing: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        check_langfuse_access(public_key=public_key, secret_key=secret_key, host=host)
    assert str(refused.value) == f"{given} alone cannot reach Langfuse: set {missing}, too, or none of them."


@pytest.mark.parametrize(("key", "host"), [("", ""), ("k", ""), ("k", "http://lf")])
def test_all_of_it_and_none_of_it_are_accepted(key: str, host: str) -> None:
    check_langfuse_access(public_key=key, secret_key=key, host=host)


@pytest.mark.parametrize(
    ("given", "hosts", "debug", "found"),
    [
        ("", ["adiuva.example", "www.adiuva.example"], False, "adiuva.example"),
        ("", [".Adiuva.example"], False, "adiuva.example"),
        ("", ["192.0.2.1", "[::1]", "adiuva.example"], False, "adiuva.example"),
        ("", ["192.0.2.1"], False, ""),
        ("", [], False, ""),
        ("", ["localhost", "127.0.0.1"], True, "localhost"),
        ("Adiuva.example", ["app.adiuva.example"], False, "adiuva.example"),
        ("adiuva.example", ["localhost"], True, "adiuva.example"),
    ],
)
def test_passkeys_are_bound_to_a_host_name(given: str, hosts: list[str], found: str, *, debug: bool) -> None:
    assert relying_party_id("A", given, hosts, debug=debug) == found


@pytest.mark.parametrize("given", ["https://adiuva.example", "adiuva.example:8443", "192.0.2.1", "a..b", "-a.b", "a b"])
def test_host_name_that_no_passkey_could_have_is_refused(given: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A is '.*': set it to a host name such as adiuva\.example\.com"):
        relying_party_id("A", given, ["adiuva.example"], debug=False)


@pytest.mark.parametrize("name", ["", "staging", "eu-1_b"])
def test_an_environment_of_langfuse_is_taken(name: str) -> None:
    assert langfuse_environment(name) == name


@pytest.mark.parametrize("name", ["Staging", "langfuse-x", "a b", "x" * 41])
def test_an_environment_that_langfuse_refuses_stops_the_start(name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="LANGFUSE_TRACING_ENVIRONMENT"):
        langfuse_environment(name)


def test_headers_of_otlp_are_read_as_opentelemetry_writes_them() -> None:
    assert otlp_headers("") == {}
    assert otlp_headers("api-key=abc=, x-team = seven ,") == {"api-key": "abc=", "x-team": "seven"}


@pytest.mark.parametrize("value", ["secret-without-a-name", "=secret", "name=", "a b=secret", "name=sécret"])
def test_headers_that_cannot_be_read_stop_the_start_and_are_not_repeated(value: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        otlp_headers(value)
    assert str(refused.value) == "ADIUVA_OTLP_HEADERS cannot be read: set it to name=value,name=value."


def test_an_address_of_a_sentry_project_is_taken() -> None:
    assert [sentry_dsn(value) for value in ("", "https://key@sentry.example/4")] == ["", "https://key@sentry.example/4"]


@pytest.mark.parametrize(
    "value",
    ["sentry.example/4", "https://sentry.example/4", "ftp://key@sentry.example/4", "https://key@sentry.example/"],
)
def test_no_address_of_a_sentry_project_stops_the_start(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ADIUVA_SENTRY_DSN is not the address of a project"):
        sentry_dsn(value)


def test_reports_without_the_sdk_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env_module, "find_spec", lambda _: None)
    with pytest.raises(ImproperlyConfigured, match="pip install sentry-sdk"):
        sentry_dsn("https://key@sentry.example/4")
