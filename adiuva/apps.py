from django.apps import AppConfig


class AdiuvaConfig(AppConfig):
    """Settings, checks, the server process and its wiring."""

    name = "adiuva"

    def ready(self) -> None:
        # Not at the top: registering checks needs settings, which are not ready while Django lists the apps.
        from adiuva import checks  # noqa: F401
