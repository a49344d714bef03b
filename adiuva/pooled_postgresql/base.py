"""Django looks for ``base.DatabaseWrapper`` in the package that ``ENGINE`` names."""

from adiuva.database.pool import DatabaseWrapper

__all__ = ["DatabaseWrapper"]
