/** Requests vectors of notes from the server over REST. */
import { ConnectionFailed } from "../errors.js";
import { addressOn, fetchThere } from "./addresses.js";
import type { TokenProvider } from "./client.js";
import { refusalOf } from "./refusals.js";
import { authorized, type Fetch } from "./signing_in.js";

/** The server's limits for one request. */
export const EMBED_LIMITS = { texts: 32, characters: 20_000, bytes: 256 * 1024 } as const;

export interface NoteText {
  readonly id: string;
  readonly projectId: string | null;
  readonly text: string;
}

/** A vector for each text, in order; null for a note that the user never shares. */
export interface MadeVectors {
  readonly model: string;
  readonly vectors: readonly (readonly number[] | null)[];
}

/**
 * Makes vectors of texts within `EMBED_LIMITS`.
 *
 * Throws `RequestRejected` if these texts will never get any, and other errors if trying again may help.
 */
export type EmbedNotes = (notes: readonly NoteText[]) => Promise<MadeVectors>;

/** Asks the server, which records what it sends to a model and withholds what the user never shares. */
export function noteEmbedder({
  server,
  token,
  deviceId,
  fetch = fetchThere,
}: {
  server: string;
  token: TokenProvider;
  deviceId: string;
  fetch?: Fetch;
}): EmbedNotes {
  const address = addressOn(server, "/api/v1/storage/vectors/embed").href;
  const post = async (body: string, access: string) => {
    const headers = { Authorization: `Bearer ${access}`, "Content-Type": "application/json" };
    return await fetch(address, { method: "POST", headers, body }).catch(() => {
      throw new ConnectionFailed();
    });
  };
  return async (notes) => {
    const body = JSON.stringify({ texts: notes.map(written), device_id: deviceId });
    const answer = await authorized(token, (access) => post(body, access));
    const said: unknown = await answer.json().catch(() => null);
    if (!answer.ok) {
      throw refusalOf(answer.status, said);
    }
    return madeIn(said, notes.length);
  };
}

/** The note's part of a request, in bytes. */
export function bytesOf(note: NoteText): number {
  return new TextEncoder().encode(JSON.stringify(written(note))).length;
}

function written({ id, projectId, text }: NoteText) {
  return { text, of: { table: "notes", id, project_id: projectId } };
}

function madeIn(said: unknown, count: number): MadeVectors {
  const { model, vectors } = (said ?? {}) as Partial<MadeVectors>;
  if (typeof model !== "string" || !Array.isArray(vectors) || vectors.length !== count) {
    throw new ConnectionFailed("The server's vectors cannot be read.");
  }
  return { model, vectors };
}
