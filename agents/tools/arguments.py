"""How models read and write arguments of tools: simple schemas, other names for states, dates in words, null as text.

Only what has a single meaning is accepted. Anything else is refused, and the model is told what it may write.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import NullableSchema, WithDefaultSchema

from agents.tools.rows import Priority, ProjectStatus, TaskStatus, to_ms

TaskOrder: TypeAlias = Literal[
    "dueDate", "-dueDate", "priority", "-priority", "title", "-title", "status", "-status", "createdAt", "-createdAt"
]

TaskFilter: TypeAlias = Literal["open", "todo", "in_progress", "done"]

_SEPARATORS: Final = re.compile(r"[\s_-]+")
_NULLS: Final = frozenset(
    {
        *("", "null", "none", "no description", "not requested", "not specified"),
        *("nessuno", "nessuna", "nessuna descrizione", "non richiesto", "non specificato"),
    }
)
_PLACEHOLDER: Final = re.compile(
    r"<.*>|default|undefined|unknown|nil|n/?a|unspecified|not specified|-+|0|\d{4}-\d\d-\d\d"
    r"|(?:the |my |your |an? |some |new |\w+['’]s )?(?:project|client)[ _-]*(?:id|name)?[ _-]*(?:\d*|[a-z])",
    re.IGNORECASE,
)
"""Such as ``Project 1`` and ``Project A``."""
_TASK_STATES: Final[Mapping[TaskStatus, str]] = {
    "todo": "open, pending, new, not started, planned, da fare, aperta, aperto",
    "in_progress": "doing, started, ongoing, active, wip, working, in corso, iniziata, iniziato",
    "done": "complete, completed, finished, closed, fatta, fatto, completata, completato, finita, finito, chiusa",
}
_TASK_FILTERS: Final[Mapping[TaskFilter, str]] = {
    "todo": "new, not started, planned, da fare",
    "in_progress": _TASK_STATES["in_progress"],
    "done": _TASK_STATES["done"],
    "open": "pending, not done, undone, unfinished, incomplete, aperta, aperto, aperte, non fatte",
}
_PRIORITIES: Final[Mapping[Priority, str]] = {
    "high": "highest, urgent, critical, important, alta, alto, urgente",
    "medium": "normal, moderate, average, media, medio, normale",
    "low": "lowest, minor, bassa, basso",
}
_PROJECT_STATES: Final[Mapping[ProjectStatus, str]] = {
    "active": "open, ongoing, current, attivo",
    "archived": "archive, closed, archiviato",
}
_Column: TypeAlias = Literal["dueDate", "priority", "title", "status", "createdAt"]
_COLUMNS: Final[Mapping[_Column, str]] = {"dueDate": "due", "createdAt": "created"}


def _written(value: str) -> str:
    """``value`` without case and separators."""
    return _SEPARATORS.sub("", value).casefold()


def _choice(kind: Any, others: Mapping[Any, str]) -> Callable[[object], object]:
    """A function that reads a choice of the literal ``kind`` in another spelling, or by one of its ``others``."""
    choices = {_written(choice): choice for choice in get_args(kind)}
    choices |= {_written(other): choice for choice, listed in others.items() for other in listed.split(",")}

    def read(value: object) -> object:
        return choices.get(_written(value), value) if isinstance(value, str) else value

    return read


AS_SAID: Final = "As said (Friday 18:00) or 2026-11-24T18:00."
"""How a model should write a date: small models make mistakes when they convert what the user says."""
TIME_WORDS: Final = re.compile(
    r"\d|\b(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mer|gio|ven|sab|dom)"
    r"(?:s?day|nesday|rsday|urday|edi|tedi|coledi|vedi|erdi|ato|enica)?s?\b"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|gen|mag|giu|lug|ago|set|ott|dic)"
    r"(?:t|e|y|uary|ruary|ch|il|ust|tember|ober|ember|naio|braio|zo|ile|gio|gno|lio|sto|tembre|obre|embre)?\b"
    r"|\b(?:to(?:day|morrow|night)|yesterday|morning|noon|afternoon|evening|midnight|now|soon|later|next|asap|immediately)\b"
    r"|\b(?:hour|day|fortnight|week(?:end)?|month|quarter|year)s?\b|\bend of\b"
    r"|\b(?:oggi|domani|dopodomani|ieri|stamattina|stasera|stanotte|mattin\w*|pomeriggio|sera|mezz(?:ogiorno|anotte)|ora|"
    r"adesso|subito|presto|dopo|prossim\w*|giorn\w+|settiman\w+|mes[ei]|ann[oi]|or[ae]|fine)\b"
)
"""Matches what says when in a ``plain`` text: any digit, or a word for a time, in English or Italian."""
_NUMBERS: Final = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|half)(?! of\b)"
)
_NUMERI: Final = (
    r"(?:una|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|"
    r"diciassette|diciotto|diciannove|venti\w*)"
)
_FEASTS: Final = (
    r"(?:christmas\w*|xmas|boxing day|new years?|easter|good friday|valentine\w*|halloween|thanksgiving|hanukkah|"
    r"passover|ramadan|eid|diwali|carnival|"
    r"natale|natalizi\w*|capodanno|epifania|befana|pasqu\w+|ferragosto|ognissanti|immacolata|carnevale|vigilia|"
    r"san valentino|san silvestro|santo stefano)"
)
WHEN_WORDS: Final = re.compile(
    TIME_WORDS.pattern
    + r"|\b(?:min(?:ute)?s?|minut[oi]|o.?clock|half past|semesters?|(?:tri|se)mestr[ei]|e\.?o\.?[bdwmy]|"
    r"cob|close of business|(?:right|straight) away|shortly|in a (?:moment|bit|while)|first thing|daily|nightly|"
    r"overnight|domattina|posdomani|prima possibile|appena (?:possibile|puoi|posso)|"
    r"spring|summer|autumn|winter|primavera|estate|autunno|inverno|mezza|a breve|(?:tra|fra) (?:poco|un po)|"
    r"(?:al|il) piu presto|quanto prima|immediatamente)\b"
    rf"|\b{_FEASTS}\b"
    rf"|\b(?:at|by|before|after|until|till|around) (?:about )?{_NUMBERS}\b"
    rf"|\b(?:(?:d?alle|prima delle|(?:entro|verso|per|dopo) le) {_NUMERI}|all.una)\b"
    r"|\b(?:at|by|before|after|until|till|for|on|over) (?:\w+(?:['’]s)? ){0,2}"
    r"(?:breakfast|lunch(?:time)?|dinner(?:time)?|bedtime|sun(?:set|rise)|dawn|dusk|birthday|anniversary|holidays?)\b"
    r"|\b(?:entro|prima|dopo|per|a|al|alla|all.|durante) ?(?:\w+ ){0,2}"
    r"(?:colazione|pranzo|cena|alba|tramonto|compleanno|anniversario|vacanz[ae]|ferie|festivita|feste)\b"
)
"""As ``TIME_WORDS``, and words that are also common in names: feasts, seasons, meals, numbers."""
DUE_WORDS: Final = re.compile(
    WHEN_WORDS.pattern + r"|\b(?:due|deadlines?|dates?|(?:re|un)?schedul\w+|postpon\w+|snooz\w+|mov\w+|push\w*|"
    r"delay\w*|scad\w+|data|rimand\w+|rinvi\w+|spost\w+|posticip\w+|anticip\w+)\b"
)
"""Matches what asks for no due date, like ``TIME_WORDS``."""
PEOPLE_WORDS: Final = re.compile(
    r"\b(?:(?:un|re)?assign\w*|for|to|by|with|who|me|my|i|give\w*|takes?|owners?|responsib\w+|team|people|names?|"
    r"(?:no|any|every)(?:body| ?one)|work\w*|(?:ri)?assegn\w+|affid\w+|per|a|al|alla|da|con|chi|mi[oa]|io|"
    r"responsabil\w+|nessuno|tutti|person[ae]|nom[ei]|lavor\w+)\b"
)
"""Matches what may say who does something, like ``TIME_WORDS``."""
PRIORITY_WORDS: Final = re.compile(
    r"\b(?:priori\w+|urgen\w+|import\w+|critic\w+|high\w*|low\w*|medium|normal\w*|minor|top|asap|"
    r"alt[aoie]|bass[aoie]|medi[aoie]|subito)\b"
)
"""Matches what says how urgent something is, like ``TIME_WORDS``."""
URGENCY_WORDS: Final = re.compile(
    PRIORITY_WORDS.pattern + r"|\b(?:"
    r"emergenc\w+|block(?:er|ers|ing)|must[ -]have|nice[ -]to[ -]have|p[0-4]|sev(?:erity)?[ -]?\d|major|vital|"
    r"crucial\w*|essential\w*|trivial|severe|serious|pressing|time[ -]sensitive|immediate\w*|(?:right|straight) away|"
    r"(?:as|very) soon(?: as possible)?|rush\w*|hurry|(?:can|could|may) wait|no (?:hurry|pressure)|whenever|"
    r"back burner|drop everything|when(?:ever)? (?:i|we|you) (?:have|get|find)(?: the| some)? time|"
    r"emergenz\w+|bloccant[ei]|indispensabil[ei]|fondamental[ei]|essenzial[ei]|vital[ei]|crucial[ei]|grav[ei]|"
    r"secondari[aoe]|marginal[ei]|immediat\w+|(?:al|il) piu presto|quanto prima|fretta|con (?:comodo|calma)|"
    r"(?:prima|appena) possibile|puo (?:aspettare|attendere)|quando (?:ho|hai|abbiamo|c.e) tempo)\b"
)
"""As ``PRIORITY_WORDS``, and words that are also common in names."""
DESCRIPTION_WORDS: Final = re.compile(
    r"\b(?:descri\w+|detail\w*|dettagl\w*|explain\w*|spieg\w+|elaborat\w+|steps?|passi|list\w*|elenc\w+|text|testo)\b"
)
"""Matches what asks for a description, like ``TIME_WORDS``."""
CONTENT_WORDS: Final = re.compile(
    r"\b(?:(?:re)?writ\w+|texts?|contents?|body|sa(?:y|ys|ying|id)|add\w*|append\w*|insert\w*|includ\w+|put|replac\w+|"
    r"remov\w+|delet\w+|clear\w*|empt\w+|fix\w*|correct\w*|typos?|edit\w*|updat\w+|chang\w+|translat\w+|"
    r"short\w+|expand\w*|summar\w+|format\w*|sort\w*|sav\w+|lines?|paragraphs?|sentences?|"
    r"(?:ri)?scriv\w*|test[oi]|contenut\w*|dic[ae]|aggiung\w*|inseri\w+|mett\w+|sostitu\w+|rimuov\w*|tog\w+|"
    r"elimin\w+|cancell\w+|svuot\w+|corregg\w*|modific\w+|cambi\w+|aggiorn\w+|traduc\w+|accorci\w+|riassum\w+|"
    r"ordin\w+|salv\w+|righ[ae]|fras[ei]|paragraf[oi])\b"
)
"""Matches what asks for another text of a note, like ``TIME_WORDS``."""
APPROVAL_WORDS: Final = re.compile(
    r"\b(?:approv\w+|accept\w*|suggest\w*|propos\w+|confirm\w*|reject\w*|refus\w+|"
    r"accett\w+|sugger\w+|conferm\w+|rifiut\w+)\b"
)
"""Matches what accepts a suggestion of the assistant or not, like ``TIME_WORDS``."""
OVERDUE_WORDS: Final = re.compile(
    r"\b(?:over ?-?due|late|behind|miss(?:ed|ing)|past|slipped|outstanding|"
    r"scadut[aoie]|ritardo|arretrat[aoie]|indietro|pass?at[aoie])\b"
)
"""Matches what asks for overdue tasks, like ``TIME_WORDS``."""
STATUS_WORDS: Final = re.compile(
    r"\A(?!.*\b(?:by|per|each|every|ogni) (?:their |its |the |lo )?(?:status|state|stato)\b)"
    r"|\b(?:open|to ?-?do|done|pending|progress|complet\w+|finish\w+|closed|active|"
    r"apert[aoie]|fatt[aoie]|da fare|in corso|finit[aoie]|chius[aoie]|attiv[aoie])\b",
    re.DOTALL,
)
"""Matches any text except one that asks for tasks by status without naming one: then no task may be left out."""

_DESCENDING: Final = re.compile(r"^\s*-|[\s_:-]+desc(?:ending)?\s*$", re.IGNORECASE)
_ASCENDING: Final = re.compile(r"^\s*\+|[\s_:-]+asc(?:ending)?\s*$", re.IGNORECASE)
_column: Final = _choice(_Column, _COLUMNS)


def _order(value: object) -> object:
    """``due_date desc`` is ``-dueDate``."""
    if not isinstance(value, str):
        return value
    column = _column(_ASCENDING.sub("", _DESCENDING.sub("", value)))
    known = f"-{column}" if _DESCENDING.search(value) else column
    return known if known in get_args(TaskOrder) else value


AnyTaskStatus: TypeAlias = Annotated[TaskStatus, BeforeValidator(_choice(TaskStatus, _TASK_STATES))]
AnyTaskFilter: TypeAlias = Annotated[TaskFilter, BeforeValidator(_choice(TaskFilter, _TASK_FILTERS))]
AnyPriority: TypeAlias = Annotated[Priority, BeforeValidator(_choice(Priority, _PRIORITIES))]
AnyProjectStatus: TypeAlias = Annotated[ProjectStatus, BeforeValidator(_choice(ProjectStatus, _PROJECT_STATES))]
AnyTaskOrder: TypeAlias = Annotated[TaskOrder, BeforeValidator(_order)]


def null_in(value: object) -> object:
    """None if ``value`` is a text that means null, as small models write it; otherwise ``value``."""
    return None if isinstance(value, str) and value.strip().casefold() in _NULLS else value


def is_placeholder(said: str) -> bool:
    """Whether ``said`` is what models write for the name of a row if they know none."""
    return _PLACEHOLDER.fullmatch(said.strip()) is not None


_DAYS: Final[Mapping[str, int]] = {
    "today": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "oggi": 0,
    "domani": 1,
    "dopodomani": 2,
    "ieri": -1,
}
_WEEKDAYS: Final = (
    "mon(?:day)?|lun(?:edì|edi)?", "tue(?:sday)?|mar(?:tedì|tedi)?", "wed(?:nesday)?|mer(?:coledì|coledi)?",
    "thu(?:rsday)?|gio(?:vedì|vedi)?", "fri(?:day)?|ven(?:erdì|erdi)?", "sat(?:urday)?|sab(?:ato)?",
    "sun(?:day)?|dom(?:enica)?",
)  # fmt: skip
_MONTHS: Final = (
    "jan(?:uary)?|gen(?:naio)?", "feb(?:ruary|braio)?", "mar(?:ch|zo)?", "apr(?:il|ile)?", "may|mag(?:gio)?",
    "june?|giu(?:gno)?", "july?|lug(?:lio)?", "aug(?:ust)?|ago(?:sto)?", "sep(?:t|tember)?|set(?:t|tembre)?",
    "oct(?:ober)?|ott(?:obre)?", "nov(?:ember|embre)?", "dec(?:ember)?|dic(?:embre)?",
)  # fmt: skip
_TIME: Final = re.compile(r"^(?P<day>.+?)(?:,? (?:at |alle )?|t)(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)$")
_WEEKDAY_BEFORE: Final = re.compile(rf"^(?:{'|'.join(_WEEKDAYS)})\.?,? (?=.*\d)")
_MONTH: Final = rf"(?P<month>{'|'.join(_MONTHS)})"
_DAY_FIRST: Final = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|°)? (?:of |di )?{_MONTH}\b\.?(?:,? (?P<year>\d{{4}}))?(?!\w)"
)
_MONTH_FIRST: Final = re.compile(
    rf"\b{_MONTH}\b\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?(?![\w:])"
)
_NEXT_WEEK: Final = re.compile(
    rf"\b(?P<weekday>{'|'.join(_WEEKDAYS)}),? "
    r"(?:(?:of )?next week|(?:del)?la (?:prossima settimana|settimana prossima))\b"
)
_YEAR_FIRST: Final = re.compile(r"^(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})$")
_DOTTED: Final = re.compile(r"^(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})$")
_SLASHED: Final = re.compile(r"^(?P<day>1[3-9]|[23]\d)/(?P<month>\d{1,2})/(?P<year>\d{4})$")
"""Only if the day cannot be a month."""


_PAST_DAYS: Final = 31
"""How long ago a date without a year may be."""
_LEAP_YEARS: Final = 8
"""The most years between two of them."""


def moment_ms(said: str, today: date, timezone: ZoneInfo) -> int:
    """As ``to_ms``, but also reads ``tomorrow 18:00``, ``Friday`` (the next one after ``today``), ``Friday next week``,
    ``24 Nov 2026`` and ``24 Nov`` (the next one, or the last one within a month).

    Raises ``ModelRetry`` for an ambiguous date, such as ``03/04/2026``, or today's weekday.
    """
    words = " ".join(said.split()).casefold()
    timed = _TIME.match(words)
    day = _day(timed["day"] if timed else words, today)
    if day is None:
        return to_ms(said, timezone)
    time = f"T{int(timed['hour']):02}:{timed['minute']}" if timed else ""
    return to_ms(f"{day.isoformat()}{time}", timezone)


_RELATIVE: Final = re.compile(
    r"\b(?:before|after(?:wards?)?|past|last|ago|within|since|prior|following|every|each|earlier|later|previous|ahead|"
    r"advance|eve|around|yesterday|easter|good|black|cyber|"
    r"prima|dopo|oltre|entro|seguent[ei]|successiv[oaie]|precedent[ei]|scors[oaie]|passat[oaie]|ultim[oaie]|ieri|ogni|"
    r"vigilia|anticipo|santo|angelo|grasso)\b"
    r"|\b(?:postpon|delay|rimand|rinvi|posticip)\w*\b(?!.*\b(?:to|until|till|a|al|all|alla|fino|per)\b)",
    re.DOTALL,
)
_CLOCK_TIME: Final = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]m)\b")
_NO_TIME: Final = frozenset({"set"})
"""This is a verb far more often than the Italian abbreviation of September."""


def days_said(text: str, today: date) -> Mapping[str, date]:
    """The days that words of the ``plain`` text mean, by these words, such as ``thursday`` or ``domani``.

    Empty if the text also says when in another way, because then another day may be meant.
    """
    if _RELATIVE.search(text):
        return {}
    dates: dict[str, date] = {}
    for pattern in (_NEXT_WEEK, _DAY_FIRST, _MONTH_FIRST):
        for found in pattern.finditer(text):
            if (day := _day(found[0], today)) is None:
                return {}
            dates[found[0].rstrip(".")] = day
        text = pattern.sub(" ", text)
    text = _CLOCK_TIME.sub(" ", text)
    # Beside a date, “summer” is a name.
    times = TIME_WORDS if dates else WHEN_WORDS
    said = [word for word in dict.fromkeys(found[0] for found in times.finditer(text)) if word not in _NO_TIME]
    days = {word: day for word in said if word != "mar" and (day := _day(word, today)) is not None}
    return dates | days if len(days) == len(said) else {}


def _day(words: str, today: date) -> date | None:
    if words in _DAYS:
        return today + timedelta(days=_DAYS[words])
    for weekday, names in enumerate(_WEEKDAYS):
        if weekday != today.weekday() and re.fullmatch(names, words):
            return today + timedelta(days=(weekday - today.weekday()) % 7)
    if found := _NEXT_WEEK.fullmatch(words):
        monday = today + timedelta(days=7 - today.weekday())
        return monday + timedelta(days=_number_in(_WEEKDAYS, found["weekday"]))
    # "mar" is both March and, in Italian, Tuesday.
    for said in (words, _WEEKDAY_BEFORE.sub("", words)):
        for pattern in (_YEAR_FIRST, _DOTTED, _DAY_FIRST, _MONTH_FIRST, _SLASHED):
            if found := pattern.fullmatch(said):
                return _dated(found["year"], found["month"], found["day"], today)
    return None


def _number_in(names: Sequence[str], word: str) -> int:
    """The position of the first of the expressions ``names`` that matches ``word``; -1 if none does."""
    return next((number for number, each in enumerate(names) if re.fullmatch(each, word)), -1)


def _dated(year: str | None, month: str, day: str, today: date) -> date | None:
    """The date, in the ``year`` or else in the one that makes it the next one, or the last one within a month."""
    number = int(month) if month.isdecimal() else _number_in(_MONTHS, month) + 1
    earliest = today - timedelta(days=_PAST_DAYS)
    years = [int(year)] if year else range(earliest.year, earliest.year + _LEAP_YEARS + 1)
    for each in years:
        # 29 February does not exist in every year.
        with suppress(ValueError):
            if (found := date(each, number, int(day))) >= earliest or year:
                return found
    return None


class PlainSchema(GenerateJsonSchema):
    """JSON Schema without what models do not need, because they read it in each request.

    It has no titles, which Pydantic derives from the names. It has no defaults, because models would then send values
    that no one asked for. It has no null beside a type, because a choice of types leads small models to write an
    object. Null is accepted nevertheless, as is an empty text.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - Pydantic's signature
        return False

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def nullable_schema(self, schema: NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])
