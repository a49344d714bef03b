import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.rates_setting import Rate


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("3/s", Rate(limit=3, period_s=1)),
        ("20/m", Rate(limit=20, period_s=60)),
        ("20/h", Rate(limit=20, period_s=3600)),
        ("1/d", Rate(limit=1, period_s=86_400)),
    ],
)
def test_rate_is_read(text: str, rate: Rate) -> None:
    assert Rate.parse(text, name="ADIUVA_LOGIN_RATE") == rate


@pytest.mark.parametrize("text", ["", "20", "20/", "0/m", "-1/m", "20/min", "20/M", "1.5/s", " 20/m", "٢/m"])
def test_rate_that_cannot_be_read_names_its_setting(text: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        Rate.parse(text, name="ADIUVA_LOGIN_RATE")
    assert str(refused.value) == f"ADIUVA_LOGIN_RATE is {text!r}: set it to a rate such as 20/m (s, m, h or d)."
