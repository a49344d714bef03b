"""The search that ``test_secrecy`` relies on finds what is there."""

import json
import random
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.end_to_end.disguises import Secret

DISGUISES: dict[str, Callable[[str], bytes]] = {
    "plain": lambda text: text.encode(),
    "capitals": lambda text: text.upper().encode(),
    "json": lambda text: json.dumps({"said": text}).encode(),
    "repr": lambda text: ascii([text]).encode(),
    "repr of bytes": lambda text: repr(text.encode("utf-16-le")).encode() + text.encode("utf-16-le"),
    "quoted": lambda text: quote(text).encode(),
    "quoted with plus": lambda text: quote_plus(text).encode(),
    "hex": lambda text: text.encode().hex().encode(),
    "base64": lambda text: b64encode(text.encode()),
    "urlsafe": lambda text: urlsafe_b64encode(text.encode()),
    "utf-16": lambda text: text.encode("utf-16-be"),
}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("part", ["latin", "cyrillic"])
@given(before=st.text(max_size=9), behind=st.text(max_size=9))
def test_a_word_is_found_in_every_disguise_wherever_it_stands(
    disguise: str, part: str, before: str, behind: str
) -> None:
    secret = Secret.drawn()
    text = before + getattr(secret, part) + behind
    hidden = DISGUISES[disguise](text.encode("utf-8", "replace").decode())
    assert [found.startswith(part) for found in secret.found_in(hidden)][:1] == [True]


@given(st.binary(max_size=5000))
def test_what_is_not_there_is_not_found(data: bytes) -> None:
    assert Secret.drawn().found_in(data) == []


def test_every_file_below_a_folder_is_looked_into(tmp_path: Path) -> None:
    secret, other = Secret.drawn(), Secret.drawn()
    (tmp_path / "a" / "b").mkdir(parents=True)
    noise = random.Random(1).randbytes(100_000)
    (tmp_path / "a" / "b" / "deep").write_bytes(noise + secret.word("x").encode() + noise)
    (tmp_path / "top").write_bytes(noise)
    [latin, cyrillic] = secret.found_below(tmp_path)
    assert latin.startswith(f"{tmp_path}/a/b/deep: latin as it is: ")
    assert cyrillic.startswith(f"{tmp_path}/a/b/deep: cyrillic as it is: ")
    assert other.found_below(tmp_path) == []
