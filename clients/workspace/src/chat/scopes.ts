/** What pages show, in the form that the server gets, and where conversations about them are opened. Pure. */
import type { Scope } from "@adiuva/client";
import type { ChatSession } from "@adiuva/client/database";

export const EVERYTHING: Scope = { page: "tasks", entityType: null };

/** The name in an address of the conversation to open. */
export const CHAT = "chat";

/** The address of the page of a stored scope; that of all tasks if it is invalid. */
export function pathOf(kept: Readonly<Record<string, unknown>> | null): string {
  const id = encodeURIComponent(String(kept?.entityId ?? ""));
  switch (kept?.page as Scope["page"] | undefined) {
    case "project":
      return `/projects/${id}`;
    case "note":
      return `/notes/${id}`;
    case "projects-list":
      return "/projects";
    case "notes-list":
      return "/notes";
    case "timeline":
      return "/timeline";
    default:
      return "/tasks";
  }
}

/** The address that opens a conversation where it was held. */
export function placeOf({ id, channel, lastScope }: Pick<ChatSession, "id" | "channel" | "lastScope">): string {
  return `${channel === "home" ? "/" : pathOf(lastScope)}?${new URLSearchParams({ [CHAT]: id })}`;
}

/** Whether two pages show the same, regardless of the order of their fields. */
export function isSameScope(one: Scope | null, other: Scope | null): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join()}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
      .join()}}`;
  }
  return JSON.stringify(value);
}
