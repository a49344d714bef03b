"""A member of staff's own password, the only one that they can set here."""

from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.staff.sign_in import AttemptForm, staff_of

if TYPE_CHECKING:
    _OwnPasswordForm = PasswordChangeForm
else:
    from unfold.forms import AdminOwnPasswordChangeForm as _OwnPasswordForm


class OwnPasswordForm(AttemptForm, _OwnPasswordForm):
    """The old password and the new one. Guesses of the old one count with those of signing in."""

    def clean_old_password(self) -> str:
        self.check_attempt("login", staff_of(self.request).email)
        return super().clean_old_password()

    def save(self, commit: bool = True) -> User:
        with transaction.atomic():
            user = super().save(commit)
            record_event(actor=user, subject_id=user.id, action="change-password")
        return user


class OwnPasswordPage(PasswordChangeView):
    form_class = OwnPasswordForm

    def get_form(self, form_class: Any = None) -> OwnPasswordForm:
        form: Any = super().get_form(form_class)
        form.request = self.request
        return cast("OwnPasswordForm", form)
