"""Which tools may run unasked: what a user has decided, by tool or by risk, and the defaults beneath it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.models import User
from agents.permissions.approvals.models import Decision, ToolPolicy
from agents.reading import Found, found_by
from agents.tools.spec.tool import Risk

DEFAULTS: Final[Mapping[Risk, Decision]] = MappingProxyType(
    {Risk.READ: Decision.AUTO, Risk.WRITE: Decision.AUTO, Risk.DESTRUCTIVE: Decision.ASK}
)
# By hand: every tool that changes something waits for it, and the ORM takes longer to put it together than the database
# to answer it.
POLICIES_OF: Final = "SELECT risk, tool, decision, remembered FROM agents_toolpolicy WHERE user_id = %s"


@dataclass(frozen=True, kw_only=True, slots=True)
class Policies:
    """A user's decisions. ``remembered`` names the tools whose decision came of an answer."""

    risks: Mapping[Risk, Decision] = field(default_factory=lambda: DEFAULTS)
    tools: Mapping[str, Decision] = field(default_factory=dict)
    remembered: frozenset[str] = frozenset()

    def decision(self, tool: str, risk: Risk) -> Decision:
        """What was decided about ``tool``, else about its risk.

        An answer that was remembered lets no destructive tool run unasked, even one that was none when it was given.
        """
        decided = self.tools.get(tool)
        if decided is Decision.AUTO and risk is Risk.DESTRUCTIVE and tool in self.remembered:
            decided = None
        return decided or self.risks[risk]


def policies_of(user_id: UUID) -> Policies:
    """What the user has decided so far; the defaults where nothing is."""
    return policies_in(found_by(POLICIES_OF, [user_id]))


def policies_in(rows: Found) -> Policies:
    """The policies that ``POLICIES_OF`` has found."""
    return Policies(
        risks={**DEFAULTS, **{Risk(risk): Decision(decision) for risk, _, decision, _ in rows if risk}},
        tools={tool: Decision(decision) for _, tool, decision, _ in rows if tool},
        remembered=frozenset(tool for _, tool, _, remembered in rows if tool and remembered),
    )


def replace_policies(user_id: UUID, *, risks: Mapping[Risk, Decision], tools: Mapping[str, Decision]) -> None:
    """From now on these decisions hold and no others; a risk that is not named goes by its default."""
    with transaction.atomic():
        # Whoever else changes the user's policies waits: two at once must not leave a mixture.
        User.objects.select_for_update(no_key=True).get(id=user_id)
        ToolPolicy.objects.for_user(user_id).delete()
        ToolPolicy.objects.bulk_create(
            [
                *(ToolPolicy(user_id=user_id, risk=risk, decision=decision) for risk, decision in risks.items()),
                *(ToolPolicy(user_id=user_id, tool=tool, decision=decision) for tool, decision in tools.items()),
            ]
        )


def remember_answer(user_id: UUID, tool: str, risk: Risk, *, approved: bool) -> bool:
    """Let an answer hold for every later call of ``tool``. Whether it does: never for a destructive tool."""
    if risk is Risk.DESTRUCTIVE:
        return False
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(id=user_id)
        ToolPolicy.objects.update_or_create(
            user_id=user_id,
            tool=tool,
            defaults={"decision": Decision.AUTO if approved else Decision.DENY, "remembered": True},
        )
    return True
