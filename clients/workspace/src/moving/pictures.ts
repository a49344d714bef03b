/** Pictures of imported notes: their types, and names that the same picture always gets. */
import { TYPES } from "../store/pictures";

const MIME_OF: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(TYPES).map(([type, ending]) => [ending, type])),
  jpeg: "image/jpeg",
};

/** The type of a picture that notes can show, by the ending of its name; undefined for other files. */
export function pictureType(path: string): string | undefined {
  return MIME_OF[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
}

/** A name made of the picture's content (a UUID of version 8, RFC 9562), so that it is stored once. */
export async function pictureName(content: Blob, type: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await content.arrayBuffer())).slice(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}.${TYPES[type]}`;
}
