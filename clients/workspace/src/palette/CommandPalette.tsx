/** One line for search over everything, commands, adding a task and asking the assistant. */
import type { RowOf } from "@adiuva/client/database";
import { Command } from "cmdk";
import {
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useLocation } from "wouter";
import { useContextualChat } from "../chat/ContextualChatProvider";
import { useLanguage } from "../i18n/language";
import { t } from "../i18n/translate";
import { PLACES } from "../keys/keys";
import type { Typed } from "../keys/useTyped";
import { Dialog } from "../parts/Dialog";
import { foldedText, wordsOf } from "../parts/folding";
import { Problem } from "../parts/Problem";
import { useIsMounted } from "../parts/useIsMounted";
import { useStore, useTask } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";
import { announce } from "../undo/announced";
import { cut } from "../undo/words";
import { Chips } from "./Chips";
import { foundShown, useHits } from "./hits";
import { type QuickTask, readQuickTask } from "./quick_add";

interface Item {
  readonly id: string;
  readonly group: string;
  readonly shown: ReactNode;
  readonly isDisabled?: boolean;
  act(): void;
}

export function CommandPalette({
  isQuickAdd,
  typed,
  onClose,
  onHelp,
}: {
  isQuickAdd: boolean;
  /** What was typed before the line was there. */
  typed: () => Typed;
  onClose: () => void;
  onHelp: () => void;
}) {
  const [text, setText] = useState("");
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const projects = useTable("projects");
  const task = useQuickTask(text, { projects, kept });
  const { enter, error: addError } = useAdd(task, { isReady: projects !== null, onClose });
  useLayoutEffect(() => {
    const before = typed();
    setText((now) => before.text + now);
    if (before.isEntered && isQuickAdd) {
      enter();
    }
  }, [typed, isQuickAdd, enter]);
  const found = useFound(isQuickAdd ? "" : text, onClose);
  const commands = useCommands(text, { onClose, onHelp });
  const { ask, error: askError } = useAsk(text, onClose);
  const isSaid = task.title !== "";
  const addition: Item = { id: "add", group: t("Add"), shown: <Addition task={task} />, act: enter };
  const offered = [
    ...(isQuickAdd && isSaid ? [addition] : []),
    ...(isQuickAdd ? [] : [...found, ...commands]),
    ...(!isQuickAdd && isSaid ? [addition, ask] : []),
  ];
  const { items, current, begin, pick, end } = useChoice(offered);
  // Not by what is selected: the list would move under the pointer that selects.
  const showsTask = isQuickAdd || items[0]?.id === "add" || task.understood.length > 0;
  const name = isQuickAdd ? t("Add a task") : t("Search or run a command");
  return (
    <Dialog title={name} isBare onClose={onClose}>
      <Command
        label={name}
        shouldFilter={false}
        value={current}
        className="palette"
        onValueChange={pick}
        onKeyDownCapture={begin}
        onPointerMoveCapture={begin}
      >
        <Command.Input
          data-focus
          className="palette-input"
          placeholder={
            isQuickAdd
              ? t("Call Anna tomorrow 5pm #Website !high @Marco")
              : t("Search, add a task, ask, or run a command")
          }
          value={text}
          onValueChange={(now) => {
            setText(now);
            end();
          }}
        />
        {isSaid && showsTask && <Chips task={task} onKeep={(said) => setKept(new Set([...kept, said]))} />}
        <Problem error={addError || askError} />
        <Command.List label={name}>
          {groupsOf(items).map(([group, members]) => (
            <Command.Group key={group} heading={group}>
              {members.map(({ id, shown, isDisabled = false, act }) => (
                <Command.Item key={id} value={id} disabled={isDisabled} onSelect={act}>
                  {shown}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
        {isQuickAdd && !isSaid && (
          <p className="palette-hint small muted">
            {text.trim() === ""
              ? t("A date in words, # for a project, ! for a priority, @ for a person. Enter adds it.")
              : t("The title is still missing.")}
          </p>
        )}
      </Command>
    </Dialog>
  );
}

/**
 * What is shown, and which of it is selected: the first, until the user chooses by arrow or pointer. From then on the
 * list stays as it is until the next letter: what a search finds late moves nothing under the user's hand.
 */
function useChoice(offered: readonly Item[]) {
  const [chosen, setChosen] = useState<{ readonly id: string; readonly items: readonly Item[] } | null>(null);
  // The list itself selects, too, when its items change.
  const isUsers = useRef(false);
  const items = chosen?.items ?? offered;
  return {
    items,
    current: chosen?.id ?? items[0]?.id ?? "",
    begin: () => {
      isUsers.current = true;
    },
    pick: (id: string) => {
      if (isUsers.current) {
        setChosen({ id, items });
      }
    },
    end: () => {
      isUsers.current = false;
      setChosen(null);
    },
  };
}

function groupsOf(items: readonly Item[]): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  }
  return [...groups];
}

function Addition({ task }: { task: QuickTask }) {
  return <span className="grows">{t("Add the task “{title}”", { title: task.title })}</span>;
}

function useQuickTask(
  text: string,
  { projects: rows, kept }: { projects: readonly RowOf["projects"][] | null; kept: ReadonlySet<string> },
): QuickTask {
  const language = useLanguage() === "it" ? "it" : "en";
  const projects = useMemo(() => (rows ?? []).filter(({ status }) => status === "active"), [rows]);
  return useMemo(
    () => readQuickTask(text, { now: Date.now(), language, projects, kept }),
    [text, language, projects, kept],
  );
}

/** Until it is ready, because a project’s name may not be a new one, `enter` waits. */
function useAdd({ title, ...given }: QuickTask, { isReady, onClose }: { isReady: boolean; onClose: () => void }) {
  const store = useStore();
  const { run, error } = useTask();
  const isMounted = useIsMounted();
  const [isEntered, setEntered] = useState(false);
  const enter = useCallback(() => setEntered(true), []);
  const isAdding = useRef(false);
  const add = useEffectEvent(async () => {
    setEntered(false);
    // Enter may be pressed twice.
    if (title === "" || isAdding.current) {
      return;
    }
    isAdding.current = true;
    const { dueDate, priority, projectId, newProject, people } = given;
    const isAdded = await run(async () => {
      const assignee = people.length === 0 ? null : JSON.stringify(people);
      const { id, entry } = await store.addTask({ title, dueDate, priority, projectId, assignee }, newProject);
      announce({ text: t("Added: {title}", { title: cut(title) }), place: `/tasks/${id}`, entry });
    });
    isAdding.current = false;
    if (isAdded && isMounted.current) {
      onClose();
    }
  });
  useEffect(() => {
    if (isEntered && isReady) {
      void add();
    }
  }, [isEntered, isReady]);
  return { enter, error };
}

function useFound(text: string, onClose: () => void): Item[] {
  const [, go] = useLocation();
  return useHits(text).map((hit) => ({
    id: `${hit.table} ${hit.id}`,
    group: t("Found"),
    shown: foundShown(hit),
    act: () => {
      onClose();
      go(hit.place);
    },
  }));
}

function useCommands(text: string, { onClose, onHelp }: { onClose: () => void; onHelp: () => void }): Item[] {
  const [, go] = useLocation();
  const { toggle } = useContextualChat();
  const to = (path: string) => () => {
    onClose();
    go(path);
  };
  const all: readonly (readonly [name: string, key: string, act: () => void])[] = [
    [t("New task"), "C", to("/tasks/new")],
    [t("New note"), "N", to("/notes/new")],
    ...Object.entries(PLACES).map(
      ([key, [path, name]]) => [t("Go to {page}", { page: t(name) }), `G ${key.toUpperCase()}`, to(path)] as const,
    ),
    [
      t("Open or close the chat beside the page"),
      "A",
      () => {
        onClose();
        toggle();
      },
    ],
    [t("Keys"), "?", onHelp],
  ];
  const words = wordsOf(text);
  return all
    .filter(([name]) => words.every((word) => foldedText(name).includes(word)))
    .map(([name, key, act]) => ({
      id: `command ${name}`,
      group: t("Commands"),
      shown: (
        <>
          <span className="grows">{name}</span>
          <kbd>{key}</kbd>
        </>
      ),
      act,
    }));
}

function useAsk(text: string, onClose: () => void) {
  const [location, go] = useLocation();
  const { open, toggle, send, isStreaming } = useContextualChat();
  const { run, isBusy, error } = useTask();
  const question = text.trim();
  const act = async () => {
    // What is refused stays in the line.
    if (await run(() => send(question))) {
      onClose();
      if (location === "/") {
        // The chat beside the pages is not on Home.
        go("/tasks");
      }
      if (!open) {
        toggle();
      }
    }
  };
  const ask: Item = {
    id: "ask",
    group: t("Assistant"),
    // As the text field of the chat: an answer that is being written is part of what the next question is about.
    isDisabled: isStreaming || isBusy,
    shown: (
      <>
        <span className="grows">{t("Ask: {question}", { question })}</span>
        {isStreaming && <span className="small muted">{t("When the answer is complete")}</span>}
      </>
    ),
    act: () => void act(),
  };
  return { ask, error };
}
