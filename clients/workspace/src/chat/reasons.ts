/** Why something was remembered for an answer, in words for the user. */
import { listShown } from "../i18n/formats";
import { msg, t } from "../i18n/translate";
import { stampShown } from "../parts/dates";
import type { Remembered } from "./remembered";

const REASONS: Readonly<Record<string, string>> = {
  words: msg("the words"),
  meaning: msg("the meaning"),
  date: msg("the date"),
  preference: msg("how you like things"),
  conversation: msg("the conversation it is from"),
  neighbours: msg("what was said around it"),
};

/** When it was said, and what brought it: `Said on 29 Mar, 10:00. Found because of the words and the date.` */
export function reasonShown({ said_at, why, since }: Remembered): string {
  const found = why.flatMap((each) => REASONS[each] ?? []).map((reason) => t(reason));
  const sentences = [
    said_at !== null && t("Said on {when}.", { when: stampShown(said_at) }),
    found.length > 0 && t("Found because of {reasons}.", { reasons: listShown(found) }),
    why.includes("always") && t("Included in every answer."),
    why.includes("latest") && t("Included because it is recent."),
    since === "corrected" && t("You have corrected it since."),
  ];
  return sentences.filter(Boolean).join(" ");
}
