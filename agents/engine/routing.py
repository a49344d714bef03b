"""Chooses the agent for a message: by its words, by those of earlier messages, or by asking the small model."""

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from typing import Final

from agents.adapters.base import ModelAdapter, ModelParams, ModelSize, UserMessage, whole_text
from agents.engine.roster import AgentName
from agents.errors import ModelError
from agents.prompts.names import PromptName
from agents.prompts.rendering import system_message

logger = logging.getLogger(__name__)

ROUTING_TIMEOUT_S: Final = 3.0
_MAX_MESSAGE: Final = 2000
_MAX_TOKENS: Final = 50


def _words(*patterns: str) -> re.Pattern[str]:
    """Matches any of ``patterns`` at the beginning of a word."""
    return re.compile(rf"\b(?:{'|'.join(patterns)})", re.IGNORECASE)


# In English and Italian. A pattern without \b at its end is a stem.
_NOUNS: Final = {
    AgentName.TASK_AGENT: _words(
        r"tasks?\b", "to-?dos?\\b", "todo", "chores?\\b", "reminders?\\b", "comment", "errands?\\b",
        "attivit", "compit[oi]", "promemoria", r"cose da fare", r"faccend", "commission[ei]", r"impegn[oi]\b",
    ),
    AgentName.PROJECT_AGENT: _words("project", r"clients?\b", "customer", "progett", r"client[ei]\b"),
    AgentName.CHECKPOINT_AGENT: _words(
        "checkpoint", "milestone", "timeline", "deadline",
        "traguard", r"tapp[ae]\b", r"pietr[ae] miliar", r"linea del tempo", "cronoprogramma",
    ),
    AgentName.NOTE_AGENT: _words(
        r"notes?\b", r"(?:i|we|have|did i) (?:write|wrote|written)", r"wr(?:ote|itten)\b", "minutes of",
        r"nota\b", r"note\b", "appunt", r"scritt[oaie]\b", "verbal[ei]",
    ),
}  # fmt: skip
"""Words for the rows of each agent."""

_PLACE: Final = _words(
    r"(?:in|into|to|of|for|from|on|under|within|inside) (?:the |my |our |this |that )?(?:\S+ ){0,2}?projects?\b",
    r"(?:nel|nello|del|dello|al|dal|sul|per il|in|di|a) (?:il |mio |nostro |questo )?progett[oi]\b",
)
"""A project that is only the place of something else: every agent can look it up."""
_NAMED: Final = r"(?:called|named|titled|to|for|chiamat[oa]|intitolat[oa]|per|di|da)\b|[:\"“«]"
_MAKES: Final = re.compile(
    r"\W*(?:(?:please|can you|could you|per favore|puoi|potresti) )*"
    r"(?:create|add|make|new|start|open|write|crea\w*|aggiung\w+|fai|nuov[oa]|apri\w*|scriv\w+)\b"
    rf"(?P<made>(?: (?!{_NAMED})\S+){{1,6}}?)(?: ?(?:{_NAMED})|$)",
    re.IGNORECASE,
)
"""A message that asks for a new row and names it; the rest of the message is its title."""
_AND: Final = re.compile(r"(?:,|\band\b|\bthen\b|\balso\b|\be\b|\bpoi\b|\banche\b)", re.IGNORECASE)

_TASKS: Final = _words(
    r"due\b", "overdue", r"late\b", "assign", "priorit", "urgent", "remind me", r"to do\b", "do next", r"next up\b",
    "what'?s next", "my plate", "agenda", r"my (?:day|week)\b", "snooze", "postpone", "reschedul", "put off",
    r"(?:mark|set|tick|check|cross)\b.*\b(?:done|complete|off|finished|progress)", r"complete[d]?\b", r"finish",
    r"(?:is|are|'m|am|was) done\b", "done with", "weekly", "review (?:the|my) week", "start(?:ed|ing)? (?:on|with)\\b",
    r"(?:today|tomorrow|tonight|this (?:morning|afternoon|evening|week)|next week)\b",
    r"(?:move|shift|push|delay)\b.*\b(?:to|until|till|by)\b", r"(?:mon|tues|wednes|thurs|fri|satur|sun)day",
    r"(?:buy|call|pay|book|pick up|send|email|ring)\b",
    "scad", "assegna", "urgent", "ricordami", r"da fare\b", "devo fare", r"fare (?:oggi|domani|dopo)",
    "agenda", "in ritardo", "arretrat", "rimanda", "rinvia", "posticipa", "anticipa", "settimanal",
    r"(?:segn|contrassegn|imposta|mett|spunt)\w*\b.*\b(?:fatt|complet|finit|conclus|cors)", r"complet[aoi]",
    r"ho (?:finito|fatto|completato)", r"(?:oggi|domani|stasera|stamattina|dopodomani|settimana)\b",
    r"(?:sposta|spost[ai]re)\b.*\b(?:a|al|alla)\b", r"(?:luned|marted|mercoled|gioved|venerd)ì",
    r"(?:sabato|domenica)\b", r"(?:compra|chiama|paga|prenota|telefona|manda)\w*\b",
)  # fmt: skip
"""Words about tasks that do not name them: dates, states, and common errands."""
_NOTES: Final = _words(
    r"(?:write|note|jot|put) (?:this |that |it )?down", r"write up\b", r"(?:take|make) a note",
    r"(?:annot|trascriv)", r"prendi nota", r"segnati\b", r"ho (?:annotato|segnato)",
)  # fmt: skip
_MEMORY: Final = _words(
    r"remember\b(?! to\b)", r"(?:do|what) you (?:know|remember)", r"know about me", r"forget\b", r"about me\b",
    r"i (?:prefer|like|always|never|usually)\b", r"from now on", r"(?:last|earlier|previous) (?:conversation|chat)",
    r"did (?:i|we) (?:say|talk|discuss|ask)", r"my name is", r"call me\b", r"i live\b",
    r"ricord(?:a|ati) che", r"ti ricordi", r"cosa sai", r"che sai", r"di me\b", r"dimentica", r"scordati",
    "preferisco", r"d'ora in poi", r"abbiamo (?:parlato|detto|discusso)", r"ti ho (?:detto|chiesto)", r"mi chiamo",
    "chiamami",
)  # fmt: skip
"""Requests for the tools of the memory, which every agent has."""
_SMALL_TALK: Final = re.compile(
    r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?(?: you)?|thank you|bye|who are you|"
    r"what can you do|help|ciao|salve|buon(?:giorno|asera)|grazie|chi sei|cosa (?:puoi|sai) fare|aiuto|aiutami)\b"
    r"[^.?!]{0,40}[.?!]*\s*",
    re.IGNORECASE,
)
_ANY_ROW: Final = _words(
    r"(?:find|search|look (?:up|for)|delete|remove|rename|archive|get rid of|where (?:is|are|did))\b",
    r"(?:cerca|trova|elimina|cancella|rimuovi|rinomina|archivia|dove (?:è|sono|ho))\w*\b",
    r"(?:everything|anything|overview|status|summar|how (?:is|are)\b.*\bgoing)",
    r"(?:tutto|qualcosa|panoramica|riepilog|riassum|riassunt|come va|a che punto)",
)  # fmt: skip
"""Requests that may concern rows of any kind."""

_SCHEMA: Final = {
    "type": "object",
    "properties": {"agent": {"type": "string", "enum": [name.value for name in AgentName]}},
    "required": ["agent"],
    "additionalProperties": False,
}


async def classify_intent(
    message: str,
    adapter: ModelAdapter,
    *,
    language: str,
    before: Sequence[str] = (),
    otherwise: AgentName | None = None,
    timeout_s: float = ROUTING_TIMEOUT_S,
) -> AgentName:
    """The agent for ``message``, in a conversation in which the user said ``before``, oldest first.

    The words of the message decide, else ``otherwise``, else the words of ``before``. The small model is asked only at
    the beginning of a conversation, for at most ``timeout_s`` seconds. Never raises: ``general_agent`` is the fallback.
    """
    known, earlier = by_words(message), next(filter(None, map(by_words, reversed(before))), None)
    if known is AgentName.PROJECT_AGENT and earlier is not None and _says_where(message[:_MAX_MESSAGE]):
        return earlier
    if known := known or otherwise:
        return known
    if before:
        return earlier or AgentName.GENERAL_AGENT
    prompt = system_message(PromptName.ROUTER_SYSTEM, {}, language=language)
    conversation = (prompt, UserMessage(text=message[:_MAX_MESSAGE]))
    params = ModelParams(size=ModelSize.SMALL, language=language, max_tokens=_MAX_TOKENS, response_schema=_SCHEMA)
    try:
        async with asyncio.timeout(timeout_s):
            return _named_in(await whole_text(adapter, conversation, params))
    except (ModelError, TimeoutError) as error:
        logger.warning("routing fell back on the general agent: %s", type(error).__name__)
        return AgentName.GENERAL_AGENT


def by_words(message: str) -> AgentName | None:
    """The agent whose words are in the message; ``general_agent`` for words of several agents, None for none."""
    said = message[:_MAX_MESSAGE]
    if (made := _MAKES.match(said)) and not _AND.search(made["made"]):
        created = _agents_of(made["made"])
        if len(created) == 1:
            return created[0]
    named = _agents_of(said)
    if len(named) > 1 and AgentName.PROJECT_AGENT in named:
        named = _agents_of(_PLACE.sub(" ", said))
    if named == [AgentName.PROJECT_AGENT] and _says_where(said) and _TASKS.search(_PLACE.sub(" ", said)):
        return AgentName.TASK_AGENT
    if named:
        return named[0] if len(named) == 1 else AgentName.GENERAL_AGENT
    if _MEMORY.search(said):
        return AgentName.GENERAL_AGENT
    if _NOTES.search(said):
        return AgentName.NOTE_AGENT
    if _TASKS.search(said):
        return AgentName.TASK_AGENT
    return AgentName.GENERAL_AGENT if _SMALL_TALK.fullmatch(said) or _ANY_ROW.search(said) else None


def _says_where(text: str) -> bool:
    """Whether ``text`` names a project only as the place of something else."""
    return _PLACE.search(text) is not None and not _agents_of(_PLACE.sub(" ", text))


def _agents_of(text: str) -> list[AgentName]:
    return [agent for agent, nouns in _NOUNS.items() if nouns.search(text)]


def _named_in(answer: str) -> AgentName:
    """The agent in the model's JSON, or the only one that its text names, because models ignore schemas."""
    try:
        return AgentName(json.loads(answer)["agent"])
    except (ValueError, TypeError, KeyError, RecursionError):
        named = [name for name in AgentName if name in answer]
        return named[0] if len(named) == 1 else AgentName.GENERAL_AGENT
