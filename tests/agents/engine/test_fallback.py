"""Which model answers in a run: the chosen one, or another if the chosen one is unavailable from the start."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from agents.adapters.base import ModelParams, ModelSize, UserMessage, whole_text
from agents.adapters.catalogue import ModelCatalogue, OfferedModel, SizedAdapter
from agents.calls import Table
from agents.engine.run import AgentRun, RunDependencies, running
from agents.errors import ModelBroken, ModelRefused, ModelUnavailable, UnknownModel, Unrecorded
from agents.events import ModelProgress, TextDelta
from agents.images import Image, ImageType
from agents.requests import RequestKind
from agents.tools.tasks import CreateTask, ListTasks
from tests.agents.engine.test_run import World, requester
from tests.agents.scripts import Reply, ScriptedAdapter, says

AWAY: Reply = [ModelUnavailable()]
LARGE = ModelParams()
QUESTION = [UserMessage(text="What is due?")]


def scripted(name: str, *replies: Reply) -> ScriptedAdapter:
    return ScriptedAdapter(list(replies), name=name)


def offered(adapter: ScriptedAdapter, *, sees_images: bool = False) -> OfferedModel:
    return OfferedModel(name=adapter.name, display_name=adapter.name.title(), adapter=adapter, sees_images=sees_images)


def dependencies(world: World, *adapters: ScriptedAdapter, fallback: Sequence[str] = ()) -> RunDependencies:
    models = ModelCatalogue(offered=[offered(adapter) for adapter in adapters], fallback=fallback)
    return replace(world.dependencies, models=models)


async def answered(run: AgentRun, *, size: ModelSize = ModelSize.LARGE) -> str:
    return await whole_text(run.adapter, QUESTION, ModelParams(size=size))


@pytest.mark.parametrize(("chosen", "answer"), [(None, "One."), ("one", "One."), ("two", "Two.")])
async def test_chosen_model_answers_or_first_without_choice(chosen: str | None, answer: str) -> None:
    set_up = dependencies(World(), scripted("one", says("One.")), scripted("two", says("Two.")))
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME, model=chosen) as run:
        assert await answered(run) == answer
    assert run.replacement is None


@pytest.mark.parametrize("names", [[], ["one", "two"]])
def test_model_that_is_not_offered_is_unknown(names: list[str]) -> None:
    set_up = dependencies(World(), *map(scripted, names))
    with (
        pytest.raises(UnknownModel) as caught,
        running(set_up, requester(), request_id="r1", kind=RequestKind.HOME, model="three"),
    ):
        pass
    assert list(caught.value.names) == names


async def test_next_available_model_in_order_answers_rest_of_run() -> None:
    first, second = scripted("one", AWAY), scripted("two", AWAY)
    third = scripted("three", says("Three."), says("Three again."))
    world = World()
    set_up = dependencies(world, first, second, third, fallback=["one", "two", "three"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        assert await answered(run) == "Three."
        assert run.replacement == "three"
        assert await answered(run) == "Three again."
    assert [len(adapter.requests) for adapter in (first, second, third)] == [1, 1, 2]


async def test_last_model_in_order_and_model_outside_it_have_no_fallback() -> None:
    first, local, other = scripted("one"), scripted("local", AWAY), scripted("other", AWAY)
    set_up = dependencies(World(), first, local, other, fallback=["one", "local"])
    for chosen in ("local", "other"):
        opened = running(set_up, requester(), request_id="r1", kind=RequestKind.HOME, model=chosen)
        with opened as run, pytest.raises(ModelUnavailable):
            await answered(run)
    assert first.requests == []


@pytest.mark.parametrize("failure", [ModelRefused(), ModelBroken(), Unrecorded()])
async def test_other_failures_cause_no_fallback(failure: Exception) -> None:
    second = scripted("two", says("Two."))
    set_up = dependencies(World(), scripted("one", [failure]), second, fallback=["one", "two"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run, pytest.raises(type(failure)):
        await answered(run)
    assert second.requests == []


async def test_no_fallback_after_text_has_begun() -> None:
    second = scripted("two", says("Two."))
    broken_off: Reply = [TextDelta(text="Well,"), ModelUnavailable()]
    set_up = dependencies(World(), scripted("one", broken_off), second, fallback=["one", "two"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run, pytest.raises(ModelUnavailable):
        await answered(run)
    assert second.requests == []


async def test_no_fallback_after_earlier_answer_of_run() -> None:
    second = scripted("two", says("Two."))
    set_up = dependencies(World(), scripted("one", says("I look."), AWAY), second, fallback=["one", "two"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        await answered(run)
        with pytest.raises(ModelUnavailable):
            await answered(run)
    assert second.requests == []


async def test_fallback_after_reading_rows_is_recorded_in_ledger() -> None:
    world = World()
    second = scripted("two", says("Two."))
    set_up = dependencies(world, scripted("one", AWAY), second, fallback=["one", "two"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        text, _ = await world.dispatch(run, ListTasks)
        await whole_text(run.adapter, [UserMessage(text=text)], LARGE)
    assert {model for model, _, _ in world.disclosures.listed} == {"one", "two"}


async def test_no_fallback_after_change_on_device() -> None:
    world = World()
    second = scripted("two", says("Two."))
    set_up = dependencies(world, scripted("one", AWAY), second, fallback=["one", "two"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        _, ok = await world.dispatch(run, CreateTask, '{"title": "Buy bread"}')
        assert ok
        with pytest.raises(ModelUnavailable):
            await answered(run)
    assert second.requests == []
    assert world.client.rows[Table.TASKS][-1]["title"] == "Buy bread"


async def test_progress_does_not_prevent_fallback() -> None:
    reading: Reply = [ModelProgress(fraction=0.5), ModelUnavailable()]
    set_up = dependencies(World(), scripted("one", reading), scripted("two", says("Two.")), fallback=["one", "two"])
    with running(set_up, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        assert await answered(run) == "Two."


async def test_fallback_for_images_sees_images() -> None:
    blind, seeing = scripted("blind"), scripted("seeing", says("A cat."))
    models = ModelCatalogue(
        offered=[offered(scripted("one", AWAY), sees_images=True), offered(blind), offered(seeing, sees_images=True)],
        fallback=["one", "blind", "seeing"],
    )
    image = Image(media_type=ImageType.PNG, data=b"png", width=1, height=1)
    with running(
        replace(World().dependencies, models=models), requester(), request_id="r1", kind=RequestKind.HOME
    ) as run:
        shown = UserMessage(text="What is this?", images=(image,))
        assert await whole_text(run.adapter, [shown], LARGE) == "A cat."
    assert blind.requests == []


async def test_small_model_is_shared_and_has_no_fallback() -> None:
    large, small = scripted("one", says("One.")), scripted("small", AWAY)
    second = scripted("two")
    first = OfferedModel(name="one", display_name="One", adapter=SizedAdapter(large, small))
    models = ModelCatalogue(offered=[first, offered(second)], fallback=["one", "two"])
    with running(
        replace(World().dependencies, models=models), requester(), request_id="r1", kind=RequestKind.HOME
    ) as run:
        with pytest.raises(ModelUnavailable):
            await answered(run, size=ModelSize.SMALL)
        assert await answered(run) == "One."
    assert (len(small.requests), len(large.requests), second.requests) == (1, 1, [])
