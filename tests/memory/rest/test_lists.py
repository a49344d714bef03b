"""Where a page ends, as text."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.permissions.disclosures.positions import Position


@given(microseconds=st.integers(min_value=0, max_value=10**17 - 1), entry=st.uuids())
def test_a_position_comes_back_from_its_text(microseconds: int, entry: UUID) -> None:
    position = Position(at=datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds), id=entry)

    assert Position.of(position.text) == position


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no position"):
        Position.of(text)
