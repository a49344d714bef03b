"""``OPTIONS`` says by the header ``Allow`` which methods an address has, and nothing else."""

from typing import Any

from rest_framework.metadata import BaseMetadata
from rest_framework.request import Request


class AllowedMethods(BaseMetadata):
    """REST framework's ``DEFAULT_METADATA_CLASS``. Its own one tells of the code: names and docstrings of views."""

    def determine_metadata(self, request: Request, view: Any) -> None:  # noqa: ARG002 (REST framework passes them)
        return None
