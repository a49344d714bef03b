/** Search by meaning: compares every vector with the query. Exact, and fast enough for one user's notes. */
import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { CallRefused } from "../errors.js";
import type { Orm } from "./database.js";
import type { StoredVector } from "./journal_entries.js";
import { vectors } from "./schema.js";

export const SEARCH_LIMIT = 10;

/** A text near the query: `score` is the cosine similarity, -1 to 1. */
export interface Hit {
  readonly id: string;
  readonly content: string;
  readonly score: number;
}

/** Stores or replaces the vector of a note, made by `model`. Throws `CallRefused` for a zero vector. */
export async function upsertVector(
  orm: Orm,
  note: { id: string; projectId: string | null; content: string },
  vector: readonly number[],
  model: string | null,
): Promise<void> {
  const unit = unitOf(vector);
  const kept = {
    projectId: note.projectId,
    content: note.content,
    vector: new Uint8Array(unit.buffer),
    model,
  };
  await putVector(orm, note.id, kept);
}

/** The vector of a note; null if there is none. */
export async function vectorOf(orm: Orm, id: string): Promise<StoredVector | null> {
  const { projectId, content, vector, model } = vectors;
  const [found] = await orm.select({ projectId, content, vector, model }).from(vectors).where(eq(vectors.id, id));
  return found ?? null;
}

/** Stores or replaces the vector of a note; null deletes it. */
export async function putVector(orm: Orm, id: string, vector: StoredVector | null): Promise<void> {
  if (vector === null) {
    await dropVector(orm, id);
  } else {
    await orm
      .insert(vectors)
      .values({ id, ...vector })
      .onConflictDoUpdate({ target: vectors.id, set: vector });
  }
}

export async function dropVector(orm: Orm, id: string): Promise<void> {
  await orm.delete(vectors).where(eq(vectors.id, id));
}

/**
 * The `limit` nearest, highest score first; only of `projectId`, if given. `model` made the query's vector:
 * vectors of other models, and of another length, are not compared with it. Throws `CallRefused` for a zero vector.
 */
export async function nearest(
  orm: Orm,
  vector: readonly number[],
  { projectId, model, limit = SEARCH_LIMIT }: { projectId: string | null; model: string | null; limit?: number },
): Promise<Hit[]> {
  const query = unitOf(vector);
  const ofProject = projectId === null ? undefined : eq(vectors.projectId, projectId);
  const ofModel = model === null ? undefined : or(eq(vectors.model, model), isNull(vectors.model));
  const rows = await orm
    .select({ id: vectors.id, vector: vectors.vector })
    .from(vectors)
    .where(and(ofProject, ofModel, eq(sql`length(${vectors.vector})`, query.byteLength)))
    .orderBy(vectors.id);
  const scored = rows.map((row) => ({ id: row.id, score: cosine(floatsOf(row.vector), query) }));
  const best = scored.sort((one, other) => other.score - one.score).slice(0, limit);
  const contents = await contentsOf(
    orm,
    best.map((hit) => hit.id),
  );
  return best.map(({ id, score }) => ({ id, content: contents.get(id) ?? "", score }));
}

async function contentsOf(orm: Orm, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await orm
    .select({ id: vectors.id, content: vectors.content })
    .from(vectors)
    .where(inArray(vectors.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row.content]));
}

function cosine(stored: Float32Array, query: Float32Array): number {
  let dot = 0;
  for (let index = 0; index < query.length; index += 1) {
    dot += (stored[index] ?? 0) * (query[index] ?? 0);
  }
  return Math.min(1, Math.max(-1, Math.fround(dot)));
}

function unitOf(vector: readonly number[]): Float32Array<ArrayBuffer> {
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new CallRefused("vector must be a list of finite numbers, and not empty.");
  }
  const peak = vector.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  if (peak === 0) {
    throw new CallRefused("vector is all zeros, so nothing is near to it.");
  }
  // Divided by the largest number, the squares neither overflow nor underflow.
  const scaled = vector.map((number) => number / peak);
  const length = Math.sqrt(scaled.reduce((sum, number) => sum + number * number, 0));
  return Float32Array.from(scaled, (number) => number / length);
}

function floatsOf(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0) {
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
  }
  return new Float32Array(bytes.slice().buffer);
}
