import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from adiuva.database import database_from_url


@pytest.mark.django_db
def test_test_database_has_vectors() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT '[1,0]'::vector <=> '[0,1]'::vector")
        assert cursor.fetchone() == (1.0,)


def test_fresh_database_is_empty(fresh_database_url: str) -> None:
    with psycopg.connect(fresh_database_url) as fresh:
        assert fresh.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)


def test_address_becomes_settings_with_a_pool() -> None:
    database = database_from_url("postgresql://ada:p%40ss@db.example:5433/adiuva?sslmode=require")
    assert database == {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "adiuva",
        "USER": "ada",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": 5433,
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": False,
        "OPTIONS": {"sslmode": "require", "pool": {"min_size": 1, "max_size": 20, "timeout": 10.0}},
    }


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_socket_folder_may_stand_for_the_host(scheme: str) -> None:
    assert database_from_url(f"{scheme}://adiuva@%2Frun%2Fpostgres/name")["HOST"] == "/run/postgres"


@pytest.mark.parametrize(
    "url",
    [
        "mysql://ada:s3cret@db/adiuva",
        "s3cret",
        "postgresql://",
        "postgresql://ada:s3cret@db",
        "postgresql://ada:s3cret@db:port/adiuva",
        "postgresql://ada:s3cret@[db/adiuva",
    ],
)
def test_address_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_URL ") as caught:
        database_from_url(url)
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
