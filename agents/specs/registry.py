"""All declared tools, by name. Tools enter as their classes are made."""

from typing import TYPE_CHECKING

from agents.errors import SpecError

if TYPE_CHECKING:
    from agents.specs.spec import ToolSpec

_tools: dict[str, type["ToolSpec"]] = {}


def register(tool: type["ToolSpec"]) -> None:
    """Add ``tool``. Raises ``SpecError`` when another tool has its name."""
    if tool.tool_name in _tools:
        raise SpecError(
            f"Two tools are named {tool.tool_name}: {_tools[tool.tool_name].__qualname__} and {tool.__qualname__}."
        )
    _tools[tool.tool_name] = tool


def unregister(name: str) -> None:
    """Take a tool out again: for tests that declare their own."""
    _tools.pop(name, None)


def registered() -> dict[str, type["ToolSpec"]]:
    """The tools by name, in the order in which they were declared."""
    return dict(_tools)
