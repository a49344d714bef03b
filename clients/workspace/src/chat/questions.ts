/** The server's questions as cards: those that are asked at the same time are one. */
import type { ApprovalRequest } from "@adiuva/client";
import { t } from "../i18n/translate";

/** The questions of one card, in the order in which they were asked; `id` stays the same while some are answered. */
export interface Card {
  readonly id: string;
  readonly requests: readonly ApprovalRequest[];
}

export function cardsOf(questions: readonly ApprovalRequest[]): Card[] {
  const cards = new Map<string, ApprovalRequest[]>();
  for (const request of questions) {
    const id = request.group ?? request.id;
    cards.set(id, [...(cards.get(id) ?? []), request]);
  }
  return [...cards].map(([id, requests]) => ({ id, requests }));
}

/** For screen readers, when it is asked. */
export function askedShown(questions: readonly ApprovalRequest[]): string {
  return t("Adiuva asks for your yes or no: {what}", { what: questions.map(({ summary }) => summary).join(" ") });
}

/** Whether the row that the question is about would be gone. */
export function deletes({ preview }: ApprovalRequest): boolean {
  return preview?.before != null && preview.after === null;
}

/** Whether the server keeps an answer for later calls of the tool: not if a text led to this one. */
export function canBeRemembered({ risk, source }: ApprovalRequest): boolean {
  return risk === "write" && source === undefined;
}
