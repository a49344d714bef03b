"""Django's backend for PostgreSQL, whose pool gets over a database that was restarted."""
