/** What the model was told of earlier conversations, as it is stored with the answer and shown. Pure. */
import type { ItemKind, MemoryName, RememberedItem } from "@adiuva/client";

/** `since` is what became of it after the answer. */
export interface Remembered extends RememberedItem {
  readonly since?: "corrected" | "forgotten";
}

/** What names an item to forget. An exchange takes along what was found of it, and a fact the exchange it is from. */
export type Forgettable = MemoryName & Partial<Pick<RememberedItem, "said_in">>;

/** What the user has made of what is remembered; without an item all of it is forgotten. */
export type Edit =
  | { readonly type: "corrected"; readonly item: MemoryName; readonly text: string }
  | { readonly type: "forgotten"; readonly item?: Forgettable };

/** The server's limits for a corrected text, in characters. */
export const LONGEST: Readonly<Record<ItemKind, number>> = {
  preference: 2000,
  fact: 4000,
  exchange: 1000,
  habit: 500,
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

/** `items` after `edit`: nothing that was forgotten is left of them. */
export function edited(items: readonly Remembered[], edit: Edit): readonly Remembered[] {
  if (edit.type === "corrected") {
    return withCorrected(items, edit.item, edit.text);
  }
  return edit.item === undefined ? items.map(forgotten) : withoutForgotten(items, edit.item);
}

/** `items` after one of them was corrected. */
function withCorrected(items: readonly Remembered[], { id, kind }: MemoryName, text: string): Remembered[] {
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
