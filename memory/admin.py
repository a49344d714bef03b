"""The admin page of episodes: user, time, session and state of the summary. The text is shown only if it is revealed.

The other tiers have no pages. A user's support view has their counts.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache

from accounts.admin.actions import ReasonForm
from accounts.admin.pages import ReadOnlyPage
from accounts.admin.support import SUPPORT_SECTIONS, Cell, SupportSection
from accounts.errors import EncryptionError
from accounts.models import User
from memory.errors import UnreadableRow
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive
from memory.tiers import reveal_episode

REVEAL = "memory.reveal_memoryepisodic"


def _counts(user: User) -> Iterable[Sequence[Cell]]:
    for tier in (MemoryCore, MemoryEpisodic, MemoryAssociative, MemoryProactive):
        rows = tier.objects.for_user(user.id)
        latest: datetime | None = rows.aggregate(latest=Max("created_at"))["latest"]
        yield str(tier._meta.verbose_name_plural), rows.count(), latest  # noqa: SLF001 - Django's public name for it


SUPPORT_SECTIONS.append(
    SupportSection(
        title="Memory",
        permission="memory.view_memoryepisodic",
        headers=("what", "rows", "latest"),
        rows=_counts,
    )
)


@admin.register(MemoryEpisodic)
class EpisodesPage(ReadOnlyPage[MemoryEpisodic]):
    section = "Memory"
    icon = "psychology"
    purpose = "What happened in users' conversations: user, time and session. The text stays encrypted."

    list_display = ("when", "user", "session_id", "state")
    list_filter = ("created_at", ("summarised_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__email__exact", "session_id")
    search_help_text = "The user's whole address, or a session"
    ordering = ("-created_at",)
    fields = ("id", "user", "created_at", "session_id", "state", "attempts", "next_attempt_at", "summarised_at")
    readonly_fields = fields

    @admin.display(description="when", ordering="created_at")
    def when(self, episode: MemoryEpisodic) -> datetime:
        return episode.created_at

    @admin.display(description="summary", ordering="summarised_at")
    def state(self, episode: MemoryEpisodic) -> str:
        if episode.summarised_at is not None:
            return "Written by a model"
        if episode.next_attempt_at is None:
            return "Plain"
        return "Waiting" if not episode.attempts else f"Waiting, {episode.attempts} failed"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(never_cache(self.reveal_view))
        return [path("<uuid:episode_id>/reveal/", view, name="memory_memoryepisodic_reveal"), *super().get_urls()]

    def reveal_view(self, request: HttpRequest, episode_id: UUID) -> HttpResponse:
        """Ask for a reason, record it, and show the text in this one response."""
        if not (isinstance(request.user, User) and request.user.has_perm(REVEAL)):
            raise PermissionDenied
        # With the ciphertext, which the other pages defer.
        episode = MemoryEpisodic.objects.select_related("user").filter(id=episode_id).first()
        if episode is None:
            raise Http404("There is no such episode.")
        form = ReasonForm(request.POST or None)
        context = {
            **self.admin_site.each_context(request),
            "title": "Reveal an episode",
            "opts": self.opts,
            "episode": episode,
            "back": reverse("admin:memory_memoryepisodic_change", args=[episode_id]),
            "form": form,
        }
        if form.is_valid():
            try:
                context["text"] = reveal_episode(episode, actor=request.user, reason=form.cleaned_data["reason"])
            except (UnreadableRow, EncryptionError) as error:
                context["problem"] = str(error)
        return TemplateResponse(request, "admin/memory/reveal.html", context)

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: MemoryEpisodic | None = None,
    ) -> HttpResponse:
        if obj is not None and request.user.has_perm(REVEAL):
            address = reverse("admin:memory_memoryepisodic_reveal", args=[obj.id])
            context["actions_detail"] = [{"title": "Reveal", "icon": "visibility", "path": address}]
        return super().render_change_form(request, context, add, change, form_url, obj)
