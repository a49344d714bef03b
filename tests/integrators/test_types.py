"""Types of the frames in other languages: made by quicktype, and read by the parsers of those languages."""

from pathlib import Path

import pytest
import tree_sitter_c_sharp
import tree_sitter_kotlin
import tree_sitter_swift
from tree_sitter import Language, Parser

from tests.integrators.conftest import tool

GRAMMARS = {
    "swift": tree_sitter_swift.language,
    "kotlin": tree_sitter_kotlin.language,
    "csharp": tree_sitter_c_sharp.language,
}


@pytest.mark.parametrize("language", GRAMMARS)
def test_types_are_made_and_can_be_parsed(documents: Path, tmp_path: Path, language: str) -> None:
    schemas = [f"{documents / 'frames.json'}#/$defs/{name}" for name in ("ClientFrame", "ServerFrame")]
    made = tmp_path / "Frames"
    tool("quicktype", "--src-lang", "schema", "--lang", language, "--out", made, *schemas, cwd=tmp_path)

    source = made.read_bytes()
    root = Parser(Language(GRAMMARS[language]())).parse(source).root_node

    assert not root.has_error
    assert {b"ClientFrame", b"ServerFrame"} <= {*source.replace(b"(", b" ").replace(b":", b" ").split()}
