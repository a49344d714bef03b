from django.apps import AppConfig


class AdiuvaConfig(AppConfig):
    """The wiring: settings, checks, the embedded database."""

    name = "adiuva"

    def ready(self) -> None:
        # Not at the top: registering checks needs settings, which are not there while apps are being listed.
        from adiuva import checks  # noqa: F401
