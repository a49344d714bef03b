"""The shapes of requests and answers. Further rules for values are in the models and in ``register``."""

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone as clock
from rest_framework import serializers

from accounts.auth.personal_tokens import MAX_NAME_CHARS
from accounts.auth.tokens import MAX_TOKEN_CHARS
from accounts.models import Device, PersonalToken, User, normalised_address

MAX_ADDRESS_CHARS = 254
MAX_PASSWORD_CHARS = 1024
"""Longer ones take longer to hash."""


class AddressField(serializers.CharField):
    """An email address in its canonical form."""

    def to_internal_value(self, data: str) -> str:
        return normalised_address(super().to_internal_value(data))


class LoginSerializer(serializers.Serializer[User]):
    """Credentials. ``email`` may be any text: it is not checked to be an address."""

    email = AddressField(max_length=MAX_ADDRESS_CHARS)
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


class PasswordSerializer(serializers.Serializer[User]):
    """The password of the signed-in user, asked for again."""

    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)


class UserSerializer(serializers.ModelSerializer[User]):
    """The user's own account."""

    class Meta:
        model = User
        fields = ("id", "email", "language", "timezone", "memory_enabled", "date_joined")
        read_only_fields = fields


class RegisteredSerializer(TokenPairSerializer):
    """A new user, signed in."""

    user = UserSerializer()


class PreferencesSerializer(serializers.ModelSerializer[User]):
    """Preferences that users change; any other field is an error, so that no change is lost silently."""

    class Meta:
        model = User
        fields = ("language", "timezone", "memory_enabled")

    def to_internal_value(self, data: object) -> dict[str, object]:
        others = [name for name in data if name not in self.fields] if isinstance(data, Mapping) else []
        if others:
            raise serializers.ValidationError({name: ["This cannot be changed here."] for name in others})
        values: dict[str, object] = super().to_internal_value(data)
        return values

    def update(self, instance: User, validated_data: Mapping[str, object]) -> User:
        for name, value in validated_data.items():
            setattr(instance, name, value)
        instance.save(update_fields=list(validated_data))
        return instance


class DeviceSerializer(serializers.ModelSerializer[Device]):
    """One of the user's devices."""

    online = serializers.SerializerMethodField(help_text="Whether it is connected.")

    class Meta:
        model = Device
        fields = ("id", "device_id", "platform", "app_version", "first_seen", "last_seen", "online")
        read_only_fields = fields

    def get_online(self, device: Device) -> bool:
        return device.online_until is not None and device.online_until > clock.now()


class NewTokenSerializer(serializers.Serializer[PersonalToken]):
    """A new personal token."""

    name = serializers.CharField(max_length=MAX_NAME_CHARS, help_text="What the token is for, such as a program.")
    expires_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="When it expires; without, it lasts until revoked."
    )

    def validate_expires_at(self, moment: datetime | None) -> datetime | None:
        if moment is not None and moment <= clock.now():
            raise serializers.ValidationError("This must be in the future.")
        return moment


class PersonalTokenSerializer(serializers.Serializer[PersonalToken]):
    """One of the user's personal tokens, without the token itself."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="Null if it can no longer be decrypted.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Updated at most once a minute.")
    expires_at = serializers.DateTimeField(allow_null=True)


class IssuedTokenSerializer(PersonalTokenSerializer):
    """A personal token that was just created."""

    token = serializers.CharField(source="text", help_text="Shown only here.")
