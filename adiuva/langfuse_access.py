"""What reaching Langfuse takes: all of it, or nothing."""

from django.core.exceptions import ImproperlyConfigured


def refuse_half_access(*, public_key: str, secret_key: str, host: str) -> None:
    """Raises ``ImproperlyConfigured`` when something of it is set, but not both keys."""
    variables = {"LANGFUSE_PUBLIC_KEY": public_key, "LANGFUSE_SECRET_KEY": secret_key, "LANGFUSE_HOST": host}
    given = [name for name, value in variables.items() if value]
    missing = [name for name in ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY") if name not in given]
    if given and missing:
        raise ImproperlyConfigured(
            f"{' and '.join(given)} alone cannot reach Langfuse: set {' and '.join(missing)}, too, or none of them."
        )
