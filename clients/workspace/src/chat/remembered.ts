/** What the model was told of earlier conversations, as it is stored with the answer and shown. Pure. */
import type { ItemKind, MemoryName, RememberedItem } from "@adiuva/client";
import { stampShown } from "../parts/dates";

/** `since` is what became of it after the answer. */
export interface Remembered extends RememberedItem {
  readonly since?: "corrected" | "forgotten";
}

/** What names an item to forget. An exchange takes along what was found of it, and a fact the exchange it is from. */
export type Forgettable = MemoryName & Partial<Pick<RememberedItem, "said_in">>;

/** The server's limits for a corrected text, in characters. */
export const LONGEST: Readonly<Record<ItemKind, number>> = {
  preference: 2000,
  fact: 4000,
  exchange: 1000,
  habit: 500,
};

const REASONS: Readonly<Record<string, string>> = {
  words: "the words",
  meaning: "the meaning",
  date: "the date",
  preference: "how you like things",
  conversation: "the conversation it is from",
  neighbours: "what was said around it",
};
/** How the text of an exchange begins: its date is shown apart. */
const DATED = /^\d{4}-\d\d-\d\d: /;
/** Between the key of a preference and its value. */
const KEYED = ": ";

/** What is shown of an item, and corrected: of a preference the value. */
export function textOf({ kind, text }: RememberedItem): string {
  switch (kind) {
    case "preference":
      return text.slice(keyOf(text).length).replace(KEYED, "");
    case "exchange":
      return text.replace(DATED, "");
    default:
      return text;
  }
}

/** The key of a preference; empty for anything else. */
export function nameOf({ kind, text }: RememberedItem): string {
  return kind === "preference" ? keyOf(text) : "";
}

/** When it was said, and what brought it: `Said on 29 Mar, 10:00. Found because of the words and the date.` */
export function reasonShown({ said_at, why, since }: Remembered): string {
  const found = why.flatMap((each) => REASONS[each] ?? []);
  const sentences = [
    said_at !== null && `Said on ${stampShown(said_at)}.`,
    found.length > 0 && `Found because of ${listed(found)}.`,
    why.includes("always") && "Told with every answer.",
    why.includes("latest") && "Told because it is among the latest.",
    since === "corrected" && "You have corrected it since.",
  ];
  return sentences.filter(Boolean).join(" ");
}

/** `items` after one of them was corrected. */
export function withCorrected(items: readonly Remembered[], { id, kind }: MemoryName, text: string): Remembered[] {
  return items.map((item) => {
    if (item.id !== id || item.kind !== kind) {
      return item;
    }
    const name = nameOf(item);
    return { ...item, text: name === "" ? text : `${name}${KEYED}${text}`, since: "corrected" };
  });
}

/** `items` without the words of what was forgotten. */
export function withoutForgotten(items: readonly Remembered[], gone: Forgettable): Remembered[] {
  return items.map((item) => (goesWith(item, gone) ? forgotten(item) : item));
}

export function forgotten(item: Remembered): Remembered {
  return { ...item, text: "", since: "forgotten" };
}

function goesWith({ id, kind, said_in }: Remembered, gone: Forgettable): boolean {
  return (
    (id === gone.id && kind === gone.kind) ||
    (gone.kind === "exchange" && said_in === gone.id) ||
    (gone.kind === "fact" && kind === "exchange" && id === gone.said_in)
  );
}

function keyOf(text: string): string {
  const end = text.indexOf(KEYED);
  return end < 0 ? "" : text.slice(0, end);
}

function listed(reasons: readonly string[]): string {
  const last = reasons.at(-1) ?? "";
  return reasons.length < 2 ? last : `${reasons.slice(0, -1).join(", ")} and ${last}`;
}
