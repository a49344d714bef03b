"""Reading a message as a command. All languages are tried, the likeliest first."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final, TypeAlias

from agents.offline import commands
from agents.offline.amendments import read_change, read_changes, read_deletion, read_topic
from agents.offline.commands import Command, Incomplete, Missing, Place, RowKind, Talk, Target, Wish
from agents.offline.continuing import continued, read_dependent
from agents.offline.creations import read_creation, read_untyped
from agents.offline.earlier import Earlier, with_project, with_row
from agents.offline.filters import read_list
from agents.offline.grammar import QUOTED, LanguageGrammar, grammars
from agents.offline.reading import EDGES, Reading, read_utterance
from agents.offline.remembering import read_memory
from agents.offline.several import read_several
from agents.offline.spelling import corrections, plain, without_hesitation, without_symbols

_Reader: TypeAlias = Callable[[Reading], Command | None]
_LANGUAGE_CHARS: Final = 2000
"""The length of the beginning of a message by which its language is recognized."""
_NAMING: Final = (
    commands.CreateRow,
    commands.CreateRows,
    commands.ChangeRow,
    commands.DeleteRow,
    commands.AddComment,
)
_COLON: Final = r"(?:\s*:(?!\d)\s?|\n){goal}"
"""A colon between figures is a time of day."""


def understand(message: str, *, language: str, today: date, earlier: Earlier | None = None) -> tuple[Command, str]:
    """The command in ``message``, and its language.

    If several languages are possible, the language of the earlier messages is preferred, and then ``language`` (an IETF
    tag). ``earlier`` has the messages and rows of the conversation so far.
    """
    earlier = earlier or Earlier()
    before: Command | None = None
    latest: Command | None = None
    for text in earlier.messages:
        latest, spoken = _understood(text, language, today, before)
        language = language if latest is Talk.NOT_UNDERSTOOD else spoken
        # Small talk does not end a command, but it ends a question. “Never mind” ends both.
        is_over = latest is Talk.DECLINED or isinstance(before, Incomplete)
        before = (None if is_over else before) if isinstance(latest, Talk) else latest
    command, spoken = _understood(message, language, today, before, earlier)
    is_open = latest is Talk.NOT_UNDERSTOOD or isinstance(latest, Incomplete)
    if is_open and isinstance(command, commands.DeleteRow) and command.target.place is Place.IT:
        # “It” can mean a row of the message that was not understood, and not the row that was shown before it.
        return Incomplete(missing=Missing.WHICH, entity=command.target.entity), spoken
    return _without_me(with_project(with_row(command, earlier), earlier, _points)), spoken


def _without_me(command: Command) -> Command:
    """``command``; ``Talk.NO_NAME`` if its people include “me”, because the user's name in tasks is not known."""
    if isinstance(command, commands.ListRows):
        where = command.where
        if where.about and _is_me(where.about):
            return replace(command, where=replace(where, about=None))
        return Talk.NO_NAME if where.assignee and _is_me(where.assignee) else command
    people: tuple[str, ...] = ()
    if isinstance(command, commands.ChangeRow):
        people = (*command.assignees, *command.unassigned)
    elif isinstance(command, commands.CreateRow):
        people = command.details.assignees
    elif isinstance(command, commands.CreateRows):
        people = tuple(name for row in command.rows for name in row.details.assignees)
    return Talk.NO_NAME if any(map(_is_me, people)) else command


def _is_me(name: str) -> bool:
    return any(each.pattern(each.me).fullmatch(name) for each in grammars())


def _points(name: str) -> bool:
    """Whether ``name`` is a word such as “this” for the row that was shown last."""
    pointing = ((each, words) for each in grammars() for words, place in each.places if place is Place.IT)
    return any(each.pattern(words).fullmatch(name) for each, words in pointing)


def _understood(
    message: str, language: str, today: date, before: Command | None, earlier: Earlier | None = None
) -> tuple[Command, str]:
    languages = _likeliest_first(message, language)
    utterance = read_utterance(message)
    if utterance is None:
        return Talk.NOT_UNDERSTOOD, languages[0].language
    readings = [
        Reading(grammar=each, utterance=utterance, text=plain(each, utterance.text), today=today) for each in languages
    ]
    found = _tried(readings, partial(_read, before)) or _tried(
        readings, partial(continued, before, earlier or Earlier())
    )
    if found:
        return found
    bare = without_symbols(message)
    if bare != message.strip():
        return _understood(bare, language, today, before, earlier)
    readings = [without_hesitation(reading) for reading in readings]
    found = _tried(readings, _read_anew) or _tried(readings, partial(_read_corrected, before))
    return found or (Talk.NOT_UNDERSTOOD, languages[0].language)


def _tried(readings: Sequence[Reading], read: _Reader) -> tuple[Command, str] | None:
    """The command in the first reading that has one, and its language."""
    for reading in readings:
        if command := read(reading):
            return command, reading.grammar.language
    return None


def _first(reading: Reading, *readers: _Reader) -> Command | None:
    return next((command for read in readers if (command := read(reading))), None)


def _read(before: Command | None, reading: Reading) -> Command | None:
    """A whole sentence. If a list is filtered by an unknown name, the name is read as a misspelt word if possible."""
    command = _first(reading, partial(read_dependent, before), *_READERS)
    if isinstance(command, commands.ListRows) and command.where.about:
        for corrected, _ in corrections(reading):
            meant = _first(corrected, *_READERS)
            if isinstance(meant, commands.ListRows) and meant.where.about is None:
                return meant
    return command


def _read_anew(reading: Reading) -> Command | None:
    return _first(reading, *_READERS, read_untyped)


def _read_corrected(before: Command | None, reading: Reading) -> Command | None:
    """A sentence with misspelt words. If it contains a title, as few words as possible are corrected."""
    for corrected, is_whole in corrections(reading):
        command = _read(before, corrected)
        if command and (is_whole or isinstance(command, _NAMING)):
            return command
    return None


def _likeliest_first(message: str, language: str) -> list[LanguageGrammar]:
    words = re.findall(r"\w+", message[:_LANGUAGE_CHARS].casefold())

    def likeliness(grammar: LanguageGrammar) -> tuple[int, bool]:
        return sum(word in grammar.marks for word in words), language.casefold().startswith(grammar.language)

    return sorted(grammars(), key=likeliness, reverse=True)


def _read_talk(reading: Reading) -> Talk | None:
    sentences = reading.grammar.sentences
    # "Hello there" and "thank you so much" begin politely, too.
    whole = {Talk.GREETING: sentences.greetings, Talk.DECLINED: sentences.declined, Talk.THANKS: sentences.thanks}
    for talk, pattern in whole.items():
        if reading.pattern(pattern).fullmatch(reading.utterance.text.rstrip(" .!")):
            return talk
    talks = {
        Talk.GREETING: sentences.greetings,
        Talk.HELP: sentences.help,
        Talk.THANKS: sentences.thanks,
        Talk.DECLINED: sentences.declined,
    }
    return next((talk for talk, pattern in talks.items() if any(reading.matches((pattern,)))), None)


def _read_undo(reading: Reading) -> commands.UndoChanges | None:
    sentences = reading.grammar.sentences
    if any(reading.matches((sentences.undo_day,))):
        return commands.UndoChanges(all_day=True)
    return commands.UndoChanges() if any(reading.matches((sentences.undo,))) else None


def _read_job(reading: Reading) -> Command | None:
    """A request for a text that a job writes; ``Incomplete`` for a plan without a goal."""
    words = reading.grammar.jobs
    if any(reading.matches(words.reviews)):
        return Wish.WRITE_REVIEW
    if planned := _plan(reading):
        return planned
    for match in reading.matches(words.summaries):
        if target := _project(reading, match["target"], bare=True):
            return commands.WriteSummary(target=target) if isinstance(target, Target) else target
    return None


def _plan(reading: Reading) -> Command | None:
    words = reading.grammar.jobs
    target = f"(?:{words.plan}){{target}}"
    # Without the noun only a colon makes it a project: "plan X to Friday" is a change of date.
    forms = ((f"{target}{_COLON}", True), (f"{target},? (?:{words.aim}){{goal}}", False), (target, False))
    for form, bare in forms:
        for match in reading.matches((form,)):
            project = _project(reading, match["target"], bare=bare)
            if not isinstance(project, Target | None):
                return project
            if project:
                words_of_goal = match.groupdict().get("goal", "")
                goal = reading.content(words_of_goal)
                if not goal or reading.when(words_of_goal):
                    return Incomplete(missing=Missing.GOAL, entity=RowKind.PROJECT)
                return commands.WritePlan(target=project, goal=goal)
    return None


def _project(reading: Reading, words: str, *, bare: bool) -> Target | Command | None:
    """The project that ``words`` name; None if they name no project. ``bare``: a name without the noun suffices."""
    target = reading.target(words)
    if isinstance(target, Target):
        if target.entity is None and bare and target.name == target.literal:
            return replace(target, entity=RowKind.PROJECT)
        return target if target.entity is RowKind.PROJECT else None
    if isinstance(target, Incomplete):
        return target if target.entity in {None, RowKind.PROJECT} else None
    return target if reading.pattern(r".*\b{project_noun}").fullmatch(words) else None


def _read_question(reading: Reading) -> Command | None:
    """A question for the next task, for the viewed page, for the comments of a task, or for the contents of notes."""
    grammar = reading.grammar
    if any(reading.matches(grammar.sentences.next)):
        return Wish.WHAT_NEXT
    if any(reading.matches(grammar.sentences.page)):
        return Wish.SHOW_PAGE
    for match in reading.matches(grammar.sentences.comment_lists):
        target = reading.target(match["target"], RowKind.TASK)
        return commands.ListComments(target=target) if isinstance(target, Target) else target
    for match in reading.matches(grammar.sentences.note_readings):
        title, project = reading.split_project(match["title"])
        name = reading.name(title)
        return commands.ShowRow(target=Target(name=name, literal=name, entity=RowKind.NOTE, project=project))
    for match in reading.matches(grammar.sentences.note_searches):
        query, project = reading.split_project(match["query"])
        return commands.FindNotes(query=reading.name(query), project=project)
    return None


def _read_pointed(reading: Reading) -> Command | None:
    """A request to see a row that was shown before."""
    for match in reading.matches(reading.grammar.sentences.readings):
        target = reading.target(match["target"])
        if isinstance(target, Target) and target.place is not None:
            return commands.ShowRow(target=target)
    return None


def _read_showing(reading: Reading) -> Command | None:
    """A request to see a row that is named with its kind, or only in quotes."""
    for match in reading.matches(reading.grammar.sentences.readings):
        target = reading.target(match["target"])
        if not isinstance(target, Target):
            continue
        is_quoted = re.fullmatch(QUOTED, match["target"].strip(EDGES)) is not None
        if is_quoted or target.entity in {RowKind.TASK, RowKind.PROJECT, RowKind.NOTE}:
            return commands.ShowRow(target=target)
    return None


def _read_state(reading: Reading) -> Command | None:
    """A question for the state of a row, such as its assignees or its due date."""
    for match in reading.matches(reading.grammar.sentences.states):
        target = reading.target(match["target"])
        if isinstance(target, Target):
            return commands.ShowRow(target=target)
    for match in reading.matches((reading.grammar.sentences.beginnings,)):
        target = reading.target(match["target"])
        if isinstance(target, Target) and target.entity in {None, RowKind.PROJECT} and target.place is None:
            where = commands.Filter(about=target.name)
            return commands.ListRows(entity=RowKind.CHECKPOINT, where=where)
    return None


def _read_comment(reading: Reading) -> Command | None:
    """A comment on a task."""
    for match in reading.matches(reading.grammar.sentences.comments):
        target = reading.target(match["target"], RowKind.TASK)
        if not isinstance(target, Target):
            return target
        content = match["content"]
        authored = reading.pattern(f"(?P<quote>{QUOTED}) {reading.grammar.sentences.authored}")
        if signed := authored.fullmatch(content.strip()):
            return commands.AddComment(
                target=target, content=reading.content(signed["quote"]), author=reading.name(signed["author"])
            )
        return commands.AddComment(target=target, content=reading.content(content))
    return None


# The order matters. A list would also match words of a change or of a title, and a change of date those of a plan.
_READERS: Final[tuple[_Reader, ...]] = (
    _read_talk,
    _read_undo,
    read_memory,
    _read_job,
    _read_question,
    _read_comment,
    read_several,
    read_creation,
    read_changes,
    read_change,
    read_deletion,
    read_topic,
    _read_pointed,
    read_list,
    _read_showing,
    _read_state,
)
