/** Text for comparison. Pure. */
import { fold } from "@adiuva/client";

/** Upper and lower case, accents, and the shapes of quotation marks make no difference. */
export function foldedText(text: string): string {
  return fold(text)
    .replace(/[‘’‚‛′`´]/g, "'")
    .replace(/[“”„‟«»″]/g, '"');
}

/** The words of a search: quotation marks around them do not count. */
export function wordsOf(text: string): string[] {
  return foldedText(text)
    .split(/\s+/u)
    .map((word) => word.replace(/^["']+|["']+$/g, ""))
    .filter((word) => word !== "");
}
