/** Notes that a user writes, searched by meaning with the real server. */
import { expect, inject, onTestFinished, test } from "vitest";
import { NoteVectors, schema } from "../../src/database/index.js";
import { noteEmbedder } from "../../src/index.js";
import { connected, type Device } from "./device.js";

interface Desk extends Device {
  readonly vectors: NoteVectors;
  rest(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The texts with stored vectors. */
  embedded(): Promise<string[]>;
  search(words: string): Promise<string>;
}

async function desk(): Promise<Desk> {
  const device = await connected();
  const { account, client, tables } = device;
  const embed = noteEmbedder({ server: inject("server"), token: account.token, deviceId: tables.database.deviceId });
  const vectors = new NoteVectors(tables, { embed });
  vectors.follow(client);
  onTestFinished(() => {
    vectors.close();
    client.close();
  });
  return {
    ...device,
    vectors,
    async rest(method, path, body) {
      const headers = {
        Authorization: `Bearer ${await account.token("connect")}`,
        "Content-Type": "application/json",
      };
      const given = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(new URL(path, inject("server")), { method, headers, ...given });
      return (await answer.json()) as Record<string, unknown>;
    },
    async embedded() {
      const rows = await tables.database.orm.select({ content: schema.vectors.content }).from(schema.vectors);
      return rows.map(({ content }) => content).sort();
    },
    async search(words) {
      const turn = client.home({ message: `search my notes for ${words}` });
      await turn.done();
      return turn.text;
    },
  };
}

const soon = { timeout: 50_000 };

test("a note is found by its meaning once it is written, and by its new text once it is changed", async () => {
  const { tables, embedded, search, rest } = await desk();
  const { id } = await tables.insert("notes", { title: "New note", content: "Tulip bulbs are planted in October" });
  await tables.insert("notes", { title: "Car", content: "The winter tyres lie in the cellar" });
  await expect.poll(embedded, soon).toHaveLength(2);

  const first = await search("planting tulips");
  expect(first.split("\n")[1]).toContain("Tulip bulbs are planted");
  await tables.update("notes", id, { content: "The dentist wants to see me in spring" });
  await expect.poll(embedded, soon).toContain("The dentist wants to see me in spring");
  expect((await search("when to see the dentist")).split("\n")[1]).toContain("The dentist wants to see me");

  const { results } = (await rest("GET", "/api/v1/disclosures?limit=100&table=notes")) as {
    results: Record<string, unknown>[];
  };
  const embeddings = results.filter(({ source }) => source === "vectors");
  expect(embeddings[0]).toMatchObject({ model: "hashing-v1", left_server: false, rows: [id], row_count: 1 });
  expect(embeddings[0]?.device_id).toBe(tables.database.deviceId);
});

test("what is never shared gets no vector until it may be shared", async () => {
  const { tables, embedded, rest, vectors } = await desk();
  const { id } = await tables.insert("projects", { name: "Secret" });
  await rest("PUT", "/api/v1/sharing", { tables: [], projects: [id] });
  await tables.insert("notes", { title: "New note", content: "The key lies under the mat", projectId: id });
  await tables.insert("notes", { title: "New note", content: "Milk and bread" });
  await expect.poll(embedded, soon).toEqual(["Milk and bread"]);

  await rest("PUT", "/api/v1/sharing", { tables: [], projects: [] });
  vectors.reconsider();
  await expect.poll(embedded, soon).toEqual(["Milk and bread", "The key lies under the mat"]);
});
