/** Text for comparison: upper and lower case are equal, and letters with and without accents. Pure. */

/**
 * SQLite's own LOWER only handles ASCII letters, so a connection registers this function under the name `folded`.
 *
 * JavaScript has no case folding. Upper case before lower case, so that ß is ss, and lower case before that, as ẞ is upper
 * case itself; the final sigma and the dotless i, which case mapping changes depending on their position or into other
 * letters, are handled explicitly.
 */
const ACCENTS = /[\u0300-\u036f]/g;

export function folded(text: string | null): string | null {
  return text === null ? null : fold(text);
}

/** Most texts have nothing else, and are folded several times as fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const ASCII = /^[\x00-\x7f]*$/;

export function fold(text: string): string {
  if (ASCII.test(text)) {
    return text.toLowerCase();
  }
  return text
    .normalize("NFD")
    .replaceAll(ACCENTS, "")
    .normalize("NFC")
    .split("ı")
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ"))
    .join("ı");
}
