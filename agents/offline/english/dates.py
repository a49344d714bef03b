"""How English says dates."""

from datetime import time

from agents.offline import dates
from agents.offline.dates import DateRule, DateWords

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = (
    "(january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|sep|october"
    "|oct|november|nov|december|dec)"
)
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_NUMBERS = (
    ("a", 1), ("an", 1), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5),
    ("six", 6), ("seven", 7), ("ten", 10), ("couple of", 2), ("a couple of", 2),
)  # fmt: skip
_COUNT = r"(\d{1,3}|an|a couple of|couple of|a|one|two|three|four|five|six|seven|ten) (days?|weeks?|months?)"
_IN = dates.in_units(_NUMBERS, weeks="week", months="month")
_WITHIN = dates.in_units(_NUMBERS, weeks="week", months="month", whole=True)

DATES = DateWords(
    rules=(
        dates.ISO,
        *dates.NUMERIC,
        DateRule(
            pattern="today|tonight|this (?:morning|afternoon|evening)|end of (?:the )?day", resolve=dates.after(0)
        ),
        DateRule(pattern="(?:the )?day after tomorrow", resolve=dates.after(2)),
        DateRule(pattern="(?:tomorrow|tmrw)(?: morning| afternoon| evening)?", resolve=dates.after(1)),
        DateRule(pattern="yesterday", resolve=dates.after(-1)),
        DateRule(pattern=f"(?:(this|next|this coming|coming) )?({_WEEKDAY})()", resolve=dates.weekday(_WEEKDAYS)),
        DateRule(
            pattern="(?:(this|next) )?(mon|tues|tue|wed|thurs|thur|thu|fri|sat|sun)()",
            resolve=dates.weekday(_WEEKDAYS),
            bare=False,
        ),
        DateRule(pattern="this week|(?:the )?end of (?:the|this) week", resolve=dates.this_week),
        DateRule(pattern="the week", resolve=dates.this_week, bare=False),
        DateRule(pattern="next week|the (?:coming|following) week", resolve=dates.next_week),
        DateRule(pattern="(?:this |the |next )weekend", resolve=dates.weekend),
        DateRule(pattern="this month|(?:the )?end of (?:the |this )?month", resolve=dates.this_month),
        DateRule(pattern="next month", resolve=dates.next_month),
        DateRule(pattern=f"in {_COUNT}", resolve=_IN),
        DateRule(pattern=f"{_COUNT} from now", resolve=_IN),
        DateRule(pattern=f"(?:(?:within|in|over) )?(?:the )?(?:next|coming) {_COUNT}", resolve=_WITHIN),
        DateRule(pattern=f"within {_COUNT}", resolve=_WITHIN),
        DateRule(
            pattern=rf"(?:the )?(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (\d{{4}}))?",
            resolve=dates.day_and_month(_MONTHS),
        ),
        DateRule(
            pattern=rf"{_MONTH} (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?",
            resolve=dates.month_and_day(_MONTHS),
        ),
        DateRule(pattern=r"the (\d{1,2})(?:st|nd|rd|th)", resolve=dates.day_of_month, bare=False),
    ),
    clock=(
        r"(?:at |by |@ ?|(?=\d{1,2}(?::\d{2}| ?[ap]\.?m)))(?P<hour>\d{1,2})(?::(?P<minutes>\d{2}))?(?: "
        r"?(?P<half>[ap]\.?m\.?))?"
    ),
    named_times=(("(?:at )?(?:noon|midday)", time(12)), ("(?:at )?midnight", time(0))),
)
