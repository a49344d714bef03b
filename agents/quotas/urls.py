"""The address of what is used, below ``/api/v1/``."""

from django.urls import URLPattern, path

from agents.quotas.api import UsageView
from agents.quotas.keeper import QuotaKeeper


def addresses(quotas: QuotaKeeper) -> list[URLPattern]:
    """``quotas`` are those of the process, which its turns are held to."""
    return [path("usage", UsageView.as_view(quotas=quotas))]
