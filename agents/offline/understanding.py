"""From a message to a command: every language is tried, the one the message seems to be in first."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date
from functools import partial
from typing import Final, TypeAlias

from agents.offline import commands
from agents.offline.commands import Command, Field, Incomplete, Missing, Place, RowKind, Status, Talk, Target, Wish
from agents.offline.continuing import continued, leaned
from agents.offline.creations import read_creation
from agents.offline.earlier import Earlier, with_project, with_row
from agents.offline.filters import read_list
from agents.offline.grammar import QUOTED, ChangeSentence, LanguageGrammar, grammars
from agents.offline.reading import EDGES, Reading, read_utterance
from agents.offline.remembering import read_memory

_Reader: TypeAlias = Callable[[Reading], Command | None]
_LOOKED_AT: Final = 2000
_COLON: Final = r"(?:\s*:(?!\d)\s?|\n){goal}"
"""A colon between figures is a time of day."""


def understand(message: str, *, language: str, today: date, earlier: Earlier | None = None) -> tuple[Command, str]:
    """What ``message`` asks for, and the language it is in.

    ``language`` (IETF tag) decides when the words fit several. ``earlier`` is what the conversation has shown before.
    """
    earlier = earlier or Earlier()
    before: Command | None = None
    for said in earlier.messages:
        found, _ = _understood(said, language, today, before)
        # Small talk leaves open what was spoken of, but not a question; nor does “never mind”.
        is_over = found is Talk.DECLINED or isinstance(before, Incomplete)
        before = (None if is_over else before) if isinstance(found, Talk) else found
    command, spoken = _understood(message, language, today, before, earlier)
    return with_project(with_row(command, earlier), earlier, _points), spoken


def _points(name: str) -> bool:
    """Whether ``name`` is a word such as “this” for what was shown last."""
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
        Reading(grammar=each, utterance=utterance, text=_impolite(each, utterance.text), today=today)
        for each in languages
    ]
    readers: tuple[_Reader, ...] = (partial(leaned, before), *_READERS)
    for reading in readings:
        for read in readers:
            if command := read(reading):
                return command, reading.grammar.language
    for reading in readings:
        if command := continued(before, earlier or Earlier(), reading):
            return command, reading.grammar.language
    bare = _without_symbols(message)
    if bare != message.strip():
        return _understood(bare, language, today, before, earlier)
    return Talk.NOT_UNDERSTOOD, languages[0].language


def _without_symbols(message: str) -> str:
    """``message`` without emoji and such at its ends, which may belong to a title and seldom do."""
    start, end = 0, len(message)
    while start < end and _is_symbol(message[start]):
        start += 1
    while start < end and _is_symbol(message[end - 1]):
        end -= 1
    return message[start:end]


def _is_symbol(mark: str) -> bool:
    return mark.isspace() or mark == "\ufe0f" or unicodedata.category(mark) in {"So", "Sk", "Cf"}


def _likeliest_first(message: str, language: str) -> list[LanguageGrammar]:
    words = re.findall(r"\w+", message[:_LOOKED_AT].casefold())

    def likeliness(grammar: LanguageGrammar) -> tuple[int, bool]:
        return sum(word in grammar.marks for word in words), language.casefold().startswith(grammar.language)

    return sorted(grammars(), key=likeliness, reverse=True)


def _impolite(grammar: LanguageGrammar, text: str) -> str:
    """The text without politeness at either end; text that is only polite stays."""
    opening = grammar.pattern(rf"(?:{grammar.opening})[\s,:;!.]+(?P<rest>.+)")
    closing = grammar.pattern(rf"(?P<rest>.+?)[\s,.!?;]+(?:{grammar.closing})")
    for pattern in (opening, closing):
        while match := pattern.fullmatch(text):
            text = match["rest"].strip(" \n,.!?")
    return _detached(grammar, text)


def _detached(grammar: LanguageGrammar, text: str) -> str:
    """The text with the pronoun apart that is written as one word with its first one: “spostala a venerdì”."""
    return grammar.pattern(f"^(?:{grammar.attached})").sub(r"\1 \2", text)


def _read_talk(reading: Reading) -> Talk | None:
    sentences = reading.grammar.sentences
    # "Hello there" and "thank you so much" begin politely, too.
    for talk, pattern in ((Talk.GREETING, sentences.greetings), (Talk.THANKS, sentences.thanks)):
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
    """What takes minutes to write; ``Incomplete`` for a plan without a goal."""
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
                said = match.groupdict().get("goal", "")
                goal = reading.content(said)
                if not goal or reading.when(said):
                    return Incomplete(missing=Missing.GOAL, entity=RowKind.PROJECT)
                return commands.WritePlan(target=project, goal=goal)
    return None


def _project(reading: Reading, words: str, *, bare: bool) -> Target | Command | None:
    """The project that ``words`` mean, None when they mean none. ``bare``: a name alone is enough."""
    target = reading.target(words)
    if isinstance(target, Target):
        if target.entity is None and bare and target.name == target.literal:
            return replace(target, entity=RowKind.PROJECT)
        return target if target.entity is RowKind.PROJECT else None
    if isinstance(target, Incomplete):
        return target if target.entity in {None, RowKind.PROJECT} else None
    return target if reading.pattern(r".*\b{project_noun}").fullmatch(words) else None


def _read_question(reading: Reading) -> Command | None:
    """What should be worked on, what comments a task has, what the notes say about something."""
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
    """A wish to see one row that was shown before."""
    for match in reading.matches(reading.grammar.sentences.readings):
        target = reading.target(match["target"])
        if isinstance(target, Target) and target.place is not None:
            return commands.ShowRow(target=target)
    return None


def _read_showing(reading: Reading) -> Command | None:
    """A wish to see one row that is named by its kind, or in quotes alone."""
    for match in reading.matches(reading.grammar.sentences.readings):
        target = reading.target(match["target"])
        if not isinstance(target, Target):
            continue
        is_quoted = re.fullmatch(QUOTED, match["target"].strip(EDGES)) is not None
        if is_quoted or target.entity in {RowKind.TASK, RowKind.PROJECT, RowKind.NOTE}:
            return commands.ShowRow(target=target)
    return None


def _read_state(reading: Reading) -> Command | None:
    """How one row stands: who has it, when it is due, how it is going."""
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


def _read_changes(reading: Reading) -> Command | None:
    """Several changes of one row: “set the task to in progress and move it to Friday”."""
    joint = reading.pattern(rf"(?:[,;.]\s|\s)(?:{reading.grammar.creation.joint}) ")
    for found in joint.finditer(reading.text):
        rest = replace(reading, text=_detached(reading.grammar, reading.text[found.end() :]))
        first = _read_change(replace(reading, text=reading.text[: found.start()]))
        second = _read_changes(rest) or _read_change(rest)
        if not isinstance(first, commands.ChangeRow) or not isinstance(second, commands.ChangeRow):
            continue
        if second.target.place is Place.IT:
            return _together(first, second)
    return None


def _together(first: commands.ChangeRow, second: commands.ChangeRow) -> commands.ChangeRow:
    """Both changes, of the first's row."""
    said = {each.name: value for each in fields(second) if (value := getattr(second, each.name)) != each.default}
    return replace(first, **(said | {"target": first.target}))


def _read_change(reading: Reading) -> Command | None:
    """A change of one row: the first sentence that fits. A statement changes nothing where it is a question."""
    for change in reading.grammar.sentences.changes:
        if reading.utterance.asks and change.states:
            continue
        for match in reading.matches((change.pattern,)):
            return _changed(reading, change, match)
    return None


def _read_deletion(reading: Reading) -> Command | None:
    """A wish to delete one row."""
    for match in reading.matches(reading.grammar.sentences.comment_deletions):
        parent = reading.target(match["target"], RowKind.TASK)
        if not isinstance(parent, Target):
            return parent
        content = reading.name(match["content"])
        return commands.DeleteRow(target=Target(name=content, literal=content, entity=RowKind.COMMENT, parent=parent))
    for match in reading.matches(reading.grammar.sentences.deletions):
        target = reading.target(match["target"])
        return commands.DeleteRow(target=target) if isinstance(target, Target) else target
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


def _changed(reading: Reading, change: ChangeSentence, match: re.Match[str]) -> Command:
    target = reading.target(match["target"], change.entity)
    if not isinstance(target, Target):
        return target
    said = match.groupdict()
    is_dated = not said.keys().isdisjoint({"when", "count"})
    if is_dated and target.entity is None and target.place is None:
        target = replace(target, entity=RowKind.TASK)
    command = commands.ChangeRow(
        target=target, status=change.status, priority=change.priority, archived=change.archived, clears=change.clears
    )
    if is_dated:
        return _dated(reading, change, command, said)
    if "status" in said:
        return replace(command, status=_status(reading, said["status"]))
    if "priority" in said:
        return replace(command, priority=reading.grammar.priority(said["priority"]))
    if "names" in said:
        return _with_people(command, reading.names(said["names"]))
    if "project" in said:
        return replace(command, project=reading.name(said["project"]))
    if "content" in said:
        return replace(command, content=reading.content(said["content"]))
    if "title" in said:
        title = reading.name(said["title"])
        return replace(command, title=title) if title else Incomplete(missing=Missing.TITLE, entity=target.entity)
    return command


def _dated(
    reading: Reading, change: ChangeSentence, command: commands.ChangeRow, said: dict[str, str]
) -> commands.ChangeRow | Talk:
    """The change to another day, or by some days."""
    if "count" in said:
        return replace(command, shift=change.shift * (reading.grammar.dates.days(said["count"]) or 0))
    due = reading.when(said["when"])
    return replace(command, due=due) if due else Talk.NO_SUCH_DATE


def _with_people(command: commands.ChangeRow, names: tuple[str, ...]) -> commands.ChangeRow:
    """The change with the people who get the task; who is taken off it where the sentence clears them."""
    if command.clears is Field.ASSIGNEES:
        return replace(command, clears=None, unassigned=names)
    return replace(command, assignees=names)


def _status(reading: Reading, word: str) -> Status:
    """Several states mean an open task: a task that is reopened is to do."""
    states = reading.grammar.status(word) or ()
    return next(iter(states)) if len(states) == 1 else Status.TODO


# The order matters: a list takes words that could be part of a change or of a title, a change of date those of a plan.
_READERS: Final[tuple[_Reader, ...]] = (
    _read_talk,
    _read_undo,
    read_memory,
    _read_job,
    _read_question,
    _read_comment,
    read_creation,
    _read_changes,
    _read_change,
    _read_deletion,
    _read_pointed,
    read_list,
    _read_showing,
    _read_state,
)
