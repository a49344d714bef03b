"""The shapes of ``/api/v1/auth/``. What values must be beyond their shape, the model and ``register`` say."""

from collections.abc import Mapping
from datetime import datetime

from django.utils import timezone as clock
from rest_framework import serializers

from accounts.models import Device, User, normalised_address
from accounts.personal_tokens import MAX_NAME_CHARS, NamedToken
from accounts.tokens import MAX_TOKEN_CHARS

MAX_ADDRESS_CHARS = 254
MAX_PASSWORD_CHARS = 1024
"""Hashing takes time by length, so there is an end to it."""


class AddressField(serializers.CharField):
    """An address, brought into the one way to write it."""

    def to_internal_value(self, data: str) -> str:
        return normalised_address(super().to_internal_value(data))


class RegistrationSerializer(serializers.Serializer[User]):
    """What an account is made from."""

    email = AddressField(max_length=MAX_ADDRESS_CHARS)
    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)
    language = serializers.CharField(required=False)
    timezone = serializers.CharField(required=False)


class LoginSerializer(serializers.Serializer[User]):
    """What somebody signs in with. Not every text need be an address: whatever it is, it is known or not."""

    email = AddressField(max_length=MAX_ADDRESS_CHARS)
    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)


class RefreshSerializer(serializers.Serializer[User]):
    """A refresh token, to be used up."""

    refresh = serializers.CharField(max_length=MAX_TOKEN_CHARS)


class PasswordSerializer(serializers.Serializer[User]):
    """The password of who is signed in, asked for once more."""

    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)


class UserSerializer(serializers.ModelSerializer[User]):
    """A user, as told to that user."""

    class Meta:
        model = User
        fields = ("id", "email", "language", "timezone", "memory_enabled", "date_joined")
        read_only_fields = fields


class PreferencesSerializer(serializers.ModelSerializer[User]):
    """What users change about themselves; naming anything else is an error, for a change must not vanish unseen."""

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
    """A device, as told to the user who has it."""

    online = serializers.SerializerMethodField(help_text="Whether it has a socket, on whichever process.")

    class Meta:
        model = Device
        fields = ("id", "device_id", "platform", "app_version", "first_seen", "last_seen", "online")
        read_only_fields = fields

    def get_online(self, device: Device) -> bool:
        return device.online_until is not None and device.online_until > clock.now()


class NewTokenSerializer(serializers.Serializer[NamedToken]):
    """What a personal token is made from."""

    name = serializers.CharField(max_length=MAX_NAME_CHARS, help_text="What the token is for, such as a program.")
    expires_at = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="Until when it opens anything; without, until revoked."
    )

    def validate_expires_at(self, moment: datetime | None) -> datetime | None:
        if moment is not None and moment <= clock.now():
            raise serializers.ValidationError("This must be in the future.")
        return moment


class PersonalTokenSerializer(serializers.Serializer[NamedToken]):
    """A personal token, as told to the user who has it; the token itself is never told again."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="Null when it cannot be decrypted any more.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Noted once a minute at most.")
    expires_at = serializers.DateTimeField(allow_null=True)


class IssuedTokenSerializer(PersonalTokenSerializer):
    """A personal token that has just been made."""

    token = serializers.CharField(help_text="Shown this once.")
