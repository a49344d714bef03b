import pytest
from pytest_django import Settings

from adiuva.models_setting import configured_models
from adiuva.wiring.model_servers import ModelServers
from adiuva.wiring.models import blueprints

ADDED = """[
    {"name": "gpt_4_1", "model": "mine", "base_url": "http://127.0.0.1:1/v1"},
    {"name": "beside", "model": "beside-1"}
]"""


@pytest.fixture(autouse=True)
def configured(settings: Settings) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "k", "http://127.0.0.1:2/v1"
    settings.OPENAI_MODEL, settings.OPENAI_SMALL_MODEL = "gpt-4.1", "gpt-4.1-mini"
    settings.MODELS = configured_models(ADDED, have_server=True)


def test_the_assistants_models_and_those_of_the_settings_are_there_by_name() -> None:
    assert {blueprint.name: blueprint.model for blueprint in blueprints(ModelServers())} == {
        "gpt_4_1": "mine",
        "gpt_4_1_mini": "gpt-4.1-mini",
        "beside": "beside-1",
    }


def test_without_a_model_of_its_own_there_are_those_of_the_settings(settings: Settings) -> None:
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""
    settings.MODELS = settings.MODELS[:1]

    assert [blueprint.name for blueprint in blueprints(ModelServers())] == ["gpt_4_1"]
