from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.env import Environment


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
    with pytest.raises(ImproperlyConfigured, match=r"^A is 29: set it to 30 or more, or to 0 for no end\.$"):
        env(A="29").days("A", 90, least=30)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 36501: set it to 36500 or less, or to 0 for no end\.$"):
        env(A="36501").days("A", 90)
    with pytest.raises(ImproperlyConfigured, match=r"^A is -1: set it to 0 or more\.$"):
        env(A="-1").days("A", 90)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 'x': set it to a number of seconds\.$"):
        env(A="x").seconds("A", 1)
    with pytest.raises(ImproperlyConfigured, match=r"^A is 'THREE': set it to one of ONE, TWO\.$"):
        env(A="three").choice("A", "ONE", ("ONE", "TWO"))


@pytest.mark.parametrize(
    "value", ["app.example.com", "https://", "https://app.example.com/", "https://*.example.com", "*"]
)
def test_origin_that_no_page_could_have_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A holds '.*': write each origin as https://app\.example\.com"):
        env(A=f"https://one.example.com:8443, {value}").origins("A")


def test_origins_keep_schemes_of_desktop_shells() -> None:
    assert env(A="https://one.example.com:8443, app://adiuva").origins("A") == [
        "https://one.example.com:8443",
        "app://adiuva",
    ]


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
def test_duration_must_be_positive_and_finite(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="set it to a positive number of seconds"):
        env(A=value).seconds("A", 1)


def test_address_is_refused_without_repeating_it() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^A is not an address: start it with http:// or https://\.$"):
        env(A="ftp://ada:s3cret@x").url("A", schemes=("http", "https"))


def test_secret_comes_from_its_variable_or_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    assert env(A="s3cret").secret("A") == "s3cret"
    assert env(A_FILE=str(file)).secret("A") == "from the file"
    with pytest.raises(ImproperlyConfigured, match="Both A and A_FILE are set"):
        env(A="s3cret", A_FILE=str(file)).secret("A")


def test_secret_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    for file in (tmp_path / "absent", tmp_path, binary):
        with pytest.raises(ImproperlyConfigured, match="A_FILE names a file that cannot be read"):
            env(A_FILE=str(file)).secret("A")
