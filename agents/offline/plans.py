"""The plan for each command, and the plans for the memory, for jobs, and for messages that need no tools."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final, assert_never

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage
from agents.calls import Row, Rows
from agents.offline import commands
from agents.offline.answers import PlanAnswer
from agents.offline.changes import add_comment, ask, change_row, create_row, create_rows, delete_row, undo
from agents.offline.context import NO_SUCH_DATE, Context, Plan, find_row, request
from agents.offline.lists import list_rows
from agents.offline.rows import record_in, without_ids
from agents.offline.showing import list_comments, search_notes, show_page, show_row, what_next
from agents.offline.wording import capitalised
from agents.permissions.approvals.refusals import refusal_in
from agents.tools.long import FAILED, HAS_BEGUN
from agents.tools.rows import milliseconds, text

_CONNECT: Final = gettext_noop(
    "I am the offline assistant: no language model is connected, so I understand plain commands only. To connect a "
    "model, set OPENAI_API_KEY or OPENAI_BASE_URL on the server."
)
_EXAMPLES: Final = gettext_noop(
    "- Which tasks are due today?\n"
    "- What should I do next?\n"
    "- Create a task called “Buy milk” for tomorrow with high priority\n"
    "- Mark “Buy milk” as done\n"
    "- What do my notes say about opening hours?"
)
_TALK: Final = {
    commands.Talk.GREETING: gettext_noop("Hello! {connect}\n\nTry for example:\n{examples}"),
    commands.Talk.HELP: gettext_noop(
        "{connect}\n\nI list, count, create, change and delete tasks, projects, checkpoints and notes, summarise and "
        "plan projects, and review the week, in English and Italian. For example:\n{examples}\n\nPut titles in quotes "
        "where a title holds words like “to” or “tomorrow”."
    ),
    commands.Talk.THANKS: gettext_noop("You're welcome."),
    commands.Talk.DECLINED: gettext_noop("All right, I leave it as it is."),
    commands.Talk.ONE_AT_A_TIME: gettext_noop("I change one thing at a time. Name it by its title, best in quotes."),
    commands.Talk.ONE_OR_SEVERAL: gettext_noop(
        "Is that one title or several? Put each title in quotes, for example: Create tasks “Buy milk” and “Buy bread”"
    ),
    commands.Talk.NO_SUCH_DATE: NO_SUCH_DATE,
    commands.Talk.NO_NAME: gettext_noop(
        "I do not know by which name tasks are assigned to you. Say the name instead of “me”."
    ),
    commands.Talk.NOT_UNDERSTOOD: gettext_noop(
        "I did not understand that. {connect}\n\nThis I can do, for example:\n{examples}"
    ),
}
_PREFERENCES: Final = "preferences"
_RECALLED_NOTHING: Final = gettext_noop("I remember nothing{about}.")

# The beginnings of the texts of jobs, and of their parts.
_SUMMARIZED: Final = "Wrote the summary of the project "
_PLANNED: Final = "Added to the project "
_LEFT_OUT: Final = "\nLeft out of the plan:\n"
_REVIEWED: Final = "The review of the week:"
_ITEM_KINDS: Final = {f"- {entity} ": entity for entity in (commands.RowKind.TASK, commands.RowKind.CHECKPOINT)}


def plan(context: Context, command: commands.Command) -> Plan:  # noqa: C901 - one case for each command
    """The plan for ``command``."""
    match command:
        case commands.ListRows():
            return list_rows(context, command)
        case commands.Wish.WHAT_NEXT:
            return what_next(context)
        case commands.Wish.SHOW_PAGE:
            return show_page(context)
        case commands.ShowRow():
            return show_row(context, command)
        case commands.ListComments():
            return list_comments(context, command)
        case commands.FindNotes():
            return search_notes(context, command)
        case commands.CreateRow():
            return create_row(context, command)
        case commands.CreateRows():
            return create_rows(context, command)
        case commands.AddComment():
            return add_comment(context, command)
        case commands.ChangeRow():
            return change_row(context, command)
        case commands.DeleteRow():
            return delete_row(context, command)
        case commands.UndoChanges():
            return undo(context, all_day=command.all_day)
        case commands.StoreMemory():
            return _remember(context, command)
        case commands.RecallMemory():
            return _recall(context, command)
        case commands.ForgetMemory():
            return _forget(context, command)
        case commands.SearchConversations():
            return _search_history(context, command)
        case commands.WriteSummary():
            return _run_job(context, "summarize_project", command.target)
        case commands.WritePlan():
            return _run_job(context, "plan_project", command.target, goal=command.goal)
        case commands.Wish.WRITE_REVIEW:
            return _run_job(context, "weekly_review")
        case commands.Incomplete():
            return _at_once(ask(context, command))
        case commands.Talk():
            connect, examples = context.gettext(_CONNECT), context.gettext(_EXAMPLES)
            answer = context.say(_TALK[command], connect=connect, examples=examples)
            return _at_once(replace(answer, answers="{examples}" not in _TALK[command]))
        case _:
            assert_never(command)


def _at_once(answer: PlanAnswer) -> Plan:
    """A plan without tools."""
    yield from ()
    return answer


def _remember(context: Context, command: commands.StoreMemory) -> Plan:
    [result] = yield (request("remember", key=command.key, value=command.value),)
    context.check(result)
    return context.say("I will remember: {text}.", text=context.name(command.value))


def _recall(context: Context, command: commands.RecallMemory) -> Plan:
    """List the memories, all or those about a query."""
    [result] = yield (request("recall", query=command.query),)
    lines = [_preference(row) for row in context.rows(result, _PREFERENCES).rows]
    facts = [text(row, "content") for row in result.rows.get("facts", Rows()).rows]
    lines += [fact for fact in facts if fact not in lines]
    if not lines:
        return context.say(_RECALLED_NOTHING, about=_about(context, command.query))
    opening = context.gettext("This is what I remember:")
    return PlanAnswer(text=f"{opening}\n{context.bullets(lines)}")


def _forget(context: Context, command: commands.ForgetMemory) -> Plan:
    """Forget one memory. The name must be its key or its value, or be contained in no other memory."""
    [recalled] = yield (request("recall", query=command.name),)
    rows, name = context.rows(recalled, _PREFERENCES).rows, command.name.casefold()
    exact = [row for row in rows if name in (text(row, "key").casefold(), text(row, "value").casefold())]
    matching = exact or [row for row in rows if name in f"{text(row, 'key')} {text(row, 'value')}".casefold()]
    if not matching:
        return context.say(_RECALLED_NOTHING, about=_about(context, command.name))
    if len(matching) > 1:
        question = context.gettext("Several could be meant. Repeat the command with one of these:")
        return PlanAnswer(text=f"{question}\n{context.bullets([text(row, 'key') for row in matching])}")
    # The tool also forgets facts with the same meaning.
    [result] = yield (request("forget", key=text(matching[0], "key")),)
    context.check(result)
    return context.say("I have forgotten: {text}.", text=context.name(_preference(matching[0])))


def _search_history(context: Context, command: commands.SearchConversations) -> Plan:
    """List earlier conversations, the newest first."""
    since = command.since.isoformat() if command.since else None
    [result] = yield (request("search_history", query=command.query, since=since),)
    episodes = [
        (datetime.fromtimestamp(milliseconds(row, "at") / 1000, context.now.tzinfo).date(), text(row, "summary"))
        for row in context.rows(result, "episodes").rows
    ]
    lines = [
        f"{context.day(day)}: {summary}" for day, summary in episodes if command.until is None or day <= command.until
    ]
    if not lines:
        return context.say("I find no earlier conversation{about}.", about=_about(context, command.query))
    opening = context.gettext("This is what we talked about:")
    return PlanAnswer(text=f"{opening}\n{context.bullets(lines)}")


def _preference(row: Row) -> str:
    """The value, after its key unless the value contains it."""
    key, value = text(row, "key"), text(row, "value")
    return value if key.casefold() in value.casefold() else f"{key}: {value}"


def _about(context: Context, name: str) -> str:
    return context.gettext(" about {name}", name=context.name(name)) if name else ""


def _run_job(context: Context, tool: str, target: commands.Target | None = None, **arguments: str) -> Plan:
    """Start ``tool`` as a job, for the project ``target`` if it needs one."""
    project_id = (yield from find_row(context, target)).id if target else None
    [result] = yield (request(tool, project_id=project_id, **arguments),)
    return _job_answer(context, result.text) or context.failed(result)


def report(context: Context, result: ToolMessage) -> PlanAnswer:
    """The answer about a job's outcome. A text that is not known is quoted without its ids."""
    answer = _job_answer(context, result.text)
    if answer is not None:
        return answer
    if not result.text or result.text.startswith(FAILED) or refusal_in(result.text):
        return context.failed(result)
    return context.say("The tool reports: {sentence}", sentence=without_ids(result.text))


def _job_answer(context: Context, outcome: str) -> PlanAnswer | None:
    """A job's outcome in the user's language; None if it is not known, or a failure."""
    if outcome.startswith(HAS_BEGUN):
        return context.say("I have started this as a job: it takes a while, and the result comes by itself.")
    written = outcome.partition("\n\n")[2]
    if outcome.startswith(_REVIEWED):
        opening = context.gettext("This is the review of your week:")
        return PlanAnswer(text=f"{opening}\n\n{written}")
    project = record_in(commands.RowKind.PROJECT, outcome)
    if project is None:
        return None
    title = context.quoted(project)
    if outcome.startswith(_SUMMARIZED):
        opening = capitalised(context.gettext("I wrote the summary of the project {title}:", title=title))
        return PlanAnswer(text=f"{opening}\n\n{written}")
    if outcome.startswith(_PLANNED):
        opening = context.gettext(
            "I added these suggestions to the project {title}, for you to accept or reject:", title=title
        )
        return PlanAnswer(text="\n".join([capitalised(opening), *_suggestions(context, outcome)]))
    return None


def _suggestions(context: Context, outcome: str) -> Iterator[str]:
    """A line for each suggestion that was added, and for each that was left out."""
    added, left_out, remarks = outcome.partition(_LEFT_OUT)
    for line in added.split("\n")[1:]:
        entity = next((entity for start, entity in _ITEM_KINDS.items() if line.startswith(start)), None)
        record = record_in(entity, line) if entity else None
        if record is None:
            yield without_ids(line)
        else:
            yield f"- {context.noun(record.entity, 1)} {context.quoted(record)}{context.details(record)}"
    if left_out:
        yield context.gettext("I left out of the plan:")
        yield from (f"- {without_ids(remark)}" for remark in remarks.split("\n"))
