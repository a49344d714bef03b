"""The shapes of requests and answers. Further rules for values are in the models and in ``register``."""

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone as clock
from rest_framework import serializers

from accounts.addresses import normalised_address
from accounts.auth.links import MAX_LINK_CHARS
from accounts.auth.passwords import MAX_PASSWORD_CHARS
from accounts.auth.personal_tokens import MAX_NAME_CHARS
from accounts.auth.registration import MAX_ADDRESS_CHARS
from accounts.auth.tokens import MAX_TOKEN_CHARS
from accounts.credential_models import PersonalToken
from accounts.models import AddressState, User
from accounts.rest.lists import PageSerializer
from accounts.session_models import Device, Session

MAX_SCOPES = 50
MAX_SCOPE_CHARS = 50


class NormalisedAddressField(serializers.CharField):
    """An email address in its canonical form."""

    def to_internal_value(self, data: str) -> str:
        return normalised_address(super().to_internal_value(data))


class LoginSerializer(serializers.Serializer[User]):
    """Credentials. ``email`` may be any text: it is not checked to be an address."""

    email = NormalisedAddressField(max_length=MAX_ADDRESS_CHARS)
    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)


class RegistrationSerializer(LoginSerializer):
    """A new account."""

    language = serializers.CharField(required=False)
    timezone = serializers.CharField(required=False)


class RefreshSerializer(serializers.Serializer[User]):
    """A refresh token, which is used up."""

    refresh = serializers.CharField(max_length=MAX_TOKEN_CHARS)


class TokenPairSerializer(serializers.Serializer[User]):
    """The tokens of a signed-in client: `access` goes with every request, `refresh` buys the next pair, once."""

    access = serializers.CharField()
    refresh = serializers.CharField()


class UserSerializer(serializers.ModelSerializer[User]):
    """The user's own account."""

    email_verified = serializers.SerializerMethodField(help_text="Whether the address is known to be the user's.")

    class Meta:
        model = User
        fields = (
            "id",
            "email",
            "language",
            "timezone",
            "memory_enabled",
            "memory_words_days",
            "date_joined",
            "email_verified",
        )
        read_only_fields = fields

    def get_email_verified(self, user: User) -> bool:
        return user.address_state == AddressState.VERIFIED


class RegisteredSerializer(TokenPairSerializer):
    """A new user, signed in."""

    user = UserSerializer()


class PreferencesSerializer(serializers.ModelSerializer[User]):
    """Preferences that users change; any other field is an error, so that no change is lost silently."""

    class Meta:
        model = User
        fields = ("language", "timezone", "memory_enabled", "memory_words_days")

    def update(self, instance: User, validated_data: Mapping[str, object]) -> User:
        for name, value in validated_data.items():
            setattr(instance, name, value)
        instance.save(update_fields=list(validated_data))
        return instance


class DeviceSerializer(serializers.ModelSerializer[Device]):
    """One of the user's devices."""

    device_id = serializers.SerializerMethodField(help_text="The id it gave itself; empty if it cannot be decrypted.")
    platform = serializers.SerializerMethodField(help_text="What it runs on; empty if it cannot be decrypted.")
    online = serializers.SerializerMethodField(help_text="Whether it is connected.")

    class Meta:
        model = Device
        fields = ("id", "device_id", "platform", "app_version", "first_seen", "last_seen", "online")
        read_only_fields = fields

    def get_device_id(self, device: Device) -> str:
        return device.opened_or_empty("device_id_encrypted")

    def get_platform(self, device: Device) -> str:
        return device.opened_or_empty("platform_encrypted")

    def get_online(self, device: Device) -> bool:
        return device.online_until is not None and device.online_until > clock.now()


class NewTokenSerializer(serializers.Serializer[PersonalToken]):
    """A new personal token."""

    name = serializers.CharField(max_length=MAX_NAME_CHARS, help_text="What the token is for, such as a program.")
    expires_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        default=None,
        help_text="When it expires; without, after 90 days or as the server is set.",
    )
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=MAX_SCOPE_CHARS),
        max_length=MAX_SCOPES,
        required=False,
        help_text="What it may do: `read` and `write` for all that is yours, or `tasks:read`, `notes:write` and so on. "
        "Without, all that is yours.",
    )

    def validate_expires_at(self, moment: datetime | None) -> datetime | None:
        if moment is not None and moment <= clock.now():
            raise serializers.ValidationError("This must be in the future.")
        return moment


class SessionSerializer(serializers.Serializer[Session]):
    """One of the user's sessions: a sign-in that has not ended."""

    id = serializers.UUIDField()
    client = serializers.CharField(
        allow_null=True, help_text="What the client called itself when it signed in (`User-Agent`), if it is known."
    )
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(help_text="When it last got tokens, which last 15 minutes.")
    current = serializers.SerializerMethodField(help_text="Whether this request belongs to it.")
    device = DeviceSerializer(allow_null=True, help_text="The device that used it last; null before a hello.")

    def get_current(self, session: Session) -> bool:
        return bool(session.id == self.context["current"])


class AddressSerializer(serializers.Serializer[User]):
    """An address, which need not be that of an account."""

    email = NormalisedAddressField(max_length=MAX_ADDRESS_CHARS)


class LinkSerializer(serializers.Serializer[User]):
    """The last part of a link that was sent."""

    token = serializers.CharField(max_length=MAX_LINK_CHARS)


class ResetSerializer(LinkSerializer):
    """The last part of a link, and a new password."""

    new_password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)


class PersonalTokenSerializer(serializers.Serializer[PersonalToken]):
    """One of the user's personal tokens, without the token itself."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="Null if it can no longer be decrypted.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Updated at most once a minute.")
    expires_at = serializers.DateTimeField(allow_null=True)
    scopes = serializers.ListField(child=serializers.CharField(), help_text="What it may do.")
    client_id = serializers.CharField(
        allow_null=True, help_text="The program that the user let in by OAuth; null for a token made here."
    )


class IssuedTokenSerializer(PersonalTokenSerializer):
    """A personal token that was just created."""

    token = serializers.CharField(source="text", help_text="Shown only here.")


class DevicesSerializer(PageSerializer):
    """All devices of a user."""

    results = DeviceSerializer(many=True)


class SessionsSerializer(PageSerializer):
    """All sessions of a user."""

    results = SessionSerializer(many=True)


class PersonalTokensSerializer(PageSerializer):
    """All personal tokens of a user."""

    results = PersonalTokenSerializer(many=True)
