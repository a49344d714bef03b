from django.apps import AppConfig


class AdiuvaConfig(AppConfig):
    """The wiring: settings, checks, the embedded database."""

    name = "adiuva"
