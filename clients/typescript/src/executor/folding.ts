/** Text as it is compared: upper and lower case, composed and decomposed letters are the same. Pure. */

/**
 * SQLite's own LOWER knows only the letters of ASCII, so a connection lends it this function under the name `folded`.
 *
 * JavaScript has no case folding. Upper case first, so that ß is ss; the final sigma and the dotless i, which case
 * mapping changes depending on where they stand or into something else, are settled by hand.
 */
export function folded(text: string | null): string | null {
  return text === null ? null : fold(text);
}

export function fold(text: string): string {
  return text
    .normalize("NFC")
    .split("ı")
    .map((part) => part.toUpperCase().toLowerCase().replaceAll("ς", "σ"))
    .join("ı");
}
