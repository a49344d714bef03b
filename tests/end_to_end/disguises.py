"""Random words that occur nowhere else, and every encoding in which one may be found in a file."""

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
    """The prefixes of all words of one kind: one in ASCII and one that must be escaped."""

    latin: str
    cyrillic: str

    @classmethod
    def drawn(cls) -> Self:
        return cls(
            latin="".join(secrets.choice(_LATIN) for _ in range(12)),
            cyrillic="".join(secrets.choice(_CYRILLIC) for _ in range(8)),
        )

    def word(self, name: str) -> str:
        """Both prefixes; ``name`` says where the word was used, so that one that is found tells its origin."""
        return f"{self.latin}-{name} {self.cyrillic}"

    def path(self, name: str) -> str:
        """The same for an address."""
        return quote(self.word(name), safe="")

    @cached_property
    def forms(self) -> Mapping[bytes, str]:
        """The byte strings to look for, each with the name of its encoding; duplicates are left out."""
        forms: dict[bytes, str] = {}
        for name, text in (("latin", self.latin), ("cyrillic", self.cyrillic)):
            for form, needle in _forms(text):
                forms.setdefault(needle, f"{name} {form}")
        return forms

    def found_in(self, data: bytes) -> list[str]:
        """The encodings in which it occurs in ``data``, each with the surroundings of its first occurrence."""
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
                with suppress(FileNotFoundError):  # a running server deletes files
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
    """The base64 digits of ``data`` at ``offset`` in a group of three that do not depend on the bytes around it."""
    digits = b64encode(bytes(offset) + data)
    return digits[(offset * 8 + 5) // 6 : (offset + len(data)) * 8 // 6]
