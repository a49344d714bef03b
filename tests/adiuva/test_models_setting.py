import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.models_setting import (
    ConfiguredModel,
    configured_models,
    embedding_model,
    fallback_order,
    offered_names,
    short_name,
)
from agents.adapters.base import ALL_PARAMETERS, Parameter


def test_without_a_value_there_are_none() -> None:
    assert configured_models("", have_server=False) == ()


def test_each_object_is_a_model() -> None:
    text = json.dumps(
        [
            {"name": "large", "model": "gpt-4.1"},
            {
                "name": "local",
                "model": "m",
                "base_url": "http://127.0.0.1:11434/v1",
                "api_key": "k",
                "description": "Ours.",
                "parameters": ["max_tokens"],
            },
        ]
    )

    large, local = configured_models(text, have_server=True)

    assert large == ConfiguredModel(name="large", model="gpt-4.1", parameters=ALL_PARAMETERS)
    assert local.parameters == {Parameter.MAX_TOKENS}
    assert (local.base_url, local.api_key, local.description) == ("http://127.0.0.1:11434/v1", "k", "Ours.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sk-secret", "not right (invalid JSON"),
        ('{"sk-secret": 1}', "not right (input should be a valid array)"),
        ('[{"name": "Large", "model": "sk-secret"}]', "at 0.name"),
        ('[{"name": "large"}]', "at 0.model (field required)"),
        ('[{"name": "large", "model": "m", "base_url": "sk-secret"}]', "at 0.base_url"),
        (
            '[{"name": "large", "model": "m", "base_url": "http://host:sk-secret"}]',
            "write https://host or https://host:p",
        ),
        ('[{"name": "large", "model": "m", "parameters": ["sk-secret"]}]', "at 0.parameters"),
        ('[{"name": "large", "model": "m", "temperature": 1}]', "at 0.temperature"),
        ('[{"name": "a", "model": "m"}, {"name": "a", "model": "n"}]', "two models named a"),
    ],
)
def test_a_wrong_value_stops_the_start_without_being_repeated(text: str, said: str) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        configured_models(text, have_server=True)

    assert str(caught.value).startswith("ADIUVA_MODELS ")
    assert said in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_a_model_must_be_somewhere() -> None:
    with pytest.raises(ImproperlyConfigured, match="names no server for large: give it a base_url or an api_key"):
        configured_models('[{"name": "large", "model": "m"}]', have_server=False)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4.1", "gpt_4_1"),
        ("Vendor/Large-2", "vendor_large_2"),
        ("4o", "m_4o"),
        ("…", "model"),
        ("x" * 60, "x" * 40),
    ],
)
def test_a_models_name_becomes_part_of_a_tools(model: str, name: str) -> None:
    assert short_name(model) == name


def test_models_are_offered_only_if_they_say_so() -> None:
    models = configured_models(
        '[{"name": "a", "model": "m", "offered": true}, {"name": "b", "model": "n"}]', have_server=True
    )

    assert offered_names("gpt-4.1", models, small_server="") == ("gpt_4_1", "a")
    assert offered_names("", models, small_server="key") == ("a",)
    assert offered_names("", (), small_server="") == ()


def test_a_server_for_the_small_model_alone_is_a_mistake() -> None:
    with pytest.raises(ImproperlyConfigured, match="is set, but no model answers: set OPENAI_API_KEY"):
        offered_names("", (), small_server="http://127.0.0.1:9/v1")


def test_the_fallback_names_offered_models_once_each() -> None:
    assert fallback_order(["b", "a"], offered=["a", "b", "c"]) == ("b", "a")
    with pytest.raises(ImproperlyConfigured, match=r"names 'd', which is not offered. The offered are a, b\.$"):
        fallback_order(["a", "d"], offered=["a", "b"])
    with pytest.raises(ImproperlyConfigured, match="The offered are none: no model is configured"):
        fallback_order(["a"], offered=[])
    with pytest.raises(ImproperlyConfigured, match="names 'a' twice"):
        fallback_order(["a", "b", "a"], offered=["a", "b"])


def test_a_name_of_an_embedding_model_has_room_for_what_is_added() -> None:
    assert embedding_model("BAAI/bge-m3") == "BAAI/bge-m3"
    with pytest.raises(ImproperlyConfigured, match="OPENAI_EMBEDDING_MODEL has 81 characters"):
        embedding_model("m" * 81)
