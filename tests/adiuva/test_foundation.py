import psycopg
import pytest
from django.db import connection


@pytest.mark.django_db
def test_database_has_vectors() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT '[1,0]'::vector <=> '[0,1]'::vector")
        assert cursor.fetchone() == (1.0,)


def test_fresh_database_is_empty(fresh_database_url: str) -> None:
    with psycopg.connect(fresh_database_url) as fresh:
        assert fresh.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone() == (0,)
