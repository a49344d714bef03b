"""The database backend that ``ENGINE`` names in settings (``adiuva/database/pool.py``)."""
