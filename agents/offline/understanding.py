"""From a message to a command: both languages are tried, the one the message seems to be in first."""

import re
from datetime import date

from agents.offline.asking import read_question, read_showing
from agents.offline.changing import read_change, read_comment, read_deletion
from agents.offline.commands import Command, Talk
from agents.offline.commissioning import read_commission
from agents.offline.creating import read_creation
from agents.offline.english.words import ENGLISH
from agents.offline.grammar import Grammar, Language
from agents.offline.italian.words import ITALIAN
from agents.offline.listing import read_list
from agents.offline.reading import Reading
from agents.offline.recalling import read_memory
from agents.offline.spelling import read_utterance

GRAMMARS = (ENGLISH, ITALIAN)
# In this order: a list takes words that a change or a single row's title could hold, and a change of date those of a
# plan.
_READERS = (
    read_memory,
    read_commission,
    read_question,
    read_comment,
    read_creation,
    read_change,
    read_deletion,
    read_list,
    read_showing,
)
_LOOKED_AT = 2000


def understand(message: str, *, language: str, today: date) -> tuple[Command, Language]:
    """What ``message`` asks for, and the language it is in.

    ``language`` (IETF tag) decides where the words could be of either.
    """
    grammars = _likeliest_first(message, language)
    utterance = read_utterance(message)
    if utterance is None:
        return Talk.NOT_UNDERSTOOD, grammars[0].language
    for grammar in grammars:
        text = _impolite(grammar, utterance.text)
        if command := _command(Reading(grammar=grammar, utterance=utterance, text=text, today=today)):
            return command, grammar.language
    return Talk.NOT_UNDERSTOOD, grammars[0].language


def _likeliest_first(message: str, language: str) -> list[Grammar]:
    words = re.findall(r"\w+", message[:_LOOKED_AT].casefold())

    def likeliness(grammar: Grammar) -> tuple[int, bool]:
        return sum(word in grammar.mark_words for word in words), language.casefold().startswith(grammar.language)

    return sorted(GRAMMARS, key=likeliness, reverse=True)


def _impolite(grammar: Grammar, text: str) -> str:
    """The text without politeness at either end; what is nothing but politeness stays."""
    opening = grammar.pattern(rf"(?:{grammar.opening})[\s,:;!.]+(?P<rest>.+)")
    closing = grammar.pattern(rf"(?P<rest>.+?)[\s,.!?;]+(?:{grammar.closing})")
    for pattern in (opening, closing):
        while match := pattern.fullmatch(text):
            text = match["rest"].strip(" \n,.!?")
    return text


def _command(reading: Reading) -> Command | None:
    return _talk(reading) or next((command for read in _READERS if (command := read(reading))), None)


def _talk(reading: Reading) -> Talk | None:
    sentences = reading.grammar.sentences
    for pattern, talk in (
        (sentences.greetings, Talk.GREETING),
        (sentences.help, Talk.HELP),
        (sentences.thanks, Talk.THANKS),
    ):
        if any(reading.matches((pattern,))):
            return talk
    return None
