"""The admin pages of prompts: the text in force and its origin; overrides, previewed and tried out; versions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from asgiref.sync import async_to_sync
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from accounts.admin.pages import Page
from accounts.admin.rights import actor_of
from agents.errors import ModelError, PromptChanged, PromptRefused
from agents.prompts.evaluations import outcomes_of, text_digest
from agents.prompts.models import MAX_NOTE_CHARS, PromptSetting, PromptVersion
from agents.prompts.names import PromptName, text_problems
from agents.prompts.overrides import (
    PromptStatus,
    differences,
    go_back,
    last_change,
    preview,
    prompt_status,
    side_by_side,
    stop_overriding,
    write_override,
)
from agents.prompts.refresher import read_overrides
from agents.prompts.rendering import IN_FORCE, PromptOrigin
from agents.prompts.tryout import QUESTION, ROWS, TRY_OUT, TriedText

if TYPE_CHECKING:
    from django.forms import Textarea, TextInput
else:
    from unfold.widgets import UnfoldAdminTextareaWidget as Textarea
    from unfold.widgets import UnfoldAdminTextInputWidget as TextInput


class PromptForm(forms.Form):
    """A text for one prompt, validated, and a note on why it was written."""

    text = forms.CharField(required=False, strip=False, widget=Textarea(attrs={"rows": 22, "spellcheck": "false"}))
    note = forms.CharField(
        required=False,
        max_length=MAX_NOTE_CHARS,
        widget=TextInput,
        label="Note (optional)",
        help_text="What changes, and why. The list of versions shows it.",
    )

    def __init__(self, name: PromptName, *args: Any, **kwargs: Any) -> None:
        self._name = name
        super().__init__(*args, **kwargs)

    def clean_text(self) -> str:
        text = str(self.cleaned_data["text"]).replace("\r\n", "\n").strip()
        if problems := text_problems(self._name, text):
            raise forms.ValidationError(list(problems))
        return text


@admin.register(PromptSetting)
class PromptsPage(Page[PromptSetting]):
    """Every prompt has a page under its name, even if it has never been changed."""

    section = "Assistant"
    icon = "edit_note"
    purpose = (
        "What the assistant is told before it answers: which text is in force, where it comes from, and changing it."
    )

    def get_urls(self) -> list[URLPattern]:
        version, stop = self.admin_site.admin_view(self.version_view), self.admin_site.admin_view(self.stop_view)
        return [
            path("<str:name>/versions/<int:number>/", version, name="agents_promptsetting_version"),
            path("<str:name>/stop/", stop, name="agents_promptsetting_stop"),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: PromptSetting | None = None) -> bool:
        return False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        self._may_view(request)
        context = {
            "title": "Prompts",
            "prompts": [prompt_status(name) for name in PromptName],
            "asked_at": IN_FORCE.langfuse_asked_at,
            "problems": IN_FORCE.langfuse_problems,
        }
        return self._page(request, "prompts", context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The page of one prompt. A POST previews a text, tries it out or puts it in force."""
        self._may_view(request)
        name = _named(object_id)
        now, seen = prompt_status(name), last_change(name)
        form = PromptForm(name, initial={"text": now.text})
        previewed, tried = "", None
        if request.method == "POST":
            self._may_change(request)
            form, seen = PromptForm(name, request.POST), _seen(request)
            if form.is_valid() and "_preview" in request.POST:
                previewed = preview(name, form.cleaned_data["text"])
            elif form.is_valid() and "_try" in request.POST:
                tried = _tried(form, name)
            elif form.is_valid():
                if _saved(request, name, form, seen=seen):
                    return redirect(_address(name))
                # Having read the error, the user may save again.
                seen = last_change(name)
        context = {
            "title": name.value,
            "now": now,
            **_evaluated(now),
            "form": form,
            "seen": seen,
            "preview": previewed,
            "tried": tried,
            "may_try": TRY_OUT.fits(name),
            "question": QUESTION,
            "rows": ROWS,
            "changes": differences(now.text, form.cleaned_data["text"]) if previewed else [],
            "may_change": self.has_change_permission(request),
            "overridden": now.origin is PromptOrigin.OVERRIDE,
        }
        return self._page(request, "prompt", context)

    def version_view(self, request: HttpRequest, name: str, number: int) -> HttpResponse:
        """One version beside another, or beside the text in force. A POST puts the version in force."""
        self._may_view(request)
        prompt = _named(name)
        version = _version(prompt, number)
        if request.method == "POST":
            self._may_change(request)
            try:
                go_back(prompt, number, actor=actor_of(request), seen=_seen(request))
            except (PromptChanged, PromptRefused) as error:
                messages.error(request, str(error))
            else:
                messages.success(request, f"{prompt}: {version} is in force again.")
                return redirect(_address(prompt))
        now = prompt_status(prompt)
        active = now.origin is PromptOrigin.OVERRIDE and now.cached is not None and now.cached.version == number
        beside = request.GET.get("beside", "")
        other = _version(prompt, int(beside)) if _is_number(beside) else None
        step = {
            "title": f"{prompt}, {version}",
            "version": version,
            "text": version.text,
            "other": other,
            "others": [each for each in now.versions if each.number != number],
            "pairs": side_by_side(now.text if other is None else other.text, version.text),
            "sentence": "" if active else "Going back to it puts it in force at once, for every turn that begins.",
            "button": "" if active else "Go back to this one",
        }
        return self._step(request, now, step)

    def stop_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """The text that would be in force without the override. A POST stops the override."""
        self._may_view(request)
        self._may_change(request)
        prompt = _named(name)
        if request.method == "POST":
            try:
                stop_overriding(prompt, actor=actor_of(request), seen=_seen(request))
            except PromptChanged as error:
                messages.error(request, str(error))
            else:
                messages.success(request, f"{prompt}: no longer overridden.")
            return redirect(_address(prompt))
        now = prompt_status(prompt)
        text = now.builtin if now.langfuse is None else now.langfuse.text
        source = "The built-in text" if now.langfuse is None else "Langfuse's text"
        step = {
            "title": f"Stop overriding {prompt}",
            "text": text,
            "sentence": f"{source} is in force then, for every turn that begins. The versions stay.",
            "button": "Stop overriding",
            "dangerous": True,
        }
        return self._step(request, now, step)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return redirect(_address(_named(object_id)))

    def _step(self, request: HttpRequest, now: PromptStatus, step: dict[str, Any]) -> TemplateResponse:
        context = {
            "now": now,
            "back": _address(now.name),
            "changes": differences(now.text, step["text"]),
            "seen": last_change(now.name),
            "may_change": self.has_change_permission(request),
            **step,
        }
        return self._page(request, "prompt_step", context)

    def _page(self, request: HttpRequest, template: str, context: dict[str, Any]) -> TemplateResponse:
        whole = {**self.admin_site.each_context(request), "opts": self.opts, **context}
        return TemplateResponse(request, f"admin/agents/{template}.html", whole)

    def _may_view(self, request: HttpRequest) -> None:
        if not self.has_view_permission(request):
            raise PermissionDenied
        # Another process may have just changed an override.
        read_overrides()

    def _may_change(self, request: HttpRequest) -> None:
        if not self.has_change_permission(request):
            raise PermissionDenied


def _saved(request: HttpRequest, name: PromptName, form: PromptForm, *, seen: int) -> bool:
    """Put the form's text in force. After a conflict the form has an error, and False is returned."""
    try:
        version = write_override(name, actor=actor_of(request), seen=seen, **form.cleaned_data)
    except PromptChanged as error:
        form.add_error(None, str(error))
        return False
    messages.success(request, f"{name}: {version} is in force.")
    return True


def _tried(form: PromptForm, name: PromptName) -> TriedText | None:
    """What the model makes of the form's text. If it fails, the form has an error, and None is returned."""
    if not TRY_OUT.fits(name):
        form.add_error(None, "This prompt cannot be tried out here.")
        return None
    try:
        return async_to_sync(TRY_OUT.answer)(name, form.cleaned_data["text"])
    except ModelError as error:
        form.add_error(None, f"The model did not answer: {error}")
        return None


def _evaluated(now: PromptStatus) -> dict[str, object]:
    """How the prompt's texts did in evaluations: the one in force, the built-in one, and each version."""
    folder = Path(settings.EVALUATION_RESULTS) if settings.EVALUATION_RESULTS else None
    outcomes = outcomes_of(folder, now.name)
    return {
        "outcomes": outcomes.get(text_digest(now.text), ()),
        "builtin_outcomes": outcomes.get(text_digest(now.builtin), ()),
        "versions": [(version, outcomes.get(text_digest(version.text), ())) for version in now.versions],
    }


def _version(name: PromptName, number: int) -> PromptVersion:
    """Raises ``Http404``."""
    version = PromptVersion.objects.filter(setting__name=name, number=number).select_related("author").first()
    if version is None:
        raise Http404("There is no such version.")
    return version


def _named(name: str) -> PromptName:
    try:
        return PromptName(name)
    except ValueError:
        raise Http404("There is no such prompt.") from None


def _address(name: PromptName) -> str:
    return reverse("admin:agents_promptsetting_change", args=[name.value])


def _seen(request: HttpRequest) -> int:
    """The last change that the submitted page knew of."""
    said = request.POST.get("seen", "")
    return int(said) if _is_number(said) else -1


def _is_number(text: str) -> bool:
    """Whether the database can look for it."""
    return text.isascii() and text.isdecimal() and len(text) < len(str(2**31))
