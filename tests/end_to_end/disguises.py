"""Words that nobody can have written down before, and every form in which one may lie in a file."""

import json
import secrets
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self
from urllib.parse import quote

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзиклмнопрстуфхцчшщэюя"


@dataclass(frozen=True)
class Secret:
    """The beginnings of all words of one kind: one that ASCII can write and one that it must escape."""

    latin: str
    cyrillic: str

    @classmethod
    def drawn(cls) -> Self:
        return cls(
            latin="".join(secrets.choice(_LATIN) for _ in range(12)),
            cyrillic="".join(secrets.choice(_CYRILLIC) for _ in range(8)),
        )

    def word(self, name: str) -> str:
        """Both beginnings; ``name`` says where the word was used, so that one that is found tells its origin."""
        return f"{self.latin}-{name} {self.cyrillic}"

    def path(self, name: str) -> str:
        """The same for an address."""
        return quote(self.word(name), safe="")

    @cached_property
    def forms(self) -> Mapping[bytes, str]:
        """What to look for, each with how it is written; a form that changes nothing is left out."""
        forms: dict[bytes, str] = {}
        for name, text in (("latin", self.latin), ("cyrillic", self.cyrillic)):
            for form, needle in _forms(text):
                forms.setdefault(needle, f"{name} {form}")
        return forms

    def found_in(self, data: bytes) -> list[str]:
        """The forms in which it lies in ``data``, with what stands around the first of each."""
        return [
            f"{form}: …{data[max(0, at - 60) : at + len(needle) + 60]!r}…"
            for needle, form in self.forms.items()
            if (at := data.find(needle)) >= 0
        ]

    def found_below(self, folder: Path) -> list[str]:
        """The same for every file in a folder."""
        found: list[str] = []
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink():
                with suppress(FileNotFoundError):  # a server at work takes files away
                    found += [f"{path}: {each}" for each in self.found_in(path.read_bytes())]
        return found


def _forms(text: str) -> Iterator[tuple[str, bytes]]:
    data = text.encode()
    yield "as it is", data
    yield "in capitals", text.upper().encode()
    yield "in JSON", json.dumps(text).strip('"').encode()
    yield "in Python", ascii(text).strip("'").encode()
    yield "in an address", quote(text).encode()
    yield "in an address, small", quote(text).lower().encode()
    yield "UTF-16, little end first", text.encode("utf-16-le")
    yield "UTF-16, big end first", text.encode("utf-16-be")
    yield "UTF-32", text.encode("utf-32-le")
    yield "hexadecimal", data.hex().encode()
    yield "hexadecimal in capitals", data.hex().upper().encode()
    for offset in range(3):
        core = _in_base64(data, offset)
        yield f"base64 from byte {offset}", core
        yield f"base64 for addresses from byte {offset}", core.replace(b"+", b"-").replace(b"/", b"_")


def _in_base64(data: bytes, offset: int) -> bytes:
    """The digits of ``data``, ``offset`` bytes into a group of three, that stay the same whatever stands around it."""
    digits = b64encode(bytes(offset) + data)
    return digits[(offset * 8 + 5) // 6 : (offset + len(data)) * 8 // 6]
