import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.langfuse_access import refuse_half_access


@pytest.mark.parametrize(
    ("public_key", "secret_key", "host", "given", "missing"),
    [
        ("pk", "", "", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"),
        ("", "sk", "http://lf", "LANGFUSE_SECRET_KEY and LANGFUSE_HOST", "LANGFUSE_PUBLIC_KEY"),
        ("", "", "http://lf", "LANGFUSE_HOST", "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"),
    ],
)
def test_half_a_configuration_is_refused(public_key: str, secret_key: str, host: str, given: str, missing: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        refuse_half_access(public_key=public_key, secret_key=secret_key, host=host)
    assert str(refused.value) == f"{given} alone cannot reach Langfuse: set {missing}, too, or none of them."


@pytest.mark.parametrize(("key", "host"), [("", ""), ("k", ""), ("k", "http://lf")])
def test_all_of_it_and_none_of_it_are_accepted(key: str, host: str) -> None:
    refuse_half_access(public_key=key, secret_key=key, host=host)
