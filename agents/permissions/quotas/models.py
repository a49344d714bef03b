"""The quotas that staff set for single users."""

from django.db import models

from accounts.models import OwnedQuerySet, User


class UserQuota(models.Model):
    """How many turns and tokens a user may use in a day. None: the installation's limit; 0: no limit."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="quota")
    turns = models.PositiveIntegerField(
        "turns a day", null=True, blank=True, help_text="Empty: as everybody. 0: no limit."
    )
    tokens = models.PositiveBigIntegerField(
        "tokens a day", null=True, blank=True, help_text="Of all models together. Empty: as everybody. 0: no limit."
    )
    updated_at = models.DateTimeField(auto_now=True)

    objects = OwnedQuerySet["UserQuota"].as_manager()

    class Meta:
        verbose_name = "quota"

    def __str__(self) -> str:
        return f"turns {_said(self.turns)}, tokens {_said(self.tokens)}"


def _said(limit: int | None) -> str:
    if limit is None:
        return "as everybody"
    return str(limit) if limit else "without a limit"
