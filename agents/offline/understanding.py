"""From a message to a command: every language is tried, the one the message seems to be in first."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Final

from agents.offline import commands
from agents.offline.commands import Command, Field, Incomplete, Missing, RowKind, Status, Talk, Target, Wish
from agents.offline.continuing import continued
from agents.offline.creations import read_creation
from agents.offline.earlier import Earlier, with_row
from agents.offline.filters import read_list
from agents.offline.grammar import QUOTED, ChangeSentence, LanguageGrammar, grammars
from agents.offline.reading import EDGES, Reading, one_line, read_utterance

_LOOKED_AT: Final = 2000
_KEY_CHARACTERS: Final = 90
_COLON: Final = r"(?:\s*:(?!\d)\s?|\n){goal}"
"""A colon between figures is a time of day."""


def understand(message: str, *, language: str, today: date, earlier: Earlier | None = None) -> tuple[Command, str]:
    """What ``message`` asks for, and the language it is in.

    ``language`` (IETF tag) decides when the words fit several. ``earlier`` is what the conversation has shown before.
    """
    earlier = earlier or Earlier()
    command, spoken = _understood(message, language, today, earlier.message)
    return with_row(command, earlier), spoken


def _understood(message: str, language: str, today: date, before: str = "") -> tuple[Command, str]:
    languages = _likeliest_first(message, language)
    utterance = read_utterance(message)
    if utterance is None:
        return Talk.NOT_UNDERSTOOD, languages[0].language
    readings = [
        Reading(grammar=each, utterance=utterance, text=_impolite(each, utterance.text), today=today)
        for each in languages
    ]
    for reading in readings:
        for read in _READERS:
            if command := read(reading):
                return command, reading.grammar.language
    if before:
        command_before, _ = _understood(before, language, today)
        for reading in readings:
            if command := continued(command_before, reading):
                return command, reading.grammar.language
    return Talk.NOT_UNDERSTOOD, languages[0].language


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
    if reading.pattern(sentences.greetings).fullmatch(reading.utterance.text.rstrip(" .!")):
        # "Hello there" begins politely, too.
        return Talk.GREETING
    talks = {Talk.GREETING: sentences.greetings, Talk.HELP: sentences.help, Talk.THANKS: sentences.thanks}
    return next((talk for talk, pattern in talks.items() if any(reading.matches((pattern,)))), None)


def _read_undo(reading: Reading) -> commands.UndoChanges | None:
    sentences = reading.grammar.sentences
    if any(reading.matches((sentences.undo_day,))):
        return commands.UndoChanges(all_day=True)
    return commands.UndoChanges() if any(reading.matches((sentences.undo,))) else None


def _read_memory(reading: Reading) -> Command | None:
    """A question to the memory, or something to remember or forget."""
    words = reading.grammar.memory
    for match in reading.matches(words.history):
        said = match.groupdict()
        since, until = reading.past(said["span"]) if said.get("span") else (None, None)
        return commands.SearchConversations(query=reading.name(said.get("query") or ""), since=since, until=until)
    for match in reading.matches(words.remember):
        return _remembered(reading, match["content"])
    if any(reading.matches(words.recall_all)):
        return commands.RecallMemory()
    for match in reading.matches(words.recall):
        return commands.RecallMemory(query=_named(reading, match["query"]))
    for match in reading.matches(words.forget):
        if reading.points(match["query"]):
            return Incomplete(missing=Missing.WHICH, entity=None)
        return commands.ForgetMemory(name=_named(reading, match["query"]))
    return None


def _remembered(reading: Reading, words: str) -> commands.StoreMemory:
    """The whole sentence is kept; the key is what it is about, so that the next sentence about it takes its place."""
    value = reading.content(words)
    subject = reading.pattern(reading.grammar.memory.subject).fullmatch(words.strip(EDGES))
    key = reading.name(subject["key"]) if subject else ""
    beginning = one_line(value)
    if len(beginning) > _KEY_CHARACTERS:
        cut = beginning[:_KEY_CHARACTERS]
        beginning = cut.rpartition(" ")[0] or cut
    return commands.StoreMemory(key=key or beginning, value=value)


def _named(reading: Reading, words: str) -> str:
    """The name in ``words``, without the words that lead to it."""
    bare = reading.pattern(f"(?:{reading.grammar.memory.lead})(?P<rest>.+)").fullmatch(words.strip(EDGES))
    return reading.name(bare["rest"] if bare else words)


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
    return None


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
_READERS: Final[tuple[Callable[[Reading], Command | None], ...]] = (
    _read_talk,
    _read_undo,
    _read_memory,
    _read_job,
    _read_question,
    _read_comment,
    read_creation,
    _read_change,
    _read_deletion,
    read_list,
    _read_showing,
    _read_state,
)
