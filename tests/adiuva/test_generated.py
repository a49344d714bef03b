"""Generated files are fresh, and what is stale is named and made again."""

import shutil
from pathlib import Path

import pytest

from tests import generated
from tests.generated import ROOT, Artifact, rewritten


@pytest.mark.contracts
def test_everything_generated_is_fresh() -> None:
    assert generated.problems() == []


def test_a_section_is_replaced_and_the_rest_stays() -> None:
    page = "Kinds: <!-- generated: request_kinds -->`home`<!-- end --> and <!-- no section --> more.\n"
    expected = f"Kinds: <!-- generated: request_kinds -->{generated.request_kinds()}<!-- end --> and"
    assert rewritten(page) == f"{expected} <!-- no section --> more.\n"
    assert rewritten(rewritten(page)) == rewritten(page)
    with pytest.raises(KeyError, match="weather"):
        rewritten("<!-- generated: weather --><!-- end -->")


def test_the_workspace_is_stale_once_a_source_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("typescript/src/index.ts", "workspace/public/mark.svg", "workspace/src/main.tsx"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    for name in ("index.html", "package-lock.json", "vite.config.ts"):
        (tmp_path / "workspace" / name).write_text(name)
    monkeypatch.setattr(generated, "CLIENTS", tmp_path)
    monkeypatch.setattr(generated, "WORKSPACE", tmp_path)
    (tmp_path / "sources.sha256").write_text(f"{generated.workspace_fingerprint()}\n")

    assert generated.workspace_is_fresh()
    (tmp_path / "workspace" / "src" / "main.tsx").write_text("changed")
    assert not generated.workspace_is_fresh()


def test_types_are_stale_once_their_schema_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = tmp_path / "frames.schema.json"
    schema.write_bytes(generated.FRAME_SCHEMA.read_bytes())
    monkeypatch.setattr(generated, "FRAME_SCHEMA", schema)

    assert generated.types_are_fresh()
    schema.write_text("{}")
    assert not generated.types_are_fresh()


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> dict[str, bool]:
    """Whether each of three artifacts is fresh. Making the first makes the second stale, as a schema does its types."""
    fresh = {"schema": False, "types": True, "page": True}

    def make(name: str) -> None:
        fresh.update({"types": False} if name == "schema" else {})
        fresh[name] = True

    def artifact(name: str) -> Artifact:
        return generated._built(ROOT / name, lambda: fresh[name], lambda: make(name))

    monkeypatch.setattr(generated, "artifacts", lambda: map(artifact, fresh))
    return fresh


def test_checking_names_what_is_stale_and_makes_nothing(
    fresh: dict[str, bool], capsys: pytest.CaptureFixture[str]
) -> None:
    assert generated.main(["--check"]) == 1
    assert capsys.readouterr() == ("", "schema is stale: run ./dev generate.\n")
    assert not fresh["schema"]
    fresh["schema"] = True
    assert generated.main(["--check"]) == 0


def test_making_includes_what_it_makes_stale(fresh: dict[str, bool], capsys: pytest.CaptureFixture[str]) -> None:
    assert generated.main([]) == 0
    assert capsys.readouterr() == ("Making schema…\nMaking types…\n", "")
    assert all(fresh.values())


def test_a_problem_that_making_leaves_is_named(
    fresh: dict[str, bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    untranslated = Artifact(path=ROOT / "locale", problems=lambda: ["it has no “Hello”."], make=lambda: None)
    monkeypatch.setattr(generated, "artifacts", lambda: iter([untranslated]))
    assert generated.main([]) == 1
    assert capsys.readouterr() == ("Making locale…\n", "it has no “Hello”.\n")


def test_clients_without_npm_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(
        SystemExit, match=r"^clients/workspace is built with Node: install Node 20\.19 or newer and npm\.$"
    ):
        generated._npm("build", ROOT / "clients" / "workspace")
