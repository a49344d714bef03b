from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.core.checks import Tags, run_checks
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from adiuva.checks import TAG, refuse_bad_start
from tests.adiuva.production import environment, manage, production


@pytest.fixture
def production_settings(settings: Settings) -> Settings:
    settings.DEBUG = False
    settings.SECRET_KEY_IS_SET = True
    settings.SECRET_KEY = "".join(chr(ord("a") + number % 26) for number in range(50))
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    settings.ALLOWED_HOSTS = ["adiuva.example"]
    settings.DATABASE_URL = "postgresql://db.example/adiuva"
    return settings


def found(tag: str = TAG) -> list[str]:
    return sorted(str(message.id) for message in run_checks(tags=[tag], include_deployment_checks=True))


def test_complete_configuration_passes(production_settings: Settings) -> None:
    assert found() == []
    refuse_bad_start()


def test_everything_missing_is_listed_and_the_first_stops_the_start(production_settings: Settings) -> None:
    production_settings.SECRET_KEY_IS_SET = False
    production_settings.MASTER_KEYS = " "
    production_settings.ALLOWED_HOSTS = []
    assert found() == ["adiuva.E001", "adiuva.E003", "adiuva.E005"]
    with pytest.raises(ImproperlyConfigured, match=r"^There is no secret key\. Set ADIUVA_SECRET_KEY to"):
        refuse_bad_start()


@pytest.mark.parametrize("key", ["abcdef" * 8, "ab" * 40, "django-insecure-" + "abcdefgh" * 8])
def test_secret_key_that_can_be_guessed_is_refused(production_settings: Settings, key: str) -> None:
    production_settings.SECRET_KEY = key
    assert found() == ["adiuva.E002"]


def test_malformed_master_key_is_named_by_place_and_not_shown(production_settings: Settings) -> None:
    production_settings.MASTER_KEYS = f"{Fernet.generate_key().decode()},s3cret"
    assert found() == ["adiuva.E004"]
    with pytest.raises(ImproperlyConfigured, match="Master key 2 of 2") as caught:
        refuse_bad_start()
    assert "s3cret" not in str(caught.value)


def test_anthropics_models_without_their_sdk_are_refused(
    production_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    production_settings.ANTHROPIC_API_KEY = "sk-ant"
    assert found() == []
    monkeypatch.setattr("adiuva.checks.find_spec", lambda _: None)
    assert found() == ["adiuva.E008"]


def test_authorities_of_the_system_that_psycopg_does_not_find_are_refused(
    production_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(production_settings.DATABASES["default"]["OPTIONS"], "sslrootcert", "system")
    monkeypatch.setattr("psycopg.pq.__impl__", "binary")
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt")
    assert found() == []
    monkeypatch.delenv("SSL_CERT_FILE")
    assert found() == ["adiuva.E009"]
    with pytest.raises(ImproperlyConfigured, match=r"which psycopg does not find\. Set SSL_CERT_FILE to their file"):
        refuse_bad_start()
    monkeypatch.setattr("psycopg.pq.__impl__", "c")  # it has the OpenSSL of the system
    assert found() == []


def test_any_host_is_refused(production_settings: Settings) -> None:
    production_settings.ALLOWED_HOSTS = ["adiuva.example", "*"]
    assert found() == ["adiuva.E005"]


def test_development_needs_only_valid_master_keys(production_settings: Settings) -> None:
    production_settings.DEBUG = True
    production_settings.SECRET_KEY_IS_SET = False
    production_settings.ALLOWED_HOSTS = []
    assert found() == []


def test_debugging_and_the_embedded_database_are_reported_before_a_deployment(production_settings: Settings) -> None:
    assert "adiuva.E006" not in found(Tags.security)
    assert found(Tags.database) == []
    production_settings.DEBUG = True
    production_settings.DATABASE_URL = ""
    assert "adiuva.E006" in found(Tags.security)
    assert found(Tags.database) == ["adiuva.W001"]


def test_deployment_check_of_a_production_configuration_is_clean(tmp_path: Path) -> None:
    checked = manage("check", "--deploy", "--fail-level", "WARNING", env=production(tmp_path))
    # Nothing answers at the address of the database.
    assert (checked.returncode, "adiuva.I001" in checked.stderr) == (0, True), checked
    assert "identified 1 issue" in checked.stderr


def test_deployment_check_of_an_empty_configuration_lists_what_is_missing(tmp_path: Path) -> None:
    checked = manage("check", "--deploy", env=environment(tmp_path))
    assert checked.returncode == 1
    assert [name for name in ("E001", "E003", "E005", "W001") if f"adiuva.{name}" in checked.stderr] == [
        "E001", "E003", "E005", "W001"
    ]  # fmt: skip


def test_deployment_check_refuses_debugging(tmp_path: Path) -> None:
    checked = manage("check", "--deploy", env=production(tmp_path, ADIUVA_DEBUG="1"))
    assert checked.returncode == 1
    assert "adiuva.E006" in checked.stderr


def test_malformed_variable_is_one_sentence(tmp_path: Path) -> None:
    checked = manage("check", env=environment(tmp_path, ADIUVA_DEBUG="maybe"))
    assert (checked.returncode, checked.stderr) == (2, "ADIUVA_DEBUG is 'maybe': set it to 1 or 0.\n")


def test_staff_without_a_second_factor_are_warned_of(production_settings: Settings) -> None:
    production_settings.STAFF_SECOND_FACTOR = "OPTIONAL"
    assert "adiuva.W010" in found(Tags.security)
    production_settings.STAFF_SECOND_FACTOR = "REQUIRED"
    assert "adiuva.W010" not in found(Tags.security)
